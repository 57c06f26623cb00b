package families

import (
	"math"
	"slices"

	"github.com/partwise/partwise/models/measure"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/validate/metric"
)

// Outcome is what a family made of the jobs. Of the jobs of a system the first tenth, which find the machine empty, is not
// counted.
type Outcome struct {
	Family
	Jobs             int             // counted
	MeanResponseTime metric.Interval // in the unit of the jobs
	// MeanSlowdown is the mean over jobs of max(1, response time / run time), with the run time alone on the nodes that the
	// job asks for.
	MeanSlowdown metric.Interval
	// Utilization is the share of the node-time in which jobs are at work, from the first submission to the last end. Jobs that
	// stand still for a resize do not count. On nodes that are shared in time, it is the share in which processes run.
	Utilization float64
	// Growth is the mean response time of the later half of the jobs divided by the mean of the earlier half: near 1 in the long
	// run, and far above under a policy that cannot keep up, whose jobs become more and more.
	Growth float64
	Starts []float64 // when each of all jobs got nodes for the first time

	skip   int         // jobs that are not counted
	parts  [][]float64 // sums of batches
	merged [][]float64 // the same of fewer batches, which pass for independent
}

// behind is the growth from which on a family is said to fall behind. If the number of jobs grows for ever, the growth is 3, or less
// because the first jobs are not counted.
const behind = 2

// FallsBehind reports whether the family may not keep up with the jobs, see Growth.
func (o *Outcome) FallsBehind() bool { return o.Growth > behind }

// The intervals are made of so many batches of jobs in the order of their submission, merged until they pass for
// independent.
const batches = 32

// The sums of a batch.
const (
	number = iota
	responses
	slowdowns
	width
)

// newOutcome returns the outcome of so many jobs, the first of which do not count, before any has ended.
func newOutcome(f Family, jobs, skip int) *Outcome {
	o := &Outcome{Family: f, Jobs: jobs - skip, skip: skip, Starts: make([]float64, jobs), parts: make([][]float64, batches)}
	for i := range o.parts {
		o.parts[i] = make([]float64, width)
	}
	return o
}

// add counts the i-th job: it notes its start and, if the job counts, adds its response time and its slowdown to the sums of
// its batch. alone is the run time that the slowdown is relative to.
func (o *Outcome) add(i int, start, response, alone float64) {
	o.Starts[i] = start
	if i < o.skip {
		return
	}
	part := o.parts[(i-o.skip)*batches/o.Jobs]
	part[number]++
	part[responses] += response
	part[slowdowns] += max(1, response/alone)
}

// estimate sets the means of response times and slowdowns with their intervals, and the growth, from the sums of all
// batches.
func (o *Outcome) estimate() {
	o.merged = metric.Independent(o.parts, responses, number)
	o.MeanResponseTime = mean(o.merged, responses)
	o.MeanSlowdown = mean(metric.Independent(o.parts, slowdowns, number), slowdowns)
	half := coarsened(o.parts, 2)
	o.Growth = half[1][responses] / half[1][number] / (half[0][responses] / half[0][number])
}

// mean returns the mean of a sum over jobs, with an interval of the jackknife, whose own mean differs by its bias.
func mean(parts [][]float64, of int) metric.Interval {
	ratio := func(sums []float64) float64 { return sums[of] / sums[number] }
	return metric.Jackknife(parts, ratio, measure.Confidence).About(ratio(coarsened(parts, 1)[0]))
}

// RatioTo returns the mean response time divided by the mean response time of another family on the same jobs. What chance does
// to both alike does not widen the interval of the ratio. The interval comes from the logarithm of the ratio, whose distribution
// is less skewed.
func (o *Outcome) RatioTo(other *Outcome) metric.Interval {
	n := min(len(o.merged), len(other.merged))
	mine, theirs := coarsened(o.merged, n), coarsened(other.merged, n)
	both := make([][]float64, len(mine))
	for i := range both {
		both[i] = slices.Concat(mine[i], theirs[i])
	}
	i := metric.Jackknife(both, func(s []float64) float64 {
		return math.Log(s[responses] / s[number] / (s[width+responses] / s[width+number]))
	}, measure.Confidence)
	i.Mean, i.Low, i.High = math.Exp(i.Mean), math.Exp(i.Low), math.Exp(i.High)
	i.HalfWidth = (i.High - i.Low) / 2
	return i
}

// coarsened merges neighbouring parts in pairs until there are no more than n, as metric.Independent does.
func coarsened(parts [][]float64, n int) [][]float64 {
	for len(parts) > n {
		var merged [][]float64
		for i := 0; i < len(parts); i += 2 {
			merged = append(merged, floats.AddTo(make([]float64, width), parts[i], parts[i+1]))
		}
		parts = merged
	}
	return parts
}

// Best returns the index of the outcome with the least mean response time. tied has, in order, its index and the indices of all
// outcomes that do not differ significantly from the best.
func Best(outcomes []Outcome) (best int, tied []int) {
	for i := range outcomes {
		if outcomes[i].MeanResponseTime.Mean < outcomes[best].MeanResponseTime.Mean {
			best = i
		}
	}
	for i := range outcomes {
		if i == best || outcomes[i].RatioTo(&outcomes[best]).Low <= 1 {
			tied = append(tied, i)
		}
	}
	return best, tied
}
