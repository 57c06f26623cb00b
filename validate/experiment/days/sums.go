package days

import (
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/estimate"
)

// What is summed up over the jobs of a day.
const (
	sumTime     = iota // seconds of the window, times the nodes of the machine
	sumJobs            // jobs
	sumHeld            // node-seconds held in the window
	sumUseful          // node-seconds of these that a job on one node would have needed for the same work
	sumResponse        // response times
	sumWait            // queue times
	sumSize            // nodes given
	sumSquare          // their squares
	sumSlow            // slowdowns
	sumBounded         // bounded slowdowns
	sumWidth
)

// bound is the run time below which a bounded slowdown takes no notice of how short a job is, seconds.
//
// Reference: D. G. Feitelson, L. Rudolph, Metrics and benchmarking for parallel job scheduling, Job Scheduling
// Strategies for Parallel Processing, LNCS 1459 (1998) 1–24.
const bound = 10

// sums are the sums over a day.
type sums [sumWidth]float64

// serve counts the part of the time in which a job held its nodes that lies in the window.
func (s *sums) serve(r *batch.Record, window batch.Window) {
	if in := min(r.End, window.To) - max(r.Start, window.From); in > 0 {
		size := float64(r.Held)
		s[sumHeld] += in * size
		s[sumUseful] += in * r.Speedup.At(size)
	}
}

// count counts a job that has ended on a machine of the given number of nodes.
func (s *sums) count(r *batch.Record, nodes float64, slow *estimate.Histogram) {
	size, response := float64(r.Held), r.Response()
	alone := r.Lifetime / r.Speedup.At(nodes) // on the whole machine
	slowdown := max(1, response/alone)        // less by rounding alone: no job runs faster on fewer nodes
	s[sumJobs]++
	s[sumResponse] += response
	s[sumWait] += r.Wait()
	s[sumSize] += size
	s[sumSquare] += size * size
	s[sumSlow] += slowdown
	s[sumBounded] += max(1, response/max(alone, bound))
	slow.Add(slowdown)
}
