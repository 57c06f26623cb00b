package output

import (
	"slices"

	"github.com/partwise/partwise/validate/metric"
)

// Column returns the column of a key.
func (l *List) Column(key string) *Column {
	return &l.Columns[slices.IndexFunc(l.Columns, func(c Column) bool { return c.Key == key })]
}

// HalfWidth returns the column of tables that stands behind that of an interval: half of its width.
func HalfWidth(of Column, digits int) Column {
	return Column{Name: "±", Text: Digits(digits), Value: func(i int) any {
		e, ok := of.Value(i).(metric.Interval)
		return When(ok, e.HalfWidth)
	}}
}
