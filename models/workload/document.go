package workload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// isJSONLine reports whether the first line of a file is JSON of its own.
func isJSONLine(in *logtext.File) bool {
	text, _ := in.Peek(in.Size())
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	return json.Valid(line) || len(line) == len(text)
}

// readDocument reads JSON that is an array of numbers or objects, or objects one after the other, over any number of
// lines.
func (s *sampler) readDocument(in *logtext.File) error {
	values := &logtext.Records{In: in, Most: logtext.LongestDocument}
	source := &logtext.Newlines{In: values}
	d := json.NewDecoder(source)
	failed := func(err error) error {
		if errors.Is(err, bufio.ErrTooLong) {
			return logtext.Damaged(s.file, source.Line(d.InputOffset()), err)
		}
		problem := "not JSON: " + err.Error()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			problem = "the file is cut off: its JSON ends too early"
		}
		return &DataError{File: s.file, Row: source.Line(d.InputOffset()), Problem: problem}
	}
	array := false
	if first, err := firstByte(in); err == nil && first == '[' {
		array = true
		if _, err := d.Token(); err != nil {
			return failed(err)
		}
	}
	for d.More() {
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return failed(err)
		}
		values.Next()
		line := source.Line(d.InputOffset() - int64(len(text)))
		if err := s.addObject(text, line); err != nil {
			return err
		}
	}
	if array {
		if _, err := d.Token(); err != nil {
			return failed(err)
		}
	}
	return nil
}

// addObject takes the records of a JSON value that begins on a line: a number is one, an object is one, or as many as
// the arrays on the path of its value have elements.
func (s *sampler) addObject(text []byte, line int) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("unexpected end of JSON input")
		}
		return &DataError{File: s.file, Row: line, Problem: "not JSON: " + err.Error()}
	}
	if _, err := d.Token(); err != io.EOF {
		return &DataError{File: s.file, Row: line, Problem: "not JSON: text behind the value"}
	}
	object, ok := root.(map[string]any)
	if !ok {
		return s.add(&row{line: line, cell: [cells]cell{cellOf(root, "")}})
	}
	if s.columns.Value == "" {
		var err error
		if s.columns.Value, err = s.onlyNumber(object, line); err != nil {
			return err
		}
	}
	names := s.columns.names()
	return logtext.Each(object, names[value], nil, func(picked []int, found any) error {
		r := row{line: line, cell: [cells]cell{cellOf(found, names[value])}}
		for i, name := range names {
			if i == value || name == "" {
				continue
			}
			r.cell[i] = cell{column: name, missing: true}
			_ = logtext.Each(object, name, logtext.Beside(names[value], name, picked), func(_ []int, found any) error {
				r.cell[i] = cellOf(found, name)
				return nil
			})
		}
		return s.add(&r)
	})
}

// cellOf returns a JSON value as a field.
func cellOf(value any, column string) cell {
	text, missing := logtext.Text(value)
	return cell{column: column, text: text, missing: missing}
}

// onlyNumber returns the key of the only measurement of an object, other columns apart.
func (s *sampler) onlyNumber(object map[string]any, line int) (string, error) {
	var names, numbers []string
	hint := ""
	wanted := s.columns.names()
	for name, value := range object {
		if slices.Contains(wanted[weight:], name) {
			continue
		}
		names = append(names, name)
		switch v := value.(type) {
		case json.Number:
			numbers = append(numbers, name)
		case string:
			if logtext.IsMeasured(v, s.columns.Decimal) {
				numbers = append(numbers, name)
			}
		case map[string]any, []any:
			hint = "; a path such as items.status.duration leads to those beneath"
		}
	}
	sort.Strings(names)
	if len(numbers) != 1 {
		return "", &DataError{File: s.file, Row: line, Problem: "say which key to take: " +
			strings.Join(names, ", ") + hint}
	}
	return numbers[0], nil
}
