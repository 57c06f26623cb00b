package replay

import (
	"math"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"
)

// Forecast is a mean of a log, and where the same mean of another stretch of the log is expected, with probability
// [Confidence]. The other stretch is as long as the log.
type Forecast struct {
	metric.Interval // of this log, by the jackknife

	ForecastLow, ForecastHigh float64 // of another stretch, with the load that it has; at the load of the run, if that was asked for
	SameLoadLow, SameLoadHigh float64 // of another stretch, stretched to the load of this one
}

// Forecasts returns the forecasts of the ratio to EASY and of the mean response time. Without an interval of this log, which
// few jobs or several replications have not, the forecasts reach from 0 to infinity.
//
// Stretches of a log differ by more than the interval of one of them tells, because months differ by more than weeks. The
// logarithms of the means of two stretches therefore differ by κ·s·t: s is the relative standard error of one of them, t has
// Student's distribution with 4 degrees of freedom, and κ is that of one of the shipped logs, each with the same
// probability.
func (r *Run) Forecasts() (ratio, response Forecast) {
	ratio.Interval = r.Ratio()
	response.Interval, _, _ = r.Intervals()
	response.Mean = r.Measures[measure.MeanResponseTime]
	ratio.foretell(r, func(e *experience) scales { return e.ratio })
	response.foretell(r, func(e *experience) scales { return e.response })
	return ratio, response
}

// foretell adds the forecasts to the interval of this log.
func (f *Forecast) foretell(r *Run, of func(*experience) scales) {
	around := func(kappa func(scales) float64) (low, high float64) {
		if math.IsInf(f.HalfWidth, 0) || math.IsNaN(f.HalfWidth) {
			return 0, math.Inf(1)
		}
		var kappas []float64
		for i := range shipped {
			kappas = append(kappas, kappa(of(&shipped[i])))
		}
		by := math.Exp(multiple(kappas) * f.StdErr / math.Abs(f.Mean))
		return f.Mean / by, f.Mean * by
	}
	f.SameLoadLow, f.SameLoadHigh = around(func(s scales) float64 { return s.sameLoad })
	f.ForecastLow, f.ForecastHigh = f.SameLoadLow, f.SameLoadHigh
	if r.Load == 0 {
		f.ForecastLow, f.ForecastHigh = around(func(s scales) float64 { return s.ownLoad })
	}
}

// tail is the number of degrees of freedom of differences between stretches.
const tail = 4

// multiple returns the number that |κ·t| exceeds with probability 1 − [Confidence], κ being any of the given ones with the same
// probability.
func multiple(kappas []float64) float64 {
	beyond := func(x float64) (p float64) {
		for _, kappa := range kappas {
			p += metric.PValue(tail, x/kappa) / float64(len(kappas))
		}
		return p
	}
	low, high := 0.0, 1.0
	for beyond(high) > 1-Confidence {
		low, high = high, 2*high
	}
	for range 50 { // to the last digit
		if mid := (low + high) / 2; beyond(mid) > 1-Confidence {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// experience tells by how much stretches of a log differ, in standard errors of one of them.
type experience struct {
	log             string
	ratio, response scales
}

// scales holds the scale κ of the differences where both stretches have the same load, and where each has its own.
type scales struct{ sameLoad, ownLoad float64 }

// shipped are the logs of the Parallel Workloads Archive from whose halves and quarters the scales were estimated, by maximum
// likelihood: EASY against 20, 50 and 100 % malleable jobs under the assumptions of [Usual], at loads of 0.5, 0.7 and 0.85 and
// as logged.
var shipped = []experience{
	{"KTH-SP2-1996-2", scales{1.83, 1.64}, scales{1.42, 1.64}},
	{"SDSC-SP2-1998-4", scales{1.64, 4.55}, scales{2.54, 4.32}},
	{"CTC-SP2-1996-3.1", scales{1.41, 0.98}, scales{2.17, 2.26}},
	{"LANL-CM5-1994-4.1", scales{1.58, 3.41}, scales{1.46, 3.84}},
	{"NASA-iPSC-1993-3.1", scales{2.60, 1.85}, scales{3.48, 2.78}},
}
