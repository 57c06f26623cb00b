package tree

import (
	"errors"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/measure"
)

// mostValues bounds what one range may stand for.
const mostValues = 100_000

// OneOrMany reads a number, a range A:B or A:B:STEP, {from, to, step}, or a list of these; what is the word for one of
// the numbers.
func (c *Cursor) OneOrMany(what string, read NumberReader) (all []float64, ok bool) {
	expected := "a " + what
	switch c.Kind {
	case Mapping:
		return c.Stepped(read)
	case List:
		parts, ok := ManyOf(c, plural(what), func(item *Cursor) ([]float64, bool) { return item.OneOrMany(what, read) })
		return slices.Concat(parts...), ok
	}
	if numbers, isRange, ok := c.TextRange(read); isRange {
		return numbers, ok
	}
	if c.up == nil || c.up.Kind != List {
		expected += ", a list of " + plural(what) + " or {from: 0.1, to: 1, step: 0.1}"
	}
	v, ok := read(c, expected)
	return []float64{v}, ok
}

// Stepped reads {from, to, step}, the end of which is included.
func (c *Cursor) Stepped(read NumberReader) ([]float64, bool) {
	o, _ := c.Object("from", "to", "step")
	span := []float64{o.Number("from", read), o.Number("to", read), o.Number("step", (*Cursor).Positive)}
	if !o.Valid() {
		return nil, false
	}
	numbers, err := measure.Expand(span, mostValues)
	if wrong := (*measure.RangeError)(nil); errors.As(err, &wrong) {
		o.FailField(wrong.Part, wrong.Problem, wrong.Remedy)
	}
	return numbers, err == nil
}

// TextRange reads a text with ranges, such as 0.1:0.5:0.1 or 0.1:0.5:0.1,0.7, as [measure.ParseNumbers] does; isRange is false
// for anything else.
func (c *Cursor) TextRange(read NumberReader) (numbers []float64, isRange, ok bool) {
	if c.Kind != Text || !strings.Contains(c.Value, ":") {
		return nil, false, true
	}
	terms, err := measure.Terms(c.Value)
	ok = true
	for _, parts := range terms {
		some, fine := c.term(parts, read)
		numbers, ok = append(numbers, some...), ok && fine
	}
	return numbers, err == nil, ok
}

// TimeRange reads a range A:B:STEP of times that have units, such as 30s:5m:30s, as times in the last unit of the step;
// isRange is false for anything else.
func (c *Cursor) TimeRange() (times []*Node, isRange, ok bool) {
	parts := strings.Split(c.Value, ":")
	if c.Kind != Text || len(parts) != 3 {
		return nil, false, true
	}
	name := strings.TrimLeft(parts[2][strings.LastIndexAny(parts[2], "0123456789.")+1:], " ")
	unit, err := measure.TimeUnitNamed(name)
	if err != nil {
		return nil, false, true
	}
	var x [3]float64
	for i, part := range parts {
		if x[i], ok = measure.ParseDuration(strings.TrimSpace(part), unit); !ok {
			return nil, false, true
		}
	}
	if x[2] == 0 {
		c.Fail("a step of "+parts[2]+" is not positive", "")
		return nil, true, false
	}
	numbers, ok := c.expand(x[:])
	times = c.Numerals(numbers)
	for _, t := range times {
		t.Kind, t.Value = Text, t.Value+name
	}
	return times, true, ok
}

// term returns the numbers of one term of a text: a number, A:B or A:B:STEP.
func (c *Cursor) term(parts []string, read NumberReader) ([]float64, bool) {
	x := make([]float64, len(parts))
	for i, part := range parts {
		if i == 2 {
			read = (*Cursor).Positive
		}
		n := *c.Node
		n.Kind, n.Value = Number, part
		if measure.IsPercent(part) {
			n.Kind = Text
		}
		var ok bool
		if x[i], ok = read(c.at(&n), "a number"); !ok {
			return nil, false
		}
	}
	return c.expand(x)
}

// expand returns the numbers of a range, or notes why there are none.
func (c *Cursor) expand(span []float64) ([]float64, bool) {
	numbers, err := measure.Expand(span, mostValues)
	if wrong := (*measure.RangeError)(nil); errors.As(err, &wrong) {
		c.Fail(wrong.Problem, wrong.Remedy)
	}
	return numbers, err == nil
}

// Numerals returns numbers as nodes that stand where the cursor is.
func (c *Cursor) Numerals(numbers []float64) []*Node {
	all := make([]*Node, len(numbers))
	for i, v := range numbers {
		all[i] = &Node{Source: c.Source, Line: c.Line, Column: c.Column, Kind: Number, Value: Short(v)}
	}
	return all
}
