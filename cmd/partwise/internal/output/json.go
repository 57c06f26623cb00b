package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
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

// named returns the fields that have a name; the others are not in JSON.
func (o Object) named() Object {
	return slices.DeleteFunc(slices.Clone(o), func(f Field) bool { return f.Name == "" })
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
	if err := appendValue(&b, o, ""); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, JSON(b.String()))
	return err
}

func appendValue(b *bytes.Buffer, value any, indent string) error {
	switch v := value.(type) {
	case Object:
		v = v.named()
		return appendList(b, "{}", len(v), "\n", indent, func(i int, deeper string) error {
			name, err := scalar(v[i].Name)
			if err != nil {
				return err
			}
			b.Write(append(name, ": "...))
			if err := appendValue(b, v[i].Value, deeper); err != nil {
				return fmt.Errorf("%s: %w", v[i].Name, err)
			}
			return nil
		})
	case *List:
		return appendValue(b, v.Objects(), indent)
	case metric.Interval:
		return appendValue(b, IntervalObject(v), indent)
	case *Result:
		return appendValue(b, v.Object, indent)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%v is not a result", v)
		}
	}
	if list := reflect.ValueOf(value); list.Kind() == reflect.Slice {
		gap := "\n"
		switch value.(type) {
		case []float64, [][]float64, []int:
			gap = " "
		}
		return appendList(b, "[]", list.Len(), gap, indent, func(i int, deeper string) error {
			return appendValue(b, list.Index(i).Interface(), deeper)
		})
	}
	text, err := scalar(value)
	b.Write(text)
	return err
}

// scalar is json.Marshal without the escapes that are meant for HTML.
func scalar(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func appendList(
	b *bytes.Buffer, brackets string, n int, gap, indent string, item func(i int, deeper string) error,
) error {
	deeper := indent + "  "
	b.WriteByte(brackets[0])
	for i := range n {
		switch {
		case gap == "\n":
			b.WriteString("\n" + deeper)
		case i > 0:
			b.WriteString(gap)
		}
		if err := item(i, deeper); err != nil {
			return err
		}
		if i < n-1 {
			b.WriteByte(',')
		}
	}
	if gap == "\n" && n > 0 {
		b.WriteString("\n" + indent)
	}
	b.WriteByte(brackets[1])
	return nil
}
