package replayview

import (
	"math"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// noChange says that a difference rounds to 0 per cent.
const noChange = "no change"

// change says how response times differ from those of EASY, of a ratio of EASY's to them: 16 % less, 5 % more, no change. Whole
// per cents are enough: the intervals are wider.
func change(ratio float64) string {
	if !(ratio > 0) {
		return "any amount more"
	}
	switch percent := math.Round(100 * (1/ratio - 1)); {
	case percent > 0:
		return words.Fixed(percent, 0) + " % more"
	case percent < 0:
		return words.Fixed(-percent, 0) + " % less"
	}
	return noChange
}

// timeTaken says what a ratio of EASY's response time to that of jobs means for the jobs. It ends with a comparison, behind which
// "under EASY" stands.
func timeTaken(ratio float64) string {
	if text := change(ratio); text != noChange {
		return text + " time than"
	}
	return "as much time as"
}

// timesTaken says the same of the interval of a ratio.
func timesTaken(ratio metric.Interval) string {
	if text := changes(ratio); text != noChange {
		return text + " time than"
	}
	return "as much time as"
}

// secondsColumn returns the column of times in seconds that only tables have, with decimals where the seconds are few.
func secondsColumn(head string) output.Column {
	return output.InTable(head).Right().Else("–").Written(func(value any) string {
		seconds := value.(float64)
		if seconds < 100 {
			return words.Round(seconds, 3)
		}
		return words.Fixed(seconds, 0)
	})
}

// changes says what the interval of a ratio to EASY means for response times, such as "12 to 19 % less". It is "" without an
// interval.
func changes(e metric.Interval) string {
	if !e.IsKnown() {
		return ""
	}
	first, last := change(e.Low), change(e.High)
	if e.High < 1 {
		first, last = last, first
	}
	switch {
	case first == last:
		return first
	case first == noChange:
		return nearEnd(e) + " to " + last
	case last == noChange:
		return nearEnd(e) + " to " + first
	}
	for _, same := range []string{" % less", " % more"} {
		if strings.HasSuffix(first, same) && strings.HasSuffix(last, same) {
			first = strings.TrimSuffix(first, same)
		}
	}
	return first + " to " + last
}

// nearEnd writes the end of an interval of ratios that is less than half a per cent from 1: 0 if the interval contains 1.
// Otherwise the difference is significant, and the end has the digit that shows it, such as 0.3.
func nearEnd(e metric.Interval) string {
	if e.Low <= 1 && 1 <= e.High {
		return "0"
	}
	near := e.Low
	if e.High < 1 {
		near = e.High
	}
	return words.Round(100*math.Abs(1/near-1), 1)
}

// otherChanges says what the forecast of a run means for response times.
func otherChanges(run *replay.Run) string {
	e := ratioForecast(run)
	return changes(metric.Interval{Low: e.ForecastLow, High: e.ForecastHigh})
}
