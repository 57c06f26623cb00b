package replaycmd

import (
	"github.com/partwise/partwise/models/words"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// TooFew reports whether the log has too few jobs for any verdict.
func (f *Forecast) TooFew() bool {
	return f.impossible == "" && !output.Finite(f.last().Ratio().HalfWidth)
}

// enough returns of how many days a log of such jobs is that can tell whether resizing pays. Intervals shrink with the root of
// the length; a log without an interval must have at least the jobs of one.
func (f *Forecast) enough(run *replay.Run) float64 {
	if e := run.Ratio(); output.Finite(e.HalfWidth) {
		half := e.HalfWidth / (e.Mean - 1)
		return f.days * half * half
	}
	return max(fewestDays, f.days*metric.FewestJobs/float64(run.Jobs))
}

// fewestDays is how long a log is at least whose days of the week each come twice.
const fewestDays = 14

// lengthWords writes a number of days.
func lengthWords(days float64) string {
	const year = 365.25
	switch {
	case days > 100*year:
		return "more than 100 years"
	case days >= 2*year:
		return output.Fixed(math.Round(days/year), 0) + " years"
	case days >= year/6:
		return output.Fixed(math.Round(12*days/year), 0) + " months"
	case days >= 2:
		return output.Fixed(math.Round(days), 0) + " days"
	}
	return words.Count(max(1, int(math.Round(24*days))), "hour")
}
