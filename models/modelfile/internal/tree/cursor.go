package tree

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
)

// Root returns the cursor on a whole file, whose mistakes are noted in errs. Times without a unit are in seconds.
func Root(n *Node, errs *Collector) *Cursor {
	return &Cursor{Node: n, errs: errs, warnings: new([]error), unit: measure.Second(), before: errs.noted}
}

// Cursor is a node with the path that leads to it from the root of its file. The methods of a cursor read the node. If the node
// is not what a method expects, the method notes a mistake and returns a zero value. [Cursor.Valid] tells whether there were
// mistakes. What a file leaves out has an absent cursor, which reads as zero without a mistake.
type Cursor struct {
	*Node
	errs     *Collector
	warnings *[]error // about the file, each an [*Error]
	unit     measure.TimeUnit
	up       *Cursor // nil at the root
	step     Step
	before   int // mistakes that were noted before the cursor was made, or its keys were checked
	*keys
}

// beneath returns the cursor on a node that a step leads to.
func (c *Cursor) beneath(step Step, n *Node) *Cursor {
	return &Cursor{Node: n, errs: c.errs, warnings: c.warnings, unit: c.unit, up: c, step: step, before: c.errs.noted}
}

// Child returns the cursor on the value of a key.
func (c *Cursor) Child(key string, value *Node) *Cursor { return c.beneath(KeyStep(key), value) }

// Item returns the cursor on entry i of a list.
func (c *Cursor) Item(i int) *Cursor { return c.beneath(Step{Index: i}, c.Items[i]) }

// at returns the cursor on another node in place of this one.
func (c *Cursor) at(n *Node) *Cursor {
	other := *c
	other.Node = n
	return &other
}

// In returns the cursor that takes times without a unit of their own to be in unit u.
func (c *Cursor) In(u measure.TimeUnit) *Cursor {
	other := *c
	other.unit = u
	return &other
}

// Unit returns the unit of times without one of their own.
func (c *Cursor) Unit() measure.TimeUnit { return c.unit }

// Errs returns where mistakes are noted.
func (c *Cursor) Errs() *Collector { return c.errs }

// Warnings returns the warnings about the file so far.
func (c *Cursor) Warnings() []error { return *c.warnings }

// There reports whether the file has the value.
func (c *Cursor) There() bool { return c.Kind != Absent }

// Valid reports whether the value is there and no mistake was noted since the cursor was made: in its keys, in the values
// read since, or in what depends on them. A cursor is therefore made when its value is read, not before.
func (c *Cursor) Valid() bool { return c.There() && c.errs.noted == c.before }

// Path returns the field as messages name it.
func (c *Cursor) Path() string {
	var p Path
	for at := c; at.up != nil; at = at.up {
		p = append(p, at.step)
	}
	slices.Reverse(p)
	return p.String()
}

// mistake returns an error at the cursor.
func (c *Cursor) mistake(problem, remedy string) *Error {
	return c.Source.mistake(c.Line, c.Column, c.Path(), problem, remedy)
}

// Fail notes a mistake at the cursor: what is wrong and, if that is known, what would be right.
func (c *Cursor) Fail(problem, remedy string) {
	if c.There() {
		c.errs.Add(c.mistake(problem, remedy))
	}
}

// Failf notes a mistake at the cursor of which nobody knows what would be right.
func (c *Cursor) Failf(format string, args ...any) { c.Fail(fmt.Sprintf(format, args...), "") }

// FailAt notes a mistake at an entry of a list, or of a list of lists, as far as the indices lead to one.
func (c *Cursor) FailAt(problem string, indices ...int) {
	if len(indices) > 0 && c.Kind == List && indices[0] >= 0 && indices[0] < len(c.Items) {
		c.Item(indices[0]).FailAt(problem, indices[1:]...)
		return
	}
	c.Failf("%s", problem)
}

// Warn notes a warning about what the cursor points at.
func (c *Cursor) Warn(format string, args ...any) {
	*c.warnings = append(*c.warnings, c.mistake(fmt.Sprintf(format, args...), ""))
}

// Expected notes that the node is not what it should be.
func (c *Cursor) Expected(what, remedy string) { c.Fail("expected "+what+", got "+c.Got(), remedy) }

// Got says what a node is instead of what was expected.
func (n *Node) Got() string {
	switch n.Kind {
	case Text, Number, Boolean:
		const most = 40
		v := []rune(n.Value)
		if len(v) > most {
			v = append(v[:most], '…')
		}
		if n.Kind == Text {
			return strconv.Quote(string(v))
		}
		return string(v)
	}
	return n.Kind.String()
}

// Sequence checks that the node is a list and returns its entries.
func (c *Cursor) Sequence(of string) iter.Seq2[int, *Cursor] {
	return func(yield func(int, *Cursor) bool) {
		if c.Kind != List {
			c.Expected("a list of "+of, "")
		}
		for i := range c.Items {
			if !yield(i, c.Item(i)) {
				return
			}
		}
	}
}

// NonEmpty is [Cursor.Sequence] for lists that must have an entry.
func (c *Cursor) NonEmpty(of string) iter.Seq2[int, *Cursor] {
	if c.Kind == List && len(c.Items) == 0 {
		c.Failf("is empty")
	}
	return c.Sequence(of)
}

// Each reads every entry of a list by the same function, which notes the mistakes of all entries.
func Each[T any](items iter.Seq2[int, *Cursor], read func(item *Cursor) T) (all []T) {
	for _, item := range items {
		all = append(all, read(item))
	}
	return all
}

// Pairs reads a mapping of free keys, pair by pair. A node of another kind is a mistake: what was expected, and how to write it.
func (c *Cursor) Pairs(what, example string, read func(key, value *Cursor)) {
	if c.Kind != Mapping {
		c.Expected(what, "write "+example)
	}
	for _, e := range c.Entries {
		read(c.Child(e.Key.Value, e.Key), c.Child(e.Key.Value, e.Value))
	}
}

// Word returns one of a few words.
func Word[T ~string](c *Cursor, what string, known ...T) T {
	if c.Kind == Text && slices.Contains(known, T(c.Value)) {
		return T(c.Value)
	}
	names := words.Strings(known)
	remedy := "use " + words.Or(names)
	if c.Kind == Text {
		remedy = words.Suggest(c.Value, names)
	}
	c.Expected(what, remedy)
	return ""
}

// Text returns the text of the node.
func (c *Cursor) Text(what string) string {
	switch c.Kind {
	case Text:
		return c.Value
	case Number, Boolean:
		c.Expected(what, "put it in quotes")
	default:
		c.Expected(what, "")
	}
	return ""
}

// Steps reads a key that is itself a path.
func (c *Cursor) Steps() Path {
	p, err := ParsePath(c.Value)
	if err != nil {
		c.Failf("%v", err)
	}
	return p
}
