package reportcmd

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"
	texts "text/template"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
)

// The documents as the body of a page and as Markdown: the words of both are escaped by the functions of the templates.
var (
	//go:embed document.html.tmpl
	htmlTemplate string
	//go:embed document.md.tmpl
	markdownTemplate string
)

// document is text with tables and pictures, of which a page for browsers and Markdown are views.
type document struct {
	Title    string
	Sections []section
}

// section is a part of a document under a heading.
type section struct {
	Title  string
	Blocks []block
}

func (s *section) add(b ...block) { s.Blocks = append(s.Blocks, b...) }

// block is a part of a section. One of its fields is set, or the last two.
type block struct {
	Lead    string // the sentence that matters most
	Text    string
	Bullets []string
	Table   *output.Table
	Figure  *chart.Figure
	Listing string  // a file as it is
	Summary string  // of what not everybody wants to see
	Folded  []block // behind the summary
}

// addTables adds the lists that have rows, as tables.
func (s *section) addTables(lists ...*output.List) {
	for _, l := range lists {
		if l.Len > 0 {
			s.add(tableOf(l.Table()))
		}
	}
}

// tableOf returns a table as a block.
func tableOf(t output.Table) block { return block{Table: &t} }

// fitFigures makes the pictures of the document fit together.
func (d *document) fitFigures() {
	var all []*chart.Figure
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			if b.Figure != nil {
				all = append(all, b.Figure)
			}
		}
	}
	chart.Together(all...)
}

// writeHTML writes the document as a page that needs nothing but itself.
func (d *document) writeHTML(w io.Writer) error {
	var body strings.Builder
	err := d.write(&body, htmlTemplate, texts.FuncMap{
		"words":  func(text string) string { return template.HTMLEscapeString(output.Visible(text)) },
		"figure": func(f *chart.Figure) (template.HTML, error) { return chart.Fragment(f) },
	})
	if err != nil {
		return err
	}
	return chart.WritePage(w, d.Title, template.HTML(body.String()))
}

// writeMarkdown writes the document; picture draws a figure and returns the name of its file, "" for none.
func (d *document) writeMarkdown(w io.Writer, picture func(*chart.Figure) (string, error)) error {
	return d.write(w, markdownTemplate, texts.FuncMap{
		"words":   output.Markdown,
		"summary": func(text string) string { return template.HTMLEscapeString(output.Line(text)) },
		"listing": func(text string) string {
			fence := "```"
			for strings.Contains(text, fence) {
				fence += "`"
			}
			return fence + "\n" + output.Visible(strings.TrimRight(text, "\n")) + "\n" + fence
		},
		"table": func(t *output.Table) (string, error) {
			var b strings.Builder
			err := t.WriteMarkdown(&b)
			return b.String(), err
		},
		"figure": picture,
	})
}

// write writes the document by a template, all of it or nothing.
func (d *document) write(w io.Writer, text string, functions texts.FuncMap) error {
	d.fitFigures()
	t, err := texts.New("document").Funcs(functions).Parse(text)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, d); err != nil {
		return err
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// Part is a section of a page that another command has found out.
type Part struct {
	Title   string
	Lead    []string     // sentences that matter most
	Table   *output.List // below Lead; nil: none
	Assumed []output.Assumption
	Bullets []string
	Figures []*chart.Figure
	Result  *output.Result // whose tables and notes follow
}

func (p *Part) section() section {
	out := section{Title: p.Title}
	for _, text := range p.Lead {
		out.add(block{Lead: text})
	}
	if p.Table != nil {
		out.add(tableOf(p.Table.Table()))
	}
	if len(p.Assumed) > 0 {
		out.add(block{Lead: output.AssumedWords(p.Assumed)})
	}
	if len(p.Bullets) > 0 {
		out.add(block{Bullets: p.Bullets})
	}
	if p.Result == nil {
		p.Result = &output.Result{}
	}
	tables, notes := p.Result.Shown()
	for _, note := range notes {
		out.add(block{Text: note})
	}
	for _, f := range p.Figures {
		out.add(block{Figure: f})
	}
	for _, t := range tables {
		if t.Title == p.Title {
			t.Title = "" // it stands above
		}
		if len(t.Rows) <= output.MostRows {
			out.add(tableOf(t))
			continue
		}
		summary := fmt.Sprintf("%s: %d rows", t.Title, len(t.Rows))
		t.Title = ""
		out.add(block{Summary: summary, Folded: []block{tableOf(t)}})
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

// Figures returns the picture of all loads.
func (s *Solved) Figures() []*chart.Figure { return []*chart.Figure{s.figure} }

// Write writes a page, see page.
func (s *Solved) Write(file, title string, first, then []Part) error {
	d, err := s.page(title, first, then)
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
