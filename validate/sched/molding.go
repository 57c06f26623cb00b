package sched

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// molding is the family of policies that choose how many nodes a job gets. Jobs start in the order of the queue. A
// [Sizing] gives the size of a job. The job at the head starts on the free nodes, at most its size, and the jobs behind
// it wait. It starts on no fewer nodes than the share Share of its size. With share 0 (greedy) a job takes all free
// nodes up to its size. With share 1 (stubborn) it waits until it gets its whole size.
//
// A rigid job starts when the nodes that it asks for are free.
//
// Reference: A. B. Downey, A parallel workload model and its implications for processor allocation, Report
// UCB/CSD-96-922, University of California, Berkeley, 1996, sections 5 and 6.
type molding struct {
	Size  Sizing  // rule for the number of nodes that a job should have
	Share float64 // part of this number from which on a job starts, from 0 to 1
	Label string  // the result of Name
}

// Name returns the name and parameters of the policy, as policy.Policy.String writes them.
func (m molding) Name() string { return m.Label }

// Decide appends actions to do that start jobs from the head of the queue. A job gets the size that the rule gives it,
// or the free nodes if they are fewer. Decide ends at the first job that needs more nodes to start than are free; see
// [molding.bounds]. Running jobs are not resized.
func (m molding) Decide(v View, _ []Event, do []Action) []Action {
	s := Situation{Nodes: v.Nodes(), Free: v.Free(), Waiting: v.Waiting(), Load: v.Load()}
	for i := 0; s.Waiting > 0 && s.Free > 0; i++ {
		w := v.Queued(i)
		ideal, least := m.bounds(v, w, s)
		if least > s.Free {
			break
		}
		n := min(ideal, s.Free)
		do = appendAllocate(do, w.Job, n)
		s.Free -= n
		s.Waiting--
	}
	return do
}

// bounds returns the number of nodes that waiting job w should have, and the least number on which it starts. The first
// is the size by the rule m.Size, given the job's speedup and the situation s: free nodes, waiting jobs and load. The
// second is the share m.Share of the size, rounded up. Both lie within the bounds of the job. A rigid job has the nodes
// that it asks for. A job without a speedup of Downey's model counts with these nodes as its average parallelism.
func (m molding) bounds(v View, w Waiting, s Situation) (ideal, least int) {
	job := v.Job(w.Job)
	if job.Kind == workload.Rigid {
		return w.Nodes, w.Nodes
	}
	d, ok := job.Speedup.(workload.Downey)
	if !ok { // all that is known of its parallelism is the number of nodes that it asks for
		d = workload.Downey{A: float64(max(1, w.Nodes))}
	}
	low, high := v.Least(w.Job), v.Most(w.Job)
	ideal = min(max(m.Size.Whole(d, s), low), high)
	// A share such as 0.55 of 20 nodes is 11 nodes, not the 11.000000000000002 of floating-point arithmetic.
	return ideal, max(low, int(math.Ceil(m.Share*float64(ideal)-1e-9)))
}

// Situation is the information that a [Sizing] has besides the job.
type Situation struct {
	Nodes   int     // nodes of the machine
	Free    int     // free nodes
	Waiting int     // waiting jobs, including the job to be started
	Load    float64 // offered load, 0 if policies do not know it
}

// Sizing returns the number of nodes, a real number, on which a job with the given speedup should run.
type Sizing func(d workload.Downey, s Situation) float64

// Whole returns the number of nodes that the rule gives to a job with speedup d. s says how many nodes the machine has,
// how many are free, how many jobs wait, and what the load is. The result is rounded up to a whole number, and lies
// between 1 and the number of nodes.
func (size Sizing) Whole(d workload.Downey, s Situation) int {
	return max(1, int(math.Ceil(min(size(d, s), float64(s.Nodes)))))
}

// sizings holds the rules by name. A is the average parallelism of a job.
var sizings = map[policy.Size]Sizing{
	policy.AVG:         func(d workload.Downey, _ Situation) float64 { return d.A },
	policy.PWS:         func(d workload.Downey, _ Situation) float64 { return d.Knee() },
	policy.MAX:         func(d workload.Downey, _ Situation) float64 { return d.Saturation() },
	policy.SEV:         func(d workload.Downey, s Situation) float64 { return d.Restrained(s.Load) },
	policy.ThreeHalves: fraction(1.5),
	policy.SimplifiedSEV: func(d workload.Downey, s Situation) float64 {
		return workload.Downey{A: d.A, Sigma: 1}.Restrained(s.Load)
	},
	policy.ASP: func(d workload.Downey, s Situation) float64 {
		return min(d.Saturation(), float64(s.Free)/float64(s.Waiting))
	},
}

// fraction returns the rule that gives a job k·A nodes, where A is the average parallelism of the job.
func fraction(k float64) Sizing {
	return func(d workload.Downey, _ Situation) float64 { return k * d.A }
}

// SizingOf returns the sizing of policy p, which molds jobs: how many nodes it gives to a job with a known speedup.
// [policy.Molding] has the sizing that its Size names. [policy.Fraction] gives K·A nodes, with A the average
// parallelism of the job. ok is false for any other policy, and for an unknown Size.
func SizingOf(p policy.Policy) (size Sizing, ok bool) {
	switch p := p.(type) {
	case policy.Molding:
		size, ok = sizings[p.Size]
		return size, ok
	case policy.Fraction:
		return fraction(p.K), true
	}
	return nil, false
}

// newMolding returns the scheduler of policy p, which molds jobs. share is the part of its size, from 0 to 1, from
// which on a job starts. The error says that the policy has no rule for sizes, or an unknown one.
func newMolding(p policy.Policy, share float64) (Policy, error) {
	size, ok := SizingOf(p)
	if !ok {
		return nil, fmt.Errorf("sched: policy %s has no rule for sizes", p)
	}
	return molding{Size: size, Share: share, Label: p.String()}, nil
}
