package days

import (
	"math"

	"github.com/partwise/partwise/validate/estimate"
)

// Measure is a quantity that is told of every strategy.
type Measure struct {
	Name  string // as results have it
	Title string // for people
	Unit  string // "s", "nodes" or "" for a number
	// of is the measure as a function of the sums over days; nil of a percentile of the slowdown.
	of   func(s []float64) float64
	rank float64 // of a percentile, between 0 and 1
}

func perJob(k int) func([]float64) float64 {
	return func(s []float64) float64 { return s[k] / s[sumJobs] }
}

func perTime(k int) func([]float64) float64 {
	return func(s []float64) float64 { return s[k] / s[sumTime] }
}

// variation returns the coefficient of variation of the numbers of nodes. What is left of it when all are equal is
// rounding.
func variation(s []float64) float64 {
	mean := s[sumSize] / s[sumJobs]
	v := s[sumSquare]/s[sumJobs]/(mean*mean) - 1
	if v < 1e-12 {
		return 0
	}
	return math.Sqrt(v)
}

// Measures is the table of all measures, in the order in which results show them. The load average is the share of nodes
// that are held, the utilization the share that does work which one node would have to do as well, both while jobs come.
// Slowdown is the response time relative to the run time on the whole machine, run times below ten seconds taken as ten
// if it is bounded.
var Measures = []Measure{
	{Name: "load_average", Title: "load average", of: perTime(sumHeld)},
	{Name: "utilization", Title: "utilization", of: perTime(sumUseful)},
	{Name: "mean_turnaround", Title: "turnaround", Unit: "s", of: perJob(sumResponse)},
	{Name: "mean_queue_time", Title: "queue time", Unit: "s", of: perJob(sumWait)},
	{Name: "mean_run_time", Title: "run time", Unit: "s", of: func(s []float64) float64 {
		return (s[sumResponse] - s[sumWait]) / s[sumJobs]
	}},
	{Name: "mean_cluster_size", Title: "cluster size", Unit: "nodes", of: perJob(sumSize)},
	{Name: "cv_cluster_size", Title: "CV of cluster size", of: variation},
	{Name: "mean_slowdown", Title: "slowdown", of: perJob(sumSlow)},
	{Name: "p50_slowdown", Title: "median slowdown", rank: 0.5},
	{Name: "p90_slowdown", Title: "p90 slowdown", rank: 0.9},
	{Name: "p99_slowdown", Title: "p99 slowdown", rank: 0.99},
	{Name: "mean_bounded_slowdown", Title: "bounded slowdown", of: perJob(sumBounded)},
}

// Named returns the measure with the given name; ok is false if there is none.
func Named(name string) (m Measure, ok bool) {
	for _, m := range Measures {
		if m.Name == name {
			return m, true
		}
	}
	return Measure{}, false
}

// Outcome is what a strategy made of the jobs.
type Outcome struct {
	Strategy string
	Load     float64 // offered
	Days     int
	Jobs     int
	Seconds  float64 // of computing, all workers together
	values   []estimate.Interval
	sections []*section
}

// Of returns a measure with its interval. A measure that is not in the table is NaN.
func (o *Outcome) Of(name string) estimate.Interval {
	for i, m := range Measures {
		if m.Name == name {
			return o.values[i]
		}
	}
	return estimate.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
}

// Difference returns by how much a measure of o is larger than that of another strategy that was given the same days,
// with the interval of the difference: what chance does to both alike is not in it. It is estimated from the stretches
// into which the days were cut, of a mean by the jackknife, of a percentile from those of the stretches.
func (o *Outcome) Difference(than *Outcome, m Measure, confidence float64) estimate.Interval {
	n := min(len(o.sections), len(than.sections))
	x, y := scatter(coarsened(o.sections, n), m), scatter(coarsened(than.sections, n), m)
	if len(x) != len(y) {
		return estimate.Student(nil, confidence)
	}
	for i := range x {
		x[i] -= y[i]
	}
	return estimate.Student(x, confidence)
}

// coarsened merges neighbouring sections in pairs until there are no more than n. Those of logs, which come from the same
// days by such mergers, are the same again afterwards.
func coarsened(sections []*section, n int) []*section {
	for len(sections) > n {
		var merged []*section
		for i := 0; i < len(sections); i += 2 {
			s := newSection()
			for _, part := range sections[i:min(i+2, len(sections))] {
				s.cycles.Merge(part.cycles)
				s.slow.Merge(&part.slow)
			}
			merged = append(merged, s)
		}
		sections = merged
	}
	return sections
}

// scatter returns values of a measure, one a section, whose mean estimates it.
func scatter(sections []*section, m Measure) []float64 {
	var sums [][]float64
	var ranks []float64
	for _, s := range sections {
		sums = append(sums, s.cycles.Sum())
		ranks = append(ranks, s.slow.Quantile(m.rank))
	}
	if m.of == nil {
		return ranks
	}
	return estimate.PseudoValues(sums, m.of)
}

// section is a stretch of days, or of a log, with what happened to the jobs that came in it.
type section struct {
	cycles  *estimate.Cycles
	slow    estimate.Histogram
	seconds float64
}

func newSection() *section { return &section{cycles: estimate.NewCycles(sumWidth)} }

// conclude makes the measures of sections in their order.
func conclude(sections []*section, confidence float64) (o Outcome) {
	all := estimate.NewCycles(sumWidth)
	var slow []*estimate.Histogram
	for _, s := range sections {
		all.Merge(s.cycles)
		slow = append(slow, &s.slow)
		o.Seconds += s.seconds
	}
	o.Days, o.Jobs, o.sections = all.N(), int(all.Sum()[sumJobs]), sections
	for _, m := range Measures {
		switch {
		case m.of == nil:
			o.values = append(o.values, estimate.SectionQuantile(slow, m.rank, confidence))
		case m.of(all.Sum()) == 0: // and no scatter: all measures are sums of what is not negative, or the variation
			o.values = append(o.values, estimate.Interval{DF: all.N() - 1})
		default:
			o.values = append(o.values, all.Estimate(m.of, confidence))
		}
	}
	return o
}
