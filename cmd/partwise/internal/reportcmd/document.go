package reportcmd

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/escape"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// document is text with tables and pictures, of which a page for browsers and Markdown are views.
type document struct {
	title    string
	sections []section
}

// section is a part of a document under a heading.
type section struct {
	title  string
	blocks []block
}

// block is a part of a section.
type block interface {
	html(*htmlView) error
	markdown(*markdownView) error
}

func (s *section) add(b ...block) { s.blocks = append(s.blocks, b...) }

// The kinds of blocks.
type (
	paragraph string
	lead      string // the sentence that matters most
	bullets   []string
	tableOf   struct{ output.Table }
	pictured  struct{ *chart.Figure }
	listing   string   // a file as it is
	folded    struct { // what not everybody wants to see
		summary string
		blocks  []block
	}
)

// htmlView is a document as the body of a page.
type htmlView struct{ strings.Builder }

func (v *htmlView) element(tag, class, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(v, "<%s%s>%s</%s>\n", tag, class, template.HTMLEscapeString(escape.Visible(text)), tag)
}

// documentStyle is what a document needs beside the style of all pages.
const documentStyle template.CSS = `
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; border-bottom: 1px solid var(--grid); padding-bottom: 0.2rem; }
.lead { font-size: 1.15rem; }
table { border-collapse: collapse; margin: 0.8rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: bold; padding: 0.2rem 0; }
th, td { padding: 0.15rem 0.8rem 0.15rem 0; text-align: left; }
td { white-space: nowrap; }
th { border-bottom: 1px solid var(--line); vertical-align: bottom; }
td.number, th.number { text-align: right; }
.wide { overflow-x: auto; }
pre { background: var(--shade); padding: 0.8rem; overflow-x: auto; font-size: 13px; }
details { margin: 0.6rem 0; }
summary { cursor: pointer; }
@media print {
  table { font-size: 11px; }
  td { white-space: normal; }
  th, td { padding-right: 0.5rem; }
  .wide { overflow: visible; }
  pre { white-space: pre-wrap; }
  tr, .static { break-inside: avoid; }
  h2, summary, caption { break-after: avoid; }
}
`

// fitFigures makes the pictures of the document fit together.
func (d *document) fitFigures() {
	var all []*chart.Figure
	for _, s := range d.sections {
		for _, b := range s.blocks {
			if p, ok := b.(pictured); ok {
				all = append(all, p.Figure)
			}
		}
	}
	chart.Together(all...)
}

// writeHTML writes the document as a page that needs nothing but itself.
func (d *document) writeHTML(w io.Writer) error {
	d.fitFigures()
	v := &htmlView{}
	v.WriteString("<main>\n")
	for _, s := range d.sections {
		v.element("h2", "", s.title)
		for _, b := range s.blocks {
			if err := b.html(v); err != nil {
				return err
			}
		}
	}
	v.WriteString("</main>\n")
	return chart.WritePage(w, d.title, documentStyle, template.HTML(v.String()))
}

func (p paragraph) html(v *htmlView) error { v.element("p", "", string(p)); return nil }

func (l lead) html(v *htmlView) error { v.element("p", "lead", string(l)); return nil }

func (l bullets) html(v *htmlView) error {
	v.WriteString("<ul>\n")
	for _, item := range l {
		v.element("li", "", item)
	}
	v.WriteString("</ul>\n")
	return nil
}

func (t tableOf) html(v *htmlView) error {
	v.WriteString("<div class=\"wide\"><table>\n")
	if t.Title != "" {
		v.element("caption", "", t.Title)
	}
	class := func(i int) string {
		if t.Columns[i].Number {
			return "number"
		}
		return ""
	}
	v.WriteString("<thead><tr>\n")
	for i, c := range t.Columns {
		v.element("th", class(i), c.Name)
	}
	v.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		v.WriteString("<tr>\n")
		for i, text := range row {
			v.element("td", class(i), text)
		}
		v.WriteString("</tr>\n")
	}
	v.WriteString("</tbody>\n</table></div>\n")
	return nil
}

func (p pictured) html(v *htmlView) error {
	fragment, err := p.Fragment()
	v.WriteString(string(fragment))
	return err
}

func (l listing) html(v *htmlView) error { v.element("pre", "", string(l)); return nil }

func (f folded) html(v *htmlView) error {
	v.WriteString("<details>\n")
	v.element("summary", "", f.summary)
	for _, b := range f.blocks {
		if err := b.html(v); err != nil {
			return err
		}
	}
	v.WriteString("</details>\n")
	return nil
}

// markdownView is a document as Markdown; pictures are files beside it, or not there.
type markdownView struct {
	strings.Builder
	picture func(*chart.Figure) (name string, err error)
}

// writeMarkdown writes the document; picture draws a figure and returns the name of its file, "" for none.
func (d *document) writeMarkdown(w io.Writer, picture func(*chart.Figure) (string, error)) error {
	d.fitFigures()
	v := &markdownView{picture: picture}
	v.WriteString("# " + escape.Markdown(d.title) + "\n")
	for _, s := range d.sections {
		v.WriteString("\n## " + escape.Markdown(s.title) + "\n")
		for _, b := range s.blocks {
			v.WriteString("\n")
			if err := b.markdown(v); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, v.String())
	return err
}

func (p paragraph) markdown(v *markdownView) error {
	v.WriteString(escape.Markdown(string(p)) + "\n")
	return nil
}

func (l lead) markdown(v *markdownView) error {
	v.WriteString("**" + escape.Markdown(string(l)) + "**\n")
	return nil
}

func (l bullets) markdown(v *markdownView) error {
	for _, item := range l {
		v.WriteString("- " + escape.Markdown(item) + "\n")
	}
	return nil
}

func (t tableOf) markdown(v *markdownView) error { return t.WriteMarkdown(v) }

func (p pictured) markdown(v *markdownView) error {
	name, err := v.picture(p.Figure)
	if err != nil || name == "" {
		return err
	}
	v.WriteString("![" + escape.Markdown(p.Title) + "](" + name + ")\n")
	return nil
}

// markdown fences a file with more backticks than it has in a row.
func (l listing) markdown(v *markdownView) error {
	fence := "```"
	for strings.Contains(string(l), fence) {
		fence += "`"
	}
	v.WriteString(fence + "\n" + escape.Visible(strings.TrimRight(string(l), "\n")) + "\n" + fence + "\n")
	return nil
}

func (f folded) markdown(v *markdownView) error {
	v.WriteString("<details><summary>" + template.HTMLEscapeString(escape.Line(f.summary)) + "</summary>\n")
	for _, b := range f.blocks {
		v.WriteString("\n")
		if err := b.markdown(v); err != nil {
			return err
		}
	}
	v.WriteString("\n</details>\n")
	return nil
}
