package sched

import (
	"cmp"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// epochs shares the machine in space and in time. In every quantum each job in the system has a turn on nodes of its
// own, according to an [EpochSchedule]. A new schedule is made when a job arrives or departs. It begins with the job
// that has been without nodes for the longest time, so no job starves.
//
// A job needs the nodes that its bounds and its memory require, rounded up to units. A job that cannot use all nodes of
// its piece leaves the last ones idle. Jobs that cannot be suspended run from start to end on the last nodes of the
// machine. The other jobs take turns on the nodes before these. While the first job of the queue does not fit beside
// the running jobs, no later job starts.
//
// Reference: C. McCann, J. Zahorjan, Scheduling memory constrained jobs on distributed memory parallel computers,
// Technical Report 94-10-05, University of Washington, 1994.
type epochs struct {
	name              string
	rule              EpochPolicy
	powers            bool // the rule needs a power of two of units
	quantum           float64
	problem           EpochProblem
	schedule          EpochSchedule
	changes           epochChanges
	jobs              []JobID   // jobs of the problem
	limit             int       // number of nodes before the nodes of jobs that cannot be suspended
	taken             []bool    // by node: belongs to a job that cannot be suspended
	withoutNodesSince []float64 // by JobID: time since which a job is without nodes; +Inf if it has some
	begun             float64   // time at which the schedule was begun
	first             int       // unit of the quantum with which it was begun
	passed            int       // units since then
	alarm             float64   // time of the next change within the schedule
	err               error
}

// newEpochs returns the scheduler of policy p, which shares the machine in space and in time by a rule. A quantum of 0
// becomes [policy.DefaultQuantum], 600 units of time. The error says that the rule of p is unknown; the scheduler must
// then not be used.
func newEpochs(p policy.Epochs) (*epochs, error) {
	rule, err := NewEpochPolicy(p)
	return &epochs{name: p.Name(), rule: rule, powers: p.Rule == policy.Buddy || p.Rule == policy.Hybrid,
		quantum: cmp.Or(p.Quantum, policy.DefaultQuantum)}, err
}

// Name returns the name of the policy.
func (e *epochs) Name() string { return e.name }

// Err returns the reason why the last schedule could not be made, nil if it was made. The machine ends the run with it.
func (e *epochs) Err() error { return e.err }

// Decide makes a new schedule if events hold arrivals or departures, and otherwise continues the present schedule at
// the alarm of its next change. An alarm that belongs to an earlier schedule changes nothing. The actions are appended
// to do and returned. If no schedule can be made, e.err tells why.
func (e *epochs) Decide(v View, events []Event, do []Action) []Action {
	came, left := count(events, Arrival), count(events, Departure)
	switch {
	case came+left > 0:
		for _, why := range events[:came] {
			e.arrive(why.Job, v.Now())
		}
		do = e.selectJobs(v, do)
		if !e.makeSchedule(v) {
			return do
		}
		do = e.applySchedule(v, do)
	case v.Now() != e.alarm:
		return do // the alarm belongs to an earlier schedule
	default:
		e.passed += e.changes.after(e.presentUnit()) - e.presentUnit()
		do = e.changePieces(v, do)
	}
	return e.requestAlarm(do)
}

// arrive records in e.withoutNodesSince that job j, which has arrived, is without nodes from time now on. A new
// schedule begins with the job that has been without nodes longest.
func (e *epochs) arrive(j JobID, now float64) {
	for int(j) >= len(e.withoutNodesSince) {
		e.withoutNodesSince = append(e.withoutNodesSince, 0)
	}
	e.withoutNodesSince[j] = now
}

// selectJobs selects the malleable jobs, which can be suspended and share nodes in time, into e.jobs and e.problem. It
// also appends actions to do that start other jobs, each on the last free range of nodes, where it stays until its end.
// Running jobs come first, then the queue in its order, up to the first job that does not fit. A malleable job does not
// fit if it, or another job of e.problem, needs more units than the rule can divide. Any other job does not fit if
// [epochs.lastFreeRange] finds no range for it. e.problem.Min gets the units that each malleable job needs;
// e.problem.Nodes stays. e.taken then says of each node whether it belongs to a job that is not malleable. e.limit is
// the number of nodes before all such nodes.
func (e *epochs) selectJobs(v View, do []Action) []Action {
	e.jobs, e.problem.Min = e.jobs[:0], e.problem.Min[:0]
	e.limit = v.Nodes()
	e.taken = zeros(e.taken, v.Nodes())
	for _, j := range v.s.running {
		if v.Job(j).Kind == workload.Malleable {
			e.addJob(v, j)
		} else {
			e.markTaken(v.Offset(j), v.Held(j))
		}
	}
	for i := range v.Waiting() {
		j := v.Queued(i).Job
		if v.Job(j).Kind == workload.Malleable {
			e.addJob(v, j)
			if e.usableUnits(v, e.limit) < e.mostUnitsNeeded() {
				e.jobs, e.problem.Min = e.jobs[:len(e.jobs)-1], e.problem.Min[:len(e.jobs)-1]
				return do
			}
			continue
		}
		nodes := v.Asked(j)
		if nodes == 0 {
			nodes, _ = nodeBounds(v, j)
		}
		offset := e.lastFreeRange(v, nodes)
		if offset < 0 {
			return do
		}
		e.markTaken(offset, nodes)
		do = append(do, Place(j, offset, nodes))
	}
	return do
}

// markTaken marks the given number of nodes from offset on, in e.taken, as nodes of a job that cannot be suspended. e.limit
// becomes offset if it was larger: the jobs that share nodes in time have the nodes before e.limit.
func (e *epochs) markTaken(offset, nodes int) {
	e.limit = min(e.limit, offset)
	for i := range nodes {
		e.taken[offset+i] = true
	}
}

// usableUnits returns how many of the units of so many nodes the rule can divide: all, or a power of two under BUDDY
// and HYBRID.
func (e *epochs) usableUnits(v View, nodes int) int {
	units := nodes / v.Unit()
	if e.powers && units > 0 {
		units = largestPower(units)
	}
	return units
}

// mostUnitsNeeded returns the largest number of units that any job of e.problem needs to run. So many must stay usable.
func (e *epochs) mostUnitsNeeded() int {
	most := 0
	for _, m := range e.problem.Min {
		most = max(most, m)
	}
	return most
}

// lastFreeRange returns the first node of the last range of so many adjacent nodes that are free in the plan e.taken. A
// job that cannot be suspended gets this range. The result is −1 if no range is large enough. It is also −1 if a range
// that begins before e.limit leaves too few usable units for the largest need in e.problem.
func (e *epochs) lastFreeRange(v View, nodes int) int {
	free := 0
	for i := v.Nodes() - 1; i >= 0; i-- {
		free++
		if e.taken[i] {
			free = 0
		}
		if free == nodes {
			if i < e.limit && e.usableUnits(v, i) < e.mostUnitsNeeded() {
				return -1
			}
			return i
		}
	}
	return -1
}

// makeSchedule makes e.schedule for the jobs e.jobs, which share the nodes in time, and begins it now. It begins with
// the piece of the job that has been without nodes for the longest time. e.problem gets the number of units that the
// rule divides; e.begun, e.first and e.passed say where the schedule stands. The alarm of an earlier schedule is no
// longer valid. The result is false without a schedule: e.err tells why, or e.jobs is empty.
func (e *epochs) makeSchedule(v View) bool {
	e.problem.Nodes = e.usableUnits(v, e.limit)
	e.alarm = math.Inf(1)
	if len(e.jobs) == 0 {
		return false
	}
	if e.err = e.rule.Schedule(e.problem, &e.schedule); e.err != nil {
		e.err = fmt.Errorf("with %d jobs: %w", len(e.jobs), e.err)
		return false
	}
	e.changes.list(&e.schedule, len(e.jobs))
	e.begun, e.first, e.passed = v.Now(), 0, 0
	longest := math.Inf(1)
	for i := range e.schedule.Pieces {
		q := &e.schedule.Pieces[i]
		if since := e.withoutNodesSince[e.jobs[q.Job]]; since < longest {
			longest, e.first = since, q.Start
		}
	}
	return true
}

// addJob adds job j, which can be suspended, to e.jobs, and the number of units that it needs, rounded up, to
// e.problem.
func (e *epochs) addJob(v View, j JobID) {
	e.jobs = append(e.jobs, j)
	e.problem.Min = append(e.problem.Min, (v.Least(j)+v.Unit()-1)/v.Unit())
}

// presentUnit returns which unit of the quantum it is now, from 0, by the changes of the schedule so far. A quantum is
// divided into as many units as e.jobs has jobs; there must be a job.
func (e *epochs) presentUnit() int { return (e.first + e.passed) % len(e.jobs) }

// applySchedule appends actions to do that begin a new schedule: jobs of the present unit of the quantum get their
// nodes, and the others are suspended. See [epochs.applyPiece].
func (e *epochs) applySchedule(v View, do []Action) []Action {
	for i := range e.schedule.Pieces {
		do = e.applyPiece(v, i, do)
	}
	return do
}

// changePieces appends actions to do for the pieces that start or end at the present unit of the quantum, in the order
// of the schedule. All other jobs keep what they have, so that an alarm takes no time for them.
func (e *epochs) changePieces(v View, do []Action) []Action {
	for _, i := range e.changes.at(e.presentUnit()) {
		do = e.applyPiece(v, i, do)
	}
	return do
}

// isActive reports whether the present unit of the quantum lies within piece i of e.schedule, so that its job has nodes.
func (e *epochs) isActive(i int) bool {
	now, q := e.presentUnit(), &e.schedule.Pieces[i]
	return q.Start <= now && now < q.End
}

// applyPiece appends an action to do if the job of piece i has other nodes than the present unit of the quantum gives it.
// The action gives the job the nodes of its piece, from the first node on, but no more than the job can use. Outside its
// piece the job is suspended. e.withoutNodesSince is updated.
func (e *epochs) applyPiece(v View, i int, do []Action) []Action {
	q := &e.schedule.Pieces[i]
	j := e.jobs[q.Job]
	if !e.isActive(i) {
		if v.Held(j) > 0 {
			do = append(do, Suspend(j))
			e.withoutNodesSince[j] = v.Now()
		}
		return do
	}
	e.withoutNodesSince[j] = math.Inf(1)
	nodes, offset := min(q.Width, v.Most(j)/v.Unit())*v.Unit(), q.Offset*v.Unit()
	if v.Held(j) != nodes || v.Offset(j) != offset {
		do = append(do, Place(j, offset, nodes))
	}
	return do
}

// requestAlarm sets e.alarm to the time of the next change of the schedule, and appends the request for this alarm to
// do. If every piece fills the quantum, all jobs always run, and do is returned as it is.
func (e *epochs) requestAlarm(do []Action) []Action {
	if len(e.changes.pieces) == 0 {
		return do
	}
	now := e.presentUnit()
	units := e.passed + e.changes.after(now) - now
	e.alarm = e.begun + float64(units)/float64(len(e.jobs))*e.quantum
	return append(do, Wake(e.alarm))
}
