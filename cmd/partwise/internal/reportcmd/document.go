package reportcmd

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
	texts "text/template"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/escape"
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
		"words":  func(text string) string { return template.HTMLEscapeString(escape.Visible(text)) },
		"figure": (*chart.Figure).Fragment,
	})
	if err != nil {
		return err
	}
	return chart.WritePage(w, d.Title, template.HTML(body.String()))
}

// writeMarkdown writes the document; picture draws a figure and returns the name of its file, "" for none.
func (d *document) writeMarkdown(w io.Writer, picture func(*chart.Figure) (string, error)) error {
	return d.write(w, markdownTemplate, texts.FuncMap{
		"words":   escape.Markdown,
		"summary": func(text string) string { return template.HTMLEscapeString(escape.Line(text)) },
		"listing": func(text string) string {
			fence := "```"
			for strings.Contains(text, fence) {
				fence += "`"
			}
			return fence + "\n" + escape.Visible(strings.TrimRight(text, "\n")) + "\n" + fence
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
