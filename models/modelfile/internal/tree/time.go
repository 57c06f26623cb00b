package tree

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models/measure"
)

// TimeUnit reads the name of a unit.
func (c *Cursor) TimeUnit() (measure.TimeUnit, bool) {
	if u, err := measure.TimeUnitNamed(c.Value); err == nil && c.Kind == Text {
		return u, true
	}
	c.Word("a time unit", measure.TimeUnitNames()...)
	return measure.TimeUnit{}, false
}

// Time reads a time: a number in the unit of the file, or a text with its own, such as 60s or 1h30m.
func (c *Cursor) Time(what string) (float64, bool) {
	if c.Kind == Number {
		return c.Number(what)
	}
	remedy := c.numberRemedy()
	if c.Kind == Text && remedy == "" {
		if v, ok := measure.ParseDuration(c.Value, *c.unit); ok {
			return v, true
		}
		remedy = fmt.Sprintf("write a number of %s, or with a unit such as %q; units are %s", c.unit.Name, "30s",
			Alternatives(measure.TimeUnitNames()))
	}
	c.Expected(what, remedy)
	return 0, false
}

// PositiveTime reads a time greater than zero.
func (c *Cursor) PositiveTime(what string) (float64, bool) { return c.aboveZero(c.Time(what)) }

// NonnegativeTime reads a time that is not less than zero.
func (c *Cursor) NonnegativeTime(what string) (float64, bool) { return c.notNegative(c.Time(what)) }

// Rate reads a rate: a number per unit of the file, or a text such as "2/h".
func (c *Cursor) Rate(what string) (float64, bool) {
	if c.Kind != Text || c.quotedNumber() {
		return c.Number(what)
	}
	lead, unit, ok := strings.Cut(c.Value, "/")
	u, err := measure.TimeUnitNamed(strings.TrimSpace(unit))
	if lead = strings.TrimSpace(lead); ok && err == nil && measure.IsDecimal(lead) {
		v, ok := measure.ParseDecimal(lead)
		if !ok {
			c.Fail(c.Got()+" is too large", "")
		}
		return c.unit.Convert(v, u), ok // per u: a unit of the file holds that many u
	}
	remedy := fmt.Sprintf("write a number per %s, or with a unit such as %q", c.unit.Name, "2/h")
	if _, isTime := measure.ParseDuration(c.Value, *c.unit); isTime {
		remedy = "that is a time; " + remedy
	}
	c.Expected(what, remedy)
	return 0, false
}

// PositiveRate reads a rate greater than zero.
func (c *Cursor) PositiveRate(what string) (float64, bool) { return c.aboveZero(c.Rate(what)) }

// NonnegativeRate reads a rate that is not less than zero.
func (c *Cursor) NonnegativeRate(what string) (float64, bool) { return c.notNegative(c.Rate(what)) }
