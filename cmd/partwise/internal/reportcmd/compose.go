package reportcmd

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
)

// Part is a section of a page that another command has found out.
type Part struct {
	Title   string
	Lead    []string // sentences that matter most
	Bullets []string
	Figures []*chart.Figure
	Result  interface { // whose tables and notes follow
		Shown() ([]output.Table, []string)
	}
}

func (p *Part) section() section {
	out := section{title: p.Title}
	for _, text := range p.Lead {
		out.add(block{lead: text})
	}
	if len(p.Bullets) > 0 {
		out.add(block{bullets: p.Bullets})
	}
	var tables []output.Table
	if p.Result != nil {
		var notes []string
		tables, notes = p.Result.Shown()
		for _, note := range notes {
			out.add(block{text: note})
		}
	}
	for _, f := range p.Figures {
		out.add(block{figure: f})
	}
	for _, t := range tables {
		if len(t.Rows) <= output.MostRows {
			out.add(tableOf(t))
			continue
		}
		title := t.Title
		t.Title = ""
		out.add(block{summary: fmt.Sprintf("%s: %d rows", title, len(t.Rows)), folded: []block{tableOf(t)}})
	}
	return out
}

// Solve solves a model as partwise report does; command is what the page says it was made by.
func Solve(inv *cli.Invocation, file, command string, sets ...modelfile.Set) (*Solved, error) {
	of := *inv
	of.Args = []string{file}
	o := newOptions()
	o.sets = sets
	s, err := solve(&of, o)
	if err == nil {
		s.command = command
	}
	return s, err
}

// Model returns the model.
func (s *Solved) Model() *modelfile.Model { return s.Series[0].Model }

// Decision returns the solution of a model alone at its own load.
func (s *Solved) Decision() *decide.Decision { return s.own }

// Figures returns the picture of all loads.
func (s *Solved) Figures() []*chart.Figure { return []*chart.Figure{s.figure} }

// Write writes a page: parts first, then the results of the model, further parts, and what all of it rests on.
func (s *Solved) Write(file, title string, first, then []Part) error {
	var sections []section
	for i := range first {
		sections = append(sections, first[i].section())
	}
	sections = append(sections, s.results())
	for i := range then {
		sections = append(sections, then[i].section())
	}
	d, err := s.document(title, sections)
	if err != nil {
		return err
	}
	if strings.EqualFold(filepath.Ext(file), ".md") {
		return output.WriteFile(file, func(w io.Writer) error { return d.writeMarkdown(w, beside(file)) })
	}
	return output.WriteFile(file, d.writeHTML)
}

// beside returns what draws the figures of a document to files beside it, the second and later ones numbered.
func beside(file string) func(*chart.Figure) (string, error) {
	n := 0
	return func(f *chart.Figure) (string, error) {
		if file == "" {
			return "", nil
		}
		n++
		name := strings.TrimSuffix(file, filepath.Ext(file))
		if n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		name += ".svg"
		err := output.WriteFile(name, func(w io.Writer) error { return chart.Write(w, f, "svg") })
		return filepath.Base(name), err
	}
}
