package validate

import (
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/machine"
)

// measure is one of models.Table as a function of the sums of a simulation. It has the name it has there.
type measure struct {
	name    string
	of      func(t []float64) float64
	count   int  // the component that counts the events it rests on
	base    int  // if the measure is those events per something, the component that is the something; else Sums
	dynamic bool // exists only for policies that repartition
}

// measures lists all that a simulation can tell. Mean response and waiting times are averages over jobs, not derived
// from the mean number of jobs, so that Little's law is a check and not an assumption.
var measures = []measure{
	{"mean_response_time", ratio(machine.ResponseSum, machine.Departed), machine.Departed, machine.Sums, false},
	{"mean_jobs", share(machine.JobTime), machine.Arrived, machine.Sums, false},
	{"variance_jobs", variance, machine.Arrived, machine.Sums, false},
	{"mean_waiting_jobs", share(machine.QueueTime), machine.Queued, machine.Sums, false},
	{"mean_waiting_time", ratio(machine.WaitSum, machine.Started), machine.Queued, machine.Sums, false},
	{"probability_wait", ratio(machine.Queued, machine.Arrived), machine.Queued, machine.Arrived, false},
	{"mean_executing_jobs", share(machine.ExecutingTime), machine.Departed, machine.Sums, false},
	{"utilization", share(machine.BusyTime), machine.Departed, machine.Sums, false},
	{"throughput", share(machine.Departed), machine.Departed, machine.Sums, false},
	{"probability_empty", share(machine.EmptyTime), machine.EmptyPeriods, machine.Sums, false},
	{"probability_repartition", share(machine.PausedTime), machine.Repartitions, machine.Sums, true},
	{"repartition_rate", share(machine.Repartitions), machine.Repartitions, machine.Elapsed, true},
	{"shrink_rate", share(machine.Shrinks), machine.Shrinks, machine.Elapsed, true},
	{"expand_rate", share(machine.Expands), machine.Expands, machine.Elapsed, true},
	{"abandoned_rate", share(machine.Abandoned), machine.Abandoned, machine.Elapsed, true},
}

func ratio(num, den int) func([]float64) float64 {
	return func(t []float64) float64 { return t[num] / t[den] }
}

func share(num int) func([]float64) float64 { return ratio(num, machine.Elapsed) }

func variance(t []float64) float64 {
	mean := t[machine.JobTime] / t[machine.Elapsed]
	return t[machine.JobSquareTime]/t[machine.Elapsed] - mean*mean
}

// Estimate is a measure with its confidence interval.
type Estimate struct {
	Name            string
	Mean, Low, High float64
	HalfWidth       float64
	StdErr          float64
	DF              int     // degrees of freedom of StdErr
	Skewness        float64 // of the replications
	Count           float64 // events that the estimate rests on: for a probability of waiting, the jobs that waited

	exposure float64 // the expected number of these events is the measure times this; 0 if there is no such relation
}

// estimate returns measure m of independent vectors of sums, with its interval.
func (m measure) estimate(sums [][]float64, confidence float64) Estimate {
	return m.described(estimate.Jackknife(sums, m.of, confidence), sums)
}

// described adds to an interval what it rests on.
func (m measure) described(i estimate.Interval, sums [][]float64) Estimate {
	e := named(m.name, i)
	for _, x := range sums {
		e.Count += x[m.count]
		if m.base < machine.Sums {
			e.exposure += x[m.base]
		}
	}
	return e
}

// fewCycles is the number of cycles below which the regenerative method says nothing.
const fewCycles = 30

// estimate returns a measure by the method that was asked for.
func (x *experiment) estimate(m measure, sums [][]float64) Estimate {
	if x.o.Estimator != Regenerative {
		return m.estimate(sums, x.o.Confidence)
	}
	all := estimate.NewCycles(machine.Sums)
	for _, rep := range x.replications {
		all.Merge(rep.cycles)
	}
	if all.N() < fewCycles {
		all = estimate.NewCycles(machine.Sums)
	}
	return m.described(all.Estimate(m.of, x.o.Confidence), sums)
}

// Percentiles are those of the response time that a simulation tells, by the names of their measures.
var Percentiles = []struct {
	Name string
	P    float64
}{
	{"response_time_p50", 0.50},
	{"response_time_p90", 0.90},
	{"response_time_p95", 0.95},
	{"response_time_p99", 0.99},
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
	for _, q := range Percentiles {
		i := estimate.SectionQuantile(sections, q.P, confidence)
		if math.IsInf(i.HalfWidth, 1) || float64(n)*(1-q.P) < 10 {
			continue // too few values beyond it to tell
		}
		e := named(q.Name, i)
		e.Count = float64(n) * (1 - q.P)
		all = append(all, e)
	}
	return all
}

func named(name string, i estimate.Interval) Estimate {
	return Estimate{Name: name, Mean: i.Mean, Low: i.Low, High: i.High, HalfWidth: i.HalfWidth,
		StdErr: i.StdErr, DF: i.DF, Skewness: i.Skewness}
}

// estimates returns all measures that exist under the policy, and the percentiles of the response time. Sums that no
// interval can be had from give none.
func (x *experiment) estimates(sums [][]float64) []Estimate {
	var all []Estimate
	for _, m := range measures {
		if m.dynamic && x.policy.Kind == models.Static {
			continue
		}
		if e := x.estimate(m, sums); !math.IsNaN(e.Mean) && !math.IsInf(e.HalfWidth, 0) {
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
var response = measures[0]
