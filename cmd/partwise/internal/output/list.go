package output

import (
	"cmp"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"
)

// List is rows of one kind: an array of objects in JSON, rows of CSV and a table. It is declared by its columns, so that a
// further measure is one entry.
type List struct {
	Name    string // of the field in JSON; "": it is not in JSON
	Title   string // of the table
	Len     int    // rows
	Columns []Column
	Form    Form   // of the rows in CSV
	Most    int    // see Table
	Measure string // the head of the names of measures in Long form; "": measure
	// TimeUnit is the unit of the times in CSV, if it differs from that of the result.
	TimeUnit string
}

// Form is how a list is written as CSV.
type Form int

// The forms of rows in CSV.
const (
	Wide  Form = iota // a row of CSV for each row; intervals fill three cells
	Long              // a row of CSV for each measure of each row
	NoCSV             // none
)

// Column returns the column of a key.
func (l *List) Column(key string) *Column {
	return &l.Columns[slices.IndexFunc(l.Columns, func(c Column) bool { return c.Key == key })]
}

// exists reports whether a value exists.
func exists(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case string:
		return v != ""
	case float64:
		return Finite(v)
	case metric.Interval:
		return Finite(v.Mean)
	}
	rv := reflect.ValueOf(value)
	return rv.Kind() != reflect.Slice || !rv.IsNil()
}

// When returns the value of a column for a row that has it: v, or nil.
func When(has bool, v any) any {
	if has {
		return v
	}
	return nil
}

// Positive returns a number that exists if it is above 0.
func Positive[N int | float64](v N) any { return When(v > 0, v) }

// Objects returns the rows as JSON has them, for results in which they are parts of other objects.
func (l *List) Objects() []Object {
	all := make([]Object, l.Len)
	for i := range all {
		all[i] = Object{}
		var ends Object
		for _, c := range l.Columns {
			v := c.Value(i)
			if e, ok := v.(metric.Interval); ok && c.MeanOnly && exists(v) {
				if v = e.Mean; Finite(e.HalfWidth) {
					ends.Add(c.Key, Pairs("low", e.Low, "high", e.High))
				}
			}
			if c.Key != "" && !c.OnlyCSV && exists(v) {
				all[i].Add(c.Key, v)
			}
		}
		if ends != nil {
			all[i].Add("intervals", ends)
		}
	}
	return all
}

// IntervalObject returns an interval as JSON has it; only its mean if nothing is known of its width.
func IntervalObject(e metric.Interval) Object {
	known := Finite(e.HalfWidth)
	return append(Object{{"mean", e.Mean}}, Pairs("low", When(known, e.Low), "high", When(known, e.High), "half_width", When(known, e.HalfWidth))...)
}

// Rows returns the rows as CSV has them, below the names of their columns; nil if there are none.
func (l *List) Rows() [][]string {
	switch l.Form {
	case NoCSV:
		return nil
	case Long:
		return l.long()
	}
	all := make([][]string, 1+l.Len)
	for _, c := range l.csv() {
		parts := []string{""}
		switch isInterval := l.hasIntervals(c); {
		case isInterval && c.HalfOnly:
			parts = []string{"", "_half_width"}
		case isInterval:
			parts = []string{"", "_low", "_high"}
		}
		for _, part := range parts {
			all[0] = append(all[0], c.Key+part)
			for i := range l.Len {
				all[1+i] = append(all[1+i], cellOf(c.Value(i), part))
			}
		}
	}
	return all
}

// csv returns the columns that CSV has.
func (l *List) csv() []Column {
	var all []Column
	for _, c := range l.Columns {
		if c.Key != "" && !c.OnlyJSON {
			all = append(all, c)
		}
	}
	return all
}

// hasIntervals reports whether a column has intervals in any row.
func (l *List) hasIntervals(c Column) bool {
	for i := range l.Len {
		if _, ok := c.Value(i).(metric.Interval); ok {
			return true
		}
	}
	return false
}

// long returns a row for each measure: the cells that name the row, the name of the measure, and its value. If a measure has
// an interval, all rows have three more cells: the ends of the interval, and half of its width.
func (l *List) long() [][]string {
	var ids, measures []Column
	intervals := false
	for _, c := range l.csv() {
		if c.ID {
			ids = append(ids, c)
		} else {
			measures = append(measures, c)
			intervals = intervals || l.hasIntervals(c)
		}
	}
	head := append(words.Texts(ids, func(c Column) string { return c.Key }), cmp.Or(l.Measure, "measure"), "value")
	parts := []string{""}
	if intervals {
		head = append(head, "low", "high", "half_width")
		parts = append(parts, "_low", "_high", "_half_width")
	}
	all := [][]string{head}
	for i := range l.Len {
		names := words.Texts(ids, func(c Column) string { return cellOf(c.Value(i), "") })
		for _, c := range measures {
			v := c.Value(i)
			if !exists(v) {
				continue
			}
			row := append(slices.Clone(names), c.Key)
			for _, part := range parts {
				row = append(row, cellOf(v, part))
			}
			all = append(all, row)
		}
	}
	return all
}

// cellOf returns a value, or a part of an interval, as a cell of CSV with every digit. A number has no parts.
func cellOf(value any, part string) string {
	e, isInterval := value.(metric.Interval)
	switch {
	case !exists(value), !isInterval && part != "":
		return ""
	case isInterval:
		value = map[string]float64{"": e.Mean, "_low": e.Low, "_high": e.High, "_half_width": e.HalfWidth}[part]
	}
	if v, ok := value.(float64); ok {
		return ShortestOrEmpty(v)
	}
	return fmt.Sprint(value)
}

// Table returns the table: the columns that have a name.
func (l *List) Table() Table {
	t := Table{Title: l.Title, Most: l.Most, Rows: make([][]string, l.Len)}
	for k := range l.Columns {
		c := &l.Columns[k]
		if c.Name == "" {
			continue
		}
		head := Column{Name: c.Name, Number: c.Number, Extra: c.Extra}
		for i := range t.Rows {
			v := c.Value(i)
			switch v.(type) {
			case int, float64, metric.Interval:
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
	return t
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

// Digits returns a Text that rounds numbers, and means of intervals, to so many significant digits.
func Digits(n int) func(any) string { return number(func(v float64) string { return Round(v, n) }) }

// Decimals returns a Text that writes numbers, and means of intervals, with so many decimals.
func Decimals(n int) func(any) string { return number(func(v float64) string { return Fixed(v, n) }) }

var (
	// Shares writes shares, and means of intervals, in per cent with as many digits as make a difference.
	Shares = number(Percent)
	// Percents writes shares, and means of intervals, in per cent with one decimal.
	Percents = number(func(share float64) string { return Fixed(100*share, 1) + " %" })
)

// number returns a Text by that of a number.
func number(text func(float64) string) func(any) string {
	return func(value any) string {
		switch v := value.(type) {
		case float64:
			return text(v)
		case int:
			return text(float64(v))
		case metric.Interval:
			return text(v.Mean)
		}
		return fmt.Sprint(value)
	}
}

// HalfWidth returns the column of tables that stands behind that of an interval: half of its width.
func HalfWidth(of Column, digits int) Column {
	return Column{Name: "±", Text: Digits(digits), Value: func(i int) any {
		e, ok := of.Value(i).(metric.Interval)
		return When(ok, e.HalfWidth)
	}}
}

// WithHalfWidth returns a Text that writes an interval as its mean and half of its width: 12.5 ±0.3. A width that is only
// rounding is 0.
func WithHalfWidth(digits, widths int) func(any) string {
	return func(value any) string {
		e, ok := value.(metric.Interval)
		if !ok || !Finite(e.HalfWidth) {
			return Digits(digits)(value)
		}
		if e.HalfWidth < 1e-6*math.Abs(e.Mean) {
			e.HalfWidth = 0
		}
		return Round(e.Mean, digits) + " ±" + Round(e.HalfWidth, widths)
	}
}
