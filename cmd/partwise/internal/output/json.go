package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/partwise/partwise/validate/metric"
)

// Object is a JSON object whose fields keep their order. A field whose value does not exist is left out: a number that is not
// finite, and an interval whose mean is not.
type Object []Field

// Field is a member of an Object.
type Field struct {
	Name  string
	Value any // Object, []Object, a slice of numbers or strings, string, bool, int or float64
}

// Add appends a field, unless its value does not exist: nil, a number that is not finite, or an interval whose mean is not.
func (o *Object) Add(name string, value any) {
	if value != nil && isFinite(value) {
		*o = append(*o, Field{name, value})
	}
}

// Counts returns counts as an object, in the order of their names.
func Counts(counts map[string]int) Object {
	o := Object{}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		o.Add(name, counts[name])
	}
	return o
}

// Text returns the text of a field, "" if there is none.
func (o Object) Text(name string) string {
	for _, f := range o {
		if text, ok := f.Value.(string); ok && f.Name == name {
			return text
		}
	}
	return ""
}

// Objects returns the rows as JSON has them, for results in which they are parts of other objects.
func (l *List) Objects() []Object {
	all := make([]Object, l.Len)
	for i := range all {
		all[i] = l.row(i).Object()
	}
	return all
}

// Object returns the cells that JSON has, without those that do not exist.
func (row Row) Object() Object {
	o := Object{}
	var ends Object
	for i := range row {
		c, v := &row[i].Column, row[i].Value
		if !exists(v) {
			continue
		}
		e, isInterval := v.(metric.Interval)
		if isInterval && c.MeanOnly {
			v = e.Mean
			if Finite(e.HalfWidth) {
				ends.Add(c.Key, Pairs("low", e.Low, "high", e.High))
			}
		}
		if c.inJSON() {
			o.Add(c.Key, v)
		}
	}
	if ends != nil {
		o.Add("intervals", ends)
	}
	return o
}

// IntervalObject returns an interval as JSON has it; only its mean if nothing is known of its width.
func IntervalObject(e metric.Interval) Object {
	known := Finite(e.HalfWidth)
	return append(Object{{"mean", e.Mean}}, Pairs("low", When(known, e.Low), "high", When(known, e.High), "half_width", When(known, e.HalfWidth))...)
}

// WriteJSON writes o, indented, with lists of numbers on one line.
func WriteJSON(w io.Writer, o Object) error {
	text, err := compact(nil, o)
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	var b bytes.Buffer
	_ = json.Indent(&b, text, "", "  ") // compact writes JSON, so there is no error
	_, err = io.WriteString(w, JSON(string(numbersOnOneLine(b.Bytes())))+"\n")
	return err
}

// numbersOnOneLine joins the lines of every indented list of numbers, or of lists of numbers. No string of JSON has the
// end of a line.
func numbersOnOneLine(text []byte) []byte {
	var joined []byte
	for {
		before, list, found := bytes.Cut(text, []byte("[\n"))
		joined = append(joined, before...)
		if !found {
			return joined
		}
		others := bytes.TrimLeft(list, "-+.eE0123456789, \n[]")
		end := 1 + bytes.LastIndexByte(list[:len(list)-len(others)], ']')
		line := []byte("\n")
		if end > 0 {
			line = bytes.ReplaceAll(bytes.Join(bytes.Fields(list[:end]), nil), []byte(","), []byte(", "))
		}
		joined, text = append(append(joined, '['), line...), list[end:]
	}
}

// MarshalJSON writes the fields that have names, in their order.
func (o Object) MarshalJSON() ([]byte, error) { return compact(nil, o) }

// MarshalJSON writes the rows of the list.
func (l *List) MarshalJSON() ([]byte, error) { return compact(nil, l.Objects()) }

// compact appends the JSON of value to text, without the escapes that are meant for HTML. An interval is an object, in
// lists, too, and a nil slice an empty list. A number that is not finite is not written: in an object its field is left out,
// and in a list, where each number has its place, null stands for it. No part of the text is read again, as json.Marshal
// reads what a MarshalJSON returns.
func compact(text []byte, value any) (_ []byte, err error) {
	if !isFinite(value) {
		return append(text, "null"...), nil
	}
	switch v := value.(type) {
	case metric.Interval:
		return compact(text, IntervalObject(v))
	case *List:
		return compact(text, v.Objects())
	case Object:
		text = append(text, '{')
		for _, f := range v {
			if f.Name == "" || !isFinite(f.Value) {
				continue
			}
			if text[len(text)-1] != '{' {
				text = append(text, ',')
			}
			text, _ = compact(text, f.Name) // a text has no error
			if text, err = compact(append(text, ':'), f.Value); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
		return append(text, '}'), nil
	}
	numbers, _ := value.([]float64)
	plain := numbers != nil && !slices.ContainsFunc(numbers, func(x float64) bool { return !Finite(x) })
	if list := reflect.ValueOf(value); list.Kind() == reflect.Slice && !plain {
		text = append(text, '[')
		for i := range list.Len() {
			if i > 0 {
				text = append(text, ',')
			}
			if text, err = compact(text, list.Index(i).Interface()); err != nil {
				return nil, err
			}
		}
		return append(text, ']'), nil
	}
	b := bytes.NewBuffer(text)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
