package spec

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models/measure"
)

// TimeUnit is a unit of time.
type TimeUnit struct {
	Name    string
	Seconds float64
	micros  int64 // exact, so that conversions are
}

// units are the units of time of files, from the smallest; each is a whole multiple of those before it.
var units = []TimeUnit{
	{"us", 1e-6, 1},
	{"ms", 1e-3, 1_000},
	{"s", 1, 1_000_000},
	{"min", 60, 60_000_000},
	{"h", 3600, 3_600_000_000},
	{"d", 86400, 86_400_000_000},
}

// Second is the unit of files that name none.
var Second = units[2]

// UnitByName returns the unit us, ms, s, min, h or d.
func UnitByName(name string) (TimeUnit, error) {
	for _, u := range units {
		if u.Name == name {
			return u, nil
		}
	}
	return TimeUnit{}, fmt.Errorf("spec: unknown time unit %q; use %s", name, alternatives(unitNames()))
}

func unitNames() []string {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.Name
	}
	return names
}

// Convert returns a time of x in unit u as a number of units v.
func (u TimeUnit) Convert(x float64, v TimeUnit) float64 {
	if u.micros >= v.micros {
		return x * float64(u.micros/v.micros)
	}
	return x / float64(v.micros/u.micros)
}

// timeUnit reads the name of a unit.
func (c *cursor) timeUnit() (TimeUnit, bool) {
	name, ok := c.word("a time unit", unitNames()...)
	if !ok {
		return TimeUnit{}, false
	}
	u, err := UnitByName(name)
	return u, err == nil
}

// quantity splits a text such as "30s" or "1.5 h" into number and unit.
func quantity(s string) (v float64, u TimeUnit, ok bool) {
	i := len(s)
	for i > 0 && s[i-1] >= 'a' && s[i-1] <= 'z' {
		i--
	}
	u, err := UnitByName(s[i:])
	lead := strings.TrimSuffix(s[:i], " ")
	if err != nil || !isDecimal(lead) {
		return 0, u, false
	}
	v, ok = parseNumber(lead)
	return v, u, ok
}

// time reads a time: a number in the unit of the file, or a text with its own.
func (c *cursor) time(what string) (float64, bool) {
	if c.kind == number {
		return c.number(what)
	}
	remedy := c.node.numberRemedy()
	if c.kind == text && remedy == "" {
		if v, u, ok := quantity(c.value); ok {
			return u.Convert(v, c.d.unit), true
		}
		remedy = fmt.Sprintf("write a number of %s, or with a unit such as %q; units are %s",
			c.d.unit.Name, "30s", alternatives(unitNames()))
	}
	c.expected(what, remedy)
	return 0, false
}

// positiveTime reads a time greater than zero.
func (c *cursor) positiveTime(what string) (float64, bool) { return c.aboveZero(c.time(what)) }

// nonnegativeTime reads a time that is not less than zero.
func (c *cursor) nonnegativeTime(what string) (float64, bool) { return c.notNegative(c.time(what)) }

// rate reads a rate: a number per unit of the file, or a text such as "2/h".
func (c *cursor) rate(what string) (float64, bool) {
	if c.kind == text && !c.quotedNumber() {
		lead, unit, ok := strings.Cut(c.value, "/")
		u, err := UnitByName(strings.TrimSpace(unit))
		lead = strings.TrimSpace(lead)
		if ok && err == nil && isDecimal(lead) {
			v, ok := parseNumber(lead)
			if !ok {
				c.fail(c.got()+" is too large", "")
			}
			return c.d.unit.Convert(v, u), ok // per u: a unit of the file holds that many u
		}
		remedy := fmt.Sprintf("write a number per %s, or with a unit such as %q", c.d.unit.Name, "2/h")
		if _, _, isTime := quantity(c.value); isTime {
			remedy = "that is a time; " + remedy
		}
		c.expected(what, remedy)
		return 0, false
	}
	return c.number(what)
}

func (c *cursor) quotedNumber() bool { return c.quoted && isDecimal(c.value) }

// positiveRate reads a rate greater than zero.
func (c *cursor) positiveRate(what string) (float64, bool) { return c.aboveZero(c.rate(what)) }

// nonnegativeRate reads a rate that is not less than zero.
func (c *cursor) nonnegativeRate(what string) (float64, bool) { return c.notNegative(c.rate(what)) }

// measured reads a value of the dimension of a measure.
func (c *cursor) measured(u measure.Unit) (float64, bool) {
	switch u {
	case measure.Time:
		return c.time("a time")
	case measure.Rate:
		return c.rate("a rate")
	}
	return c.number("a number")
}
