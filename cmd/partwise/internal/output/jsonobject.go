package output

import (
	"maps"
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

// Text returns the text of a field. It returns "" if the object has no such field.
func (o Object) Text(name string) string {
	for _, f := range o {
		if text, ok := f.Value.(string); ok && f.Name == name {
			return text
		}
	}
	return ""
}

// Pairs returns an object of names and values in turn. What does not exist is not added.
func Pairs(namesAndValues ...any) Object {
	o := Object{}
	for i := 0; i < len(namesAndValues); i += 2 {
		o.Add(namesAndValues[i].(string), namesAndValues[i+1])
	}
	return o
}

// Counts returns counts as an object, in the order of their names.
func Counts(counts map[string]int) Object {
	o := Object{}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		o.Add(name, counts[name])
	}
	return o
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
			if e.IsKnown() {
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

// Objects returns the rows as JSON has them, for results in which they are parts of other objects.
func (l *List) Objects() []Object {
	all := make([]Object, l.Len)
	for i := range all {
		all[i] = l.Row(i).Object()
	}
	return all
}

// IntervalObject returns an interval as JSON has it; only its mean if nothing is known of its width.
func IntervalObject(e metric.Interval) Object {
	known := e.IsKnown()
	return append(Object{{"mean", e.Mean}},
		Pairs("low", When(known, e.Low), "high", When(known, e.High), "half_width", When(known, e.HalfWidth))...)
}
