// This file reads times and durations as job logs and tables of measurements write them.
package logtext

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/partwise/partwise/models/measure"
)

// Clock returns the seconds of a duration as clocks show it, possibly with a fraction of the seconds: D-HH:MM:SS,
// D-HH:MM, D-HH, HH:MM:SS or MM:SS, as Torque takes it: D:HH:MM:SS, and as programs in Python write it: 1 days 02:00:00 or
// 1 day, 2:00:00. All numbers but the first are less than a whole one of the next.
func Clock[T string | []byte](text T) (seconds float64, ok bool) {
	if seconds, ok = shortClock(text); ok {
		return seconds, true
	}
	days, clock, hasDays := strings.Cut(inSlurmsForm(string(text)), "-")
	if !hasDays {
		days, clock = "0", days
	}
	parts := 1 + strings.Count(clock, ":")
	if parts > 3 || parts == 1 && !hasDays {
		return 0, false
	}
	k := 0 // the unit of a part
	if !hasDays {
		k = 3 - parts
	}
	bounded := hasDays
	whole, err := strconv.ParseUint(days, 10, 31)
	if err != nil {
		return 0, false
	}
	seconds = 86400 * float64(whole)
	for part := range strings.SplitSeq(clock, ":") {
		unit := clockUnits[k]
		part, fraction, hasFraction := strings.Cut(part, ".")
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || bounded && n >= unit.below || hasFraction && (unit.seconds > 1 || strings.Trim(fraction, "0123456789") != "") {
			return 0, false
		}
		seconds += float64(n) * unit.seconds
		if hasFraction {
			x, _ := strconv.ParseFloat("0."+fraction, 64)
			seconds += x
		}
		k, bounded = k+1, true
	}
	return seconds, true
}

// ClockOrNumber returns the seconds of a duration as clocks show it, see [Clock], or of a number of so many seconds each. If unit
// is 0, a number is no duration. ok is false of other texts, and from 2³² − 1 seconds on.
func ClockOrNumber(text []byte, unit float64) (seconds float64, ok bool) {
	if seconds, ok = Clock(text); ok && (unit == 0 || bytes.IndexByte(text, ':') >= 0) {
		return seconds, seconds < math.MaxUint32
	}
	if unit == 0 {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(text), 64)
	return unit * x, err == nil && x >= 0 && unit*x < math.MaxUint32
}

// inSlurmsForm returns 1-02:00:00 for a duration such as 1:02:00:00 or 1 days 02:00:00, and other texts unchanged.
func inSlurmsForm(text string) string {
	if strings.Count(text, ":") == 3 && !strings.Contains(text, "-") {
		return strings.Replace(text, ":", "-", 1)
	}
	days, clock, ok := strings.Cut(text, " day")
	clock = strings.TrimLeft(strings.TrimPrefix(clock, "s"), ", ")
	if !ok || strings.Count(clock, ":") != 2 {
		return text
	}
	return days + "-" + clock
}

// shortClock reads HH:MM:SS and D-HH:MM:SS, which nearly all durations are, in a third of the time.
func shortClock[T string | []byte](text T) (seconds float64, ok bool) {
	const mostDigits = 4 // of the days
	days, at := 0, 0
	for at < min(mostDigits, len(text)) && text[at]-'0' <= 9 {
		days = 10*days + int(text[at]-'0')
		at++
	}
	hasDays := 0 < at && at < len(text) && text[at] == '-'
	clock := text
	if hasDays {
		clock = text[at+1:]
	}
	if len(clock) != len("HH:MM:SS") || clock[2] != ':' || clock[5] != ':' {
		return 0, false
	}
	whole := 0
	for at := 0; at < len(clock); at += 3 {
		tens, ones := clock[at]-'0', clock[at+1]-'0'
		if tens > 9 || ones > 9 || at > 0 && tens > 5 {
			return 0, false
		}
		whole = 60*whole + 10*int(tens) + int(ones)
	}
	switch {
	case !hasDays:
		return float64(whole), true
	case whole < 86400:
		return float64(86400*days + whole), true
	}
	return 0, false
}

// clockUnits are hours, minutes and seconds.
var clockUnits = [3]struct {
	seconds float64
	below   uint64 // how many there are in the next larger unit
}{{3600, 24}, {60, 60}, {1, 60}}

// Duration returns the seconds of a duration in one of the forms of [Clock], or in numbers with units: 1h30m, 90 min,
// 2d4h, 1.5h, 250ms. ok is false if it is unclear whether the text begins with hours or minutes.
func Duration(text string) (seconds float64, ok bool) {
	text = strings.TrimSpace(text)
	if s, ok := Clock(text); ok {
		return s, strings.Count(text, ":") != 1 || strings.ContainsAny(text, "-.")
	}
	if strings.ContainsAny(text, "+-") {
		return 0, false
	}
	return measure.ParseDuration(text, measure.Second())
}

// ParseStamp reads a date and time of day in a form of ISO 8601: 2024-03-01T08:00:00, with a blank in place of the T,
// with a fraction of the seconds and an offset from UTC such as Z, +01:00 or +0100. The seconds may be left out, and slashes may
// stand in the date. Without an offset, which zoned reports, it returns the time at which clocks of UTC show it.
func ParseStamp[T string | []byte](text T) (at time.Time, zoned, ok bool) {
	const date = len("2006-01-02")
	if len(text) <= date || text[date] != 'T' && text[date] != ' ' || text[len(text)-1] == ' ' {
		return at, false, false
	}
	if at, ok = shortStamp(text); ok {
		return at, false, true
	}
	stamp := append(make([]byte, 0, 40), text...)
	stamp[date] = 'T'
	if stamp[4] == '/' && stamp[7] == '/' {
		stamp[4], stamp[7] = '-', '-'
	}
	if len(stamp) == len("2006-01-02T15:04") {
		stamp = append(stamp, ":00"...)
	}
	if at.UnmarshalText(append(stamp, 'Z')) == nil {
		return at, false, true
	}
	for _, offset := range [...]string{"Z07:00", "-0700", "-07", "UTC", "GMT"} {
		if at, err := time.Parse("2006-01-02T15:04:05"+offset, strings.ReplaceAll(string(stamp), " ", "")); err == nil {
			return at, true, true
		}
	}
	return at, false, false
}

// shortStamp reads YYYY-MM-DDTHH:MM:SS, which nearly all stamps are, in a quarter of the time. It takes any character in
// place of the T.
func shortStamp[T string | []byte](text T) (at time.Time, ok bool) {
	if len(text) != len("2006-01-02T15:04:05") || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':' {
		return at, false
	}
	var pair [7]int
	for k, from := range [...]int{0, 2, 5, 8, 11, 14, 17} {
		tens, ones := text[from]-'0', text[from+1]-'0'
		if tens > 9 || ones > 9 {
			return at, false
		}
		pair[k] = 10*int(tens) + int(ones)
	}
	year, month, day, hour, minute, second := 100*pair[0]+pair[1], pair[2], pair[3], pair[4], pair[5], pair[6]
	if year == 0 || month < 1 || month > 12 || day < 1 || day > daysOf(year, month) || hour > 23 || minute > 59 || second > 59 {
		return at, false
	}
	return time.Unix(86400*int64(daysUntil(year, month, day))+int64(3600*hour+60*minute+second), 0).UTC(), true
}

// daysOf returns the number of days of a month, from 1 to 12.
func daysOf(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	}
	return 30 + (month+month/8)%2
}

// daysUntil returns the number of days from 1970-01-01 to a date of the Gregorian calendar, from year 1 on. It counts
// years from March on, so that a leap day is the last day of a year. Months from March on then have 153 days in five.
func daysUntil(year, month, day int) int {
	const before = 719468 // days from 0000-03-01 to 1970-01-01
	if month < 3 {
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - before
}

// Zone turns the time on the clocks of a place into Unix time. It is not for concurrent use.
type Zone struct {
	location *time.Location
	day      int64 // all day of which, from one midnight to the next, the offset is the same
	offset   int64
	known    bool
}

// NewZone returns the zone of a location; nil is UTC.
func NewZone(location *time.Location) *Zone {
	if location == nil {
		location = time.UTC
	}
	return &Zone{location: location}
}

// Unix returns the first Unix time at which clocks showed a civil time. repeated is how many seconds later they showed
// it once more, as they do when they are put back; 0 if they did not. missing tells that clocks never showed it, as
// they were put forward over it; it is then read as if they had not been.
func (z *Zone) Unix(civil int64) (at int64, repeated int64, missing bool) {
	day := civil / 86400
	if z.known && day == z.day {
		return civil - z.offset, 0, false
	}
	before, after := z.offsetAt(civil-86400), z.offsetAt(civil+86400)
	if before == after {
		midnight := day * 86400
		if o := z.offsetAt(midnight - 86400); o == before && z.offsetAt(midnight+2*86400) == before {
			z.day, z.offset, z.known = day, before, true
		}
		return civil - before, 0, false
	}
	early, late := civil-before, civil-after
	isEarly, isLate := z.offsetAt(early) == before, z.offsetAt(late) == after
	switch {
	case isEarly && isLate:
		return min(early, late), max(early, late) - min(early, late), false
	case isLate:
		return late, 0, false
	}
	return early, 0, !isEarly
}

// offsetAt returns the seconds that clocks are ahead of UTC at a Unix time.
func (z *Zone) offsetAt(unix int64) int64 {
	if z.location == time.UTC {
		return 0
	}
	_, seconds := time.Unix(unix, 0).In(z.location).Zone()
	return int64(seconds)
}
