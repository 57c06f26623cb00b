package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/partwise/partwise/models/words"
)

// WriteText writes the table with columns aligned by spaces, as many as fit into a width, 0 for all, and says which do not.
// Where the width is limited, so is the number of rows, by Most. The names of columns are bold if the terminal can show them.
func (t *Table) WriteText(w io.Writer, width int, bold bool) error {
	rows := len(t.Rows)
	if width > 0 && t.Most > 0 {
		rows = min(rows, t.Most)
	}
	l, left := (&Table{Title: t.Title, Columns: t.Columns, Rows: t.Rows[:rows]}).escaped().fit(width)
	var b strings.Builder
	paragraph := func(words string) { b.WriteString(broken(words, width) + "\n") }
	if t.Title != "" {
		paragraph(Line(t.Title))
	}
	lines, heads := l.lines()
	for i, line := range lines {
		if i < heads && bold {
			line = "\x1b[1m" + line + "\x1b[0m"
		}
		b.WriteString(line + "\n")
	}
	if left != nil {
		paragraph("(left out: " + strings.Join(left, ", ") + "; --wide shows all)")
	}
	if rows < len(t.Rows) {
		paragraph(fmt.Sprintf("(the first %d rows of %d; --wide shows all)", rows, len(t.Rows)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escaped returns the table with hidden characters written out, so that no cell can change what a terminal shows.
func (t *Table) escaped() *Table {
	out := &Table{Title: t.Title}
	for _, c := range t.Columns {
		c.Name = Line(c.Name)
		out.Columns = append(out.Columns, c)
	}
	for _, row := range t.Rows {
		out.Rows = append(out.Rows, words.Texts(row, Line))
	}
	return out
}
