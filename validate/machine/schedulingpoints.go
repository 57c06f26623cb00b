package machine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// Points are the scheduling points of jobs, at which jobs can be resized: the ends of iterations, or checkpoints. With
// the zero Points a job can be resized at any time. At most one of Number and Every is set.
//
// Policies ignore points and see their decisions as carried out. The machine follows later:
//
//   - A job shrinks at its next point. If the change costs time, the job first stands still; then its nodes are free.
//   - A job grows at its first point at which all its new nodes are free and no started job waits for nodes.
//   - Started jobs begin in the order of their starts, each when all its nodes are free.
//
// Nodes that wait for their job are idle. A job without a further point ends on the nodes that it has.
//
// With Together, all jobs that a decision resizes wait for each other. Each stops at its next point. When the last one
// has stopped or ended, all get their nodes, stand still for the cost of the repartition, and continue; then the started
// jobs begin. Other events wait until the repartition has ended. This is the distributed scheduler of N. Islam, A.
// Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory environments, JSSPP 1996, LNCS
// 1162, section 5.
//
// Reference: T. Özden, T. Beringer, A. Mazaheri, H. M. Fard, F. Wolf, ElastiSim: a batch-system simulator for malleable
// workloads, Proc. 51st Int. Conf. on Parallel Processing (ICPP), 2022, which resizes jobs in the same way.
type Points struct {
	Number int // number of pieces of equal work; a point lies between each two pieces
	// Every[n-1] is the time of progress between two points on n nodes; the last entry also holds for more nodes. If a job is
	// resized between two points, the remaining time changes in proportion.
	Every []float64
	// Together makes a repartition begin only when all jobs that it resizes have reached their points.
	Together bool
}

// Everywhere reports whether jobs can be resized at any time.
func (q Points) Everywhere() bool { return q.Number == 0 && q.Every == nil }

// check returns an error if the points are not valid: a time that is not positive and finite, a negative number, points both
// by number and by time, or jobs that are resized together without points.
func (q Points) check() error {
	for i, every := range q.Every {
		if !(every > 0) || math.IsInf(every, 1) {
			return fmt.Errorf("machine: a scheduling point every %v on %d nodes", every, i+1)
		}
	}
	switch {
	case q.Number < 0:
		return fmt.Errorf("machine: %d scheduling points", q.Number)
	case q.Every != nil && (len(q.Every) == 0 || q.Number > 0):
		return errors.New("machine: scheduling points by time, and others or none")
	case q.Together && q.Everywhere():
		return errors.New("machine: jobs that are resized together need scheduling points")
	}
	return nil
}

// next returns the time at which a working job reaches its next point unless it is disturbed. It also returns the
// number of points that the job will then have passed. The time is +Inf if the job ends before. With progress since
// time p.since + p.setup:
//
//	points by time:  point k at p.since + p.setup + (k − p.pieces)·every, p.pieces the points' distances covered before p.since
//	points by work:  point k when k pieces of work/Number are done, at p.since + p.setup + (k·piece − done)/speed
//
// A job never reaches a point twice, however times are rounded: k exceeds p.passed.
func (q Points) next(p *progress, nodes int, work, now float64) (at, number float64) {
	const room = 1e-9                  // allows for rounding: a job that is at a point must not be taken to be before it
	ago := max(0, now-p.since-p.setup) // time of progress since p.since
	if every := q.every(nodes); every > 0 {
		k := max(p.passed, math.Floor(p.pieces+ago/every+room)) + 1
		return p.since + p.setup + (k-p.pieces)*every, k
	}
	piece, done := work/float64(q.Number), work-p.left
	k := max(p.passed, math.Floor((done+ago*p.speed)/piece+room)) + 1
	if !(k < float64(q.Number)) { // the end is not a point; a job without work has no points
		return math.Inf(1), k
	}
	return p.since + p.setup + (k*piece-done)/p.speed, k
}

// every returns the time of progress from a point to the next on so many nodes; 0 if points divide work.
func (q Points) every(nodes int) float64 {
	if n := len(q.Every); n > 0 && nodes > 0 {
		return q.Every[min(nodes, n)-1]
	}
	return 0
}

// assign carries out an action that gives a job nodes, on a machine with scheduling points. The job holds the nodes
// from now on and occupies them later. A job without nodes waits in r.starters until they are free; any other job waits
// for its next scheduling point. The error refuses an action that places the job on particular nodes.
func (r *run) assign(a *sched.Action, e *sched.Entry) error {
	switch {
	case a.Offset >= 0:
		return r.refuse("places job %d: that cannot wait for a scheduling point", e.Job.ID)
	case e.Status == sched.Waits:
		r.state.Start(a.Job)
	case a.Nodes == e.Held:
		return nil
	}
	r.state.Assign(a.Job, a.Nodes, -1)
	switch {
	case e.Occupied == 0:
		r.enlist(a.Job)
	case r.Points.Together:
		r.join(a.Job)
	default:
		r.await(a.Job)
	}
	return nil
}

// enlist appends a job that occupies no nodes to the jobs that wait for their nodes.
func (r *run) enlist(id sched.JobID) {
	if !slices.Contains(r.starters, id) {
		r.starters = append(r.starters, id)
	}
	e, expected := r.state.Entry(id), math.Inf(1)
	if e.Held > 0 {
		expected = r.now + e.Job.EstimateOn(e.Held)
	}
	r.state.Work(id, false, expected)
}

// await schedules the next scheduling point of a working job that is to have other nodes. For a job that stands still,
// await is called again when it continues.
func (r *run) await(id sched.JobID) {
	p, e := &r.jobs[id], r.state.Entry(id)
	r.forgo(p)
	if e.Held == e.Occupied || !p.working {
		return
	}
	if at, k := r.Points.next(p, e.Occupied, e.Job.Work, r.now); !math.IsInf(at, 1) {
		p.awaits, p.coming = true, k
		p.point = r.calendar.Schedule(max(at, r.now), reaches.rank(p.rank), occurrence{reaches, id})
	}
}

// forgo removes the scheduling point for which a job waits from the calendar.
func (r *run) forgo(p *progress) {
	if p.awaits {
		p.awaits = false
		r.calendar.Cancel(p.point)
	}
}

// reach handles a job that has reached its scheduling point. A job that is resized together with others stops. Otherwise:
//
//   - If the job grows and its new nodes are not vacant, or a started job waits for nodes, it passes the point and waits
//     for the next.
//   - If it shrinks and pays for itself, it stands still on its old nodes first, and leaves them in [run.settled].
//   - In all other cases it changes its nodes at once.
func (r *run) reach(id sched.JobID, t *simulation.Tally) error {
	p, e := &r.jobs[id], r.state.Entry(id)
	p.awaits, p.passed = false, p.coming
	if p.joins {
		r.halt(id)
		r.stops(p)
		return nil
	}
	had, nodes := e.Occupied, e.Held
	if nodes > had && (nodes-had > r.vacant || r.awaited()) {
		r.await(id)
		return nil
	}
	r.halt(id)
	r.account(id)
	p.resized++
	r.change = Change{Why: sched.Departure, Resized: 1, Running: r.view.Running()}
	if nodes < had {
		r.change.Why = sched.Arrival
	}
	r.touched = r.touched[:0]
	if nodes < had && r.resizing != nil {
		if stop := r.resizing.Stop(had, nodes); stop > 0 {
			p.shrinks, p.leaves = true, nodes
			r.pause(id, stop, t)
			r.count(t)
			return nil
		}
	}
	return r.handOver(touched{job: id, had: had}, nodes, false, t)
}

// admitAndCharge begins the started jobs whose nodes are free, and charges the resized jobs for their changes.
func (r *run) admitAndCharge(t *simulation.Tally) error {
	if err := r.admit(t); err != nil || len(r.touched) == 0 {
		return err
	}
	return r.charge(t)
}
