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

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/points"
	"github.com/partwise/partwise/cmd/partwise/internal/release"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/sweep"
	"github.com/partwise/partwise/models/words"
)

// warnings are all warnings: about the files, of the solver, and about what the results mean.
func (s *solved) warnings() Part {
	all := slices.Clone(s.warned)
	add := func(text string) {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for i, one := range s.Series {
		solved := s.points.Solved(i)
		if text := sweep.Thrashing(solved); text != "" {
			add(one.Name + ": " + text + ".")
		}
		for _, o := range decide.Onsets(solved) {
			add(fmt.Sprintf("%s: %v is unstable from load %s on.", one.Name, o.Policy, words.Load(o.Load)))
		}
		for j := range solved {
			for _, text := range points.SolverWarnings(&solved[j]) {
				add(text)
			}
		}
	}
	for _, err := range points.Failed(s.points.Points) {
		add("Not solved: " + err.Error())
	}
	if all == nil {
		return Part{Title: "Warnings",
			Notes: []string{"None: every chain was solved to the accuracy of its numbers, and no load is near thrashing."}}
	}
	return Part{Title: "Warnings", Bullets: all}
}

// mostListed is the size, in bytes, of the files that a report shows as they are.
const mostListed = 64 << 10

// files lists what the report was made from, with what it takes to see that it is the same.
func (s *solved) files() (Part, error) {
	inputs, err := s.Inputs()
	if err != nil {
		return Part{}, err
	}
	var names []string
	for _, in := range inputs {
		if !slices.Contains(names, in.File) {
			names = append(names, in.File)
		}
	}
	return filesOf(filepath.Dir(s.File), names)
}

// filesOf lists files of a directory.
func filesOf(dir string, names []string) (Part, error) {
	out := Part{Title: "Files"}
	var rows []output.Row
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return out, err
		}
		rows = append(rows, output.Row{output.InTable("file").Is(name), output.InTable("bytes").Is(len(data)),
			output.InTable("SHA-256").Is(fmt.Sprintf("%x", sha256.Sum256(data)))})
		if len(data) <= mostListed && utf8.Valid(data) && !bytes.ContainsRune(data, 0) {
			out.Folds = append(out.Folds, Fold{Summary: name, Part: Part{Listing: string(data)}})
		}
	}
	out.Tables = []*output.List{output.TableOfRows("", rows)}
	return out, nil
}

// madeBy says what made a page.
func madeBy(command string) Part {
	version := fmt.Sprintf("partwise %s, %s, %s/%s.", release.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return Part{Title: "Made by", Listing: command + "\n", Notes: []string{version}}
}
