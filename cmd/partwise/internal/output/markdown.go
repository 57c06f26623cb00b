package output

import (
	"io"
	"strings"
)

// WriteMarkdown writes the table, below its title, in the Markdown of GitHub, numbers to the right.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + Markdown(t.Title) + "**\n\n")
	}
	b.WriteString(t.writer(cell).RenderMarkdown() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// cell is text in a table of Markdown, whose writer escapes the marks between columns itself.
func cell(text string) string { return strings.ReplaceAll(Markdown(text), `\|`, "|") }
