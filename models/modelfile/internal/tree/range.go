package tree

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/measure"
)

// mostValues bounds what one range may stand for.
const mostValues = 100_000

// OneOrMany reads a number, a range A:B or A:B:STEP, {from, to, step}, or a list of these; what is the word for one of
// the numbers.
func (c *Cursor) OneOrMany(what string, read NumberReader) []float64 {
	switch c.Kind {
	case Mapping:
		return c.Stepped(read)
	case List:
		return slices.Concat(Each(c.NonEmpty(what+"s"), func(item *Cursor) []float64 { return item.OneOrMany(what, read) })...)
	}
	switch numbers := c.textRange(read); {
	case numbers != nil || !c.Valid():
		return numbers
	case !c.isNumber():
		remedy := c.numberRemedy()
		if low, high, dotted := strings.Cut(c.Value, ".."); dotted && measure.IsDecimal(low) && measure.IsDecimal(high) {
			remedy = fmt.Sprintf("write a range with its step, as in %s:%s:0.1", low, high)
		}
		c.Expected("a "+what+", a list of "+what+"s or {from: 0.1, to: 1, step: 0.1}", remedy)
		return nil
	}
	return []float64{read(c)}
}

// Stepped reads {from, to, step}, the end of which is included.
func (c *Cursor) Stepped(read NumberReader) []float64 {
	c.Keys("from", "to", "step")
	return c.expand(read(c.Need("from", "")), read(c.Need("to", "")), c.Need("step", "").Positive())
}

// Range returns the values of a text with ranges of numbers, such as 0.1:0.5:0.1, or of times, such as 30s:5m:30s; nil for
// anything else.
func (c *Cursor) Range() []*Node {
	if numbers := c.textRange((*Cursor).Number); numbers != nil || !c.Valid() {
		return c.Numerals(numbers)
	}
	return c.timeRange()
}

// textRange reads a text with ranges, such as 0.1:0.5:0.1 or 0.1:0.5:0.1,0.7, as [measure.ParseNumbers] does; it returns nil
// for anything else.
func (c *Cursor) textRange(read NumberReader) (numbers []float64) {
	terms, err := measure.Terms(c.Value)
	if c.Kind != Text || !strings.Contains(c.Value, ":") || err != nil {
		return nil
	}
	for _, parts := range terms {
		numbers = append(numbers, c.term(parts, read)...)
	}
	return numbers
}

// term returns the numbers of one term of a text: a number, A:B or A:B:STEP.
func (c *Cursor) term(parts []string, read NumberReader) []float64 {
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
		x[i] = read(c.at(&n))
	}
	return c.expand(x...)
}

// timeRange reads a range A:B:STEP of times that have units, such as 30s:5m:30s, as times in the last unit of the step. It
// returns nil for anything else, and fails for a range of times without a step.
func (c *Cursor) timeRange() []*Node {
	parts := strings.Split(c.Value, ":")
	if c.Kind != Text || len(parts) != 2 && len(parts) != 3 {
		return nil
	}
	last := parts[len(parts)-1]
	name := strings.TrimLeft(last[strings.LastIndexAny(last, "0123456789.")+1:], " ")
	unit, err := measure.TimeUnitNamed(name)
	if err != nil {
		return nil
	}
	if meant := withUnits(parts, name); meant != c.Value {
		c.Fail(fmt.Sprintf("not every number of the range %q has a unit", c.Value), fmt.Sprintf("did you mean %q?", meant))
		return nil
	}
	x := make([]float64, len(parts))
	for i, part := range parts {
		var ok bool
		if x[i], ok = measure.ParseDuration(strings.TrimSpace(part), unit); !ok {
			return nil
		}
	}
	switch {
	case x[1] < x[0]:
		c.Fail(fmt.Sprintf("the end %s is less than the beginning %s", parts[1], parts[0]), "write the smaller one first")
	case len(x) == 2:
		c.Fail(fmt.Sprintf("the range %q has no step", c.Value), "write "+c.Value+":STEP")
	case x[2] == 0:
		c.Failf("a step of %s is not positive", parts[2])
	}
	times := c.Numerals(c.expand(x...))
	for _, t := range times {
		t.Kind, t.Value = Text, t.Value+name
	}
	return times
}

// withUnits returns a range of times in which each number has a unit, the named one where it had none.
func withUnits(parts []string, unit string) string {
	all := slices.Clone(parts)
	for i, part := range all {
		if measure.IsDecimal(part) {
			all[i] = part + unit
		}
	}
	return strings.Join(all, ":")
}

// expand returns the numbers of a range; nil if one of its parts is wrong, or if it has no numbers.
func (c *Cursor) expand(span ...float64) []float64 {
	if !c.Valid() {
		return nil
	}
	numbers, err := measure.Expand(span, mostValues)
	if wrong := (*measure.RangeError)(nil); errors.As(err, &wrong) {
		c.FailField(wrong.Part, wrong.Problem, wrong.Remedy)
	}
	return numbers
}

// Numerals returns numbers as nodes that stand where the cursor is.
func (c *Cursor) Numerals(numbers []float64) []*Node {
	nodes := make([]*Node, len(numbers))
	for i, v := range numbers {
		nodes[i] = c.made(Number, fmt.Sprint(v))
	}
	return nodes
}
