package tree

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models/measure"
)

// NumberReader reads the number of a node, such as [Cursor.Positive]; what says what is expected there.
type NumberReader func(c *Cursor, what string) (float64, bool)

// Number returns the finite number of the node, which may be written as a percentage.
func (c *Cursor) Number(what string) (float64, bool) {
	if c.Kind != Number && !(c.Kind == Text && measure.IsPercent(c.Value)) {
		c.Expected(what, c.numberRemedy())
		return 0, false
	}
	v, ok := measure.ParseNumber(c.Value)
	if !ok {
		c.Fail(c.Got()+" is too large", "")
	}
	return v, ok
}

// numberRemedy says how a text that looks like a number is written as one.
func (n *Node) numberRemedy() string {
	if n.Kind != Text {
		return ""
	}
	plain := strings.TrimLeft(strings.ToLower(n.Value), "+-")
	switch {
	case n.quotedNumber():
		return "remove the quotes"
	case plain == ".inf" || plain == ".nan" || plain == "inf" || plain == "nan" || plain == "infinity":
		return "it must be finite"
	case strings.HasPrefix(plain, "0x") || strings.HasPrefix(plain, "0o") || strings.HasPrefix(plain, "0b"):
		return "write it in decimal"
	case measure.IsPercent(n.Value):
		return "write it without the per cent sign"
	case measure.IsDecimal(strings.NewReplacer("_", "", ",", "").Replace(n.Value)):
		return "write it without separators"
	case measure.IsDecimal(strings.TrimLeft(plain, "0")) && plain != "":
		return "write it without leading zeros"
	}
	return ""
}

func (n *Node) quotedNumber() bool { return n.Quoted && measure.IsDecimal(n.Value) }

// Positive returns a number greater than zero.
func (c *Cursor) Positive(what string) (float64, bool) { return c.aboveZero(c.Number(what)) }

// Nonnegative returns a number that is not less than zero.
func (c *Cursor) Nonnegative(what string) (float64, bool) { return c.notNegative(c.Number(what)) }

// Probability returns a number between 0 and 1.
func (c *Cursor) Probability(what string) (float64, bool) {
	v, ok := c.Number(what)
	return c.unless(v < 0 || v > 1, "is not a probability", measure.Percentage(v), v, ok)
}

// Load returns a relative load: a number above 0 with which the arrivals may be kept up.
func (c *Cursor) Load(what string) (float64, bool) {
	v, ok := c.Positive(what)
	return c.unless(measure.TooLoaded(v), "is no load that a machine keeps up with", measure.Percentage(v), v, ok)
}

func (c *Cursor) aboveZero(v float64, ok bool) (float64, bool) {
	return c.unless(v <= 0, "is not positive", "", v, ok)
}

func (c *Cursor) notNegative(v float64, ok bool) (float64, bool) {
	return c.unless(v < 0, "is negative", "", v, ok)
}

// unless returns a number that was read from the node. If the number is wrong, unless notes the problem and returns false.
func (c *Cursor) unless(wrong bool, problem, remedy string, v float64, ok bool) (float64, bool) {
	if !ok || !wrong {
		return v, ok
	}
	c.Fail(c.Got()+" "+problem, remedy)
	return 0, false
}

// Whole returns a whole number between low and high.
func (c *Cursor) Whole(what string, low, high int) (int, bool) {
	what += ", a whole number"
	if c.Kind == Text {
		c.Expected(what, c.numberRemedy())
		return 0, false
	}
	v, ok := c.Number(what)
	v, ok = c.unless(v != math.Trunc(v), "is not a whole number", "", v, ok)
	v, ok = c.unless(v < float64(low), fmt.Sprintf("is less than %d", low), "", v, ok)
	v, ok = c.unless(v > float64(high), fmt.Sprintf("is more than %d, the most that is supported", high), "", v, ok)
	return int(v), ok
}

// Numbers returns a list of at least one number; what is the word for one of them.
func (c *Cursor) Numbers(what string, read NumberReader) ([]float64, bool) {
	return ManyOf(c, plural(what), As(read, "a "+what))
}

// Matrix reads a list of rows of one length.
func (c *Cursor) Matrix() (*mat.Dense, bool) {
	rows, ok := ManyOf(c, "rows", func(row *Cursor) ([]float64, bool) {
		v, ok := row.Numbers("number", (*Cursor).Number)
		if columns := len(c.Items[0].Items); ok && len(v) != columns {
			row.Fail(fmt.Sprintf("has %s, the first row has %d", Count(len(v), "entry", "entries"), columns), "")
			return nil, false
		}
		return v, ok
	})
	if !ok {
		return nil, false
	}
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...)), true
}
