package validate

import (
	"math"
	"slices"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/metric"
)

// formula is a measure as a function of the sums of a simulation.
type formula struct {
	name    string
	of      func(t []float64) float64
	count   int  // the component that counts the events it rests on
	base    int  // if the measure is those events per something, the component that is the something; else Sums
	dynamic bool // exists only for policies that repartition
}

// formulas lists the measures of a simulation. Mean response and waiting times are averages over jobs. They are not
// derived from the mean number of jobs, so Little's law is a check and not an assumption.
var formulas = []formula{
	{measure.MeanResponseTime, ratio(simulation.ResponseSum, simulation.Departed), simulation.Departed, simulation.Sums, false},
	{measure.MeanJobs, share(simulation.JobTime), simulation.Arrived, simulation.Sums, false},
	{measure.VarianceJobs, variance, simulation.Arrived, simulation.Sums, false},
	{measure.MeanWaitingJobs, share(simulation.QueueTime), simulation.Queued, simulation.Sums, false},
	{measure.MeanWaitingTime, ratio(simulation.WaitSum, simulation.Started), simulation.Queued, simulation.Sums, false},
	{measure.ProbabilityWait, ratio(simulation.Queued, simulation.Arrived), simulation.Queued, simulation.Arrived, false},
	{measure.MeanExecutingJobs, share(simulation.ExecutingTime), simulation.Departed, simulation.Sums, false},
	{measure.Utilization, share(simulation.BusyTime), simulation.Departed, simulation.Sums, false},
	{measure.Efficiency, ratio(simulation.UsefulTime, simulation.BusyTime), simulation.Departed, simulation.Sums, false},
	{measure.IdleBlocked, share(simulation.BlockedTime), simulation.Queued, simulation.Sums, false},
	{measure.UsefulUtilization, share(simulation.UsefulTime), simulation.Departed, simulation.Sums, false},
	{measure.Throughput, share(simulation.Departed), simulation.Departed, simulation.Sums, false},
	{measure.ProbabilityEmpty, share(simulation.EmptyTime), simulation.EmptyPeriods, simulation.Sums, false},
	{measure.ProbabilityRepartition, share(simulation.PausedTime), simulation.Repartitions, simulation.Sums, true},
	{measure.RepartitionRate, share(simulation.Repartitions), simulation.Repartitions, simulation.Elapsed, true},
	{measure.ShrinkRate, share(simulation.Shrinks), simulation.Shrinks, simulation.Elapsed, true},
	{measure.ExpandRate, share(simulation.Expands), simulation.Expands, simulation.Elapsed, true},
	{measure.AbandonedRate, share(simulation.Abandoned), simulation.Abandoned, simulation.Elapsed, true},
}

// ratio returns component num of the sums over component den, as a function of the sums.
func ratio(num, den int) func([]float64) float64 {
	return func(t []float64) float64 { return t[num] / t[den] }
}

// share returns component num of the sums over the elapsed time, as a function of the sums.
func share(num int) func([]float64) float64 { return ratio(num, simulation.Elapsed) }

// variance returns the variance over time of the number of jobs in the system.
func variance(t []float64) float64 {
	mean := t[simulation.JobTime] / t[simulation.Elapsed]
	return t[simulation.JobSquareTime]/t[simulation.Elapsed] - mean*mean
}

// Estimate is a measure with its confidence interval.
type Estimate struct {
	Name string
	metric.Interval
	Count float64 // events that the estimate rests on: for a probability of waiting, the jobs that waited

	// The expected number of these events is exposure times the measure that frequency names. Without such a measure they are 0
	// and "".
	frequency string
	exposure  float64
}

// fewestEvents is the smallest number of events from which the scatter of an estimate is known. Percentiles need as many values
// beyond them.
const fewestEvents = 10

// Stated returns the interval of an estimate of the simulation as results show it. If replications are too short for intervals, or if
// the estimate rests on fewer than ten events, Low and High are NaN and HalfWidth is infinite. For example, a simulation in which no
// job waited does not show that the probability of waiting is exactly 0.
func (s Simulation) Stated(e Estimate) metric.Interval {
	if s.Short || e.Count < fewestEvents {
		return metric.Interval{Mean: e.Mean, Low: math.NaN(), High: math.NaN(), HalfWidth: math.Inf(1)}
	}
	return e.Interval
}

// estimate returns the measure of independent vectors of sums, one for each replication or part of a run. It has the
// interval of [metric.JackknifePositive] and the number of events that it rests on.
func (f formula) estimate(sums [][]float64, confidence float64) Estimate {
	e := Estimate{Name: f.name, Interval: f.within(metric.JackknifePositive(sums, f.of, confidence))}
	often := f.frequency()
	for _, x := range sums {
		e.Count += x[f.count]
		if often.base != simulation.Sums {
			e.frequency, e.exposure = often.name, e.exposure+x[often.base]
		}
	}
	return e
}

// frequency returns the formula that tells how often the events come on which f rests: f itself if no other does.
func (f formula) frequency() formula {
	for _, g := range formulas {
		if f.base == simulation.Sums && g.base != simulation.Sums && g.count == f.count {
			return g
		}
	}
	return f
}

// within returns an interval whose ends, and whose mean, are at most 1 if the measure is.
func (f formula) within(i metric.Interval) metric.Interval {
	if f.atMostOne() {
		i.Mean, i.Low, i.High = min(i.Mean, 1), min(i.Low, 1), min(i.High, 1)
		i.HalfWidth = (i.High - i.Low) / 2
	}
	return i
}

// atMostOne reports whether the measure is a share that no machine exceeds. Efficiency and useful utilization exceed 1 if speedups
// exceed the numbers of nodes.
func (f formula) atMostOne() bool {
	switch f.name {
	case measure.ProbabilityWait, measure.ProbabilityEmpty, measure.ProbabilityRepartition, measure.Utilization, measure.IdleBlocked:
		return true
	}
	return false
}

// sectionsOfARun is the number of sections into which a single run is cut for the intervals of percentiles. They stand
// for replications.
const sectionsOfARun = 16

// percentiles returns the percentiles of the response times of all jobs for k = 0, and of class k−1 otherwise. The percentiles of the
// waiting times follow if they are known.
func (x *experiment) percentiles(k int) []Estimate {
	var times, waits []*metric.Histogram
	for _, rep := range x.replications {
		times = append(times, rep.times[k].Split(sectionsOfARun)...)
		if k < len(rep.waits) {
			waits = append(waits, rep.waits[k].Split(sectionsOfARun)...)
		}
	}
	return append(percentiles(times, measure.ResponseTimePercentile, x.o.Confidence),
		percentiles(waits, measure.WaitingTimePercentile, x.o.Confidence)...)
}

// percentiles returns the percentiles of the times in all sections together, with their intervals. name names the measure of
// a percentile. Percentiles beyond which there are too few values are left out.
func percentiles(sections []*metric.Histogram, name func(p float64) string, confidence float64) []Estimate {
	var all []Estimate
	var n uint64
	for _, h := range sections {
		n += h.N()
	}
	ps := measure.ResponseTimePercentiles()
	for k, i := range metric.SectionQuantiles(sections, confidence, ps...) {
		p := ps[k]
		if !i.IsKnown() || float64(n)*(1-p) < fewestEvents {
			continue // too few values beyond it to tell
		}
		all = append(all, Estimate{Name: name(p), Interval: i, Count: float64(n) * (1 - p)})
	}
	return all
}

// has reports whether the measure exists in a simulation of the subject.
func (s subject) has(f formula) bool {
	switch f.name {
	case measure.Efficiency, measure.UsefulUtilization:
		return s.useful
	case measure.Utilization:
		return !s.idle
	case measure.IdleBlocked:
		return s.asking != nil
	}
	return !f.dynamic || s.resizes
}

// estimates returns all measures that exist under the policy, and the percentiles of the response time. Measures for
// which the sums give no interval are left out.
func (x *experiment) estimates(sums [][]float64) []Estimate {
	var all []Estimate
	for _, f := range formulas {
		if !x.subject.has(f) {
			continue
		}
		if e := f.estimate(sums, x.o.Confidence); !math.IsNaN(e.Mean) && e.IsKnown() {
			all = append(all, e)
		}
	}
	return append(all, x.percentiles(0)...)
}

// response is the measure whose precision decides when a simulation stops.
var response = formulas[0]

// WithBestStatic returns the simulations of the named policies and of the static policy with the least mean response
// time, in their order. The list runs stays as it is.
func WithBestStatic(runs []Simulation, named []policy.Policy) []Simulation {
	var best policy.Policy
	least := math.Inf(1)
	for _, s := range runs {
		_, static := s.Policy.(policy.Static)
		if e, ok := s.Measure(measure.MeanResponseTime); ok && static && e.Mean < least {
			best, least = s.Policy, e.Mean
		}
	}
	return slices.DeleteFunc(slices.Clone(runs), func(s Simulation) bool {
		return s.Policy != best && !slices.Contains(named, s.Policy)
	})
}
