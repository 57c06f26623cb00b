package output

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
)

// Rows returns the rows as CSV has them, below the names of their columns; nil if there are none.
func (l *List) Rows() [][]string {
	switch l.Form {
	case NoCSV:
		return nil
	case Long:
		return l.long(l.rows())
	}
	return l.wide(l.rows())
}

// wide returns a row of CSV for each row. A column with intervals fills three cells or, with half of their widths, two.
func (l *List) wide(rows []Row) [][]string {
	all := make([][]string, 1+len(rows))
	for _, c := range l.columns(rows, (*Column).inCSV) {
		parts := []string{""}
		switch isInterval := hasIntervals(rows, &c); {
		case isInterval && c.HalfOnly:
			parts = []string{"", "_half_width"}
		case isInterval:
			parts = []string{"", "_low", "_high"}
		}
		for _, part := range parts {
			all[0] = append(all[0], c.Key+part)
			for i, row := range rows {
				all[1+i] = append(all[1+i], cellOf(row.valueOf(&c), part))
			}
		}
	}
	return all
}

// hasIntervals reports whether a column has intervals in any row.
func hasIntervals(rows []Row, c *placed) bool {
	return slices.ContainsFunc(rows, func(row Row) bool {
		_, ok := row.valueOf(c).(metric.Interval)
		return ok
	})
}

// long returns a row of CSV for each measure: the cells that name the row, the name of the measure, and its value. If a measure
// has an interval, all rows have three more cells: the ends of the interval, and half of its width.
func (l *List) long(rows []Row) [][]string {
	var ids, measures []placed
	intervals := false
	for _, c := range l.columns(rows, (*Column).inCSV) {
		if c.ID {
			ids = append(ids, c)
		} else {
			measures = append(measures, c)
			intervals = intervals || hasIntervals(rows, &c)
		}
	}
	head := append(words.Texts(ids, func(c placed) string { return c.Key }), cmp.Or(l.Measure, "measure"), "value")
	parts := []string{""}
	if intervals {
		head = append(head, "low", "high", "half_width")
		parts = append(parts, "_low", "_high", "_half_width")
	}
	all := [][]string{head}
	for _, row := range rows {
		names := words.Texts(ids, func(c placed) string { return cellOf(row.valueOf(&c), "") })
		for _, c := range measures {
			v := row.valueOf(&c)
			if !exists(v) {
				continue
			}
			cells := append(slices.Clone(names), c.Key)
			for _, part := range parts {
				cells = append(cells, cellOf(v, part))
			}
			all = append(all, cells)
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
		return words.ShortestOrEmpty(v)
	}
	return fmt.Sprint(value)
}

// Rows returns the rows of CSV. The first row names the columns, which are those of all lists. The rows of the lists stand
// below each other. Where a list lacks a column, its cells are empty. If the result names a time unit, the last column is
// that unit.
func (r *Result) Rows() [][]string {
	var all [][]string
	for _, l := range r.lists() {
		rows := l.Rows()
		if l.TimeUnit != "" {
			rows = WithTimeUnit(rows, l.TimeUnit)
		}
		all = below(all, rows)
	}
	if unit := r.Text(TimeUnit); unit != "" {
		all = WithTimeUnit(all, unit)
	}
	return all
}

// below puts rows with a heading of their own below others. Cells are matched by the names of their columns.
func below(all, rows [][]string) [][]string {
	if len(all) == 0 || len(rows) == 0 {
		return append(all, rows...)
	}
	at := make([]int, len(rows[0]))
	for c, name := range rows[0] {
		if at[c] = slices.Index(all[0], name); at[c] < 0 {
			at[c] = len(all[0])
			for i := range all {
				all[i] = append(all[i], "")
			}
			all[0][at[c]] = name
		}
	}
	for _, row := range rows[1:] {
		cells := make([]string, len(all[0]))
		for c, cell := range row {
			cells[at[c]] = cell
		}
		all = append(all, cells)
	}
	return all
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

// WriteCSV writes rows, the first of which names the columns. Cells are [Guarded]: a file of CSV is opened in a spreadsheet
// whether the program wrote the file or a shell did.
func WriteCSV(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	for _, row := range rows {
		if err := out.Write(words.Texts(row, Guarded)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Form is how a list is written as CSV.
type Form int

// The forms of rows in CSV.
const (
	Wide  Form = iota // a row of CSV for each row; intervals fill three cells
	Long              // a row of CSV for each measure of each row
	NoCSV             // none
)
