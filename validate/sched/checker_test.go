package sched_test

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// checker observes a run. Its checks are written from the definitions of the policies and share nothing with them. Of every run it
// holds that
//
//   - no job starts before its submission, none ends before its start, each does the whole of its work, and a job that
//     nothing disturbed runs exactly as long as it should;
//   - running jobs never hold more nodes than there are, nor two of them the same one, and each holds what it may: a
//     rigid job what it asks for, a moldable one what it was started on, a malleable one any number between its least
//     and its most;
//   - records tell the node-time of a job, and the time that it stood still;
//   - jobs are shown by their expected ends, of the same end by their starts, and all that have nodes have one;
//
// of a policy called "fcfs" that jobs start in the order in which they came; of "fcfs" and "easy" that the first of the
// queue waits only where there are too few nodes for it; of "easy" that it starts no later than the earliest shadow
// time it had; of "dynamic", "capped" and "easy-malleable" that jobs share the machine as evenly as their bounds allow,
// no node that one could use is idle, and jobs wait only where they do not fit; and of a [sched.Promiser] that a job starts no later
// than promised, and no promise is taken back.
type checker struct {
	config   machine.Config
	policy   sched.Policy    // of the run
	jobs     map[int]*course // that run, by number
	promised map[int]float64 // to those that wait, by number
	head     int             // number of the head of the queue at the last event, −1 if there was none
	shadow   float64         // the earliest shadow time that it had
	err      error
}

// course is what a checker has seen of a job that runs.
type course struct {
	held    int // nodes that it is on since the last event
	offset  int
	moved   bool // to other nodes, while it ran
	speed   float64
	working bool
	ended   bool // which the policy has yet to hear of, where jobs are resized together
	since   float64
	pieces  int // that the following are sums of

	done, nodeTime, paused float64
}

// watch returns the configuration with a checker that observes it, besides those who do already. A checker is good for
// one run.
func watch(c machine.Config) (machine.Config, *checker) {
	k := &checker{config: c, jobs: map[int]*course{}, promised: map[int]float64{}, head: -1}
	observe, done := c.Observe, c.Done
	if c.Policy != nil {
		c.Policy = watched{c.Policy, k}
	}
	c.Observe = func(v sched.View, events []sched.Event) {
		k.observe(v)
		if observe != nil {
			observe(v, events)
		}
	}
	c.Done = func(r *machine.Record) {
		k.record(r)
		if done != nil {
			done(r)
		}
	}
	return c, k
}

// watched tells the checker of the scheduler that it makes.
type watched struct {
	policy.Policy
	k *checker
}

// Scheduler returns a scheduler of the policy.
func (m watched) Scheduler() (sched.Policy, error) {
	s, err := sched.New(m.Policy)
	m.k.policy = s
	return s, err
}

// Err returns the first violation.
func (k *checker) Err() error { return k.err }

func (k *checker) failf(format string, args ...any) {
	if k.err == nil {
		k.err = fmt.Errorf("policy "+k.policy.Name()+": "+format, args...)
	}
}

// record checks the life of a job that has ended.
func (k *checker) record(r *machine.Record) {
	c := k.jobs[r.Number]
	undisturbed := r.Resized == 0 && r.Paused == 0 && k.config.Setup.IsZero() && (c == nil || !c.moved)
	switch {
	case r.Start < r.Submit || r.End < r.Start:
		k.failf("job %d is submitted at %v, starts at %v and ends at %v", r.ID, r.Submit, r.Start, r.End)
	case undisturbed && r.End != r.Start+r.RunOn(r.Held):
		k.failf("job %d runs from %v to %v, it should take %v", r.ID, r.Start, r.End, r.RunOn(r.Held))
	case r.Start > r.Promised: // false where nothing was promised
		k.failf("job %d starts at %v, %v was promised", r.ID, r.Start, r.Promised)
	}
	k.sums(r, c)
	delete(k.jobs, r.Number)
	delete(k.promised, r.Number)
}

// sums checks what a job has done, and what its record says of its time.
func (k *checker) sums(r *machine.Record, c *course) {
	if c == nil {
		k.failf("job %d ends and never ran", r.ID)
		return
	}
	// A piece is the difference of two readings of the clock, each rounded to 2⁻⁵³ of it; twice that for what is done
	// to them.
	rounding := float64(c.pieces+2) * 0x1p-51 * max(math.Abs(r.End), math.Abs(r.Start))
	off := func(a, b, rate float64) bool { return math.Abs(a-b) > rounding*rate+1e-12*math.Abs(b) }
	switch {
	case k.config.Setup.IsZero() && off(c.done, r.Work, r.SpeedupOn(r.Widest)):
		k.failf("job %d ends after the work %v of %v", r.ID, c.done, r.Work)
	case off(c.nodeTime, r.NodeTime, float64(r.Widest)):
		k.failf("job %d held nodes for %v, its record says %v", r.ID, c.nodeTime, r.NodeTime)
	case off(c.paused, r.Paused, 1):
		k.failf("job %d stood still for %v, its record says %v", r.ID, c.paused, r.Paused)
	}
}

func (k *checker) observe(v sched.View) {
	for _, c := range k.jobs {
		c.advance(v.Now())
		c.ended = true
	}
	held, occupied := 0, 0
	for i := range v.Running() {
		j := v.Started(i)
		held += v.Held(j)
		occupied += v.Occupied(j)
		k.follow(v, j)
	}
	if occupied > v.Nodes() {
		k.failf("at %v running jobs are on %d of %d nodes", v.Now(), occupied, v.Nodes())
	}
	if held > v.Nodes() || held+v.Free() != v.Nodes() {
		k.failf("at %v running jobs hold %d of %d nodes, %d are free", v.Now(), held, v.Nodes(), v.Free())
	}
	k.disjoint(v)
	k.order(v)
	if p, ok := k.policy.(sched.Promiser); ok {
		k.promises(v, p)
	}
	if k.config.Points.Together {
		return // jobs that have come may wait for the end of a repartition
	}
	switch k.policy.Name() {
	case "fcfs", "easy":
		k.watchHead(v)
	case "dynamic", "capped", "easy-malleable":
		k.even(v)
	}
}

// advance adds up the time since the last event.
func (c *course) advance(now float64) {
	dt := now - c.since
	c.since = now
	if dt == 0 || c.ended {
		return
	}
	c.pieces++
	c.nodeTime += dt * float64(c.held)
	if c.working {
		c.done += dt * c.speed
	} else {
		c.paused += dt
	}
}

// follow looks at what a running job does from now on.
func (k *checker) follow(v sched.View, j sched.JobID) {
	c := k.jobs[v.Number(j)]
	first := c == nil
	if first && v.Occupied(j) == 0 && !k.config.Points.Everywhere() {
		return // it waits for the nodes that it was given
	}
	if first {
		k.started(v, j)
		c = &course{since: v.Now(), offset: v.Offset(j)}
		k.jobs[v.Number(j)] = c
	}
	c.working, c.ended = v.Working(j), false
	if v.Held(j) > 0 && math.IsInf(v.Expected(j), 1) {
		k.failf("at %v job %d has %d nodes and is expected to end never", v.Now(), v.Job(j).ID, v.Held(j))
	}
	held := v.Occupied(j)
	c.moved = c.moved || c.offset != v.Offset(j)
	c.offset = v.Offset(j)
	if !first && held == c.held {
		return
	}
	job := v.Job(j)
	least, most := v.Least(j), v.Most(j)
	switch {
	case first && held == 0, held < 0:
		k.failf("job %d runs on %d nodes", job.ID, held)
	case job.Kind == workload.Rigid && held != job.Nodes:
		k.failf("job %d asks for %d nodes and holds %d", job.ID, job.Nodes, held)
	case job.Kind == workload.Moldable && !first:
		k.failf("job %d started on %d nodes and holds %d", job.ID, c.held, held)
	case held > 0 && (held < least || held > most):
		k.failf("job %d runs on %d to %d nodes and holds %d", job.ID, least, most, held)
	case held%v.Unit() != 0 && held != v.Asked(j):
		k.failf("job %d holds %d nodes, not a multiple of %d", job.ID, held, v.Unit())
	}
	if c.held = held; held > 0 {
		c.speed = job.SpeedupOn(held)
	}
}

// started checks a job that has just been started.
func (k *checker) started(v sched.View, j sched.JobID) {
	n := v.Number(j)
	if k.policy.Name() == "fcfs" && v.Waiting() > 0 && v.Number(v.Queued(0).Job) < n {
		k.failf("job %d overtakes job %d", v.Job(j).ID, v.Job(v.Queued(0).Job).ID)
	}
	if n == k.head && k.policy.Name() == "easy" && v.Now() > k.shadow {
		k.failf("job %d starts at %v, its shadow time was %v", v.Job(j).ID, v.Now(), k.shadow)
	}
}

// disjoint checks that no two jobs were placed on the same node.
func (k *checker) disjoint(v sched.View) {
	for i := range v.Running() {
		a := v.Started(i)
		from, to := v.Offset(a), v.Offset(a)+v.Held(a)
		if from < 0 {
			continue
		}
		if to > v.Nodes() {
			k.failf("job %d has the nodes %d to %d of %d", v.Job(a).ID, from, to-1, v.Nodes())
		}
		for l := range i {
			b := v.Started(l)
			if o := v.Offset(b); o >= 0 && o < to && from < o+v.Held(b) {
				k.failf("jobs %d and %d share nodes from %d on", v.Job(a).ID, v.Job(b).ID, max(from, o))
			}
		}
	}
}

// order checks that all running jobs are shown by their expected ends, and of the same end by their starts.
func (k *checker) order(v sched.View) {
	var last sched.Ending
	for i := range v.Running() {
		e := v.Ending(i)
		if e.At != v.Expected(e.Job) || e.Nodes != v.Held(e.Job) {
			k.failf("at %v job %d is said to leave %d nodes at %v, it has %d and is expected to end at %v",
				v.Now(), v.Job(e.Job).ID, e.Nodes, e.At, v.Held(e.Job), v.Expected(e.Job))
		}
		if i > 0 && (e.At < last.At || e.At == last.At && place(v, e.Job) <= place(v, last.Job)) {
			k.failf("at %v job %d comes after job %d in the order of ends", v.Now(), v.Job(e.Job).ID, v.Job(last.Job).ID)
		}
		last = e
	}
}

// place returns the place of a running job in the order of the starts.
func place(v sched.View, j sched.JobID) int {
	for i := range v.Running() {
		if v.Started(i) == j {
			return i
		}
	}
	return -1
}

// watchHead follows the first of the queue. Nodes of jobs that are expected to end right now may be on their way.
func (k *checker) watchHead(v sched.View) {
	if v.Waiting() == 0 {
		k.head = -1
		return
	}
	j := v.Queued(0).Job
	nodes := v.Asked(j)
	if nodes <= v.Free() {
		k.failf("job %d waits at %v for %d nodes, %d are free", v.Job(j).ID, v.Now(), nodes, v.Free())
	}
	if n := v.Number(j); n != k.head {
		k.head, k.shadow = n, math.Inf(1)
	}
	k.shadow = min(k.shadow, freeFrom(v, nodes))
	if v.Now() > k.shadow {
		k.failf("job %d waits at %v, its shadow time was %v", v.Job(j).ID, v.Now(), k.shadow)
	}
}

// freeFrom returns the time from which, by the estimates, that many nodes will be free.
func freeFrom(v sched.View, nodes int) float64 {
	free := v.Free()
	for i := range v.Running() {
		e := v.Ending(i)
		if free += e.Nodes; free >= nodes {
			return e.At
		}
	}
	return math.Inf(1)
}

// promises checks that none is broken or taken back.
func (k *checker) promises(v sched.View, p sched.Promiser) {
	for i := range v.Waiting() {
		j := v.Queued(i).Job
		at, n := p.Promised(j), v.Number(j)
		if before, ok := k.promised[n]; ok && at > before {
			k.failf("job %d is promised %v, it was promised %v", v.Job(j).ID, at, before)
		}
		if at < v.Now() {
			k.failf("job %d was promised %v and still waits at %v", v.Job(j).ID, at, v.Now())
		}
		k.promised[n] = at
	}
}

// even checks that jobs share the machine as evenly as their bounds allow, and that only those wait that do not fit.
func (k *checker) even(v sched.View) {
	unit := v.Unit()
	// Nodes that all need, the largest job that could shrink, and the smallest that could grow.
	needed, largest, smallest := 0, 0, math.MaxInt
	for i := range v.Running() {
		j := v.Started(i)
		size, least := v.Held(j), fewestNodes(v, j)
		if v.Job(j).Kind != workload.Malleable {
			needed += size
			continue
		}
		needed += least
		if size > least {
			largest = max(largest, size)
		}
		if size+unit <= v.Most(j) {
			smallest = min(smallest, size)
		}
	}
	if smallest < math.MaxInt && largest > smallest+unit {
		k.failf("at %v a job has %d nodes and another %d", v.Now(), largest, smallest)
	}
	if smallest < math.MaxInt && v.Free() >= unit {
		k.failf("at %v %d nodes are idle, and a job has %d and could use more", v.Now(), v.Free(), smallest)
	}
	places := v.Nodes() / unit
	if c, ok := k.config.Policy.(policy.Capped); ok {
		places = c.Jobs
	}
	if v.Waiting() > 0 && v.Running() < places && needed+fewestNodes(v, v.Queued(0).Job) <= v.Nodes() {
		k.failf("at %v job %d waits; it could share the machine", v.Now(), v.Job(v.Queued(0).Job).ID)
	}
}

// fewestNodes returns the fewest nodes that a job may be given: a multiple of the unit, or what it asks for if none will do.
func fewestNodes(v sched.View, j sched.JobID) int {
	n := v.Least(j)
	for n%v.Unit() != 0 {
		n++
	}
	if n > v.Most(j) {
		return v.Asked(j)
	}
	return n
}
