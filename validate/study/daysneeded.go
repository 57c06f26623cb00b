package study

import (
	"math"

	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// fewestDays is how long a log is at least whose days of the week each come twice.
const fewestDays = 14

// DaysNeeded returns about how many days a log like this must cover for a verdict with the share of malleable jobs of a
// run. The interval of the ratio to EASY must then no longer contain 1. Intervals shrink with the root of the length,
// so the result is
//
//	days of this log · (half width/(ratio − 1))².
//
// The result is +Inf for a ratio of 1, if g or run is nil, and for a run without jobs. It is below the days of this log
// if the interval does not contain 1. If the ratio has no interval, the result is the number of days in which
// [metric.FewestJobs] jobs come, at least two weeks.
func (g *Gains) DaysNeeded(run *replay.Run) float64 {
	if g == nil || run == nil || run.Jobs == 0 {
		return math.Inf(1)
	}
	e := run.Ratio()
	switch {
	case !e.IsKnown():
		return max(fewestDays, g.Days*metric.FewestJobs/float64(run.Jobs))
	case e.Mean == 1:
		return math.Inf(1)
	}
	half := e.HalfWidth / (e.Mean - 1)
	return g.Days * half * half
}
