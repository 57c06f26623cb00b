package tree

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
)

// TimeUnit reads the name of a unit.
func (c *Cursor) TimeUnit() measure.TimeUnit {
	u, err := measure.TimeUnitNamed(c.Value)
	if err != nil || c.Kind != Text {
		Word(c, "a time unit", measure.TimeUnitNames()...)
		return measure.TimeUnit{}
	}
	return u
}

// Time reads a time: a number in the unit of the file, or a text with its own, such as 60s or 1h30m.
func (c *Cursor) Time() float64 {
	if c.Kind == Number {
		return c.Number()
	}
	remedy := c.numberRemedy()
	if c.Kind == Text && remedy == "" {
		if v, ok := measure.ParseDuration(c.Value, c.unit); ok {
			return v
		}
		if remedy = measure.SuggestTime(c.Value); remedy == "" {
			remedy = fmt.Sprintf("write a number of %s, or with a unit such as %q; units are %s", c.unit.Name, "30s",
				words.Or(measure.TimeUnitNames()))
		}
	}
	c.Expected("a time", remedy)
	return 0
}

// PositiveTime reads a time greater than zero.
func (c *Cursor) PositiveTime() float64 { return c.aboveZero(c.Time()) }

// NonnegativeTime reads a time that is not less than zero.
func (c *Cursor) NonnegativeTime() float64 { return c.notNegative(c.Time()) }

// Rate reads a rate: a number per unit of the file, or a text such as "2/h".
func (c *Cursor) Rate() float64 {
	if c.Kind != Text || c.quotedNumber() {
		return c.Number()
	}
	if v, ok := ParseRate(c.Value, c.unit); ok {
		c.unless(math.IsInf(v, 0), "is too large", "")
		return v
	}
	remedy := cmp.Or(measure.MeantPoint(c.Value), fmt.Sprintf("write a number per %s, or with a unit such as %q", c.unit.Name, "2/h"))
	if _, isTime := measure.ParseDuration(c.Value, c.unit); isTime {
		remedy = "that is a time; " + remedy
	}
	c.Expected("a rate", remedy)
	return 0
}

// ParseRate returns, per unit u, a rate with a unit of its own, such as "2/h". The result is infinite if the rate is too large.
func ParseRate(text string, u measure.TimeUnit) (v float64, ok bool) {
	lead, unit, ok := strings.Cut(text, "/")
	own, err := measure.TimeUnitNamed(strings.TrimSpace(unit))
	lead = strings.TrimSpace(lead)
	if !ok || err != nil || !measure.IsDecimal(lead) {
		return 0, false
	}
	if v, ok = measure.ParseDecimal(lead); !ok {
		return math.Inf(1), true
	}
	return u.Convert(v, own), true // per own: a unit u holds that many of its own
}

// PositiveRate reads a rate greater than zero.
func (c *Cursor) PositiveRate() float64 { return c.aboveZero(c.Rate()) }

// NonnegativeRate reads a rate that is not less than zero.
func (c *Cursor) NonnegativeRate() float64 { return c.notNegative(c.Rate()) }
