package allocatecmd

import (
	"math"
	"slices"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
)

// measures are the names of the measures of an outcome, in the order in which results show them. In those of days
// node-time counts while jobs come.
var measures = measure.OfJobs()

// ranks are the percentiles of the slowdown by their names.
var ranks = map[string]float64{measure.MedianSlowdown: 0.5, measure.P90Slowdown: 0.9, measure.P99Slowdown: 0.99}

// Measures returns the measures of an outcome, in the order in which results show them.
func Measures() []measure.Measure {
	all := make([]measure.Measure, len(measures))
	for i, name := range measures {
		all[i] = measure.Must(name)
	}
	return all
}

// Outcome is what a policy made of the jobs.
type Outcome struct {
	Policy   policy.Policy
	Load     float64 // offered
	Days     int
	Jobs     int
	Seconds  float64 // of computing, all workers together
	nodes    int
	values   []metric.Interval
	sections []*section
}

// Of returns a measure with its interval. A measure that is not in the table is NaN.
func (o *Outcome) Of(name string) metric.Interval {
	if i := slices.Index(measures, name); i >= 0 {
		return o.values[i]
	}
	return metric.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
}

// Difference returns by how much a measure of o is larger than that of another policy that was given the same days,
// with the interval of the difference: what chance does to both alike is not in it. It is estimated from the stretches
// into which the days were cut, of a mean by the jackknife, of a percentile from those of the stretches.
func (o *Outcome) Difference(than *Outcome, name string, confidence float64) metric.Interval {
	n := min(len(o.sections), len(than.sections))
	x, y := o.scatter(coarsened(o.sections, n), name), o.scatter(coarsened(than.sections, n), name)
	if len(x) != len(y) {
		return metric.Student(nil, confidence)
	}
	for i := range x {
		x[i] -= y[i]
	}
	return metric.Student(x, confidence)
}

// coarsened merges neighbouring sections in pairs until there are no more than n. Those of logs, which come from the
// same days by such mergers, are the same again afterwards.
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

// scatter returns values of a measure, one a section, whose mean estimates it; nil for a measure that is not in the
// table.
func (o *Outcome) scatter(sections []*section, name string) []float64 {
	var values []float64
	if rank, ok := ranks[name]; ok {
		for _, s := range sections {
			values = append(values, s.slow.Quantile(rank))
		}
		return values
	}
	of, ok := metric.Of(name, o.nodes)
	if !ok {
		return nil
	}
	var sums [][]float64
	for _, s := range sections {
		sums = append(sums, s.cycles.Sum())
	}
	return metric.PseudoValues(sums, of)
}

// section is a stretch of days, or of a log, with what happened to the jobs that came in it.
type section struct {
	cycles  *metric.Cycles
	slow    metric.Histogram
	seconds float64
}

func newSection() *section { return &section{cycles: metric.NewCycles(metric.Width)} }

// conclude makes the measures of sections in their order.
func conclude(sections []*section, nodes int, confidence float64) Outcome {
	o := Outcome{nodes: nodes, sections: sections}
	all := metric.NewCycles(metric.Width)
	var slow []*metric.Histogram
	for _, s := range sections {
		all.Merge(s.cycles)
		slow = append(slow, &s.slow)
		o.Seconds += s.seconds
	}
	sums := all.Sum()
	o.Days, o.Jobs = all.N(), int(sums[metric.Jobs])
	for _, name := range measures {
		if rank, ok := ranks[name]; ok {
			o.values = append(o.values, metric.SectionQuantile(slow, rank, confidence))
			continue
		}
		of, _ := metric.Of(name, nodes)
		if of(sums) == 0 { // and no scatter: all measures are sums of what is not negative, or the variation
			o.values = append(o.values, metric.Interval{DF: all.N() - 1})
			continue
		}
		o.values = append(o.values, all.Estimate(of, confidence))
	}
	return o
}
