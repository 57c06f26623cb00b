package validate

import (
	"math"
	"slices"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/sim"
)

// formula is a measure as a function of the sums of a simulation.
type formula struct {
	name    string
	of      func(t []float64) float64
	count   int  // the component that counts the events it rests on
	base    int  // if the measure is those events per something, the component that is the something; else Sums
	dynamic bool // exists only for policies that repartition
}

// formulas lists the measures of a simulation. Mean response and waiting times are averages over jobs, not derived
// from the mean number of jobs, so that Little's law is a check and not an assumption.
var formulas = []formula{
	{measure.MeanResponseTime, ratio(sim.ResponseSum, sim.Departed), sim.Departed, sim.Sums, false},
	{measure.MeanJobs, share(sim.JobTime), sim.Arrived, sim.Sums, false},
	{measure.VarianceJobs, variance, sim.Arrived, sim.Sums, false},
	{measure.MeanWaitingJobs, share(sim.QueueTime), sim.Queued, sim.Sums, false},
	{measure.MeanWaitingTime, ratio(sim.WaitSum, sim.Started), sim.Queued, sim.Sums, false},
	{measure.ProbabilityWait, ratio(sim.Queued, sim.Arrived), sim.Queued, sim.Arrived, false},
	{measure.MeanExecutingJobs, share(sim.ExecutingTime), sim.Departed, sim.Sums, false},
	{measure.Utilization, share(sim.BusyTime), sim.Departed, sim.Sums, false},
	{measure.Efficiency, ratio(sim.UsefulTime, sim.BusyTime), sim.Departed, sim.Sums, false},
	{measure.UsefulUtilization, share(sim.UsefulTime), sim.Departed, sim.Sums, false},
	{measure.Throughput, share(sim.Departed), sim.Departed, sim.Sums, false},
	{measure.ProbabilityEmpty, share(sim.EmptyTime), sim.EmptyPeriods, sim.Sums, false},
	{measure.ProbabilityRepartition, share(sim.PausedTime), sim.Repartitions, sim.Sums, true},
	{measure.RepartitionRate, share(sim.Repartitions), sim.Repartitions, sim.Elapsed, true},
	{measure.ShrinkRate, share(sim.Shrinks), sim.Shrinks, sim.Elapsed, true},
	{measure.ExpandRate, share(sim.Expands), sim.Expands, sim.Elapsed, true},
	{measure.AbandonedRate, share(sim.Abandoned), sim.Abandoned, sim.Elapsed, true},
}

func ratio(num, den int) func([]float64) float64 {
	return func(t []float64) float64 { return t[num] / t[den] }
}

func share(num int) func([]float64) float64 { return ratio(num, sim.Elapsed) }

func variance(t []float64) float64 {
	mean := t[sim.JobTime] / t[sim.Elapsed]
	return t[sim.JobSquareTime]/t[sim.Elapsed] - mean*mean
}

// Estimate is a measure with its confidence interval.
type Estimate struct {
	Name string
	estimate.Interval
	Count float64 // events that the estimate rests on: for a probability of waiting, the jobs that waited

	exposure float64 // the expected number of these events is the measure times this; 0 if there is no such relation
}

// estimate returns the measure of independent vectors of sums, with its interval.
func (f formula) estimate(sums [][]float64, confidence float64) Estimate {
	return f.described(estimate.Jackknife(sums, f.of, confidence), sums)
}

// described adds to an interval what it rests on.
func (f formula) described(i estimate.Interval, sums [][]float64) Estimate {
	e := Estimate{Name: f.name, Interval: i}
	for _, x := range sums {
		e.Count += x[f.count]
		if f.base < sim.Sums {
			e.exposure += x[f.base]
		}
	}
	return e
}

// fewCycles is the number of cycles below which the regenerative method says nothing.
const fewCycles = 30

// estimate returns a measure by the method that was asked for.
func (x *experiment) estimate(f formula, sums [][]float64) Estimate {
	if x.o.Estimator != Regenerative {
		return f.estimate(sums, x.o.Confidence)
	}
	all := estimate.NewCycles(x.subject.width())
	for _, rep := range x.replications {
		all.Merge(rep.cycles)
	}
	if all.N() < fewCycles {
		all = estimate.NewCycles(x.subject.width())
	}
	return f.described(all.Estimate(f.of, x.o.Confidence), sums)
}

// sectionsOfARun is the number of sections that stand for replications of a single run when it comes to percentiles.
const sectionsOfARun = 16

// percentiles returns the percentiles of the response times in the sections.
func percentiles(sections []*estimate.Histogram, confidence float64) []Estimate {
	var all []Estimate
	var n uint64
	for _, h := range sections {
		n += h.N()
	}
	for _, p := range measure.ResponseTimePercentiles() {
		i := estimate.SectionQuantile(sections, p, confidence)
		if math.IsInf(i.HalfWidth, 1) || float64(n)*(1-p) < 10 {
			continue // too few values beyond it to tell
		}
		all = append(all, Estimate{Name: measure.ResponseTimePercentile(p), Interval: i, Count: float64(n) * (1 - p)})
	}
	return all
}

// has reports whether the measure exists in a simulation of the subject.
func (s subject) has(f formula) bool {
	switch f.name {
	case measure.Efficiency, measure.UsefulUtilization:
		return s.useful
	}
	return !f.dynamic || resizes(s.policy)
}

// resizes reports whether a policy changes the nodes of running jobs.
func resizes(p policy.Policy) bool {
	e, known := policy.Standard().Named(p.Name())
	return !known || e.Jobs == workload.Malleable
}

// estimates returns all measures that exist under the policy, and the percentiles of the response time. Sums that no
// interval can be had from give none.
func (x *experiment) estimates(sums [][]float64) []Estimate {
	var all []Estimate
	for _, f := range formulas {
		if !x.subject.has(f) {
			continue
		}
		if e := x.estimate(f, sums); !math.IsNaN(e.Mean) && !math.IsInf(e.HalfWidth, 0) {
			all = append(all, e)
		}
	}
	var sections []*estimate.Histogram
	for _, rep := range x.replications {
		if rep.parts != nil {
			sections = rep.parts.Split(sectionsOfARun)
		} else {
			sections = append(sections, &rep.times)
		}
	}
	return append(all, percentiles(sections, x.o.Confidence)...)
}

// response is the measure whose precision decides when a simulation stops.
var response = formulas[0]

// WithBestStatic returns the simulations without those of static policies that are not named. The static policy with the
// least mean response time stays.
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
