package workload

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// addValue takes the records of a JSON value that begins on a line: a number is one, an object is one, or as many as
// the arrays on the path of its value have elements.
func (s *sampler) addValue(text json.RawMessage, line int) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		return err
	}
	object, ok := root.(map[string]any)
	if !ok { // as if it were an object with one key
		r := row{line: line}
		r.cell[value].text, _ = logtext.Text(map[string]any{"": root}, "")
		return s.add(&r)
	}
	if s.columns.Value == "" {
		var err error
		if s.columns.Value, err = s.onlyNumber(object, line); err != nil {
			return err
		}
	}
	for record := range logtext.Expand(object, s.columns.Value) {
		r := row{line: line}
		for i, name := range s.columns.names() {
			if name != "" {
				text, found := logtext.Text(record, name)
				r.cell[i] = cell{name, text, !found}
			}
		}
		if err := s.add(&r); err != nil {
			return err
		}
	}
	return nil
}

// onlyNumber returns the key of the only measurement of an object, other columns apart.
func (s *sampler) onlyNumber(object map[string]any, line int) (string, error) {
	var numbers []string
	hint := ""
	others := s.columns.names()
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(object)),
		func(name string) bool { return slices.Contains(others[weight:], name) })
	for _, name := range names {
		switch v := object[name].(type) {
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
	if len(numbers) != 1 {
		return "", &DataError{File: s.file, Row: line, Problem: "say which key to take: " +
			strings.Join(names, ", ") + hint}
	}
	return numbers[0], nil
}
