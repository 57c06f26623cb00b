package output

import "slices"

// List is rows of one kind: an array of objects in JSON, rows of CSV, and a table for people. Each row is made once, by Row;
// the rest is a choice.
type List struct {
	Name    string          // of the field in JSON; "": it is not in JSON
	Title   string          // of the table
	Len     int             // rows
	Row     func(i int) Row // row i
	Shown   []Column        // of the table, in their order, by their keys; nil: all that have a head, as the rows have them
	Form    Form            // of the rows in CSV
	Most    int             // see Table
	Unit    string          // of times, behind the heads of the table; "": none
	Measure string          // the head of the names of measures in Long form; "": measure
	// TimeUnit is the unit of the times in CSV, if it differs from the unit of the result.
	TimeUnit string
	Sample   Row // a row with the columns of CSV, where there may be no rows
}

// NewList returns a list with a row for each of some values.
func NewList[T any](name, title string, form Form, all []T, row func(*T) Row) *List {
	return &List{Name: name, Title: title, Form: form, Len: len(all), Row: func(i int) Row { return row(&all[i]) }}
}

// ListOfRows returns a list of rows that were made before.
func ListOfRows(name, title string, form Form, rows []Row) *List {
	return &List{Name: name, Title: title, Form: form, Len: len(rows), Row: func(i int) Row { return rows[i] }}
}

// NewTable returns a list that is a table for people, with a row for each of some values. JSON has its rows where a field holds
// the list.
func NewTable[T any](title string, all []T, row func(*T) Row) *List {
	return NewList("", title, NoCSV, all, row)
}

// TableOfRows returns such a table of rows that were made before.
func TableOfRows(title string, rows []Row) *List { return ListOfRows("", title, NoCSV, rows) }

// In returns the list with a unit behind the heads of times.
func (l *List) In(unit string) *List {
	l.Unit = unit
	return l
}

// Show returns the list whose table has these columns, in their order; without columns there is no table. What a column is to
// look like in this table is said here.
func (l *List) Show(columns ...Column) *List {
	l.Shown = append([]Column{}, columns...)
	return l
}

// Before returns the list with further cells, the same in all rows, before the cells of each row.
func (l *List) Before(cells ...Cell) *List {
	if len(cells) == 0 {
		return l
	}
	with := *l
	with.Row = func(i int) Row { return append(slices.Clip(cells), l.Row(i)...) }
	return &with
}

// rows returns the rows of the list, made anew for each way to write the list.
func (l *List) rows() []Row {
	all := make([]Row, l.Len)
	for i := range all {
		all[i] = l.Row(i)
	}
	return all
}

// placed is a column with its place in the row that has it first. Columns of tables alone may have the same head, as ± has
// behind several intervals: nth counts them within a row.
type placed struct {
	Column
	at, nth int
}

// columns returns the columns of all rows that stand somewhere, in the order in which the rows have them.
func (l *List) columns(rows []Row, in func(*Column) bool) (all []placed) {
	if len(rows) == 0 {
		rows = []Row{l.Sample}
	}
	for _, row := range rows {
		next := 0 // most rows have the columns of the first
		for i := range row {
			c := &row[i].Column
			switch {
			case !in(c):
			case next < len(all) && all[next].at == i && all[next].same(c):
				next++
			default:
				nth := row[:i].count(c)
				if !slices.ContainsFunc(all, func(p placed) bool { return p.nth == nth && p.same(c) }) {
					all = append(all, placed{*c, i, nth})
				}
			}
		}
	}
	return all
}

// count returns how many cells of a row are of a column.
func (row Row) count(c *Column) (n int) {
	for i := range row {
		if row[i].same(c) {
			n++
		}
	}
	return n
}

// valueOf returns the value of a column in a row; nil if the row has none.
func (row Row) valueOf(c *placed) any {
	if c.at < len(row) && row[c.at].same(&c.Column) {
		return row[c.at].Value
	}
	nth := 0
	for i := range row {
		if row[i].same(&c.Column) {
			if nth == c.nth {
				return row[i].Value
			}
			nth++
		}
	}
	return nil
}
