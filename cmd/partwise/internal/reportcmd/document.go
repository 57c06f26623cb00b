package reportcmd

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
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

// Tile is a number with its name.
type Tile struct{ Name, Value string }

// block is a part of a section. One of its fields is set, or the last two.
type block struct {
	Verdict string // the answer, in large type
	Tiles   []Tile // the numbers of the answer
	Lead    string // a sentence that matters
	Text    string
	Bullets []string
	Table   *output.Table
	Figure  *chart.Figure
	Listing string  // a file as it is
	Summary string  // of what not everybody wants to see
	Folded  []block // behind the summary
}

// addTables adds the lists that are there and have rows, as tables.
func (s *section) addTables(lists ...*output.List) {
	for _, l := range lists {
		if l != nil && l.Len > 0 {
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
	err := d.write(&body, htmlTemplate, template.FuncMap{
		"words":  func(text string) string { return template.HTMLEscapeString(output.Visible(text)) },
		"figure": func(f *chart.Figure) (chart.HTML, error) { return chart.Fragment(f) },
	})
	if err != nil {
		return err
	}
	return chart.WritePage(w, d.Title, chart.HTML(body.String()))
}

// writeMarkdown writes the document; picture draws a figure and returns the name of its file, "" for none.
func (d *document) writeMarkdown(w io.Writer, picture func(*chart.Figure) (string, error)) error {
	return d.write(w, markdownTemplate, template.FuncMap{
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
func (d *document) write(w io.Writer, text string, functions template.FuncMap) error {
	d.fitFigures()
	t, err := template.New("document").Funcs(functions).Parse(text)
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
	Verdict string
	Tiles   []Tile
	Terms   []string // paragraphs that explain words and assumptions
	Lead    []string // sentences that matter
	Figure  *chart.Figure
	Tables  []*output.List
	Assumed []output.Assumption
	Bullets []string
	Result  *output.Result // whose notes and tables follow, the tables behind Summary unless it is empty
	Figures []*chart.Figure
	Summary string
}

func (p *Part) section() section {
	out := section{Title: p.Title}
	if p.Verdict != "" {
		out.add(block{Verdict: p.Verdict, Tiles: p.Tiles})
	}
	for _, text := range p.Terms {
		out.add(block{Text: text})
	}
	for _, text := range p.Lead {
		out.add(block{Lead: text})
	}
	if p.Figure != nil {
		out.add(block{Figure: p.Figure})
	}
	out.addTables(p.Tables...)
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
	var folded section
	for _, t := range tables {
		if t.Title == p.Title {
			t.Title = "" // it stands above
		}
		if len(t.Rows) <= output.MostRows {
			folded.add(tableOf(t))
			continue
		}
		summary := fmt.Sprintf("%s: %d rows", t.Title, len(t.Rows))
		t.Title = ""
		folded.add(block{Summary: summary, Folded: []block{tableOf(t)}})
	}
	if p.Summary != "" && len(folded.Blocks) > 0 {
		folded.Blocks = []block{{Summary: p.Summary, Folded: folded.Blocks}}
	}
	out.add(folded.Blocks...)
	return out
}

// WritePage writes a page of parts, of the files that they were made from, and of the command that made them. Parts without
// text are left out.
func WritePage(file, title string, parts []Part, sources []string, command string) error {
	d := &document{Title: title}
	for i := range parts {
		d.Sections = append(d.Sections, parts[i].section())
	}
	files, err := filesOf(filepath.Dir(file), sources)
	if err != nil {
		return err
	}
	d.Sections = append(d.Sections, files, madeBy(command))
	d.Sections = slices.DeleteFunc(d.Sections, func(one section) bool { return len(one.Blocks) == 0 })
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
