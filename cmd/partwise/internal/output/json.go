package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/partwise/partwise/validate/metric"
)

// Object is a JSON object whose fields keep their order. What does not exist is not added: there is no null.
type Object []Field

// Field is a member of an Object.
type Field struct {
	Name  string
	Value any // Object, []Object, a slice of numbers or strings, string, bool, int or float64
}

// Add appends a field, unless its value does not exist: nil, or a number that is not finite.
func (o *Object) Add(name string, value any) {
	if x, isNumber := value.(float64); value != nil && (!isNumber || Finite(x)) {
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

// WriteJSON writes o, indented, with lists of numbers on one line.
func WriteJSON(w io.Writer, o Object) error {
	var b bytes.Buffer
	text, err := compact(o)
	if err == nil {
		err = json.Indent(&b, text, "", "  ")
	}
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	lines := numbers.ReplaceAllFunc(b.Bytes(), func(list []byte) []byte {
		return bytes.ReplaceAll(space.ReplaceAll(list, nil), []byte(","), []byte(", "))
	})
	_, err = io.WriteString(w, JSON(string(lines))+"\n")
	return err
}

// numbers matches an indented list of numbers, or of lists of numbers. No string of JSON has the end of a line.
var (
	numbers = regexp.MustCompile(`\[\n[-+.eE0-9,\s\[\]]*\]`)
	space   = regexp.MustCompile(`\s+`)
)

// MarshalJSON writes the fields that have names, in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	text := []byte("{")
	for _, f := range o {
		if f.Name == "" {
			continue
		}
		value, err := compact(f.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		name, _ := compact(f.Name) // of a text
		text = slices.Concat(text, name, []byte(":"), value)
	}
	return append(text, '}'), nil
}

// MarshalJSON writes the rows of the list.
func (l *List) MarshalJSON() ([]byte, error) { return compact(l.Objects()) }

// compact is json.Marshal without the escapes that are meant for HTML. An interval is an object, in lists, too, and a nil slice
// an empty list.
func compact(value any) ([]byte, error) {
	if e, ok := value.(metric.Interval); ok {
		value = IntervalObject(e)
	}
	if list := reflect.ValueOf(value); list.Kind() == reflect.Slice && list.Type() != reflect.TypeFor[Object]() {
		values := make([]json.RawMessage, list.Len())
		for i := range values {
			var err error
			if values[i], err = compact(list.Index(i).Interface()); err != nil {
				return nil, err
			}
		}
		value = values
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
