package output

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
)

// Table is a table for people, all its numbers rounded. Of its columns there are the heads, with units, and how they stand.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]string
	Most    int // rows that a table of limited width shows; 0: all
}

// UsualWidth is how wide a table is where nothing is known of who reads it.
const UsualWidth = 80

// Table returns the table for people: the columns that the list chooses or, without a choice, those that have a head.
func (l *List) Table() Table {
	rows := l.rows()
	t := Table{Title: l.Title, Most: l.Most, Rows: make([][]string, len(rows))}
	if l.Shown != nil {
		for _, c := range l.Shown {
			t.add(c, l.Unit, rows, func(row Row) any { return row.Of(c) })
		}
		return t
	}
	for _, c := range l.columns(rows, (*Column).inTable) {
		t.add(c.Column, l.Unit, rows, func(row Row) any { return row.valueOf(&c) })
	}
	return t
}

// add adds a column, whose times are in a unit.
func (t *Table) add(c Column, unit string, rows []Row, value func(Row) any) {
	head := Column{Name: c.Name, Number: c.Number, Extra: c.Extra}
	if c.Unit == measure.Time && unit != "" {
		head.Name = InUnit(c.Name, unit)
	}
	for i, row := range rows {
		v := value(row)
		switch v.(type) {
		case int, int64, float64, metric.Interval:
			head.Number = true
		}
		text := c.None
		if exists(v) {
			text = c.text(v)
		}
		t.Rows[i] = append(t.Rows[i], text)
	}
	t.Columns = append(t.Columns, head)
}

// text returns a value for people: by Text, if the column has one; shares in per cent, other numbers with four digits.
func (c *Column) text(value any) string {
	if c.Text != nil {
		return c.Text(value)
	}
	if n, ok := value.(int); ok {
		return strconv.Itoa(n)
	}
	if m, ok := measure.Named(c.Key); ok && m.Unit == measure.Share {
		return Shares(value)
	}
	return Digits(4)(value)
}

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

// escaped returns the table with text that a terminal can show.
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

// WriteMarkdown writes the table in the Markdown of GitHub.
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
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, VAlignHeader: text.VAlignBottom}
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

// TimeUnit names the column that says in which unit the times of a row of CSV are; rates are per that unit.
const TimeUnit = "time_unit"

// WithTimeUnit returns rows of CSV with a last column that holds the time unit, unless there is one of that name.
func WithTimeUnit(rows [][]string, unit string) [][]string {
	if len(rows) == 0 || slices.Contains(rows[0], TimeUnit) {
		return rows
	}
	all := make([][]string, len(rows))
	for i, row := range rows {
		all[i] = append(slices.Clone(row), unit)
	}
	all[0][len(rows[0])] = TimeUnit
	return all
}

// Shortest returns v with the fewest digits that read back as v, without an exponent where people write none: times of
// logs have eight digits.
func Shortest(v float64) string {
	if a := math.Abs(v); 1e-5 <= a && a < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Rounded rounds a number to so many significant digits.
func Rounded(v float64, digits int) float64 {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // what was formatted can be parsed
	return x
}

// resolution is the number below which there is nothing: what is printed for people is in units such that it is noise of
// the calculation, as the 1e-21 s that nobody waits.
const resolution = 1e-15

// Round returns v with so many significant digits, without an exponent where one reads better without; 0 for what is below
// the resolution.
func Round(v float64, digits int) string {
	if math.Abs(v) < resolution {
		return "0"
	}
	scientific := strconv.FormatFloat(v, 'e', digits-1, 64) // rounded: 0.0999999 has the magnitude of 0.1
	magnitude, _ := strconv.Atoi(scientific[strings.IndexByte(scientific, 'e')+1:])
	if magnitude < -5 || magnitude > 9 {
		return scientific
	}
	return strconv.FormatFloat(v, 'f', max(0, digits-1-magnitude), 64)
}
