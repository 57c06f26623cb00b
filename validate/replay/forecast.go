package replay

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"
)

// Forecast is a mean over the jobs of a log, and where the same mean of another stretch of the log lies with
// probability [measure.Confidence]. The other stretch is as long as the log.
type Forecast struct {
	metric.Interval // of this log, by the jackknife

	// ForecastLow and ForecastHigh are the limits for another stretch with the load that it happens to have, if
	// [Study.Foretell] was given the run. Otherwise they are the limits for another stretch with the load of this log.
	ForecastLow, ForecastHigh float64
	SameLoadLow, SameLoadHigh float64 // of another stretch with the load of this one
}

// Forecasts returns the forecasts of the ratio to EASY and of the mean response time in seconds, after the replay of
// the run. If few jobs or several replications leave the mean without an interval, the limits are 0 and infinity.
//
// Stretches of a log differ by more than the interval of one stretch shows, because months differ by more than weeks.
// How much more is estimated by partial pooling of the months of this log with the experience from other logs. The
// logarithms of the means of two stretches at the same load differ by √v·t, where t has Student's distribution with ν₀
// degrees of freedom and
//
//	v = max((κ·s)²/2, (ν₀·(κ·s)² + ν·3·w)/(ν₀ + ν)),
//
// s is the relative standard error of the mean by the jackknife. κ·s is the standard deviation of a difference by
// experience, which counts as ν₀ = 4 degrees of freedom. w is the variance of the mean of ν + 1 months of 30 days,
// estimated from the differences between the logarithms of the months. So the longer the log, the more its months
// count. The months are parts of the log with about equally many jobs, as many as the log has whole months. A log of
// less than two months, or with fewer than ten jobs a month, has ν = 0.
//
// The factor of w is 3. A factor 2 is needed because both stretches vary. A factor 1.5 is needed because stretches
// differ by more than their months predict. A change that moves a whole stretch does not show in its months, and is
// known of few logs only. Therefore months lower v to half of (κ·s)² at most, and add no degrees of freedom to t.
//
// If the other stretch may have another load, each limit is the root of the sum of two squares. One is the square of
// the limit at the same load, the other the square of the difference that the load makes.
//
// Reference: G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression in microarray
// experiments, Stat. Appl. Genet. Mol. Biol. 3 (2004), article 3. It pools variances with a scaled inverse chi-squared
// distribution.
func (r *Run) Forecasts() (ratio, response Forecast) {
	ratio.Interval = r.Ratio()
	response.Interval, _, _ = r.Intervals()
	ofRatio, ofResponse := r.loadEffects()
	ratio.setLimits(ratioScale, monthlyVarianceOf(r.partRatios()), ofRatio)
	response.setLimits(responseScale, monthlyVarianceOf(r.Log.ResponseByPart(r.months)), ofResponse)
	return ratio, response
}

// loadEffect says how a mean depends on the load. lowest and highest are log(m/mean), where m is the mean at the lowest
// or at the highest load that is expected of another stretch.
type loadEffect struct{ lowest, highest float64 }

// loadEffects returns by how much two natural logarithms change with the load: the logarithm of the run's mean response
// time, response, and of EASY's mean response time divided by it, ratio. The load changes from the load of the log to
// the lowest and to the highest load that is expected. Both results are zero unless [Study.Foretell] has replayed the
// run. The effect on the ratio is zero for EASY itself.
func (r *Run) loadEffects() (ratio, response loadEffect) {
	response = r.foretold
	if base := r.Baseline; base != nil {
		ratio = loadEffect{base.foretold.lowest - response.lowest, base.foretold.highest - response.highest}
	}
	return ratio, response
}

// partRatios returns, for each month, the mean response time of EASY divided by the run's. The months are r.months
// consecutive parts of the log with about equally many jobs. How much these ratios vary enters [Run.Forecasts]. The
// result is nil for EASY itself, for a log of less than a month, and if a part has fewer than ten jobs. The run and its
// baseline must have been replayed.
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

// ratioScale and responseScale are the factors κ of [Run.Forecasts] for the ratio to EASY and for the mean response
// time. experienceFreedom is ν₀, and beyondMonths the factor 1.5 of w.
//
// They are estimated from the shipped logs, by their halves and quarters at loads of 0.5, 0.7 and 0.85. EASY was
// compared with 20, 50 and 100 % malleable jobs under the assumptions of [Usual]. The scales maximise the likelihood.
// Among 2, 3, 4, 6 and 10 degrees of freedom, the likelihood is greatest with 3 for the ratio and with 6 for the
// response time. With 4 its logarithm is lower by less than 2 in both cases.
const (
	ratioScale        = 1.86
	responseScale     = 2.43
	experienceFreedom = 4
	beyondMonths      = 1.5
)

// monthlyVariance is the variance of the logarithm of the mean of a log, and the degrees of freedom of this estimate.
// It is estimated from the differences between the months of the log.
type monthlyVariance struct {
	variance float64
	freedom  int
}

// monthlyVarianceOf returns the variance s²/n of the logarithm of the mean of n months, with n − 1 degrees of freedom.
// s² is the sample variance of the logarithms of means, the positive means of the months. The result is zero for fewer
// than two months.
func monthlyVarianceOf(means []float64) (m monthlyVariance) {
	if len(means) < 2 {
		return m
	}
	logs := make([]float64, len(means))
	for i, x := range means {
		logs[i] = math.Log(x)
	}
	_, variance := stat.MeanVariance(logs, nil)
	return monthlyVariance{variance / float64(len(means)), len(means) - 1}
}

// sameLoadLimit returns the limit t·√v of [Run.Forecasts] for another stretch at the same load. With probability
// [measure.Confidence], the logarithms of the means of the two stretches differ by no more than this limit. scale is κ,
// stderr the relative standard error s of the mean, and own the variance w by the months of the log.
//
// v pools the variance by experience, (κ·s)², and the variance by months, 3·w. Their weights are their degrees of
// freedom. v is at least half of the variance by experience.
func sameLoadLimit(scale, stderr float64, own monthlyVariance) float64 {
	byExperience := scale * scale * stderr * stderr
	byMonths := 2 * beyondMonths * own.variance
	v := (experienceFreedom*byExperience + float64(own.freedom)*byMonths) / float64(experienceFreedom+own.freedom)
	return metric.Quantile(experienceFreedom, (1+measure.Confidence)/2) * math.Sqrt(max(byExperience/2, v))
}

// setLimits sets the limits within which the mean of another stretch of the log is expected: SameLoadLow and
// SameLoadHigh, if its load is the same, ForecastLow and ForecastHigh, if it has the load that it happens to have. f
// holds the mean and its standard error; see [Run.Forecasts]. scale is the factor κ, own the variance by the months of
// the log, and loads the effect of the load. Without an interval of the mean the lower limits are 0 and the upper
// limits infinite.
func (f *Forecast) setLimits(scale float64, own monthlyVariance, loads loadEffect) {
	f.SameLoadHigh, f.ForecastHigh = math.Inf(1), math.Inf(1)
	if !f.Interval.IsKnown() {
		return
	}
	same := sameLoadLimit(scale, f.StdErr/math.Abs(f.Mean), own)
	f.SameLoadLow, f.SameLoadHigh = f.Mean*math.Exp(-same), f.Mean*math.Exp(same)
	down, up := loads.limits(same)
	f.ForecastLow, f.ForecastHigh = f.Mean*math.Exp(-down), f.Mean*math.Exp(up)
}

// limits returns how far the logarithm of the mean of another stretch may lie below (down) and above (up) the logarithm
// of a mean. same is the distance at the same load, by chance. Each result is the root of the sum of two squares: of
// same, and of the distance by the load in this direction. The latter distance is 0 if no load moves the mean there.
func (l loadEffect) limits(same float64) (down, up float64) {
	return math.Hypot(same, max(0, -l.lowest, -l.highest)), math.Hypot(same, max(0, l.lowest, l.highest))
}

// logit returns log(ρ/(1−ρ)) of a positive load ρ. Loads of machines lie between 0 and 1, and vary less the nearer they
// are to 1. Therefore differences of loads are taken between logits. A load above 0.99 counts as 0.99, because no
// machine keeps a higher load for long.
func logit(load float64) float64 { return math.Log(min(load, mostLoad) / (1 - min(load, mostLoad))) }

// mostLoad is the largest load that [logit] distinguishes.
const mostLoad = 0.99

// expit returns 1/(1 + e^−x), the inverse of [logit]: the load from 0 to 1 that has the logit x.
func expit(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// driftLimit returns a limit on the difference between the logits of the loads of two stretches. With probability
// [measure.Confidence], the difference is no larger than the limit, in either direction:
//
//	t·√(Σd²/n), t the quantile of Student's distribution with n degrees of freedom,
//
// where drifts are n known differences d, at least one, each of another log. One variance serves all logs, because the
// squares of the differences of the shipped logs vary no more than squares of normal values do.
func driftLimit(drifts []float64) float64 {
	sum := 0.0
	for _, d := range drifts {
		sum += d * d
	}
	return metric.Quantile(len(drifts), (1+measure.Confidence)/2) * math.Sqrt(sum/float64(len(drifts)))
}

// Foretell replays the runs that have the load of the log twice more: with the lowest and with the highest load that is
// expected of another stretch with probability [measure.Confidence]. With a sample, it replays the weeks of the sample.
// It records the results in the runs and their baselines. [Run.Forecasts] then returns limits for a stretch with the
// load that it happens to have.
//
// The expected loads follow from the differences between the halves of the shipped logs. One log has a single
// difference, between stretches half as long, from which its variance cannot be estimated. Runs at other loads, or of
// several replications, stay as they are. With a sample, runs on other numbers of nodes do, too. All runs do if the log
// has no load that could be changed. s.Ended is called for the jobs of these replays, s.Done is not. workers replays
// run at a time, one for each processor if it is 0.
//
// The error is a *[RunError] if a policy cannot run the jobs at these loads. It may also be any other error of
// [Study.Run], or say that a run is nil or has no results. No run is changed beside an error.
func (s *Study) Foretell(ctx context.Context, workers int, runs []*Run) error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.checkRuns(runs); err != nil {
		return err
	}
	var drifts []float64
	for i := range shippedLogs {
		drifts = append(drifts, shippedLogs[i].drift)
	}
	return s.foretell(ctx, workers, runs, driftLimit(drifts))
}

// foretell replays the runs, and their baselines, at two loads: their logits lie by limit below and above the logit of
// the load of the log. With a sample, the weeks of the sample are replayed, stretched by as much, and also at the load of
// the log. The changes of the logarithms of the mean
// response times go into r.foretold of the runs and of their baselines.
//
// Runs at another load, or of several replications, are left as they are; with a sample, runs on other numbers of
// nodes, too. Nothing happens if the load of the log is not positive and finite. A load of the log above 0.99 is the
// highest load itself. The error comes from [Study.replay]; no run is changed then. All runs must have results.
func (s *Study) foretell(ctx context.Context, workers int, runs []*Run, limit float64) error {
	load := s.Log.Load()
	if !(load > 0) || math.IsInf(load, 1) {
		return nil
	}
	lowest, highest := min(load, expit(logit(load)-limit)), max(load, expit(logit(load)+limit))
	quiet := *s
	quiet.Log, quiet.Done, quiet.Groupings = s.searchedLog(), nil, nil
	if by := quiet.Log.Load() / load; s.Sample != nil { // the times between submissions are stretched by as much as in the whole log
		lowest, highest = lowest*by, highest*by
	}
	var all []foretoldRun
	var replays []*Run
	add := func(r *Run) {
		foreign := s.Sample != nil && r != nil && r.Nodes != s.Log.Nodes // the sample has no run on these nodes
		known := slices.ContainsFunc(all, func(f foretoldRun) bool { return f.run == r })
		if r == nil || r.Load != 0 || !r.isOneReplication() || foreign || known {
			return
		}
		at := func(load float64) *Run {
			replay := &Run{Setting: r.Setting, Load: load, searched: true}
			replays = append(replays, replay)
			return replay
		}
		f := foretoldRun{run: r, same: r, lowest: at(lowest), highest: at(highest)}
		if s.Sample != nil { // the weeks differ from the whole log at the same load, too
			f.same = at(0)
		}
		all = append(all, f)
	}
	for _, r := range runs {
		add(r)
		add(r.Baseline)
	}
	if err := quiet.replayAll(ctx, replays, workers); err != nil {
		return err
	}
	for _, f := range all {
		f.run.foretold = loadEffect{f.changeTo(f.lowest), f.changeTo(f.highest)}
	}
	return nil
}

// foretoldRun is a run with replays of it on the searched log, which differ in the load alone.
type foretoldRun struct {
	run             *Run
	same            *Run // at the load of the log; run itself without a sample
	lowest, highest *Run
}

// changeTo returns the change of the logarithm of the mean response time from f.same to other, which is f.lowest or
// f.highest. Both must have been replayed.
func (f *foretoldRun) changeTo(other *Run) float64 {
	return math.Log(other.Measures[measure.MeanResponseTime] / f.same.Measures[measure.MeanResponseTime])
}

// shippedLogs are logs of the Parallel Workloads Archive with their drifts. A drift is the logit of the load of the
// second half of the log minus the logit of the load of the first half.
var shippedLogs = []struct {
	log   string
	drift float64
}{
	{"KTH-SP2-1996-2", -0.093},
	{"SDSC-SP2-1998-4", 0.885},
	{"CTC-SP2-1996-3.1", 0.247},
	{"LANL-CM5-1994-4.1", -0.437},
	{"NASA-iPSC-1993-3.1", -0.078},
}
