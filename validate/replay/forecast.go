package replay

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"
)

// Forecast is a mean of a log, and where the same mean of another stretch of the log is expected, with probability
// [Confidence]. The other stretch is as long as the log.
type Forecast struct {
	metric.Interval // of this log, by the jackknife

	// Of another stretch: with the load that it has if [Study.Foretell] was given the run, otherwise with the load of this one.
	ForecastLow, ForecastHigh float64
	SameLoadLow, SameLoadHigh float64 // of another stretch with the load of this one
}

// Forecasts returns the forecasts of the ratio to EASY and of the mean response time. Without an interval of this log, which
// few jobs or several replications have not, the forecasts reach from 0 to infinity.
//
// Stretches of a log differ by more than the interval of one of them tells, because months differ by more than weeks. At the
// same load the logarithms of the means of two stretches differ by
//
//	κ·s·t,
//
// where s is the relative standard error of one of them, t has Student's distribution, and κ is that of one of the shipped logs,
// each with the same probability. If the other stretch may have another load, the limits are those of
// the sum of this difference and of the difference that the loads make: the root of the sum of squares of both limits.
func (r *Run) Forecasts() (ratio, response Forecast) {
	ratio.Interval = r.Ratio()
	response.Interval, _, _ = r.Intervals()
	response.Mean = r.Measures[measure.MeanResponseTime]
	ofRatio, ofResponse := r.otherLoads()
	ratio.foretell(ratioMultiple(), ofRatio)
	response.foretell(responseMultiple(), ofResponse)
	return ratio, response
}

// otherLoads are the logarithms of a mean with the lowest and with the highest load that is expected, over the mean.
type otherLoads struct{ lowest, highest float64 }

// otherLoads returns those of the ratio to EASY and of the response time.
func (r *Run) otherLoads() (ratio, response otherLoads) {
	response = r.foretold
	if base := r.Baseline; base != nil {
		ratio = otherLoads{base.foretold.lowest - response.lowest, base.foretold.highest - response.highest}
	}
	return ratio, response
}

// The degrees of freedom of differences between stretches: of 2, 3, 4, 6, 10 and 30 those of the greatest likelihood on the shipped
// logs. That of the ratio falls by 1 to 22 for others, that of the response time by 1 to 17.
const (
	ratioTail    = 3
	responseTail = 30
)

// The forecasts of a ratio and of a response time at the same load, in standard errors of their logarithms.
var (
	ratioMultiple = sync.OnceValue(func() float64 {
		return shippedMultiple(ratioTail, func(e *experience) float64 { return e.ratio })
	})
	responseMultiple = sync.OnceValue(func() float64 {
		return shippedMultiple(responseTail, func(e *experience) float64 { return e.response })
	})
)

// shippedMultiple returns [multiple] of the scales of the shipped logs.
func shippedMultiple(df int, of func(*experience) float64) float64 {
	var kappas []float64
	for i := range shipped {
		kappas = append(kappas, of(&shipped[i]))
	}
	return multiple(df, kappas)
}

// foretell adds the forecasts to the interval of this log. A multiple of the standard error is the forecast at the same load.
func (f *Forecast) foretell(multiple float64, loads otherLoads) {
	f.SameLoadHigh, f.ForecastHigh = math.Inf(1), math.Inf(1)
	if math.IsInf(f.HalfWidth, 0) || math.IsNaN(f.HalfWidth) {
		return
	}
	same := multiple * f.StdErr / math.Abs(f.Mean)
	f.SameLoadLow, f.SameLoadHigh = f.Mean*math.Exp(-same), f.Mean*math.Exp(same)
	down, up := loads.with(same)
	f.ForecastLow, f.ForecastHigh = f.Mean*math.Exp(-down), f.Mean*math.Exp(up)
}

// with returns how far the logarithm of a mean may lie below and above, if it may lie the given distance away at the same load.
func (l otherLoads) with(same float64) (down, up float64) {
	return math.Hypot(same, max(0, -l.lowest, -l.highest)), math.Hypot(same, max(0, l.lowest, l.highest))
}

// logit returns log(ρ/(1−ρ)) of a load. Loads of machines lie between 0 and 1, and vary the less the nearer they are to 1: so
// differences are taken of logits. A higher load than 0.99, which no machine can have for long, counts as 0.99.
func logit(load float64) float64 { return math.Log(min(load, mostLoad) / (1 - min(load, mostLoad))) }

const mostLoad = 0.99

// expit is the inverse of logit.
func expit(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// driftLimit returns what the difference of the logits of two loads exceeds with probability 1 − [Confidence], either way, by
// differences d that are known, one a log:
//
//	t·√(Σd²/n), t the quantile of Student's distribution with n degrees of freedom.
//
// One variance for all logs will do: the squares of the shipped ones vary by no more than squares of normal values do.
func driftLimit(drifts []float64) float64 {
	sum := 0.0
	for _, d := range drifts {
		sum += d * d
	}
	return metric.Quantile(len(drifts), (1+Confidence)/2) * math.Sqrt(sum/float64(len(drifts)))
}

// Foretell replays the runs that have the load of the log twice more: with the lowest and with the highest load that is expected of
// another stretch, with probability [Confidence]. [Run.Forecasts] then says what is expected of a stretch with the load that it has.
// The loads follow from the differences between the halves of the shipped logs: one log has one such difference, of stretches half
// as long, which hardly tells their variance. Runs at other loads stay as they are, and all do if the log has no load that could be
// changed. It returns a *[RunError] if a policy cannot run the jobs at these loads.
func (s *Study) Foretell(ctx context.Context, workers int, runs []*Run) error {
	if err := s.Check(); err != nil {
		return err
	}
	var drifts []float64
	for i := range shipped {
		drifts = append(drifts, shipped[i].drift)
	}
	return s.foretell(ctx, workers, runs, driftLimit(drifts))
}

// foretell replays the runs with loads whose logits lie as far as the limit below and above that of the log.
func (s *Study) foretell(ctx context.Context, workers int, runs []*Run, limit float64) error {
	load, err := s.Log.Load()
	if err != nil || !(load > 0) || math.IsInf(load, 1) {
		return err
	}
	lowest, highest := min(load, expit(logit(load)-limit)), max(load, expit(logit(load)+limit))
	quiet := *s
	quiet.Done = nil
	var own, other []*Run
	add := func(r *Run) {
		if r != nil && r.Load == 0 && r.single() && !slices.Contains(own, r) {
			own = append(own, r)
			other = append(other, &Run{Setting: r.Setting, Load: lowest}, &Run{Setting: r.Setting, Load: highest})
		}
	}
	for _, r := range runs {
		if r == nil {
			return errors.New("replay: a run is missing")
		}
		add(r)
		add(r.Baseline)
	}
	if err := quiet.each(ctx, other, workers); err != nil {
		return err
	}
	change := func(r, other *Run) float64 {
		return math.Log(other.Measures[measure.MeanResponseTime] / r.Measures[measure.MeanResponseTime])
	}
	for i, r := range own {
		r.foretold = otherLoads{change(r, other[2*i]), change(r, other[2*i+1])}
	}
	return nil
}

// multiple returns the number that |κ·t| exceeds with probability 1 − [Confidence], t being Student's with df degrees of freedom and κ
// any of the given ones with the same probability.
func multiple(df int, kappas []float64) float64 {
	beyond := func(x float64) (p float64) {
		for _, kappa := range kappas {
			p += metric.PValue(df, x/kappa) / float64(len(kappas))
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

// experience tells by how much stretches of a log differ: the scales κ of the means at the same load, in standard errors of one of
// them, and the difference of the logits of the loads of its halves.
type experience struct {
	log                    string
	ratio, response, drift float64
}

// shipped are logs of the Parallel Workloads Archive. The scales were estimated from their halves and quarters, by maximum
// likelihood: EASY against 20, 50 and 100 % malleable jobs under the assumptions of [Usual], at loads of 0.5, 0.7 and 0.85.
var shipped = []experience{
	{"KTH-SP2-1996-2", 1.72, 1.80, -0.093},
	{"SDSC-SP2-1998-4", 1.57, 2.80, 0.885},
	{"CTC-SP2-1996-3.1", 1.34, 2.25, 0.247},
	{"LANL-CM5-1994-4.1", 1.47, 1.70, -0.437},
	{"NASA-iPSC-1993-3.1", 2.31, 4.41, -0.078},
}
