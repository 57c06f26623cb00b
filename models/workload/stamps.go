package workload

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/timetext"
)

// plain returns a number as strconv reads it, without separators of thousands and with a decimal point, or why it could
// mean two numbers.
func (columns *Columns) plain(text string) (plain, problem string) {
	if !strings.ContainsAny(text, ",'\u00a0\u202f") && columns.Decimal != ',' {
		return text, ""
	}
	decimal, thousands := ".", ","
	if columns.Decimal == ',' {
		decimal, thousands = ",", "."
	}
	whole, fraction, hasFraction := strings.Cut(text, decimal)
	for _, separator := range []string{thousands, "'", "\u00a0", "\u202f"} {
		groups := strings.Split(whole, separator)
		if len(groups) == 1 {
			continue
		}
		if columns.Decimal == 0 && separator == "," && !hasFraction && len(groups) == 2 && isGrouped(groups) {
			return "", fmt.Sprintf("ambiguous: %q; --decimal , reads it as %s, --decimal . as %s", text,
				strings.Join(groups, "."), strings.Join(groups, ""))
		}
		if isGrouped(groups) {
			whole = strings.Join(groups, "")
			break
		}
	}
	if hasFraction {
		whole += "." + fraction
	}
	return whole, ""
}

// isGrouped reports whether groups of digits are those between separators of thousands.
func isGrouped(groups []string) bool {
	for i, g := range groups {
		if i > 0 && len(g) != 3 || len(g) == 0 || len(g) > 3 || strings.Trim(g, "0123456789") != "" {
			return false
		}
	}
	return true
}

// remedy says what may help where a field is not a number.
func remedy(text string) string {
	if _, ok := timetext.ParseStamp(text); ok {
		return "; --timestamps takes the gaps between times"
	}
	digits := strings.Trim(text, "0123456789") // what is not at the ends
	switch {
	case digits == ",":
		return "; --decimal , reads decimal commas"
	case digits == ":":
		return "; write HH:MM:SS, or 90m"
	case strings.Count(text, ",") == 1 && strings.Contains(text, "."):
		return "; --decimal , reads decimal commas"
	}
	return ""
}

// isMeasured reports whether a text is a number, a duration or a time, as the first line of values is, but not a header.
func (columns *Columns) isMeasured(text string) bool {
	if plain, problem := columns.plain(text); problem != "" {
		return true
	} else if _, err := strconv.ParseFloat(plain, 64); err == nil {
		return true
	}
	if _, ok := timetext.Duration(text); ok {
		return true
	}
	_, ok := timetext.ParseStamp(text)
	return ok
}

// stamps are times of a file, in nanoseconds since 1970.
type stamps struct {
	times    []int64
	unit     string // in which the file counts from 1970; "": it has not been seen
	repeated int    // times in hours that clocks showed twice
}

// units of time since 1970 are told apart by how many there have been: between 1973 and 5138.
var epochUnits = []struct {
	name  string
	below float64
	nanos int64
}{{"seconds", 1e11, 1e9}, {"milliseconds", 1e14, 1e6}, {"microseconds", 1e17, 1e3}, {"nanoseconds", math.MaxInt64, 1}}

// add takes the time in a field, or says what is wrong with it.
func (s *stamps) add(c *cell, zone *timetext.Zone) (problem string) {
	text := strings.TrimSpace(c.text)
	switch {
	case c.missing:
		return "missing"
	case text == "":
		return "empty"
	}
	if t, ok := timetext.ParseStamp(text); ok {
		at := t.Civil - int64(t.Offset)
		if !t.Zoned {
			var repeated int64
			if at, repeated, _ = zone.Unix(t.Civil); repeated != 0 {
				s.repeated++
			}
		}
		if at < -9e9 || at > 9e9 {
			return "out of range: " + text
		}
		s.times = append(s.times, at*1e9+int64(math.Round(t.Fraction*1e9)))
		return ""
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 1e8) || x >= math.MaxInt64 {
		return fmt.Sprintf("not a time: %q; times are ISO 8601, such as 2024-03-01T08:00:00Z, or count from 1970",
			shortened(text))
	}
	for _, unit := range epochUnits {
		if x >= unit.below {
			continue
		}
		if s.unit == "" {
			s.unit = unit.name
		} else if s.unit != unit.name {
			return fmt.Sprintf("another unit: %s are %s since 1970, times before it were %s", text, unit.name, s.unit)
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
		s.times = append(s.times, n*unit.nanos+int64(math.Round(part*float64(unit.nanos))))
		return ""
	}
	return "out of range: " + text
}

// giveGaps gives the gaps between the times.
func (s *sampler) giveGaps() error {
	t, c := &s.stamps, &s.columns
	if t.unit != "" {
		c.Remarks.Notes = append(c.Remarks.Notes, fmt.Sprintf("times of column %s count %s since 1970", c.Timestamps, t.unit))
	}
	if t.repeated > 0 {
		c.Remarks.Warnings = append(c.Remarks.Warnings,
			fmt.Sprintf("%d times are in an hour that clocks showed twice, and read as the first", t.repeated))
	}
	if len(t.times) < 2 {
		return &DataError{File: s.file, Column: c.Timestamps, Problem: "fewer than two times have no gap"}
	}
	slices.Sort(t.times)
	for i := 1; i < len(t.times); i++ {
		gap := float64(t.times[i]-t.times[i-1]) / 1e9 * c.Second
		if c.MaxGap > 0 && gap > c.MaxGap {
			s.skipped["longer than --max-gap"]++
			continue
		}
		s.taken++
		if err := s.each(Measurement{Value: gap, Weight: 1, Upper: gap}); err != nil {
			return err
		}
	}
	return nil
}
