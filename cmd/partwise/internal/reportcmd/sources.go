package reportcmd

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"unicode/utf8"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/sweep"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// warnings are all warnings: about the files, of the solver, and about what the results mean.
func (s *solvedStudy) warnings() section {
	out := section{title: "Warnings"}
	var all bullets
	add := func(text string) {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, one := range s.Series {
		for _, w := range one.Model.Warnings {
			add(w.Error())
		}
	}
	for i, one := range s.Series {
		points := s.curves.Points[i]
		if text := sweep.ThrashingSentence(points); text != "" {
			add(one.Name + ": " + text + ".")
		}
		for _, text := range unstableFrom(points) {
			add(one.Name + ": " + text + ".")
		}
		for j := range points {
			for _, r := range points[j].Decision.Results {
				if r.Measures.Stable {
					for _, w := range r.Measures.Diagnostics.Warnings {
						add(fmt.Sprintf("%s at load %s, %v: %v", one.Name, output.Load(points[j].Load), r.Policy, w))
					}
				}
			}
		}
	}
	for _, text := range s.failures() {
		add("Not solved: " + text)
	}
	if len(all) == 0 {
		out.add(paragraph("None: every chain was solved to the accuracy of its numbers, and no load is near thrashing."))
		return out
	}
	out.add(all)
	return out
}

// unstableFrom says from which load on policies are unstable.
func unstableFrom(points []decide.Point) []string {
	least := map[policy.Policy]float64{}
	var order []policy.Policy
	for i := range points {
		for _, r := range points[i].Decision.Results {
			if r.Measures.Stable {
				continue
			}
			from, seen := least[r.Policy]
			if !seen {
				order = append(order, r.Policy)
			}
			if !seen || points[i].Load < from {
				least[r.Policy] = points[i].Load
			}
		}
	}
	var all []string
	for _, p := range order {
		all = append(all, fmt.Sprintf("%v is unstable from load %s on", p, output.Load(least[p])))
	}
	return all
}

// mostListed is the size, in bytes, of the files that a report shows as they are.
const mostListed = 64 << 10

// files lists what the report was made from, with what it takes to see that it is the same.
func (s *solvedStudy) files() (section, error) {
	out := section{title: "Files"}
	inputs, err := s.Inputs()
	if err != nil {
		return out, err
	}
	var names []string
	for _, in := range inputs {
		if !slices.Contains(names, in.File) {
			names = append(names, in.File)
		}
	}
	table := output.Table{Columns: []output.Column{{Name: "file"}, {Name: "bytes", Number: true}, {Name: "SHA-256"}}}
	var listings []block
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(s.File), filepath.FromSlash(name)))
		if err != nil {
			return out, err
		}
		table.Rows = append(table.Rows, []string{name, fmt.Sprint(len(data)), fmt.Sprintf("%x", sha256.Sum256(data))})
		if len(data) <= mostListed && utf8.Valid(data) && !bytes.ContainsRune(data, 0) {
			listings = append(listings, folded{name, []block{listing(data)}})
		}
	}
	out.add(tableOf{table})
	out.add(listings...)
	return out, nil
}

// versions says what made the report.
func (s *solvedStudy) versions() section {
	out := section{title: "Made by"}
	out.add(listing(s.command+"\n"), paragraph(fmt.Sprintf("partwise %s, %s, %s/%s.", cli.Version(), runtime.Version(),
		runtime.GOOS, runtime.GOARCH)))
	return out
}
