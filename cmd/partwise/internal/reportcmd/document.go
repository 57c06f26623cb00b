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

func (s *section) add(b ...block) { s.blocks = append(s.blocks, b...) }

// block is a part of a section. One of its fields is set, or the last two.
type block struct {
	lead    string // the sentence that matters most
	text    string
	bullets []string
	table   *output.Table
	figure  *chart.Figure
	listing string  // a file as it is
	summary string  // of what not everybody wants to see
	folded  []block // behind the summary
}

// tableOf returns a table as a block.
func tableOf(t output.Table) block { return block{table: &t} }

// fitFigures makes the pictures of the document fit together.
func (d *document) fitFigures() {
	var all []*chart.Figure
	for _, s := range d.sections {
		for _, b := range s.blocks {
			if b.figure != nil {
				all = append(all, b.figure)
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
		if err := v.blocks(s.blocks); err != nil {
			return err
		}
	}
	v.WriteString("</main>\n")
	return chart.WritePage(w, d.title, template.HTML(v.String()))
}

// htmlView is a document as the body of a page.
type htmlView struct{ strings.Builder }

func (v *htmlView) element(tag, class, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(v, "<%s%s>%s</%s>\n", tag, class, template.HTMLEscapeString(escape.Visible(text)), tag)
}

func (v *htmlView) blocks(all []block) error {
	for _, b := range all {
		switch {
		case b.lead != "":
			v.element("p", "lead", b.lead)
		case b.text != "":
			v.element("p", "", b.text)
		case b.table != nil:
			v.table(b.table)
		case b.listing != "":
			v.element("pre", "", b.listing)
		case b.figure != nil:
			fragment, err := chart.Fragment(b.figure)
			if err != nil {
				return err
			}
			v.WriteString(string(fragment))
		case b.summary != "":
			v.WriteString("<details>\n")
			v.element("summary", "", b.summary)
			if err := v.blocks(b.folded); err != nil {
				return err
			}
			v.WriteString("</details>\n")
		default:
			v.WriteString("<ul>\n")
			for _, item := range b.bullets {
				v.element("li", "", item)
			}
			v.WriteString("</ul>\n")
		}
	}
	return nil
}

func (v *htmlView) table(t *output.Table) {
	v.WriteString("<div class=\"wide\"><table>\n")
	if t.Title != "" {
		v.element("caption", "", t.Title)
	}
	cell := func(tag string, i int, text string) {
		class := map[bool]string{true: "number"}[t.Columns[i].Number]
		v.element(tag, class, text)
	}
	v.WriteString("<thead><tr>\n")
	for i, c := range t.Columns {
		cell("th", i, c.Name)
	}
	v.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		v.WriteString("<tr>\n")
		for i, text := range row {
			cell("td", i, text)
		}
		v.WriteString("</tr>\n")
	}
	v.WriteString("</tbody>\n</table></div>\n")
}

// writeMarkdown writes the document; picture draws a figure and returns the name of its file, "" for none.
func (d *document) writeMarkdown(w io.Writer, picture func(*chart.Figure) (string, error)) error {
	d.fitFigures()
	v := &markdownView{picture: picture}
	v.WriteString("# " + escape.Markdown(d.title) + "\n")
	for _, s := range d.sections {
		v.WriteString("\n## " + escape.Markdown(s.title) + "\n")
		if err := v.blocks(s.blocks); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, v.String())
	return err
}

// markdownView is a document as Markdown; pictures are files beside it, or not there.
type markdownView struct {
	strings.Builder
	picture func(*chart.Figure) (name string, err error)
}

func (v *markdownView) blocks(all []block) error {
	for _, b := range all {
		v.WriteString("\n")
		switch {
		case b.lead != "":
			v.WriteString("**" + escape.Markdown(b.lead) + "**\n")
		case b.text != "":
			v.WriteString(escape.Markdown(b.text) + "\n")
		case b.table != nil:
			if err := b.table.WriteMarkdown(v); err != nil {
				return err
			}
		case b.listing != "":
			fence := "```"
			for strings.Contains(b.listing, fence) {
				fence += "`"
			}
			v.WriteString(fence + "\n" + escape.Visible(strings.TrimRight(b.listing, "\n")) + "\n" + fence + "\n")
		case b.figure != nil:
			if name, err := v.picture(b.figure); err != nil {
				return err
			} else if name != "" {
				v.WriteString("![" + escape.Markdown(b.figure.Title) + "](" + name + ")\n")
			}
		case b.summary != "":
			v.WriteString("<details><summary>" + template.HTMLEscapeString(escape.Line(b.summary)) + "</summary>\n")
			if err := v.blocks(b.folded); err != nil {
				return err
			}
			v.WriteString("\n</details>\n")
		default:
			for _, item := range b.bullets {
				v.WriteString("- " + escape.Markdown(item) + "\n")
			}
		}
	}
	return nil
}
