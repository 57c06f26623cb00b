package metric

import (
	"math"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/machine"
)

// The components of [Sums], summed over jobs. Node-times are in nodes times the unit of time.
const (
	Capacity       = iota // node-time of the machine; set by the caller that sums up
	Jobs                  // jobs
	Held                  // node-time held by jobs that do not stand still: Busy of [machine.Record]
	Useful                // part of Held that is useful work
	Response              // response times
	waitSum               // waiting times
	sizeSum               // nodes
	sizeSquareSum         // their squares
	slowdownSum           // slowdowns of the jobs that ran for some time
	slowdownJobs          // number of jobs that ran for some time
	boundedSum            // bounded slowdowns
	backfilledJobs        // jobs that started before a job that had arrived earlier
	killedJobs            // jobs that were killed at their time limit
	offeredTime           // node-time offered
	lateJobs              // jobs whose response times are beyond a deadline
	Width
)

// Sums holds sums over jobs, from which all measures follow. Sums of disjoint lists of jobs add up component by
// component.
type Sums [Width]float64

// Machine holds the properties of a machine that measures of its jobs depend on.
type Machine struct {
	Nodes int
	Hour  float64 // in the unit of times; 0: 3600, for seconds
	Bound float64 // shortest run time that counts in a bounded slowdown, see [measure.SlowdownBound]; 0: 10
}

// Add adds a job that has ended, with its node-time. If slow is not nil, Add also counts the slowdown of the job in
// slow.
func (s *Sums) Add(r *machine.Record, on Machine, slow *Histogram) {
	s.AddJob(r, on, slow)
	s[Held] += r.Busy
	s[Useful] += r.Useful
}

// add adds the sums o of other jobs to s.
func (s *Sums) add(o *Sums) {
	for k, x := range o {
		s[k] += x
	}
}

// AddNodeTime adds the part of the node-time of a job that falls between the times from and to. The node-time is spread
// evenly over the time from the start of the job to its end. A job that took no time adds nothing.
func (s *Sums) AddNodeTime(r *machine.Record, from, to float64) {
	if in := min(r.End, to) - max(r.Start, from); in > 0 {
		share := in / (r.End - r.Start)
		s[Held] += r.Busy * share
		s[Useful] += r.Useful * share
	}
}

// AddJob adds a job as [Sums.Add] does, but without its node-time. [Sums.AddNodeTime] adds node-time to the periods in
// which the job ran.
func (s *Sums) AddJob(r *machine.Record, on Machine, slow *Histogram) {
	response, alone := r.Response(), r.Reference(on.Nodes)
	size := clusterSize(r)
	s[Jobs]++
	s[Response] += response
	s[waitSum] += r.Wait()
	s[sizeSum] += size
	s[sizeSquareSum] += size * size
	if alone > 0 {
		slowdown := max(1, response/alone) // below 1 only by rounding: no job runs faster than on the nodes it asked for
		s[slowdownSum] += slowdown
		s[slowdownJobs]++
		if slow != nil {
			slow.Add(slowdown)
		}
	}
	s[boundedSum] += on.BoundedSlowdown(r)
	s[offeredTime] += r.Offered()
	if r.Overtook {
		s[backfilledJobs]++
	}
	if r.Killed {
		s[killedJobs]++
	}
}

// BoundedSlowdown returns the response time of a job divided by its run time alone; at least 1. on.Bound takes the
// place of a shorter run time. A Bound of 0 is [measure.SlowdownBound], ten seconds. The run time alone is on the nodes
// that the job asked for, or on the whole machine if it asked for no number.
//
// Reference: D. G. Feitelson, L. Rudolph, U. Schwiegelshohn, K. C. Sevcik, P. Wong, Theory and practice in parallel job
// scheduling, Job Scheduling Strategies for Parallel Processing, LNCS 1291 (1997) 1–34.
func (on Machine) BoundedSlowdown(r *machine.Record) float64 {
	bound := on.Bound
	if bound == 0 {
		bound = measure.SlowdownBound
	}
	return max(1, r.Response()/max(r.Reference(on.Nodes), bound))
}

// clusterSize returns the number of nodes that a job held while it ran, averaged over its run time if it was resized.
func clusterSize(r *machine.Record) float64 {
	if r.Resized == 0 || r.End == r.Start {
		return float64(r.Held)
	}
	return r.NodeTime / (r.End - r.Start)
}

// formula is a measure as a function of sums.
type formula struct {
	name string
	of   func(s []float64, nodes float64) float64
}

// formulas lists the measures of jobs, in the order of results.
var formulas = []formula{
	{measure.MeanResponseTime, perJob(Response)},
	{measure.MeanWaitingTime, perJob(waitSum)},
	{measure.MeanRunTime, func(s []float64, _ float64) float64 { return (s[Response] - s[waitSum]) / s[Jobs] }},
	{measure.MeanSlowdown, func(s []float64, _ float64) float64 { return s[slowdownSum] / s[slowdownJobs] }},
	{measure.MeanBoundedSlowdown, perJob(boundedSum)},
	{measure.Utilization, perCapacity(Held)},
	{measure.Efficiency, func(s []float64, _ float64) float64 { return s[Useful] / s[Held] }},
	{measure.UsefulUtilization, perCapacity(Useful)},
	{measure.LoadAverage, func(s []float64, nodes float64) float64 { return s[Held] / s[Capacity] * nodes }},
	{measure.MeanClusterSize, perJob(sizeSum)},
	{measure.CVClusterSize, variation},
	{measure.BackfilledShare, perJob(backfilledJobs)},
	{measure.KilledShare, perJob(killedJobs)},
}

// perJob returns the mean of component k of the sums over the jobs, as a function of the sums.
func perJob(k int) func([]float64, float64) float64 {
	return func(s []float64, _ float64) float64 { return s[k] / s[Jobs] }
}

// perCapacity returns component k of the sums over the capacity of the machine, as a function of the sums.
func perCapacity(k int) func([]float64, float64) float64 {
	return func(s []float64, _ float64) float64 { return s[k] / s[Capacity] }
}

// variation returns the coefficient of variation of the numbers of nodes of the jobs. A squared coefficient below 1e-12
// is rounding error and counts as 0.
func variation(s []float64, _ float64) float64 {
	mean := s[sizeSum] / s[Jobs]
	v := s[sizeSquareSum]/s[Jobs]/(mean*mean) - 1
	if v < 1e-12 {
		return 0
	}
	return math.Sqrt(v)
}

// Of returns the measure with the given name as a function of sums, on a machine with the given number of nodes. The
// sums have the components of [Sums], with Capacity set for measures relative to the capacity. ok is false if no
// measure has the name. The value of the function does not change when all sums are multiplied by a number.
func Of(name string, nodes int) (f func(sums []float64) float64, ok bool) {
	for _, q := range formulas {
		if q.name == name {
			return func(s []float64) float64 { return q.of(s, float64(nodes)) }, true
		}
	}
	return nil, false
}

// Values are the values of measures by their names.
type Values map[string]float64

// Measures returns all measures that [Of] knows, on a machine with the given number of nodes. The component Capacity
// must be set for measures relative to the capacity. Measures without jobs are NaN.
func (s *Sums) Measures(nodes int) Values {
	v := Values{}
	for _, q := range formulas {
		v[q.name] = q.of(s[:], float64(nodes))
	}
	return v
}

// Merge updates v from the means over n − 1 lists of measures to the means over n lists, given the n-th list o. n is at
// least 1, and v must not be nil.
func (v Values) Merge(o Values, n int) {
	for name, x := range o {
		v[name] += (x - v[name]) / float64(n)
	}
}
