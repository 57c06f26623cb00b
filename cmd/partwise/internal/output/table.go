package output

import (
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

// MostRows is how many loads a table for people shows of a series.
const MostRows = 12

// Table returns the table for people. It has the columns that the list chooses. Without a choice it has all columns with a head.
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

// add adds a column to the table, with its cells as people read them; value returns the value of a row. The head of a column
// of times or rates has the unit.
func (t *Table) add(c Column, unit string, rows []Row, value func(Row) any) {
	head := Column{Name: c.Name, Number: c.Number, Extra: c.Extra}
	if unit != "" && (c.Unit == measure.Time || c.Unit == measure.Rate) {
		head.Name = InUnit(c.Name, c.Unit.In(unit))
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
		return words.Whole(n)
	}
	if c.Unit == measure.Share {
		return shares(value)
	}
	return Digits(4)(value)
}

// writer returns the table as go-pretty draws it, numbers to the right. escaped makes each text fit for the format that is
// written.
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
