package replayview

import (
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// ifKnown returns an estimate without the ends of its interval where they are not known.
func ifKnown(e metric.Interval) metric.Interval {
	if !e.IsKnown() {
		e.Low, e.High = math.NaN(), math.NaN()
	}
	return e
}

// estimateObject has the mean of an estimate, and the ends of its interval where it has one.
func estimateObject(e metric.Interval) output.Object {
	known := e.IsKnown()
	return output.Pairs("mean", e.Mean, "low", output.When(known, e.Low), "high", output.When(known, e.High))
}

// onFirst has the ratio to EASY on the first number of nodes, with that number.
func onFirst(run *replay.Run) output.Object {
	if run.OnFirst == nil {
		return nil
	}
	return append(output.Pairs("nodes", run.OnFirst.Nodes), estimateObject(run.RatioToFirst())...)
}

// sameLoadObject has the mean of a forecast, and the ends of its intervals where it has them: of this log, and of another stretch
// of the same length with the same load.
func sameLoadObject(f replay.Forecast) output.Object {
	known := words.Finite(f.SameLoadHigh)
	return append(estimateObject(f.Interval), output.Pairs("same_load_low", output.When(known, f.SameLoadLow),
		"same_load_high", output.When(known, f.SameLoadHigh))...)
}

// forecastObject has the mean of a forecast, and the ends of its intervals where it has them: of this log, and of another stretch
// of the same length.
func forecastObject(f replay.Forecast) output.Object {
	known := words.Finite(f.ForecastHigh)
	return append(estimateObject(f.Interval), output.Pairs("forecast_low", output.When(known, f.ForecastLow),
		"forecast_high", output.When(known, f.ForecastHigh))...)
}

// intervalsObject has the intervals of means, by their names; nil if there are none.
func intervalsObject(run *replay.Run) output.Object {
	var o output.Object
	response, wait, slowdown := run.Intervals()
	for i, e := range []metric.Interval{response, wait, slowdown} {
		if e.IsKnown() {
			o.Add([]string{measure.MeanResponseTime, measure.MeanWaitingTime, measure.MeanBoundedSlowdown}[i],
				append(output.IntervalObject(e), output.Pairs("batches", e.DF+1)...))
		}
	}
	return o
}

// ratioForecast is the forecast of the ratio to EASY.
func ratioForecast(run *replay.Run) replay.Forecast {
	ratio, _ := run.Forecasts()
	return ratio
}

// foretold reports whether a run has a forecast.
func foretold(run *replay.Run) bool { return words.Finite(ratioForecast(run).ForecastHigh) }
