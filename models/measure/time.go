package measure

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/partwise/partwise/models/words"
)

// TimeUnit is a unit of time.
type TimeUnit struct {
	Name    string
	Seconds float64
	micros  int64 // exact, so that conversions are
}

// timeUnits are the units of time, from the smallest; each is a whole multiple of those before it.
var timeUnits = []TimeUnit{
	{"us", 1e-6, 1},
	{"ms", 1e-3, 1_000},
	{"s", 1, 1_000_000},
	{"min", 60, 60_000_000},
	{"h", 3600, 3_600_000_000},
	{"d", 86400, 86_400_000_000},
}

// Second is the unit of files that name none.
func Second() TimeUnit { return second }

var second = timeUnits[2]

// others are further names of units.
var others = map[string]string{"m": "min", "µs": "us"}

// TimeUnitNamed returns the unit us, ms, s, min (or m), h or d.
func TimeUnitNamed(name string) (TimeUnit, error) {
	for _, u := range timeUnits {
		if u.Name == cmp.Or(others[name], name) {
			return u, nil
		}
	}
	return TimeUnit{}, fmt.Errorf("unknown time unit %q; use %s", name, words.Or(TimeUnitNames()))
}

// TimeUnitNames returns the names of the units, from the smallest.
func TimeUnitNames() []string {
	names := make([]string, len(timeUnits))
	for i, u := range timeUnits {
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

// times matches a number with a unit at the beginning of a text.
var times = regexp.MustCompile("^(" + decimal + ") *([a-zµ]*) *")

// ParseDuration returns, in unit u, a time whose numbers have units of their own: 60s, 1.5 h, 1m or 1h30m, the largest unit
// first.
func ParseDuration(text string, u TimeUnit) (v float64, ok bool) {
	last := TimeUnit{}
	for rest := text; rest != ""; {
		part := times.FindStringSubmatch(rest)
		if part == nil {
			return 0, false
		}
		own, err := TimeUnitNamed(part[2])
		x, fine := ParseDecimal(part[1])
		if err != nil || !fine || last.Name != "" && (own.micros >= last.micros || strings.ContainsAny(part[1][:1], "+-")) {
			return 0, false
		}
		v, last, rest = v+own.Convert(x, u), own, rest[len(part[0]):]
	}
	return v, last.Name != ""
}

// settings matches the parts of a list of settings.
var settings = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("[^,:=]+") })

// InUnit returns a list of settings, such as cooldown=1h30m,cap=8 or 0:10m:1m, with each time that has a unit of its own as a
// number of the unit u.
func InUnit(text string, u TimeUnit) string {
	return settings().ReplaceAllStringFunc(text, func(part string) string {
		if v, ok := ParseDuration(strings.TrimSpace(part), u); ok {
			return fmt.Sprint(v)
		}
		return part
	})
}

// ParseTime returns a time in unit u: a number of them, or a text as [ParseDuration] reads it.
func ParseTime(text string, u TimeUnit) (float64, error) {
	if u.micros == 0 {
		return 0, fmt.Errorf("%q: there is no unit of time", text)
	}
	text = strings.TrimSpace(text)
	if v, ok := ParseDecimal(text); ok {
		return v, nil
	}
	v, ok := ParseDuration(text, u)
	if remedy := SuggestTime(text); !ok && remedy != "" {
		return 0, fmt.Errorf("%q is not a time; %s", text, remedy)
	}
	if !ok {
		return 0, fmt.Errorf("%q is not a time such as 30s or 1h30m; units are %s", text, words.Or(TimeUnitNames()))
	}
	return v, nil
}

// ParsePositiveTime returns a time as [ParseTime] does. It is an error if the time is not positive.
func ParsePositiveTime(text string, u TimeUnit) (float64, error) {
	v, err := ParseTime(text, u)
	if err == nil && !(v > 0) {
		err = fmt.Errorf("%q is not a positive time", text)
	}
	return v, err
}

// longUnits are units of time written out, as the names that files and flags have for them.
var longUnits = map[string]string{"sec": "s", "secs": "s", "second": "s", "seconds": "s", "mins": "min", "minute": "min",
	"minutes": "min", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "day": "d", "days": "d", "msec": "ms", "usec": "us"}

// letters matches a word in a text.
var letters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z]+`) })

// SuggestTime returns the question that helps with a text that is nearly a time, such as: did you mean "0.5s"? It returns "" for
// other texts. A unit may be written out, and the decimal mark may be a comma.
func SuggestTime(text string) string {
	meant := letters().ReplaceAllStringFunc(text, func(unit string) string {
		unit = strings.ToLower(unit)
		return cmp.Or(longUnits[unit], unit)
	})
	meant = strings.ReplaceAll(strings.Replace(meant, ",", ".", 1), " ", "")
	if _, ok := ParseDuration(meant, second); !ok {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", meant)
}
