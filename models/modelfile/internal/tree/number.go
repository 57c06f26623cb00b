package tree

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
)

// NumberReader reads the number of a node, such as [Cursor.Positive].
type NumberReader = func(c *Cursor) float64

// Number returns the finite number of the node, which may be written as a percentage.
func (c *Cursor) Number() float64 {
	if !c.isNumber() {
		c.Expected("a number", c.numberRemedy())
		return 0
	}
	v, ok := measure.ParseNumber(c.Value)
	c.unless(!ok, "is too large", "")
	return v
}

// isNumber reports whether the node is a number or a percentage.
func (n *Node) isNumber() bool {
	return n.Kind == Number || n.Kind == Text && measure.IsPercent(n.Value)
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
	case measure.IsDecimal(measure.WithPoint(n.Value)) || measure.IsPercent(measure.WithPoint(n.Value)):
		return measure.MeantPoint(n.Value)
	case measure.IsDecimal(strings.NewReplacer("_", "", ",", "").Replace(n.Value)):
		return "write it without separators"
	case measure.IsDecimal(strings.TrimLeft(plain, "0")) && plain != "":
		return "write it without leading zeros"
	}
	return ""
}

func (n *Node) quotedNumber() bool { return n.Quoted && measure.IsDecimal(n.Value) }

// Positive returns a number greater than zero.
func (c *Cursor) Positive() float64 { return c.aboveZero(c.Number()) }

// Nonnegative returns a number that is not less than zero.
func (c *Cursor) Nonnegative() float64 { return c.notNegative(c.Number()) }

// Probability returns a number between 0 and 1.
func (c *Cursor) Probability() float64 {
	v := c.Number()
	c.unless(v < 0 || v > 1, "is not a probability", measure.Percentage(v))
	return v
}

// Load returns a relative load: a number above 0 with which the arrivals may be kept up.
func (c *Cursor) Load() float64 {
	v := c.Positive()
	c.unless(measure.TooLoaded(v), "is a load that no machine keeps up with", measure.MeantLoad(c.Value))
	return v
}

func (c *Cursor) aboveZero(v float64) float64 {
	c.unless(v <= 0, "is not positive", "")
	return v
}

func (c *Cursor) notNegative(v float64) float64 {
	c.unless(v < 0, "is negative", "")
	return v
}

// unless notes a problem with the number of the node if the number is wrong. After the first mistake, it notes no other.
func (c *Cursor) unless(wrong bool, problem, remedy string) {
	if wrong && c.Valid() {
		c.Fail(c.Got()+" "+problem, remedy)
	}
}

// Whole returns a whole number between low and high.
func (c *Cursor) Whole(low, high int) int {
	if c.Kind != Number {
		c.Expected("a whole number", c.numberRemedy())
		return 0
	}
	v := c.Number()
	c.unless(v != math.Trunc(v), "is not a whole number", "")
	c.unless(v < float64(low), fmt.Sprintf("is less than %d", low), "")
	c.unless(v > float64(high), fmt.Sprintf("is more than %d, the most that is supported", high), "")
	return int(v)
}

// Numbers returns a list of at least one number; of says what they are.
func (c *Cursor) Numbers(of string, read NumberReader) []float64 { return Each(c.NonEmpty(of), read) }

// Matrix reads a list of rows of one length; it returns nil if a row is wrong.
func (c *Cursor) Matrix() *mat.Dense {
	var all []float64
	for i, row := range c.NonEmpty("rows") {
		all = append(all, row.Numbers("numbers", (*Cursor).Number)...)
		if n, columns := len(row.Items), len(c.Items[0].Items); i > 0 && n != columns && row.Valid() {
			row.Failf("has %s, the first row has %d", words.Count(n, "entry"), columns)
		}
	}
	if !c.Valid() {
		return nil
	}
	return mat.NewDense(len(c.Items), len(c.Items[0].Items), all)
}
