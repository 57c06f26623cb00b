package joblog

import (
	"bytes"
	"errors"
	"io"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// table reads the rows of a table of jobs into a store.
type table struct {
	*store
	lines   logtext.LinesAhead[blockRows]
	rows    rowReader
	row     int // the number of the line that is read
	current row
}

// readTable reads a table of jobs.
func (s *store) readTable(in *logtext.File) error {
	s.partitions = true
	lines := logtext.LinesAhead[blockRows]{In: &logtext.Lines{File: s.file, In: in}}
	t := table{store: s, lines: lines, rows: rowReader{fieldReader: &s.fieldReader}}
	for {
		if t.mayReadAtOnce() {
			if err := t.readAtOnce(); err != nil {
				return t.ended(err)
			}
		}
		line, err := t.lines.Next()
		if err != nil {
			return t.ended(err)
		}
		if t.row = line.Row; t.rows.names == nil && t.options.Fields != "" && !logtext.IsMessage(line.Text) {
			if err := t.named(line.Text); err != nil {
				return err
			}
		}
		switch {
		case logtext.IsMessage(line.Text):
			s.noteText(messages, line.Row, line.Text)
		case t.rows.names == nil:
			err = t.header(line.Text)
		case line.IsLong:
			s.lose(tooLong, line.Row, line.Text)
		case t.rows.columns.IsOpen(line.Text):
			err = t.openLine(line)
		default:
			err = t.line(line)
		}
		if err != nil {
			return err
		}
	}
}

// ended returns the error of a table whose lines ended with an error: nil after the last line of a table with a header.
func (t *table) ended(err error) error {
	switch {
	case errors.Is(err, io.EOF) && t.rows.names != nil:
		return nil
	case errors.Is(err, io.EOF):
		return &Error{File: t.file, Problem: "holds no jobs; a job log has a line for each job"}
	}
	return err
}

// mostJoined is the number of lines over which a field in quotation marks may go on.
const mostJoined = 100

// openLine takes in a line whose last field, in quotation marks, goes on in the next lines. It joins up to mostJoined lines to
// one row. If no line closes the field, or if the row has another number of fields than the header, it takes in each line by
// itself.
func (t *table) openLine(first logtext.Line) error {
	whole, ends, rows := bytes.Clone(first.Text), []int{len(first.Text)}, []int{first.Row}
	for len(ends) < mostJoined && t.rows.columns.IsOpen(whole) {
		next, err := t.lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if next.IsLong {
			t.lose(tooLong, next.Row, next.Text)
			break
		}
		whole = append(append(whole, '\n'), next.Text...)
		ends, rows = append(ends, len(whole)), append(rows, next.Row)
	}
	if !t.rows.columns.IsOpen(whole) && len(t.rows.columns.Split(nil, whole)) == len(t.rows.names) {
		return t.line(logtext.Line{Text: whole, Row: first.Row})
	}
	from := 0
	for i, end := range ends {
		if err := t.line(logtext.Line{Text: whole[from:end], Row: rows[i]}); err != nil {
			return err
		}
		from = end + 1
	}
	return nil
}

// line takes a line in. The error says that a second header cannot be read.
func (t *table) line(line logtext.Line) error {
	t.row = line.Row
	t.rows.readRow(line, &t.current)
	if t.current.kind == headerRow {
		return t.header(line.Text)
	}
	t.takeRow(&t.current)
	return nil
}

// takeRow takes in a row that is no header. Rows must be taken in the order of the log.
func (t *table) takeRow(r *row) {
	r.entry.Cluster = t.clusterOf(r.cluster)
	switch r.kind {
	case damagedRow:
		t.lose(r.problem.what, r.entry.line, r.problem.text)
	case stepRow:
		t.step(r.entry.Key, r.entry.line)
	case jobRow:
		t.takeRead(&r.entry, r.problem)
	}
}
