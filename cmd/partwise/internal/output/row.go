package output

import (
	"slices"
)

// Row is a thing with what is known of it, such as a policy with its measures: the cells that name it, and its values, in the
// order in which JSON and CSV show them. The rows of a list may have different cells.
type Row []Cell

// Cell is the value of a column in a row.
type Cell struct {
	Column
	Value any
}

// RowsOf returns a row for each of some values, nil for none.
func RowsOf[T, R any](all []T, row func(T) R) (rows []R) {
	for _, one := range all {
		rows = append(rows, row(one))
	}
	return rows
}

// Choose returns the cells of columns, in the order of the columns, as these show the values. The row is searched for the keys
// of the columns.
func (row Row) Choose(columns ...Column) Row {
	chosen := make(Row, len(columns))
	for i, c := range columns {
		chosen[i] = c.Is(row.Of(c))
	}
	return chosen
}

// Of returns the value of a column in a row, found by its key or, without a key, by its head. It is nil if the row has no such
// column.
func (row Row) Of(c Column) any {
	if i := row.index(&c); i >= 0 {
		return row[i].Value
	}
	return nil
}

// Has reports whether a row has a column.
func (row Row) Has(c Column) bool { return row.index(&c) >= 0 }

// index returns the place of a column in the row, found by its key or, without a key, by its head. It is −1 if the row has no
// such column.
func (row Row) index(c *Column) int {
	return slices.IndexFunc(row, func(d Cell) bool { return d.Key == c.Key && (c.Key != "" || d.Name == c.Name) })
}
