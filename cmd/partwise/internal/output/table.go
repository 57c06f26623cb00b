package output

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/partwise/partwise/cmd/partwise/internal/escape"
)

// Table is a table for people, its numbers rounded by who fills it.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]string
}

// Column names a column; numbers stand to the right.
type Column struct {
	Name   string
	Number bool
}

// WriteText writes the table with columns aligned by spaces; bold names of columns if the terminal can show them.
func (t *Table) WriteText(w io.Writer, bold bool) error {
	p := t.writer(escape.Line)
	style := table.StyleDefault
	style.Box = table.BoxStyle{PaddingRight: "  ", MiddleHorizontal: "-"}
	style.Options = table.Options{}
	style.Format.Header = text.FormatDefault
	p.SetStyle(style)
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(escape.Line(t.Title) + "\n")
	}
	lines := strings.Split(escape.Visible(p.Render()), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		if i == 0 && bold {
			line = "\x1b[1m" + line + "\x1b[0m"
		}
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes the table in the Markdown of GitHub.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + escape.Markdown(t.Title) + "**\n\n")
	}
	b.WriteString(t.writer(cell).RenderMarkdown() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// cell is text in a table of Markdown, whose writer escapes the marks between columns itself.
func cell(text string) string { return strings.ReplaceAll(escape.Markdown(text), `\|`, "|") }

func (t *Table) writer(escaped func(string) string) table.Writer {
	p := table.NewWriter()
	names := make(table.Row, len(t.Columns))
	configs := make([]table.ColumnConfig, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = escaped(c.Name)
		align := text.AlignLeft
		if c.Number {
			align = text.AlignRight
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
	}
	p.AppendHeader(names)
	p.SetColumnConfigs(configs)
	for _, r := range t.Rows {
		row := make(table.Row, len(r))
		for i, text := range r {
			row[i] = escaped(text)
		}
		p.AppendRow(row)
	}
	return p
}

// WriteCSV writes rows, the first of which names the columns.
func WriteCSV(w io.Writer, rows [][]string) error {
	return csv.NewWriter(w).WriteAll(rows)
}

// Shortest returns v with the fewest digits that read back as v, without an exponent where people write none: times of
// logs have eight digits.
func Shortest(v float64) string {
	if a := math.Abs(v); 1e-5 <= a && a < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Round returns v with so many significant digits, without an exponent where one reads better without.
func Round(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	scientific := strconv.FormatFloat(v, 'e', digits-1, 64) // rounded: 0.0999999 has the magnitude of 0.1
	magnitude, _ := strconv.Atoi(scientific[strings.IndexByte(scientific, 'e')+1:])
	if magnitude < -5 || magnitude > 9 {
		return scientific
	}
	return strconv.FormatFloat(v, 'f', max(0, digits-1-magnitude), 64)
}
