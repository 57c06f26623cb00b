package workload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/textfile"
)

// isJSONLine reports whether the first line of a file is JSON of its own.
func isJSONLine(in *bufio.Reader) bool {
	text, _ := in.Peek(in.Size())
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	return json.Valid(line) || len(line) == len(text)
}

// readDocument reads JSON that is an array of numbers or objects, or objects one after the other, over any number of
// lines.
func (s *sampler) readDocument(in *bufio.Reader) error {
	source := &textfile.Newlines{In: in}
	d := json.NewDecoder(source)
	failed := func(err error) error {
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
		return s.add(&row{line: line, value: cellOf(root, "")})
	}
	if s.columns.Value == "" {
		var err error
		if s.columns.Value, err = s.onlyNumber(object, line); err != nil {
			return err
		}
	}
	c := &s.columns
	return eachAt(object, c.Value, nil, func(picked []int, value any) error {
		r := row{line: line, value: cellOf(value, c.Value)}
		for _, want := range []struct {
			name string
			to   *cell
		}{{c.Weight, &r.weight}, {c.Censored, &r.censored}, {c.Upper, &r.upper}, {c.Truncated, &r.truncated}} {
			*want.to = cell{column: want.name, missing: true}
			if want.name != "" {
				other := beside(c.Value, want.name, picked)
				_ = eachAt(object, want.name, other, func(_ []int, value any) error {
					*want.to = cellOf(value, want.name)
					return nil
				})
			}
		}
		return s.add(&r)
	})
}

// beside returns which elements of arrays on the path of another column belong to the elements picked on the path of the
// value: those of the arrays that are on both.
func beside(path, other string, picked []int) []int {
	a, b := strings.Split(path, "."), strings.Split(other, ".")
	same := 0
	for same < len(a)-1 && same < len(b)-1 && a[same] == b[same] {
		same++
	}
	out := make([]int, len(b))
	for i := range out {
		out[i] = -1
		if i < same && i < len(picked) {
			out[i] = picked[i]
		}
	}
	return out
}

// eachAt gives the values at a path to f: the element in want of each array on it, all where want is nil. picked says
// which they were, by step of the path; −1 where there was no array. A path that ends early gives nothing, once: nil.
func eachAt(root any, path string, want []int, f func(picked []int, value any) error) error {
	steps := strings.Split(path, ".")
	if object, ok := root.(map[string]any); ok {
		if value, ok := object[path]; ok { // a key with dots
			if list, isList := value.([]any); !isList || len(steps) > 1 {
				return f(nil, value)
			} else if want == nil {
				return eachElement(list, steps, 1, want, nil, f)
			}
		}
	}
	return walk(root, steps, 0, want, nil, f)
}

type absent struct{}

func walk(at any, steps []string, i int, want, picked []int, f func([]int, any) error) error {
	if i == len(steps) {
		return f(picked, at)
	}
	object, ok := at.(map[string]any)
	if !ok {
		return f(picked, absent{})
	}
	next, ok := object[steps[i]]
	if !ok {
		return f(picked, absent{})
	}
	if list, ok := next.([]any); ok {
		return eachElement(list, steps, i+1, want, picked, f)
	}
	return walk(next, steps, i+1, want, append(slices.Clip(picked), -1), f)
}

// eachElement goes on behind step i−1 of a path, which led to a list.
func eachElement(list []any, steps []string, i int, want, picked []int, f func([]int, any) error) error {
	for k, element := range list {
		if want != nil && (i-1 >= len(want) || want[i-1] != k) {
			continue
		}
		if err := walk(element, steps, i, want, append(slices.Clip(picked), k), f); err != nil {
			return err
		}
	}
	return nil
}

// cellOf returns a JSON value as a field: numbers and texts as they are.
func cellOf(value any, column string) cell {
	c := cell{column: column}
	switch v := value.(type) {
	case absent:
		c.missing = true
	case nil:
		c.text = "null"
	case json.Number:
		c.text = v.String()
	case string:
		c.text = v
	case bool:
		c.text = strconv.FormatBool(v)
	default:
		text, _ := json.Marshal(v)
		c.text = string(text)
	}
	return c
}

// onlyNumber returns the key of the only measurement of an object, other columns apart.
func (s *sampler) onlyNumber(object map[string]any, line int) (string, error) {
	var names, numbers []string
	hint := ""
	c := &s.columns
	for name, value := range object {
		if name == c.Weight || name == c.Censored || name == c.Upper || name == c.Truncated {
			continue
		}
		names = append(names, name)
		switch v := value.(type) {
		case json.Number:
			numbers = append(numbers, name)
		case string:
			if c.isMeasured(v) {
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
