package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
)

// Version is the version of the JSON that is written. It grows when a field changes its meaning.
const Version = 2

// WriteJSON writes an object as indented JSON with lists of numbers on one line. A number that is not finite is an absent
// value.
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
	plain := numbers != nil && !slices.ContainsFunc(numbers, func(x float64) bool { return !words.Finite(x) })
	list := reflect.ValueOf(value)
	if list.Kind() == reflect.Slice && !plain {
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
