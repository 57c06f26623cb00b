package batch

import (
	"fmt"
	"math"
	"strconv"

	"github.com/partwise/partwise/models/workload"
)

// Molding is the family of policies that choose how many nodes a job gets and leave the order to the queue: the job at
// its head starts on as many of the free nodes as it is meant to have, and those behind it wait. Which number a job is
// meant to have a [Sizing] says; the least that it takes is the share Share of that number. Share 0 is greedy, for a job
// takes whatever is free; share 1 is stubborn, for it waits until it gets all.
//
// A rigid job starts when there are the nodes that it asks for.
//
// Reference: A. B. Downey, A parallel workload model and its implications for processor allocation, Report
// UCB/CSD-96-922, University of California, Berkeley, 1996, sections 5 and 6.
type Molding struct {
	Size  Sizing
	Share float64 // 0..1
	Label string  // what Name returns
}

// Name returns the label.
func (m Molding) Name() string { return m.Label }

// Decide starts jobs from the head of the queue until one gets too few nodes.
func (m Molding) Decide(v View, _ Event, do []Action) []Action {
	s := Situation{Nodes: v.Nodes(), Free: v.Free(), Waiting: v.Waiting(), Load: v.Load()}
	for i := 0; s.Waiting > 0 && s.Free > 0; i++ {
		j := v.Queued(i)
		ideal, least := m.bounds(v.Request(j), s)
		if least > s.Free {
			break
		}
		n := min(ideal, s.Free)
		do = append(do, Start(j, n))
		s.Free -= n
		s.Waiting--
	}
	return do
}

// bounds returns the number of nodes that a job is meant to have and the least that it takes.
func (m Molding) bounds(q *Request, s Situation) (ideal, least int) {
	if !q.Moldable() {
		return q.Nodes, q.Nodes
	}
	ideal = m.Size.Whole(q.Speedup, s)
	// A share such as 0.55 of 20 nodes is 11 nodes, not the 11.000000000000002 of floating-point arithmetic.
	return ideal, max(1, int(math.Ceil(m.Share*float64(ideal)-1e-9)))
}

// Situation is what a [Sizing] may look at besides the job.
type Situation struct {
	Nodes   int     // of the machine
	Free    int     // of these
	Waiting int     // jobs, that to be started among them
	Load    float64 // offered, if policies are told it; see Config.Load
}

// Sizing says on how many nodes, a real number, a job with the given speedup should run.
type Sizing func(d workload.Downey, s Situation) float64

// Whole returns the size as a number of nodes: the next larger whole number, between 1 and all nodes.
func (size Sizing) Whole(d workload.Downey, s Situation) int {
	return max(1, int(math.Ceil(min(size(d, s), float64(s.Nodes)))))
}

// The sizes that are known of. A is the average parallelism of a job.
var (
	// AVG gives a job A nodes.
	AVG Sizing = func(d workload.Downey, _ Situation) float64 { return d.A }
	// PWS gives it its processor working set.
	PWS Sizing = func(d workload.Downey, _ Situation) float64 { return d.Knee() }
	// MAX gives it the fewest nodes on which it runs as fast as it can.
	MAX Sizing = func(d workload.Downey, _ Situation) float64 { return d.Saturation() }
	// SEV follows Sevcik: A nodes at load 0, the fewer the heavier the load and the more its parallelism varies.
	SEV Sizing = func(d workload.Downey, s Situation) float64 { return d.Restrained(s.Load) }
	// SimplifiedSEV does not look at the variation, but takes sigma to be 1 for all jobs.
	SimplifiedSEV Sizing = func(d workload.Downey, s Situation) float64 {
		return workload.Downey{A: d.A, Sigma: 1}.Restrained(s.Load)
	}
	// ASP divides the free nodes among the jobs that wait (adaptive static partitioning), and gives no job more than MAX.
	ASP Sizing = func(d workload.Downey, s Situation) float64 {
		return min(d.Saturation(), float64(s.Free)/float64(s.Waiting))
	}
)

// Fraction gives a job k·A nodes.
func Fraction(k float64) Sizing {
	return func(d workload.Downey, _ Situation) float64 { return k * d.A }
}

const shareParameter = "stubborn, or the share C of its nodes without which a job does not start (default 0, greedy)"

// molding is New of a policy that is greedy, stubborn or between.
func molding(name string, size Sizing) func(string) (func() Policy, error) {
	return func(parameter string) (func() Policy, error) {
		share, label := 0.0, name
		switch parameter {
		case "":
		case "stubborn":
			share, label = 1, name+":stubborn"
		default:
			c, err := strconv.ParseFloat(parameter, 64)
			if err != nil || !(c >= 0 && c <= 1) {
				return nil, fmt.Errorf("batch: %s:%s: %q is neither stubborn nor a share between 0 and 1", name, parameter, parameter)
			}
			share, label = c, name+":"+strconv.FormatFloat(c, 'g', -1, 64)
		}
		return func() Policy { return Molding{size, share, label} }, nil
	}
}

// fraction is New of the policy that waits for a fixed fraction of A.
func fraction(parameter string) (func() Policy, error) {
	k, err := strconv.ParseFloat(parameter, 64)
	if err != nil || !(k > 0) || math.IsInf(k, 1) {
		return nil, fmt.Errorf("batch: k:%s: %q is not a positive fraction of the average parallelism", parameter, parameter)
	}
	m := Molding{Fraction(k), 1, "k:" + strconv.FormatFloat(k, 'g', -1, 64)}
	return func() Policy { return m }, nil
}
