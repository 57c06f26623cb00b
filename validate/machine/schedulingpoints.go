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
// With Together, all jobs that a decision resizes wait for each other. Each stops at its next point. When the last job
// has stopped or ended, all get their nodes and stand still for the cost of the repartition. Started jobs begin at the
// same time on vacant nodes. Other events wait until the repartition has ended. This is the distributed scheduler of N.
// Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory environments, JSSPP
// 1996, LNCS 1162, section 5.
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

// Everywhere reports whether jobs can be resized at any time: the points are the zero value.
func (q Points) Everywhere() bool { return q.Number == 0 && q.Every == nil }

// check returns an error if the points are not valid:
//
//   - a time between points is not positive and finite;
//   - the number of pieces is negative;
//   - Every is set, but is empty or stands beside a Number;
//   - jobs are resized together, but without points.
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

// nextPoint returns the time at which a working job reaches its next scheduling point if nothing changes its nodes
// before. It also returns the number of the point, from 1. p is the progress of the job on the given number of nodes,
// work its whole demand, now the present time. Set-up is no progress, so that progress goes on from p.since + p.setup:
//
//	points by time:  point k at p.since + p.setup + (k − p.pieces)·every, p.pieces the points' distances covered before p.since
//	points by work:  point k when k pieces of work/Number are done, at p.since + p.setup + (k·piece − done)/speed
//
// The end of the work is not a point: the time is +Inf if only the end is left of points by work. A point by time may
// lie after the end of the job. A job never reaches a point twice, however times are rounded: k exceeds p.passed.
func (q Points) nextPoint(p *progress, nodes int, work, now float64) (at, number float64) {
	const room = 1e-9                  // allows for rounding: a job that is at a point must not be taken to be before it
	ago := max(0, now-p.since-p.setup) // time of progress since p.since
	if every := q.timeBetween(nodes); every > 0 {
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

// timeBetween returns the time of progress from one point to the next on so many nodes: an entry of q.Every, whose last
// one also holds for more nodes. It is 0 if points divide the work (Number), there are no points, or nodes is 0.
func (q Points) timeBetween(nodes int) float64 {
	if n := len(q.Every); n > 0 && nodes > 0 {
		return q.Every[min(nodes, n)-1]
	}
	return 0
}

// assignNodes carries out an action that gives a job nodes, on a machine with scheduling points. The job holds the
// nodes from now on and occupies them later. A job that occupies no nodes waits in r.withoutNodes until they are
// vacant. Any other job waits for its next scheduling point, with Together as part of a repartition of several jobs. A
// running job that already holds so many nodes is left as it is. The error is a *[PolicyError] if the action places the
// job on particular nodes.
func (r *run) assignNodes(a *sched.Action, e *sched.Entry) error {
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
		r.waitForNodes(a.Job)
	case r.Points.Together:
		r.joinRepartition(a.Job)
	default:
		r.schedulePoint(a.Job)
	}
	return nil
}

// waitForNodes appends a started job that occupies no nodes to r.withoutNodes, if it is not there. In r.state it marks the
// job as not working, and stores when policies may expect its end. A job that holds nodes, but has to wait until other jobs
// leave them, is expected to end after its estimate from now on. A suspended job holds no nodes, and is never expected
// to end.
func (r *run) waitForNodes(id sched.JobID) {
	if !slices.Contains(r.withoutNodes, id) {
		r.withoutNodes = append(r.withoutNodes, id)
	}
	e, expected := r.state.Entry(id), math.Inf(1)
	if e.Held > 0 {
		expected = r.now + e.Job.EstimateOn(e.Held)
	}
	r.state.SetWorking(id, false, expected)
}

// schedulePoint puts the next scheduling point of a job, at which it can be resized, into the calendar. It does so if
// the job is at work and holds other nodes than it occupies. An earlier entry is removed. For a job that stands still,
// schedulePoint is called again when it works on.
func (r *run) schedulePoint(id sched.JobID) {
	p, e := &r.jobs[id], r.state.Entry(id)
	r.cancelPoint(p)
	if e.Held == e.Occupied || !p.working {
		return
	}
	if at, k := r.Points.nextPoint(p, e.Occupied, e.Job.Work, r.now); !math.IsInf(at, 1) {
		p.awaits, p.coming = true, k
		p.point = r.calendar.Schedule(max(at, r.now), reaches.rank(p.rank), occurrence{reaches, id})
	}
}

// cancelPoint removes the scheduling point for which a job waits from the calendar, if it waits for one. It is called
// when the job stops or ends before.
func (r *run) cancelPoint(p *progress) {
	if p.awaits {
		p.awaits = false
		r.calendar.Cancel(p.point)
	}
}

// reachPoint handles a job that has reached its scheduling point, where it is to change its nodes. A job that is
// resized together with others stops. Otherwise:
//
//   - A job that grows passes the point and waits for the next one, if its new nodes are not vacant or a started job
//     waits for nodes.
//   - A job that shrinks and whose own resize has a cost in time stands still on its old nodes first, and leaves them
//     in [run.endStandstill].
//   - In all other cases the job changes its nodes at once. This includes a shrink without cost.
//
// r.change describes the change for the costs. Its cause is a departure if the job grows, and an arrival if it shrinks.
// r.changed loses its earlier jobs. Reconfigurations are counted in t. The error comes from [run.handOver].
func (r *run) reachPoint(id sched.JobID, t *simulation.Tally) error {
	p, e := &r.jobs[id], r.state.Entry(id)
	p.awaits, p.passed = false, p.coming
	if p.joins {
		r.stopWork(p, e)
		r.countStopped(p)
		return nil
	}
	had, nodes := e.Occupied, e.Held
	if nodes > had && (nodes-had > r.vacant || r.startWaits()) {
		r.schedulePoint(id)
		return nil
	}
	r.stopWork(p, e)
	r.account(p, e)
	p.resized++
	r.change = Change{Why: sched.Departure, Resized: 1, Running: r.view.Running()}
	if nodes < had {
		r.change.Why = sched.Arrival
	}
	r.changed = r.changed[:0]
	if nodes < had && r.resizing != nil {
		if stop := r.resizing.Stop(had, nodes); stop > 0 {
			p.shrinks, p.leaves = true, nodes
			r.pause(id, stop, t)
			r.countReconfiguration(t)
			return nil
		}
	}
	return r.handOver(changedJob{job: id, had: had}, nodes, false, t)
}

// fillVacantAndCharge begins the started jobs whose nodes are vacant. It then makes all jobs in r.changed, whose nodes
// have changed, stand still for the cost of the change. Without changed jobs there is no cost. The error comes from
// fillVacant or charge.
func (r *run) fillVacantAndCharge(t *simulation.Tally) error {
	if err := r.fillVacant(t); err != nil || len(r.changed) == 0 {
		return err
	}
	return r.charge(t)
}
