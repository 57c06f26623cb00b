package sched

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// StartRule is a rule for the starts of jobs by the time of the week. It names times such as 8:00 and 17:00 on
// weekdays. A job does not start if its limit would reach beyond the next of these times. So short jobs run at day, and
// long jobs wait for the night or the weekend.
//
// The rule binds jobs whose limits are at most the longest time between two of the times. No other job could ever
// start. A rule may say a smaller limit up to which it binds jobs.
type StartRule struct {
	text  string
	times []weekTime // ascending
	bound float64    // longest limit of the jobs that the rule binds, in seconds
	zone  *time.Location
}

// weekTime is a time of the week.
type weekTime struct {
	day    time.Weekday
	minute int // since midnight
}

// ParseStartRule reads a rule for the starts of jobs by the time of the week; see [StartRule]. The text has days with
// times, then perhaps the limit up to which jobs are bound, and the time zone of the clock:
//
//	weekdays 8:00,17:00
//	mon-fri 8:00,17:00; sat 12:00
//	weekdays 8:00,17:00 up to 15h in Europe/Stockholm
//
// Days are daily, weekdays, weekends, or names such as mon or mon-fri, separated by commas. Without a time zone the
// rule follows the clock of the log. The error names what cannot be read, and what could be written.
func ParseStartRule(text string) (StartRule, error) {
	r := StartRule{text: strings.TrimSpace(text), bound: math.Inf(1)}
	rest, zone, zoned := strings.Cut(r.text, " in ")
	if zone = strings.TrimSpace(zone); zoned {
		var err error
		if r.zone, err = time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" {
			return StartRule{}, fmt.Errorf("sched: %q is not a time zone of the IANA database; write for example Europe/Berlin, or "+
				"Etc/GMT-1 for clocks that "+
				"are one hour ahead of UTC all year", zone)
		}
	}
	rest, limit, limited := strings.Cut(rest, " up to ")
	if limited {
		most, err := time.ParseDuration(strings.TrimSpace(limit))
		if err != nil || most <= 0 {
			return StartRule{}, fmt.Errorf("sched: %q is not a limit of jobs; write for example up to 15h", strings.TrimSpace(limit))
		}
		r.bound = most.Seconds()
	}
	for clause := range strings.SplitSeq(rest, ";") {
		times, err := parseClause(strings.TrimSpace(clause))
		if err != nil {
			return StartRule{}, err
		}
		r.times = append(r.times, times...)
	}
	slices.SortFunc(r.times, weekTime.compare)
	r.times = slices.Compact(r.times)
	r.bound = min(r.bound, r.longestGap())
	return r, nil
}

// parseClause returns the times of the week that a clause of a start rule names, such as "weekdays 8:00,17:00". The
// error quotes the part of text that cannot be read.
func parseClause(text string) (all []weekTime, err error) {
	names, times, _ := strings.Cut(text, " ")
	if strings.TrimSpace(times) == "" {
		return nil, fmt.Errorf("sched: %q needs days and times; write for example weekdays 8:00,17:00", text)
	}
	days, err := parseDays(names)
	if err != nil {
		return nil, err
	}
	for at := range strings.SplitSeq(times, ",") {
		minute, err := parseMinute(strings.TrimSpace(at))
		if err != nil {
			return nil, err
		}
		for _, day := range days {
			all = append(all, weekTime{day, minute})
		}
	}
	return all, nil
}

// compare returns a negative number if t comes before o in the week, a positive one if later, 0 if they are equal. A
// week begins on Sunday.
func (t weekTime) compare(o weekTime) int {
	return cmp.Or(cmp.Compare(t.day, o.day), cmp.Compare(t.minute, o.minute))
}

// dayNames are the names of the days from Sunday on.
var dayNames = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// parseDays returns the days that a text names, such as "weekdays" or "sat,sun", in the order of the text. The error
// quotes what cannot be read.
func parseDays(text string) (days []time.Weekday, err error) {
	for name := range strings.SplitSeq(strings.ToLower(text), ",") {
		switch name {
		case "daily":
			name = "sun-sat"
		case "weekdays":
			name = "mon-fri"
		case "weekends":
			name = "sat-sun"
		}
		first, last, isRange := strings.Cut(name, "-")
		if !isRange {
			last = first
		}
		from, to := slices.Index(dayNames[:], first), slices.Index(dayNames[:], last)
		if from < 0 || to < 0 {
			return nil, fmt.Errorf("sched: the day %q is unknown; use daily, weekdays, weekends, or names such as mon, mon-fri or sat,sun",
				name)
		}
		for day := from; ; day = (day + 1) % len(dayNames) {
			days = append(days, time.Weekday(day))
			if day == to {
				break
			}
		}
	}
	return days, nil
}

// parseMinute returns the time of the day that text names, such as 8:00, from 0:00 to 23:59, in minutes since midnight.
// The error says how such a time is written.
func parseMinute(text string) (int, error) {
	hours, minutes, _ := strings.Cut(text, ":")
	h, errHours := strconv.Atoi(hours)
	m, errMinutes := strconv.Atoi(minutes)
	if errHours != nil || errMinutes != nil || h < 0 || h > 23 || len(minutes) != 2 || m < 0 || m > 59 {
		return 0, fmt.Errorf("sched: %q is not a time of the day; write for example 8:00 or 17:30", text)
	}
	return 60*h + m, nil
}

// String returns the rule as it was written, so that results can name it.
func (r StartRule) String() string { return r.text }

// minutesOfWeek is a week in minutes.
const minutesOfWeek = 7 * 24 * 60

// longestGap returns the longest time between two successive times of the rule, in seconds. The times repeat every
// week, so a rule with one time has a week. No longer job could start under the rule.
func (r StartRule) longestGap() float64 {
	most := 0
	for i, t := range r.times {
		next := r.times[(i+1)%len(r.times)]
		gap := (int(next.day-t.day)*24*60 + next.minute - t.minute + minutesOfWeek) % minutesOfWeek
		if gap == 0 { // the only time of the week
			gap = minutesOfWeek
		}
		most = max(most, gap)
	}
	return 60 * float64(most)
}

// On returns the rule on the clock of a log that begins at the Unix time begin, in seconds. If the rule names no time
// zone, the clock is in the given zone, or in UTC if zone is nil. It returns nil for the zero rule.
func (r StartRule) On(begin int64, zone *time.Location) *StartWindow {
	zone = cmp.Or(r.zone, zone, time.UTC)
	if len(r.times) == 0 {
		return nil
	}
	return &StartWindow{rule: r, begin: begin, zone: zone}
}

// StartWindow is a [StartRule] on the clock of a log, whose times are seconds since its begin. It is never modified. A
// nil window lets all jobs start at any time.
type StartWindow struct {
	rule  StartRule
	begin int64
	zone  *time.Location
}

// Rule returns the rule of the window, so that results can name it; the zero rule of a nil window.
func (w *StartWindow) Rule() StartRule {
	if w == nil {
		return StartRule{}
	}
	return w.rule
}

// Next returns the next time of the rule: the first after time now. Both are in seconds since the begin of the log. The
// result is +Inf without a rule, if now is NaN, or if now is 2⁵³ s or more from the begin. So far from the begin,
// floating-point numbers do not distinguish seconds.
func (w *StartWindow) Next(now float64) float64 {
	if w == nil || !(math.Abs(now) < 1<<53) {
		return math.Inf(1)
	}
	d := time.Unix(w.begin+int64(math.Floor(now)), 0).In(cmp.Or(w.zone, time.UTC))
	for days := range 15 { // a week, or two where the clocks of a zone left out a whole day
		day := time.Date(d.Year(), d.Month(), d.Day()+days, 12, 0, 0, 0, d.Location()) // some days have no midnight
		for _, t := range w.rule.times {
			if t.day != day.Weekday() {
				continue
			}
			at := time.Date(day.Year(), day.Month(), day.Day(), 0, t.minute, 0, 0, d.Location())
			if seconds := float64(at.Unix() - w.begin); seconds > now {
				return seconds
			}
		}
	}
	return math.Inf(1)
}

// boundLimit returns the limit of a job, in seconds, if the rule binds the job: its limit is not above w.rule.bound.
// The rule names times of the week, and a bound job must end, by its limit, before the next of them. The result is 0 if
// the rule does not bind the job, or without a window.
func (w *StartWindow) boundLimit(limit float64) float64 {
	if w == nil || limit > w.rule.bound {
		return 0
	}
	return limit
}

// firstStart returns the first time, from now on, at which the start rule lets a job with the given limit start. EASY
// promises the head of the queue no earlier time. Times are in seconds since the begin of the log, the limit in
// seconds. The result is now, or a time of the rule; without a window it is now. After mostTimes times of the rule the
// search ends with the last one.
func (w *StartWindow) firstStart(now, limit float64) float64 {
	if w == nil || math.IsInf(now, 1) {
		return now
	}
	lasts, until := w.boundLimit(limit), w.Next(now)
	for tried := 0; now+lasts > until && tried < mostTimes; tried++ {
		now, until = until, w.Next(until)
	}
	return now
}

// mostTimes is more than the times of any rule within two weeks. A longest time between two of them lies in each week
// without a change of clocks.
const mostTimes = 2 * minutesOfWeek
