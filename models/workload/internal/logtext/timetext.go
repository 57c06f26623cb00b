// This file reads times and durations as job logs and tables of measurements write them.
package logtext

import (
	"strings"
	"time"

	"github.com/partwise/partwise/models/measure"
)

// Clock returns the seconds of a duration as clocks show it, possibly with a fraction of the seconds: D-HH:MM:SS,
// D-HH:MM, D-HH, HH:MM:SS or MM:SS. All numbers but the first are less than a whole one of the next.
func Clock[T string | []byte](text T) (seconds float64, ok bool) {
	i, n, digits := 0, 0, 0
	number := func() int {
		n, digits = 0, 0
		for ; i < len(text) && text[i] >= '0' && text[i] <= '9' && digits < 10; i++ {
			n = 10*n + int(text[i]-'0')
			digits++
		}
		return n
	}
	var parts [3]int
	days, count := -1, 0
	for {
		parts[count] = number()
		if digits == 0 {
			return 0, false
		}
		count++
		if i < len(text) && text[i] == '-' && days < 0 && count == 1 {
			days, count = parts[0], 0
			i++
			continue
		}
		if i == len(text) || text[i] != ':' || count == len(parts) {
			break
		}
		i++
	}
	fraction := 0.0
	if i < len(text) && text[i] == '.' && (count == 3 || days < 0 && count == 2) {
		i++
		for unit := 0.1; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
			fraction += unit * float64(text[i]-'0')
			unit /= 10
		}
	}
	if i != len(text) || days < 0 && count == 1 {
		return 0, false
	}
	hours, minutes, whole := 0, 0, 0
	switch {
	case count == 3:
		hours, minutes, whole = parts[0], parts[1], parts[2]
	case days >= 0:
		hours, minutes = parts[0], parts[1]*(count-1)
	default:
		minutes, whole = parts[0], parts[1]
	}
	if whole >= 60 || minutes >= 60 && (count == 3 || days >= 0) || hours >= 24 && days >= 0 {
		return 0, false
	}
	return float64((max(days, 0)*24+hours)*3600+minutes*60+whole) + fraction, true
}

// Duration returns the seconds of a duration in one of the forms of [Clock], but for those of which nobody can tell
// whether they begin with hours or minutes, or of numbers with units: 1h30m, 90 min, 2d4h, 1.5h, 250ms.
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

// Stamp is a date and time of day.
type Stamp struct {
	Civil    int64   // seconds since 1970-01-01 00:00:00 on the clock that was read
	Fraction float64 // of a second
	Offset   int     // seconds that the clock is ahead of UTC, where Zoned
	Zoned    bool    // the text names its offset from UTC
}

// ParseStamp reads a date and time of day in a form of ISO 8601: 2024-03-01T08:00:00, with a blank in place of the T,
// with a fraction of the seconds and an offset such as Z, +01:00 or +0100.
func ParseStamp[T string | []byte](text T) (s Stamp, ok bool) {
	if len(text) < 19 || text[4] != '-' || text[7] != '-' || text[10] != 'T' && text[10] != ' ' || text[13] != ':' ||
		text[16] != ':' {
		return s, false
	}
	two := func(i int) int {
		a, b := text[i]-'0', text[i+1]-'0'
		if a > 9 || b > 9 {
			return -1
		}
		return int(a)*10 + int(b)
	}
	century, year, month, day := two(0), two(2), two(5), two(8)
	hour, minute, second := two(11), two(14), two(17)
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
		second < 0 || second > 60 {
		return s, false
	}
	year += 100 * century
	if day > daysOf(year, month) {
		return s, false
	}
	s.Civil = daysSince1970(year, month, day)*86400 + int64(hour*3600+minute*60+second)
	rest := text[19:]
	if len(rest) > 1 && rest[0] == '.' {
		unit, i := 0.1, 1
		for ; i < len(rest) && rest[i] >= '0' && rest[i] <= '9'; i++ {
			s.Fraction += unit * float64(rest[i]-'0')
			unit /= 10
		}
		if i == 1 {
			return s, false
		}
		rest = rest[i:]
	}
	if len(rest) == 0 {
		return s, true
	}
	s.Offset, ok = offset(strings.TrimSpace(string(rest)))
	s.Zoned = true
	return s, ok
}

// offset returns the seconds that a clock is ahead of UTC.
func offset(text string) (seconds int, ok bool) {
	switch text {
	case "Z", "z", "UTC", "GMT":
		return 0, true
	}
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, text); err == nil {
			_, seconds = t.Zone()
			return seconds, true
		}
	}
	return 0, false
}

// daysSince1970 counts days in the Gregorian calendar. Years begin in March, so that the day that leap years add is the
// last.
func daysSince1970(year, month, day int) int64 {
	month -= 3
	if month < 0 {
		month += 12
		year--
	}
	return int64(365*year + year/4 - year/100 + year/400 + (153*month+2)/5 + day - 719469)
}

func daysOf(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
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
