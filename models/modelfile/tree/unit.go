package tree

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models/modelfile/ranges"
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
func UnitByName(name string) (TimeUnit, bool) {
	for _, u := range units {
		if u.Name == name {
			return u, true
		}
	}
	return TimeUnit{}, false
}

// UnitNames returns the names of the units, from the smallest.
func UnitNames() []string {
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

// TimeUnit reads the name of a unit.
func (c *Cursor) TimeUnit() (TimeUnit, bool) {
	name, ok := c.Word("a time unit", UnitNames()...)
	if !ok {
		return TimeUnit{}, false
	}
	return UnitByName(name)
}

// quantity splits a text such as "30s" or "1.5 h" into number and unit.
func quantity(s string) (v float64, u TimeUnit, ok bool) {
	i := len(s)
	for i > 0 && s[i-1] >= 'a' && s[i-1] <= 'z' {
		i--
	}
	u, known := UnitByName(s[i:])
	lead := strings.TrimSuffix(s[:i], " ")
	if !known || !ranges.IsDecimal(lead) {
		return 0, u, false
	}
	v, ok = ranges.Decimal(lead)
	return v, u, ok
}

// Time reads a time: a number in the unit of the file, or a text with its own.
func (c *Cursor) Time(what string) (float64, bool) {
	if c.Kind == Number {
		return c.Number(what)
	}
	remedy := c.numberRemedy()
	if c.Kind == Text && remedy == "" {
		if v, u, ok := quantity(c.Value); ok {
			return u.Convert(v, *c.unit), true
		}
		remedy = fmt.Sprintf("write a number of %s, or with a unit such as %q; units are %s",
			c.unit.Name, "30s", Alternatives(UnitNames()))
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
	if c.Kind == Text && !c.quotedNumber() {
		lead, unit, ok := strings.Cut(c.Value, "/")
		u, known := UnitByName(strings.TrimSpace(unit))
		lead = strings.TrimSpace(lead)
		if ok && known && ranges.IsDecimal(lead) {
			v, ok := ranges.Decimal(lead)
			if !ok {
				c.Fail(c.Got()+" is too large", "")
			}
			return c.unit.Convert(v, u), ok // per u: a unit of the file holds that many u
		}
		remedy := fmt.Sprintf("write a number per %s, or with a unit such as %q", c.unit.Name, "2/h")
		if _, _, isTime := quantity(c.Value); isTime {
			remedy = "that is a time; " + remedy
		}
		c.Expected(what, remedy)
		return 0, false
	}
	return c.Number(what)
}

// PositiveRate reads a rate greater than zero.
func (c *Cursor) PositiveRate(what string) (float64, bool) { return c.aboveZero(c.Rate(what)) }

// NonnegativeRate reads a rate that is not less than zero.
func (c *Cursor) NonnegativeRate(what string) (float64, bool) { return c.notNegative(c.Rate(what)) }

// ParseTime reads a time in a given unit from a text: a number, or a number with a unit of its own, such as 30s or 1.5h.
func ParseTime(text string, unit TimeUnit) (float64, error) {
	if unit.micros == 0 {
		return 0, fmt.Errorf("%q: there is no unit of time", text)
	}
	v, own, ok := quantity(strings.TrimSpace(text))
	if !ok {
		own = unit
		v, ok = ranges.Decimal(strings.TrimSpace(text))
	}
	if !ok {
		return 0, fmt.Errorf("%q is not a time such as 30s or 1.5h; units are %s", text, Alternatives(UnitNames()))
	}
	return own.Convert(v, unit), nil
}
