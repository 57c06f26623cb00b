package sched

import (
	"cmp"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// epochs shares the machine in space and in time. In every quantum each job in the system has a turn on nodes of its own,
// according to an [EpochSchedule]. A new schedule is made when a job arrives or departs. It begins with the job that has
// been without nodes for the longest time, so no job starves.
//
// A job needs the nodes that its bounds and its memory require, rounded up to units. A job that cannot use all nodes of
// its piece leaves the last ones idle. Jobs that cannot be suspended run from start to end on the last nodes of the
// machine; the other jobs take turns on the nodes before these. While the first job of the queue does not fit beside the
// running jobs, no later job starts.
//
// Reference: C. McCann, J. Zahorjan, Scheduling memory constrained jobs on distributed memory parallel computers,
// Technical Report 94-10-05, University of Washington, 1994.
type epochs struct {
	name     string
	rule     EpochPolicy
	powers   bool // the rule needs a power of two of units
	quantum  float64
	problem  EpochProblem
	schedule EpochSchedule
	jobs     []JobID   // jobs of the problem
	limit    int       // number of nodes before those of jobs that cannot be suspended
	taken    []bool    // by node: belongs to a job that cannot be suspended
	without  []float64 // by JobID: time since which a job is without nodes; +Inf if it has some
	begun    float64   // time at which the schedule was begun
	first    int       // unit of the quantum with which it was begun
	passed   int       // units since then
	alarm    float64   // time of the next change within the schedule
	err      error
}

// newEpochs returns the scheduler of a rule for schedules of a quantum. The error says that the rule is unknown.
func newEpochs(p policy.Epochs) (*epochs, error) {
	rule, err := NewEpochPolicy(p)
	return &epochs{name: p.Name(), rule: rule, powers: p.Rule == policy.Buddy || p.Rule == policy.Hybrid,
		quantum: cmp.Or(p.Quantum, policy.DefaultQuantum)}, err
}

// Name returns the name of the rule.
func (e *epochs) Name() string { return e.name }

// Err returns the reason why the last schedule could not be made, nil if it was made.
func (e *epochs) Err() error { return e.err }

// Decide makes a new schedule after arrivals and departures, and otherwise continues the present one.
func (e *epochs) Decide(v View, events []Event, do []Action) []Action {
	came, left := count(events, Arrival), count(events, Departure)
	switch {
	case came+left > 0:
		for _, why := range events[:came] {
			e.arrive(why.Job, v.Now())
		}
		do = e.admit(v, do)
		if !e.plan(v) {
			return do
		}
	case v.Now() != e.alarm:
		return do // the alarm belongs to an earlier schedule
	default:
		e.passed += e.change() - e.unit()
	}
	return e.follow(v, do)
}

// arrive records that an arrived job is without nodes from now on.
func (e *epochs) arrive(j JobID, now float64) {
	for int(j) >= len(e.without) {
		e.without = append(e.without, 0)
	}
	e.without[j] = now
}

// admit selects the jobs that take turns, and appends actions that start jobs which cannot be suspended. It goes
// through the queue in its order, while the jobs fit.
func (e *epochs) admit(v View, do []Action) []Action {
	e.jobs, e.problem.Min = e.jobs[:0], e.problem.Min[:0]
	e.limit = v.Nodes()
	e.taken = append(e.taken[:0], make([]bool, v.Nodes())...)
	for _, j := range v.s.running {
		if v.Job(j).Kind == workload.Malleable {
			e.add(v, j)
		} else {
			e.take(v.Offset(j), v.Held(j))
		}
	}
	for i := range v.Waiting() {
		j := v.Queued(i).Job
		if v.Job(j).Kind == workload.Malleable {
			e.add(v, j)
			if e.usable(v, e.limit) < e.needed() {
				e.jobs, e.problem.Min = e.jobs[:len(e.jobs)-1], e.problem.Min[:len(e.jobs)-1]
				return do
			}
			continue
		}
		nodes := v.Asked(j)
		if nodes == 0 {
			nodes, _ = bounds(v, j)
		}
		offset := e.room(v, nodes)
		if offset < 0 {
			return do
		}
		e.take(offset, nodes)
		do = append(do, Place(j, offset, nodes))
	}
	return do
}

// take marks nodes as those of a job that cannot be suspended, in e.taken.
func (e *epochs) take(offset, nodes int) {
	e.limit = min(e.limit, offset)
	for i := range nodes {
		e.taken[offset+i] = true
	}
}

// usable returns the number of units, of so many nodes, that the rule can divide.
func (e *epochs) usable(v View, nodes int) int {
	units := nodes / v.Unit()
	if e.powers && units > 0 {
		units = largestPower(units)
	}
	return units
}

// needed returns the largest number of units that a job that takes turns needs.
func (e *epochs) needed() int {
	most := 0
	for _, m := range e.problem.Min {
		most = max(most, m)
	}
	return most
}

// room returns the first node of the last free range of so many nodes. It returns −1 if there is none, or if too few
// nodes would be left for the jobs that take turns.
func (e *epochs) room(v View, nodes int) int {
	free := 0
	for i := v.Nodes() - 1; i >= 0; i-- {
		free++
		if e.taken[i] {
			free = 0
		}
		if free == nodes {
			if i < e.limit && e.usable(v, i) < e.needed() {
				return -1
			}
			return i
		}
	}
	return -1
}

// plan makes a schedule of the jobs that take turns and begins it now. It reports whether there is a schedule; if not,
// e.err tells why.
func (e *epochs) plan(v View) bool {
	e.problem.Nodes = e.usable(v, e.limit)
	e.alarm = math.Inf(1)
	if len(e.jobs) == 0 {
		return false
	}
	if e.err = e.rule.Schedule(e.problem, &e.schedule); e.err != nil {
		e.err = fmt.Errorf("with %d jobs: %w", len(e.jobs), e.err)
		return false
	}
	e.begun, e.first, e.passed = v.Now(), 0, 0
	longest := math.Inf(1)
	for i := range e.schedule.Pieces {
		q := &e.schedule.Pieces[i]
		if since := e.without[e.jobs[q.Job]]; since < longest {
			longest, e.first = since, q.Start
		}
	}
	return true
}

// add adds a job that takes turns to the jobs of the problem, with the number of units that it needs.
func (e *epochs) add(v View, j JobID) {
	e.jobs = append(e.jobs, j)
	e.problem.Min = append(e.problem.Min, (v.Least(j)+v.Unit()-1)/v.Unit())
}

// unit returns the index of the unit of the quantum that begins now.
func (e *epochs) unit() int { return (e.first + e.passed) % len(e.jobs) }

// change returns the end of the present unit or of a later one, after which the next job gets or loses its nodes.
func (e *epochs) change() int {
	now := e.unit()
	next := len(e.jobs)
	for i := range e.schedule.Pieces {
		q := &e.schedule.Pieces[i]
		if q.Start > now {
			next = min(next, q.Start)
		}
		if q.End > now {
			next = min(next, q.End)
		}
	}
	return next
}

// follow gives the jobs of the present unit their nodes, suspends the others, and requests an alarm for the next change.
func (e *epochs) follow(v View, do []Action) []Action {
	now, all := e.unit(), true
	for i := range e.schedule.Pieces {
		q := &e.schedule.Pieces[i]
		j := e.jobs[q.Job]
		if now < q.Start || now >= q.End {
			all = false
			if v.Held(j) > 0 {
				do = append(do, Suspend(j))
				e.without[j] = v.Now()
			}
			continue
		}
		e.without[j] = math.Inf(1)
		nodes, offset := min(q.Width, v.Most(j)/v.Unit())*v.Unit(), q.Offset*v.Unit()
		if v.Held(j) != nodes || v.Offset(j) != offset {
			do = append(do, Place(j, offset, nodes))
		}
	}
	if all {
		return do // all jobs always run
	}
	units := e.passed + e.change() - now
	e.alarm = e.begun + float64(units)/float64(len(e.jobs))*e.quantum
	return append(do, Wake(e.alarm))
}
