package logstats

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/models/workload/joblog"
)

// StartClock says at which hours of the day the jobs of a log started.
type StartClock struct {
	// DaylightSaving says that the hours are those of clocks which are put forward in summer. Hours of clocks that never change are
	// taken where the starts of some class lie closer together on these: logs that count seconds may come from either.
	DaylightSaving bool
	Classes        []StartClass // all jobs and, if these differ, the jobs by the length of their limits
}

// StartClass is the jobs of a log whose limits are of similar length.
type StartClass struct {
	Limits              Limits
	Jobs                int
	Starts, Submissions [hoursOfDay]int // of these jobs, by hour of the day
	// RuleHour is the hour in which the starts show a rule by the clock, −1 if they show none, by its share, its submissions and its
	// days.
	RuleHour int
}

// Rule returns the class of jobs whose starts show that a rule by the clock delays them, such as long jobs that start only at
// night. If several classes show a rule, it returns the last of them, which has the longest limits. The class of jobs without
// limits does not count. The result is nil if no class shows a rule.
func (s *StartClock) Rule() (class *StartClass) {
	for i := range s.Classes {
		if c := &s.Classes[i]; c.RuleHour >= 0 && c.Limits.Kind != UnlimitedJobs {
			class = c
		}
	}
	return class
}

// Limits are lengths of the limits of jobs: the requested run times.
type Limits struct {
	Kind     LimitKind
	From, To float64 // seconds: more than From, at most To; of the kind [LimitedJobs] alone
}

// LimitKind says which jobs a class of limits takes.
type LimitKind int

// The kinds.
const (
	AllJobs LimitKind = iota
	LimitedJobs
	UnlimitedJobs // the log tells no limit
)

// String returns a word for the kind: all, limited or unlimited. An unknown kind is LimitKind(3).
func (k LimitKind) String() string {
	names := [...]string{"all", "limited", "unlimited"}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("LimitKind(%d)", int(k))
	}
	return names[k]
}

// String returns what jobs with these limits are called in a sentence, such as "jobs over 1 h up to 4 h".
func (l *Limits) String() string {
	switch {
	case l.Kind == AllJobs:
		return "all jobs"
	case l.Kind == UnlimitedJobs:
		return "jobs without a limit"
	case math.IsInf(l.To, 1):
		return fmt.Sprintf("jobs over %g h", l.From/hour)
	case l.From == 0:
		return fmt.Sprintf("jobs up to %g h", l.To/hour)
	}
	return fmt.Sprintf("jobs over %g h up to %g h", l.From/hour, l.To/hour)
}

// limitClasses are the classes of jobs by their limits. A job belongs to all jobs and to one other class.
var limitClasses = [...]Limits{
	{Kind: AllJobs}, {LimitedJobs, 0, hour}, {LimitedJobs, hour, 4 * hour}, {LimitedJobs, 4 * hour, math.Inf(1)}, {Kind: UnlimitedJobs},
}

// limitClassOf returns the place of the class of a limit in limitClasses; a limit of at most 0 is not told.
func limitClassOf(limit float64) int {
	for k, l := range limitClasses {
		if l.Kind == LimitedJobs && limit > l.From && limit <= l.To {
			return k
		}
	}
	return len(limitClasses) - 1
}

// The starts of a class show a rule by the clock in an hour if this hour has
//
//   - a fifth of the starts of the class, where an even share is 1/24,
//   - one and a half times as many starts as submissions in this hour and the hour before, since jobs that find free nodes start when they come,
//   - on so many days that the excess of the starts over one and a half times these submissions, summed by day, is four standard errors.
//
// Jobs of one day start together when nodes become free, so only days count as independent.
const (
	leastRuleShare   = 0.2
	ruleOverArrivals = 1.5
	ruleErrors       = 4.0
	leastRuleDays    = 20
)

// startClocks collects the starts and submissions of jobs.
type startClocks struct {
	date  func(seconds float64) time.Time
	first float64 // the time at which slots begin, in seconds
	slots []slotHours
	// counts are by kind of clock, by class without [AllJobs], and by hour since the midnight before the log.
	counts [2][len(limitClasses) - 1][]startCount
	tooFar bool // a time is too far away to be counted
}

// startCount is how many jobs started in an hour, and how many were submitted.
type startCount struct{ starts, submissions uint32 }

// The kinds of clocks.
const (
	standardClock = iota // without daylight saving
	localClock
)

// slotSeconds is a time within which no clock changes its hour: all offsets from UTC are whole slots.
const slotSeconds = 900

// slotHours are the hours in which a slot lies on both kinds of clocks, from 1; 0 stands for hours that are not known yet.
type slotHours [2]int32

// mostClockHours bounds the hours that are counted: those of 20 years.
const mostClockHours = 20 * 366 * hoursOfDay

// newStartClocks returns the collection of a log whose first submission is given. date tells the date of a time in seconds.
func newStartClocks(date func(seconds float64) time.Time, first float64) *startClocks {
	unix := date(first).Unix()
	return &startClocks{date: date, first: first - float64(unix-unix/slotSeconds*slotSeconds)}
}

// hoursAt returns the hours of a time on both kinds of clocks, counted from a midnight before the first submission; ok is false
// if the time is too far away.
func (c *startClocks) hoursAt(seconds float64) (h slotHours, ok bool) {
	at := math.Floor((seconds - c.first) / slotSeconds)
	if !(at >= 0 && at < mostClockHours*hour/slotSeconds) {
		return h, false
	}
	k := int(at)
	if k >= len(c.slots) {
		c.slots = append(c.slots, make([]slotHours, k+1-len(c.slots))...)
	}
	if c.slots[k] == (slotHours{}) {
		c.slots[k] = c.hoursOfDate(seconds)
	}
	return c.slots[k], true
}

// hoursOfDate returns the hours of a time as its date tells them.
func (c *startClocks) hoursOfDate(seconds float64) slotHours {
	midnight := c.date(c.first).Unix()/86400 - 1 // the offset of a clock is less than a day
	d := c.date(seconds)
	_, offset := d.Zone()
	local := d.Unix() + int64(offset) - midnight*86400
	standard := local
	if d.IsDST() {
		standard -= hour
	}
	return slotHours{standardClock: int32(standard / hour), localClock: int32(local / hour)}
}

// add takes a job in that [Waited].
func (c *startClocks) add(j *joblog.Job) {
	submitted, known := c.hoursAt(j.Submit)
	started, ok := c.hoursAt(j.Submit + j.Wait)
	if !known || !ok {
		c.tooFar = true
		return
	}
	class := limitClassOf(j.Estimate) - 1
	for k := range c.counts {
		counts := &c.counts[k][class]
		if most := int(max(submitted[k], started[k])); most >= len(*counts) {
			*counts = append(*counts, make([]startCount, most+1-len(*counts))...)
		}
		(*counts)[submitted[k]].submissions++
		(*counts)[started[k]].starts++
	}
}

// summary returns what the starts show; nil if times lie too far apart, or if there are no jobs.
func (c *startClocks) summary() *StartClock {
	if c.tooFar {
		return nil
	}
	var all [2]StartClock
	var closest [2]float64 // the largest share of the starts of a class in one hour
	for k := range all {
		all[k].DaylightSaving = k == localClock
		for i, limits := range limitClasses {
			counts := c.counts[k][:]
			if limits.Kind != AllJobs {
				counts = counts[i-1 : i]
			}
			s := startClassOf(limits, counts)
			if s.Jobs == 0 || i > 0 && s.Jobs == all[k].Classes[0].Jobs { // all jobs are in one class
				continue
			}
			all[k].Classes = append(all[k].Classes, s)
			if s.Jobs >= leastRuleDays {
				closest[k] = max(closest[k], float64(slices.Max(s.Starts[:]))/float64(s.Jobs))
			}
		}
	}
	switch {
	case len(all[localClock].Classes) == 0:
		return nil
	case closest[standardClock] > closest[localClock]:
		return &all[standardClock]
	}
	return &all[localClock]
}

// startClassOf returns the starts of a class from the counts of the classes that it consists of.
func startClassOf(limits Limits, counts [][]startCount) StartClass {
	s := StartClass{Limits: limits, RuleHour: -1}
	for _, of := range counts {
		for at, n := range of {
			s.Jobs += int(n.starts)
			s.Starts[at%hoursOfDay] += int(n.starts)
			s.Submissions[at%hoursOfDay] += int(n.submissions)
		}
	}
	if s.Jobs == 0 {
		return s
	}
	top := 0
	for h, n := range s.Starts {
		if n > s.Starts[top] {
			top = h
		}
	}
	if float64(s.Starts[top]) >= leastRuleShare*float64(s.Jobs) && isRule(excessByDay(counts, top)) {
		s.RuleHour = top
	}
	return s
}

// excessByDay returns, for each day with starts or submissions, the starts in an hour less [ruleOverArrivals] times the
// submissions in this hour and the hour before.
func excessByDay(counts [][]startCount, hourOfDay int) []float64 {
	byDay := map[int]float64{}
	for _, of := range counts {
		for at, n := range of {
			if n == (startCount{}) {
				continue
			}
			day := at / hoursOfDay
			switch (at - hourOfDay + hoursOfDay) % hoursOfDay {
			case 0:
				byDay[day] += float64(n.starts) - ruleOverArrivals*float64(n.submissions)
			case hoursOfDay - 1: // the hour before
				byDay[(at+1)/hoursOfDay] -= ruleOverArrivals * float64(n.submissions)
			default:
				byDay[day] += 0
			}
		}
	}
	var all []float64
	for _, day := range slices.Sorted(maps.Keys(byDay)) {
		all = append(all, byDay[day])
	}
	return all
}

// isRule reports whether the mean of independent values is [ruleErrors] standard errors above 0, with at least [leastRuleDays]
// values.
func isRule(excess []float64) bool {
	if len(excess) < leastRuleDays {
		return false
	}
	mean, deviation := stat.MeanStdDev(excess, nil)
	return mean > ruleErrors*stat.StdErr(deviation, float64(len(excess)))
}
