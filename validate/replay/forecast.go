package replay

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

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
// Stretches of a log differ by more than the interval of one of them tells, because months differ by more than weeks. How much more is
// estimated by partial pooling, from the months of this log and from the experience with other logs. At the same load the logarithms
// of the means of two stretches differ by √v·t, where t has Student's distribution with ν₀ degrees of freedom and
//
//	v = max((κ·s)²/2, (ν₀·(κ·s)² + ν·3·w)/(ν₀ + ν)),
//
// s is the relative standard error of the mean by the jackknife, and κ·s that of a difference by experience, which counts as ν₀ = 4
// degrees of freedom. w is the variance of the mean of ν + 1 months of 30 days, by the differences between their logarithms: the longer
// the log, the more they count. A log of less than two months has ν = 0. The factor of w is 2, as both stretches vary, times 1.5, as
// stretches differ by more than their months let expect. What moves a stretch as a whole does not show in its months, and is known of
// few logs only: so months lower v to half of that by experience at most, and add no degrees of freedom to t.
//
// If the other stretch may have another load, the limits are those of the sum of this difference and of the difference that the loads
// make: the root of the sum of squares of both limits.
//
// Reference: G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression in microarray experiments,
// Statistical Applications in Genetics and Molecular Biology 3 (2004), article 3, for variances that are pooled with a scaled inverse
// chi-squared distribution.
func (r *Run) Forecasts() (ratio, response Forecast) {
	ratio.Interval = r.Ratio()
	response.Interval, _, _ = r.Intervals()
	ofRatio, ofResponse := r.otherLoads()
	ratio.foretell(ratioScale, monthsOf(r.partRatios()), ofRatio)
	response.foretell(responseScale, monthsOf(r.Log.ResponseByPart(r.months)), ofResponse)
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

// partRatios returns the ratios to EASY in the months of the log.
func (r *Run) partRatios() []float64 {
	own := r.Log.ResponseByPart(r.months)
	if r.Baseline == nil {
		return nil
	}
	for i, easy := range r.Baseline.Log.ResponseByPart(r.months) {
		own[i] = easy / own[i]
	}
	return own
}

// month is 30 days in seconds.
const month = 30 * 86400

// The experience with the shipped logs, by their halves and quarters at loads of 0.5, 0.7 and 0.85: EASY against 20, 50 and 100 %
// malleable jobs under the assumptions of [Usual]. The scales have the greatest likelihood. Of 2, 3, 4, 6 and 10 degrees of freedom, 3
// have the greatest likelihood for the ratio and 6 for the response time; 4 differ from either by less than 2 in its logarithm.
const (
	ratioScale        = 1.86
	responseScale     = 2.43
	experienceFreedom = 4
	beyondMonths      = 1.5
)

// months are the variance of the mean of a log by the differences of its months, of the logarithm, and its degrees of freedom.
type months struct {
	variance float64
	freedom  int
}

// monthsOf returns those of the means of months.
func monthsOf(means []float64) (m months) {
	if len(means) < 2 {
		return m
	}
	logs := make([]float64, len(means))
	for i, x := range means {
		logs[i] = math.Log(x)
	}
	_, variance := stat.MeanVariance(logs, nil)
	return months{variance / float64(len(means)), len(means) - 1}
}

// sameLoad returns what the logarithms of the means of two stretches at the same load differ by at most, with probability
// [Confidence].
func sameLoad(scale, stderr float64, own months) float64 {
	byExperience := scale * scale * stderr * stderr
	byMonths := 2 * beyondMonths * own.variance
	v := (experienceFreedom*byExperience + float64(own.freedom)*byMonths) / float64(experienceFreedom+own.freedom)
	return metric.Quantile(experienceFreedom, (1+Confidence)/2) * math.Sqrt(max(byExperience/2, v))
}

// foretell adds the forecasts to the interval of this log.
func (f *Forecast) foretell(scale float64, own months, loads otherLoads) {
	f.SameLoadHigh, f.ForecastHigh = math.Inf(1), math.Inf(1)
	if math.IsInf(f.HalfWidth, 0) || math.IsNaN(f.HalfWidth) {
		return
	}
	same := sameLoad(scale, f.StdErr/math.Abs(f.Mean), own)
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
	load := s.Log.Load()
	if !(load > 0) || math.IsInf(load, 1) {
		return nil
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

// shipped are logs of the Parallel Workloads Archive, and by how much the logits of the loads of their halves differ.
var shipped = []struct {
	log   string
	drift float64
}{
	{"KTH-SP2-1996-2", -0.093},
	{"SDSC-SP2-1998-4", 0.885},
	{"CTC-SP2-1996-3.1", 0.247},
	{"LANL-CM5-1994-4.1", -0.437},
	{"NASA-iPSC-1993-3.1", -0.078},
}
