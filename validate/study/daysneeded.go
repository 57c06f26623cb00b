package study

import (
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// fewestDays is how long a log is at least whose days of the week each come twice.
const fewestDays = 14

// DaysNeeded returns about how many days a log of such jobs must cover to tell whether resizing pays with the share of
// malleable jobs of a run. Intervals shrink with the root of the length: days·(half width/(ratio − 1))². A log without
// an interval must have at least the jobs of one, and two weeks.
func (g *Gains) DaysNeeded(run *replay.Run) float64 {
	if e := run.Ratio(); hasInterval(e) {
		half := e.HalfWidth / (e.Mean - 1)
		return g.Days * half * half
	}
	return max(fewestDays, g.Days*metric.FewestJobs/float64(run.Jobs))
}
