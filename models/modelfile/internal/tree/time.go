package tree

import (
	"fmt"
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
	lead, unit, ok := strings.Cut(c.Value, "/")
	u, err := measure.TimeUnitNamed(strings.TrimSpace(unit))
	if lead = strings.TrimSpace(lead); ok && err == nil && measure.IsDecimal(lead) {
		v, ok := measure.ParseDecimal(lead)
		c.unless(!ok, "is too large", "")
		return c.unit.Convert(v, u) // per u: a unit of the file holds that many u
	}
	remedy := fmt.Sprintf("write a number per %s, or with a unit such as %q", c.unit.Name, "2/h")
	if _, isTime := measure.ParseDuration(c.Value, c.unit); isTime {
		remedy = "that is a time; " + remedy
	}
	c.Expected("a rate", remedy)
	return 0
}

// PositiveRate reads a rate greater than zero.
func (c *Cursor) PositiveRate() float64 { return c.aboveZero(c.Rate()) }

// NonnegativeRate reads a rate that is not less than zero.
func (c *Cursor) NonnegativeRate() float64 { return c.notNegative(c.Rate()) }
