package days

import (
	"slices"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
)

// measures are the names of the measures of an outcome, in the order in which results show them. In outcomes of days,
// node-time counts while jobs come.
var measures = measure.OfJobs()

// Measures returns the names of the measures of an outcome, in the order in which results show them.
func Measures() []string { return slices.Clone(measures) }

// ranks are the percentiles of the slowdown by their names.
var ranks = map[string]float64{measure.MedianSlowdown: 0.5, measure.P90Slowdown: 0.9, measure.P99Slowdown: 0.99}

// Outcome is what a policy made of the jobs.
type Outcome struct {
	Strategy          // the policy as the study names it
	Parameter float64 // of the study, NaN if the text of the policy has no *
	Policy    policy.Policy
	Load      float64
	Days      int
	Jobs      int
	Seconds   float64 // of computing, all workers together
	nodes     int
	values    map[string]metric.Interval // of the measures
	sections  []*section
}

// Of returns a measure with its interval.
func (o *Outcome) Of(name string) metric.Interval { return o.values[name] }

// Difference returns by how much a measure of o is larger than the same measure of another policy on the same days. The
// interval belongs to the difference: it is narrow if chance does the same to both policies. The difference of means is
// estimated by the jackknife over sections of days, and the difference of percentiles from the percentiles of the
// sections.
func (o *Outcome) Difference(than *Outcome, name string) metric.Interval {
	x, y := o.scatter(name), than.scatter(name)
	for i := range x {
		x[i] -= y[i]
	}
	return metric.Student(x, measure.Confidence)
}

// scatter returns values of a measure, one for each section of days, whose mean estimates the measure: pseudo-values of the
// jackknife of a mean, and the percentile of each section of a percentile.
func (o *Outcome) scatter(name string) []float64 {
	if rank, ok := ranks[name]; ok {
		values := make([]float64, len(o.sections))
		for i, s := range o.sections {
			values[i] = s.slow.Quantile(rank)
		}
		return values
	}
	sums := make([][]float64, len(o.sections))
	for i, s := range o.sections {
		sums[i] = total(s.days)
	}
	of, _ := metric.Of(name, o.nodes)
	return metric.PseudoValues(sums, of)
}

// section is a stretch of days, or of a log, with what happened to the jobs that came in it.
type section struct {
	days    [][]float64 // sums of each
	slow    metric.Histogram
	seconds float64
}

// total returns the sums over all days.
func total(days [][]float64) []float64 {
	sums := make([]float64, metric.Width)
	for _, day := range days {
		for k, x := range day {
			sums[k] += x
		}
	}
	return sums
}

// conclude returns the outcome of sections in their order, on so many nodes: each measure with an interval. The observations
// behind the interval are days for means, and sections for percentiles.
func conclude(sections []*section, nodes int) Outcome {
	o := Outcome{nodes: nodes, sections: sections, values: map[string]metric.Interval{}}
	var days [][]float64
	var slow []*metric.Histogram
	for _, s := range sections {
		days = append(days, s.days...)
		slow = append(slow, &s.slow)
		o.Seconds += s.seconds
	}
	sums := total(days)
	o.Days, o.Jobs = len(days), int(sums[metric.Jobs])
	o.setPercentiles(slow)
	for _, name := range measures {
		if _, ok := ranks[name]; ok {
			continue // set already
		}
		// of zero, and no scatter: all measures are sums of what is not negative, or the variation
		value := metric.Interval{DF: len(days) - 1}
		if of, _ := metric.Of(name, nodes); of(sums) != 0 {
			value = metric.Jackknife(days, of, measure.Confidence).About(of(sums)) // the jackknife's mean differs by its bias
		}
		o.values[name] = value
	}
	return o
}

// setPercentiles sets the percentiles of the slowdown from the slowdowns of each section.
func (o *Outcome) setPercentiles(slow []*metric.Histogram) {
	var names []string
	var ps []float64
	for name, p := range ranks {
		names, ps = append(names, name), append(ps, p)
	}
	for k, value := range metric.SectionQuantiles(slow, measure.Confidence, ps...) {
		o.values[names[k]] = value
	}
}

// Best returns the index of the best outcome: that with the largest value of a measure if largest, otherwise that with the least.
// It also returns, in order, the indices of the best and of all outcomes that do not differ significantly from it . All outcomes are
// of the same days.
func Best(outcomes []Outcome, name string, largest bool) (best int, tied []int) {
	for i := range outcomes {
		x, y := outcomes[i].Of(name).Mean, outcomes[best].Of(name).Mean
		if largest && x > y || !largest && x < y {
			best = i
		}
	}
	for i := range outcomes {
		d := outcomes[best].Difference(&outcomes[i], name)
		if i == best || d.Low <= 0 && d.High >= 0 {
			tied = append(tied, i)
		}
	}
	return best, tied
}
