package batch

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/partwise/partwise/models/workload"
)

// Request is a job as it comes to the machine. Times are in one unit, seconds where they come from a log.
//
// A rigid job runs on Nodes nodes, for the time Run. A moldable one, whose Lifetime is positive, may be started on any
// number of nodes n and then runs for Lifetime/Speedup.At(n); its Nodes are a wish, its Run is not looked at.
type Request struct {
	ID       int // as the source names it
	Submit   float64
	Nodes    int
	Run      float64
	Estimate float64 // of the run time, as policies see it; of a moldable job on Nodes nodes; 0 if it is exact
	Limit    float64 // the time after which a machine that kills ends the job; 0: the estimate

	Requested         float64 // run time that the user asked for; not positive if that is not known
	User, Application int     // −1 if they are not known

	Lifetime float64 // of a moldable job: its run time on one node
	Speedup  workload.Downey
}

// Moldable reports whether the job may be given other numbers of nodes than it asks for.
func (q *Request) Moldable() bool { return q.Lifetime > 0 }

// RunOn returns how long the job runs on n nodes.
func (q *Request) RunOn(n int) float64 {
	if q.Moldable() {
		return q.Lifetime / q.Speedup.At(float64(n))
	}
	return q.Run
}

// EstimateOn returns how long the job is expected to run on n nodes.
func (q *Request) EstimateOn(n int) float64 {
	switch {
	case !q.Moldable():
		return q.Estimate
	case q.Estimate > 0 && q.Nodes > 0:
		return max(q.Estimate*(q.RunOn(n)/q.RunOn(q.Nodes)), q.RunOn(n))
	}
	return q.RunOn(n)
}

// leastReservation is what a policy reserves for a job that is said to take no time at all.
const leastReservation = 1

// check returns what is wrong with the request for a machine with the given number of nodes, after one that came at
// last.
func (q *Request) check(nodes int, last float64) error {
	switch {
	case math.IsNaN(q.Submit) || math.IsInf(q.Submit, 0):
		return fmt.Errorf("batch: job %d comes at %v", q.ID, q.Submit)
	case q.Submit < last:
		return &OrderError{ID: q.ID, Submit: q.Submit, Last: last}
	case q.Moldable():
		if math.IsInf(q.Lifetime, 1) || !(q.Speedup.A >= 1) || !(q.Speedup.Sigma >= 0) || q.Nodes < 0 {
			return fmt.Errorf("batch: job %d cannot be molded: lifetime %v, A %v, sigma %v, %d nodes",
				q.ID, q.Lifetime, q.Speedup.A, q.Speedup.Sigma, q.Nodes)
		}
	case q.Nodes < 1 || q.Nodes > nodes:
		return fmt.Errorf("batch: job %d asks for %d of %d nodes", q.ID, q.Nodes, nodes)
	case !(q.Run >= 0) || math.IsInf(q.Run, 1):
		return fmt.Errorf("batch: job %d runs for %v", q.ID, q.Run)
	case math.IsNaN(q.Estimate) || math.IsInf(q.Estimate, 1) || math.IsNaN(q.Limit):
		return fmt.Errorf("batch: job %d is expected to run for %v", q.ID, q.Estimate)
	}
	return nil
}

// settle makes run time and estimate agree. A job does not run beyond its estimate: it may be killed at its limit, and
// the estimate is raised to the run time that is left, for what is to happen otherwise no policy says.
func (q *Request) settle(kill bool) (killed bool) {
	if q.Moldable() {
		if q.Nodes > 0 {
			q.Estimate = max(q.Estimate, q.RunOn(q.Nodes))
		}
		return false
	}
	limit := q.Limit
	if limit <= 0 {
		limit = q.Estimate
	}
	if kill && 0 < limit && limit < q.Run {
		q.Run, killed = limit, true
	}
	q.Estimate = max(q.Estimate, q.Run, leastReservation)
	return killed
}

// OrderError says that a source gave a job that was submitted before the one before it.
type OrderError struct {
	ID           int
	Submit, Last float64
}

func (e *OrderError) Error() string {
	return fmt.Sprintf("batch: job %d comes at %v, after one that came at %v", e.ID, e.Submit, e.Last)
}

// Source gives jobs in the order of their submission. Next writes the next one to q; it returns io.EOF after the last,
// and any other error ends the simulation.
type Source interface {
	Next(q *Request) error
}

// Jobs returns a source of the given jobs.
func Jobs(jobs []Request) Source { return &list{jobs: jobs} }

type list struct{ jobs []Request }

func (l *list) Next(q *Request) error {
	if len(l.jobs) == 0 {
		return io.EOF
	}
	*q, l.jobs = l.jobs[0], l.jobs[1:]
	return nil
}

// SourceFunc is a function as a [Source].
type SourceFunc func(q *Request) error

// Next calls f.
func (f SourceFunc) Next(q *Request) error { return f(q) }

// All reads a source to its end.
func All(s Source) ([]Request, error) {
	var jobs []Request
	for {
		var q Request
		err := s.Next(&q)
		if errors.Is(err, io.EOF) {
			return jobs, nil
		}
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, q)
	}
}
