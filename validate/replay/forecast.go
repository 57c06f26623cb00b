package replay

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload/joblog"
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
// few jobs or several replications have not, the forecasts reach from 0 to infinity. So do those of a run at the load of its
// log, ForecastLow and ForecastHigh, unless it was given to [Study.Foretell].
//
// Stretches of a log differ by more than the interval of one of them tells, because months differ by more than weeks. At the
// same load the logarithms of the means of two stretches differ by
//
//	κ·s·t,
//
// where s is the relative standard error of one of them, t has Student's distribution with 4 degrees of freedom, and κ is that of
// one of the shipped logs, each with the same probability. A stretch with its own load differs by
//
//	κ·s·t + e·δ,
//
// where e is the elasticity of the mean, d log(mean)/d log(load), and δ is the difference of the logarithms of two loads, Student's
// with mean 0. The variance of δ is pooled over the halves of the shipped logs and of this one. The interval of the sum is the
// root of the sum of squares of both.
func (r *Run) Forecasts() (ratio, response Forecast) {
	ratio.Interval = r.Ratio()
	response.Interval, _, _ = r.Intervals()
	response.Mean = r.Measures[measure.MeanResponseTime]
	ofRatio, ofResponse := r.elasticities()
	ratio.foretell(func(e *experience) float64 { return e.ratio }, loadTerm(ofRatio, r.drift))
	response.foretell(func(e *experience) float64 { return e.response }, loadTerm(ofResponse, r.drift))
	return ratio, response
}

// elasticities returns those of the ratio to EASY and of the mean response time as far as another stretch may have another load:
// 0 of a run at a load that was asked for, infinite if the elasticity of the response time is not known.
func (r *Run) elasticities() (ratio, response float64) {
	switch {
	case r.Load > 0:
		return 0, 0
	case !r.foretold:
		return math.Inf(1), math.Inf(1)
	case r.Baseline == nil:
		return 0, r.elasticity
	}
	return r.Baseline.elasticity - r.elasticity, r.elasticity
}

// foretell adds the forecasts to the interval of this log. load is what the difference of loads adds in the logarithm.
func (f *Forecast) foretell(of func(*experience) float64, load float64) {
	around := func(by float64) (low, high float64) { return f.Mean * math.Exp(-by), f.Mean * math.Exp(by) }
	f.SameLoadLow, f.SameLoadHigh = 0, math.Inf(1)
	f.ForecastLow, f.ForecastHigh = 0, math.Inf(1)
	if math.IsInf(f.HalfWidth, 0) || math.IsNaN(f.HalfWidth) {
		return
	}
	var kappas []float64
	for i := range shipped {
		kappas = append(kappas, of(&shipped[i]))
	}
	same := multiple(kappas) * f.StdErr / math.Abs(f.Mean)
	f.SameLoadLow, f.SameLoadHigh = around(same)
	f.ForecastLow, f.ForecastHigh = around(math.Hypot(same, load))
}

// loadTerm returns the half width that the difference between the loads of two stretches gives the logarithm of a mean with an
// elasticity. drift is the difference between the halves of this log.
func loadTerm(elasticity, drift float64) float64 {
	if elasticity == 0 {
		return 0
	}
	drifts := []float64{drift}
	for i := range shipped {
		drifts = append(drifts, shipped[i].drift)
	}
	return math.Abs(elasticity) * driftLimit(drifts)
}

// driftLimit returns what the difference of the logarithms of two loads exceeds with probability 1 − [Confidence], either way, by
// differences d that are known, one a log:
//
//	t·√(Σd²/n), t the quantile of Student's distribution with n degrees of freedom.
//
// The squares of the shipped logs vary by no more than squares of normal values of one variance do, so that this log counts as one
// of them.
func driftLimit(drifts []float64) float64 {
	sum := 0.0
	for _, d := range drifts {
		sum += d * d
	}
	return metric.Quantile(len(drifts), (1+Confidence)/2) * math.Sqrt(sum/float64(len(drifts)))
}

// heavier is how many times the load of a log [Study.Foretell] replays it with: enough that the mean changes by more than the
// chance of a schedule, about a per cent, and hardly more than loads of stretches differ.
const heavier = 1.1

// Foretell replays the runs that have the load of the log once more, with a load that is a tenth higher. From the elasticity of
// their means [Run.Forecasts] says what is expected of another stretch with another load. Runs at other loads stay as they are,
// and all stay so if the log has no load that could be changed.
func (s *Study) Foretell(ctx context.Context, workers int, runs []*Run) error {
	if err := s.Check(); err != nil {
		return err
	}
	load, err := s.Log.Load()
	if err != nil || !(load > 0) || math.IsInf(load, 1) {
		return err
	}
	drift, err := s.Log.drift()
	if err != nil {
		return err
	}
	quiet := *s
	quiet.Done = nil
	var own, more []*Run
	add := func(r *Run) {
		if r != nil && r.Load == 0 && r.single() && !slices.Contains(own, r) {
			own, more = append(own, r), append(more, &Run{Setting: r.Setting, Load: heavier * load})
		}
	}
	for _, r := range runs {
		if r == nil {
			return errors.New("replay: a run is missing")
		}
		add(r)
		add(r.Baseline)
	}
	if err := quiet.each(ctx, more, workers); err != nil {
		return err
	}
	for i, r := range own {
		change := more[i].Measures[measure.MeanResponseTime] / r.Measures[measure.MeanResponseTime]
		r.foretold, r.drift, r.elasticity = true, drift, math.Log(change)/math.Log(heavier)
	}
	return nil
}

// drift returns the difference of the logarithms of the loads of the halves of the log, by time; infinite if one has no load.
func (l *Log) drift() (float64, error) {
	offer, err := l.Offer()
	if err != nil {
		return 0, err
	}
	jobs, closeLog, err := l.Jobs(0)
	if err != nil {
		return 0, err
	}
	defer closeLog()
	var j joblog.Job
	var work [2]float64
	middle := (offer.First + offer.Last) / 2 * l.stretch()
	for {
		switch err := jobs.Next(&j); {
		case errors.Is(err, io.EOF):
			return math.Log(work[1] / work[0]), nil
		case err != nil:
			return 0, err
		}
		half := 0
		if j.Submit >= middle {
			half = 1
		}
		work[half] += j.NodeTime()
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

// experience tells by how much stretches of a log differ: the scales κ of the means at the same load, in standard errors of one of
// them, and the difference of the logarithms of the loads of its halves.
type experience struct {
	log                    string
	ratio, response, drift float64
}

// shipped are logs of the Parallel Workloads Archive. The scales were estimated from their halves and quarters, by maximum
// likelihood: EASY against 20, 50 and 100 % malleable jobs under the assumptions of [Usual], at loads of 0.5, 0.7 and 0.85.
var shipped = []experience{
	{"KTH-SP2-1996-2", 1.83, 1.42, -0.029},
	{"SDSC-SP2-1998-4", 1.64, 2.54, 0.149},
	{"CTC-SP2-1996-3.1", 1.41, 2.17, 0.040},
	{"LANL-CM5-1994-4.1", 1.58, 1.46, -0.112},
	{"NASA-iPSC-1993-3.1", 2.60, 3.48, -0.042},
}
