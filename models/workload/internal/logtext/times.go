package logtext

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Times are times of a file, in nanoseconds since 1970.
type Times struct {
	Nanos    []int64
	Unit     string // in which the file counts from 1970; "": it has not been seen
	Repeated int    // times in hours that clocks showed twice
}

// units of time since 1970 are told apart by how many there have been: between 1973 and 5138.
var epochUnits = []struct {
	name  string
	below float64
	nanos int64
}{{"seconds", 1e11, 1e9}, {"milliseconds", 1e14, 1e6}, {"microseconds", 1e17, 1e3}, {"nanoseconds", math.MaxInt64, 1}}

// Add takes the time that a text tells, or says what is wrong with it.
func (s *Times) Add(text string, zone *Zone) (problem string) {
	if t, zoned, ok := ParseStamp(text); ok {
		at := t.Unix()
		if !zoned {
			var repeated int64
			if at, repeated, _ = zone.Unix(at); repeated != 0 {
				s.Repeated++
			}
		}
		if at < -9e9 || at > 9e9 {
			return "out of range: " + text
		}
		s.Nanos = append(s.Nanos, at*1e9+int64(t.Nanosecond()))
		return ""
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 1e8) || x >= math.MaxInt64 {
		return fmt.Sprintf("not a time: %q; times are ISO 8601, such as 2024-03-01T08:00:00Z, or count from 1970",
			text)
	}
	for _, unit := range epochUnits {
		if x >= unit.below {
			continue
		}
		if s.Unit == "" {
			s.Unit = unit.name
		} else if s.Unit != unit.name {
			return fmt.Sprintf("another unit: %s are %s since 1970, times before it were %s", text, unit.name, s.Unit)
		}
		whole, fraction, _ := strings.Cut(text, ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		if err != nil { // in powers of ten
			n, fraction = int64(x), ""
		}
		part := 0.0
		if fraction != "" {
			part, _ = strconv.ParseFloat("0."+fraction, 64)
		}
		s.Nanos = append(s.Nanos, n*unit.nanos+int64(math.Round(part*float64(unit.nanos))))
		return ""
	}
	return "out of range: " + text
}
