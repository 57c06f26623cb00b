package workload

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// readCSV reads records separated by commas, semicolons or tabs.
func (s *sampler) readCSV(in *logtext.File) error {
	r := logtext.NewCSV(in, separator(in, s.columns.Decimal))
	first, line, err := r.Next()
	if err == nil && len(first) > 0 && first[0] == excelSeparator {
		first, line, err = r.Next()
	}
	if err != nil {
		return s.csvError(err, max(line, 1))
	}
	first = slices.Clone(first)
	var t csvTable
	if s.columns.isHeader(first) {
		t.names, t.header = first, line
		first, line, err = r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return &DataError{File: s.file, Problem: "holds no values below the header: " + strings.Join(t.names, ", ")}
		case err != nil:
			return s.csvError(err, line)
		case len(t.names) == 1 && len(first) > 1:
			return &DataError{File: s.file, Row: line, Problem: fmt.Sprintf("has %d fields below a header of one; put a number with "+
				"commas in quotes", len(first))}
		}
	}
	if err := t.choose(s, first); err != nil {
		return err
	}
	var fields row
	width := len(first)
	if t.names != nil {
		width = len(t.names)
	}
	for record := first; ; {
		t.row(&fields, line, record)
		if slices.ContainsFunc(record[min(width, len(record)):], func(field string) bool { return field != "" }) {
			problem := fmt.Sprintf("has %d fields, more than the first line; put a number with commas in quotes", len(record))
			err = s.refuse(line, "", problem)
		} else {
			err = s.add(&fields)
		}
		if err != nil {
			return err
		}
		record, line, err = r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.csvError(err, line)
		}
	}
}

func (s *sampler) csvError(err error, line int) error {
	var p *csv.ParseError
	switch {
	case errors.Is(err, logtext.ErrOpenQuote):
		return &DataError{File: s.file, Row: line, Problem: err.Error()}
	case errors.Is(err, io.EOF):
		return &DataError{File: s.file, Problem: "holds no values"}
	case errors.As(err, &p):
		return &DataError{File: s.file, Row: p.Line, Problem: p.Err.Error()}
	}
	return logtext.Damaged(s.file, line, err)
}

// excelSeparator is the first field of a line such as sep=; by which Excel is told what separates the columns.
const excelSeparator = "sep="

// separator guesses from the first line that is not a comment. Where commas are decimal, they separate only fields in quotes.
func separator(in *logtext.File, decimal byte) rune {
	text, _ := in.Peek(in.Size())
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			continue
		}
		told, isTold := bytes.CutPrefix(bytes.TrimRight(line, "\r"), []byte(excelSeparator))
		switch {
		case isTold && len(told) == 1 && bytes.ContainsAny(told, ",;\t|"):
			return rune(told[0])
		case bytes.ContainsRune(line, ',') && decimal != ',':
			return ','
		case bytes.ContainsRune(line, ';'):
			return ';'
		case bytes.ContainsRune(line, '\t'):
			return '\t'
		case bytes.Contains(line, []byte(`","`)):
			return ','
		}
		break
	}
	if decimal == ',' {
		return ';'
	}
	return ','
}

// isHeader reports whether no field is meant as a value, and some are names.
func (columns *Columns) isHeader(record []string) bool {
	some := false
	for _, f := range record {
		f = strings.TrimSpace(f)
		if logtext.IsValue(f, columns.Decimal) {
			return false
		}
		some = some || logtext.IsName(f)
	}
	return some
}

// csvTable knows the columns of a CSV file.
type csvTable struct {
	names  []string   // nil without a header
	header int        // the line of the header
	at     [cells]int // indices; −1: no column
}

// choose finds the columns that s wants.
func (t *csvTable) choose(s *sampler, first []string) error {
	for i, name := range s.columns.names() {
		var err error
		if t.at[i], err = t.find(s, name, len(first)); err != nil {
			return err
		}
	}
	if s.columns.Value != "" {
		return nil
	}
	var free, numbers []int
	for i, f := range first {
		if slices.Contains(t.at[:], i) {
			continue
		}
		free = append(free, i)
		text := strings.TrimSpace(f)
		if logtext.IsMeasured(text, s.columns.Decimal) || logtext.IsMeasured(text, ',') { // with a decimal comma, it may be the column
			numbers = append(numbers, i)
		}
	}
	switch {
	case len(free) == 1:
		t.at[value] = free[0]
	case len(numbers) == 1:
		t.at[value] = numbers[0]
	default:
		return &DataError{File: s.file, Problem: "has several columns; say which one to take: " + t.list(len(first))}
	}
	return nil
}

// find returns the index of the column with the given name or number, −1 for the empty name.
func (t *csvTable) find(s *sampler, name string, width int) (int, error) {
	if name == "" {
		return -1, nil
	}
	called := func(n string) bool { return strings.TrimSpace(n) == name }
	if at := slices.IndexFunc(t.names, called); at >= 0 {
		if many := 1 + count(t.names[at+1:], called); many > 1 {
			return 0, &DataError{File: s.file, Row: t.header, Column: name,
				Problem: fmt.Sprintf("%d columns have this name; give a number from 1", many)}
		}
		return at, nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= max(width, len(t.names)) {
		return i - 1, nil
	}
	problem := "there is no such column; there are " + t.list(width)
	if width == 1 && len(t.names) == 1 && strings.ContainsAny(t.names[0], "| ,") {
		problem += "; separate columns by commas, semicolons or tabs"
	}
	return 0, &DataError{File: s.file, Column: name, Problem: problem}
}

// count returns the number of names for which is returns true.
func count(names []string, is func(name string) bool) (n int) {
	for _, name := range names {
		if is(name) {
			n++
		}
	}
	return n
}

func (t *csvTable) list(width int) string {
	if t.names == nil {
		return fmt.Sprintf("1 to %d (no header)", width)
	}
	return strings.Join(t.names, ", ")
}

func (t *csvTable) row(r *row, line int, record []string) {
	r.line = line
	for k, i := range t.at {
		c := &r.cell[k]
		if i < 0 {
			continue
		}
		if c.column == "" { // the same in all rows
			c.column = strconv.Itoa(i + 1)
			if i < len(t.names) {
				c.column = strings.TrimSpace(t.names[i])
			}
		}
		if c.missing = i >= len(record); !c.missing {
			c.text = record[i]
		}
	}
}
