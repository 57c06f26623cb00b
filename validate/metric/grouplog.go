package metric

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/validate/machine"
)

// GroupLog adds up the response times and waits of a known number of jobs of a log, such as the jobs of one user. It
// takes a kilobyte, where a [Log] takes many.
type GroupLog struct {
	jobs  int
	parts [][]float64 // sums over consecutive jobs
}

// The sums of a part of a group.
const (
	groupResponse = iota
	groupWait
	groupJobs
	groupSums
)

// NewGroupLog returns an empty log of a group in which jobs jobs will end.
func NewGroupLog(jobs int) *GroupLog {
	g := &GroupLog{jobs: max(jobs, 1), parts: make([][]float64, min(partsOfARatio, max(1, jobs/fewestJobs)))}
	for k := range g.parts {
		g.parts[k] = make([]float64, groupSums)
	}
	return g
}

// Add adds the record of a job of the group that has ended. place is the number of jobs of the group that arrived
// before it; it puts the same job into the same part under every policy. The record is not kept.
func (g *GroupLog) Add(place int, r *machine.Record) {
	part := g.parts[min(place*len(g.parts)/g.jobs, len(g.parts)-1)]
	part[groupResponse] += r.Response()
	part[groupWait] += r.Wait()
	part[groupJobs]++
}

// Means returns the mean response time and the mean waiting time of the jobs, in the unit of time of the records; NaN
// without jobs.
func (g *GroupLog) Means() (response, wait float64) {
	sum := g.sum()
	return sum[groupResponse] / sum[groupJobs], sum[groupWait] / sum[groupJobs]
}

// sum returns the sums over all jobs, a new vector in the order of groupResponse, groupWait and groupJobs.
func (g *GroupLog) sum() []float64 {
	if len(g.parts) == 0 { // no jobs were to come
		return make([]float64, groupSums)
	}
	sum := slices.Clone(g.parts[0])
	for _, part := range g.parts[1:] {
		floats.Add(sum, part)
	}
	return sum
}

// errNoJobs is the error of a ratio of mean response times of no jobs.
var errNoJobs = errors.New("metric: no jobs have ended, so that there is no ratio of their response times")

// RatioOf returns the mean response time of base divided by the mean response time of g, with an interval as
// [Log.RatioOf] has. The interval is infinite for fewer than [FewestJobs] jobs. The error says that a log is nil or
// that the logs do not hold the same number of jobs. It may also say that no jobs with a response time have ended.
func (g *GroupLog) RatioOf(base *GroupLog, confidence float64) (Interval, error) {
	if g == nil || base == nil || g.jobs != base.jobs || g.sum()[groupJobs] != base.sum()[groupJobs] {
		return Interval{}, errOtherJobs
	}
	ofBase, own := base.sum()[groupResponse], g.sum()[groupResponse]
	if !(ofBase > 0 && own > 0) {
		return Interval{}, errNoJobs
	}
	if len(g.parts) < fewestParts {
		return Interval{Mean: ofBase / own, Low: math.Inf(-1), High: math.Inf(1), HalfWidth: math.Inf(1)}, nil
	}
	parts := make([][]float64, len(g.parts))
	for k := range parts {
		parts[k] = []float64{base.parts[k][groupResponse], g.parts[k][groupResponse]}
	}
	ratio := func(x []float64) float64 { return x[0] / x[1] }
	return JackknifePositive(Independent(parts, 0, 1), ratio, confidence).Around(ofBase / own), nil
}
