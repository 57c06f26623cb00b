package machine

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/sched"
	"github.com/partwise/partwise/validate/sim"
)

// occurrence is an event in the calendar.
type occurrence struct {
	kind occurrenceKind
	job  sched.JobID
}

type occurrenceKind uint8

// The kinds of occurrences, in the order in which those of the same time are told.
const (
	departs occurrenceKind = iota
	resumes
	wakes
)

// rank orders occurrences of the same time: by their kinds, and departures by the order of the starts.
func (k occurrenceKind) rank(start uint64) uint64 { return uint64(k)<<56 | start }

// run is a machine at a moment of its life.
type run struct {
	*Machine
	state     *sched.State
	view      sched.View
	overheads des.Stream
	random    des.Stream // of the policy
	policy    sched.Policy
	promiser  sched.Promiser // the policy, if it is one
	estimator workload.Estimator
	learner   workload.Learner // the estimator, if it is one
	guess     des.Stream       // of the estimate of a job
	watch     func(response float64)

	now      float64
	source   workload.Source
	next     workload.Job // the job to come, if there is one
	more     bool
	err      error // of the source; the run is over
	calendar des.Calendar[occurrence]
	jobs     []progress // by name
	present  int        // jobs in the system
	most     int        // and the most of them so far
	arrived  uint64
	started  uint64
	atWork   int     // jobs that make progress,
	working  int     // the nodes that they hold,
	useful   float64 // and the sum of their speedups;
	setups   float64 // what it has counted of set-ups, which are no work, since a tally was last corrected
	paused   bool    // a reconfiguration is under way
	resume   des.Ticket
	instant  int // alarms at this time
	do       []sched.Action
	touched  []sched.JobID // by the decision being carried out, where changes cost something,
	change   Change        // and what it changes
	record   Record
}

// progress is how far a job has come.
type progress struct {
	speed     float64 // on the nodes that it holds
	left      float64 // of the work, at time since
	setup     float64 // of the set-up, at time since
	setupTime float64 // the whole set-up
	since     float64
	due       des.Ticket
	rank      uint64 // its number in the order of the starts
	fresh     bool   // nothing is done of it
	working   bool   // makes progress
	stopped   bool   // stands still for the reconfiguration under way
	killed    bool
	promised  float64
	away      bool // off its nodes while others take them, within a decision
	had       int  // the nodes that it then had
	from      int  // and the first of them, −1 if it was not placed

	// For the record.
	counted        float64 // time up to which the following is counted
	nodeTime       float64
	paused         float64
	busy           float64 // node-time of work in the window
	done           float64 // and the work
	first          int
	fewest, widest int
	resized        int
}

// Start returns the empty machine, its random numbers below key.
func (m *Machine) Start(key des.Key) sim.Run { return m.start(key) }

func (m *Machine) start(key des.Key) *run {
	r := &run{
		Machine:   m,
		overheads: key.At(sim.OverheadStream).Stream(),
		random:    key.At(sim.PolicyStream).Stream(),
		source:    m.Jobs.Jobs(key),
	}
	r.policy, r.err = sched.New(m.Policy)
	r.promiser, _ = r.policy.(sched.Promiser)
	if m.Estimates != nil {
		r.estimator = m.Estimates.New()
		r.learner, _ = r.estimator.(workload.Learner)
	}
	r.state = sched.NewState(m.Nodes, m.Unit, m.NodeMemory, m.Load, &r.random)
	r.view = r.state.View()
	r.announce(math.Inf(-1))
	if r.now = m.Jobs.Begins(); math.IsNaN(r.now) {
		r.now = r.next.Submit
	}
	r.state.Elapse(r.now)
	return r
}

// Watch makes the run tell the response time of every job that departs.
func (r *run) Watch(f func(response float64)) { r.watch = f }

// Advance simulates until n more jobs have departed and adds what happened to t. It returns the error of the source, a
// *[PolicyError] if the policy asks for what cannot be, and [ErrEnded] when all jobs have departed.
func (r *run) Advance(n int, t *sim.Tally) error {
	for n > 0 {
		if r.err != nil {
			return r.err
		}
		at, due := r.calendar.Peek()
		var why sched.Event
		switch {
		case r.more && (!due || r.next.Submit <= at):
			r.elapse(r.next.Submit, t)
			why = r.arrive(t)
		case !due:
			return r.ended()
		default:
			_, what, _ := r.calendar.Next()
			r.elapse(at, t)
			switch what.kind {
			case departs:
				why = r.depart(what.job, t)
				n--
			case resumes:
				r.release()
				t[sim.Events]++
				if r.Observe != nil {
					r.Observe(r.view, sched.Event{Kind: sched.Resume})
				}
				continue
			case wakes:
				why = sched.Event{Kind: sched.Alarm}
			}
		}
		t[sim.Events]++
		if err := r.settle(why, t); err != nil {
			r.err = err
			return err
		}
	}
	return nil
}

// Renew simulates to the next arrival that finds the machine empty; see [sim.Run].
func (r *run) Renew(limit int, t *sim.Tally) (renewed bool, err error) {
	for ; limit > 0; limit-- {
		if err := r.Advance(1, t); err != nil {
			return false, err
		}
		if r.more && r.present == 0 && r.calendar.Len() == 0 {
			r.elapse(r.next.Submit, t)
			return true, nil
		}
	}
	return false, nil
}

// announce reads the job to come, after one that was submitted at last.
func (r *run) announce(last float64) {
	switch err := r.source.Next(&r.next); {
	case err == nil:
		r.more = true
		if r.next.Submit < last {
			err = &workload.OrderError{ID: r.next.ID, Submit: r.next.Submit, Last: last}
		} else {
			err = r.check(&r.next)
		}
		if err != nil {
			r.err = fmt.Errorf("machine: %w", err)
		}
	default:
		r.more = false
		if !isEnd(err) {
			r.err = err
		}
	}
}

// check returns what keeps a job from running on the machine under any policy.
func (r *run) check(job *workload.Job) error {
	if err := job.Check(r.Nodes); err != nil {
		return err
	}
	least, most := job.Least(r.NodeMemory), job.Most(r.Nodes)
	switch {
	case least > most:
		return fmt.Errorf("job %d needs the memory of %d nodes and runs on %d at most", job.ID, least, most)
	case job.Asked(r.Nodes) == 0 && most/r.Unit*r.Unit < least:
		return fmt.Errorf("job %d runs on %d to %d nodes: no multiple of %d", job.ID, least, most, r.Unit)
	}
	return nil
}

// ended says why nothing will happen any more.
func (r *run) ended() error {
	if r.present > 0 {
		return &PolicyError{r.policy.Name(), fmt.Errorf("%d jobs were never finished", r.present)}
	}
	return ErrEnded
}

func (r *run) elapse(to float64, t *sim.Tally) {
	dt := to - r.now
	if dt == 0 {
		return
	}
	r.now = to
	r.state.Elapse(to)
	r.instant = 0
	waiting := float64(r.view.Waiting())
	jobs := float64(r.present)
	t[sim.Elapsed] += dt
	t[sim.JobTime] += dt * jobs
	t[sim.JobSquareTime] += dt * jobs * jobs
	t[sim.QueueTime] += dt * waiting
	t[sim.ExecutingTime] += dt * float64(r.atWork)
	t[sim.BusyTime] += dt * float64(r.working) / float64(r.Nodes)
	t[sim.UsefulTime] += dt * r.useful / float64(r.Nodes)
	r.correct(t)
	if r.present == 0 {
		t[sim.EmptyTime] += dt
	}
	if r.paused {
		t[sim.PausedTime] += dt
	}
}

// correct takes set-ups out of the useful work of a tally.
func (r *run) correct(t *sim.Tally) {
	t[sim.UsefulTime] -= r.setups / float64(r.Nodes)
	r.setups = 0
}

// arrive puts the job to come into the queue and reads the one after it.
func (r *run) arrive(t *sim.Tally) sched.Event {
	t[sim.Arrived]++
	job := &r.next
	killed := r.plan(job)
	id := r.state.Arrive(job)
	for int(id) >= len(r.jobs) {
		r.jobs = append(r.jobs, progress{})
	}
	r.jobs[id] = progress{left: job.Work, fresh: true, killed: killed, promised: math.NaN()}
	r.present++
	r.most = max(r.most, r.present)
	r.announce(job.Submit)
	return sched.Event{Kind: sched.Arrival, Job: id}
}

// leastReservation is the time that is reserved for a job that is said to take no time at all.
const leastReservation = 1

// plan makes run time and estimate of a job that comes agree, and reports whether the job will be killed.
//
// A job is killed, if the machine kills, at what its user requested where policies plan with that, or a multiple; at
// its estimate otherwise. There a job of no length, which failed before all its nodes were there, reserves but a
// second, as in the independent program that the tests compare with; its user's estimate holds nodes where nothing is
// killed.
func (r *run) plan(job *workload.Job) (killed bool) {
	if r.estimator != nil {
		r.guess = r.Estimates.Key.At(r.arrived).Stream()
		job.Estimate, job.Limit = r.estimator.Estimate(job, r.now, &r.guess), 0
		switch r.estimator.(type) {
		case workload.Logged, workload.Multiplied:
			job.Limit = max(job.Requested, 0)
			job.Estimate = max(job.Estimate, job.Run)
		}
		if r.KillAtEstimate && job.Run == 0 {
			job.Estimate = leastReservation
		}
	}
	r.arrived++
	if r.KillAtEstimate && job.Run > 0 {
		limit := job.Limit
		if limit <= 0 {
			limit = job.Estimate
		}
		if killed = 0 < limit && limit < job.Run; killed {
			job.Cut(limit)
		}
	}
	if job.Nodes > 0 {
		job.Estimate = max(job.Estimate, job.RunOn(job.Nodes), leastReservation)
	}
	return killed
}

// depart takes a job that is done off its nodes.
func (r *run) depart(id sched.JobID, t *sim.Tally) sched.Event {
	p, e := &r.jobs[id], r.state.Entry(id)
	if p.resized > 0 || p.paused > 0 { // of others the record is known without a sum
		r.account(id)
	}
	r.setups += p.setup * p.speed
	r.correct(t)
	r.rest(p, e)
	response := r.now - e.Job.Submit
	t[sim.Departed]++
	t[sim.ResponseSum] += response
	if r.watch != nil {
		r.watch(response)
	}
	why := sched.Event{Kind: sched.Departure, Job: id, Nodes: e.Held}
	r.state.Depart(id)
	r.present--
	if r.present == 0 {
		t[sim.EmptyPeriods]++
	}
	return why
}

// mostAlarms is how many alarms a policy may ask for at one time: more are a policy that goes round in circles.
const mostAlarms = 1 << 16

// settle asks the policy what to do about an event, does it, and tells of it.
func (r *run) settle(why sched.Event, t *sim.Tally) error {
	if why.Kind == sched.Alarm {
		if r.instant++; r.instant > mostAlarms {
			return r.refuse("asks for more than %d alarms at the time %v", mostAlarms, r.now)
		}
	}
	r.do = r.policy.Decide(r.view, why, r.do[:0])
	if err := r.execute(why, t); err != nil {
		return err
	}
	waits := why.Kind == sched.Arrival && r.state.Status(why.Job) == sched.Waits
	if waits {
		t[sim.Queued]++
	}
	if len(r.touched) > 0 {
		r.charge(t)
	}
	if why.Kind == sched.Arrival && r.promiser != nil {
		p := &r.jobs[why.Job]
		if p.promised = r.view.Begun(why.Job); waits {
			p.promised = r.promiser.Promised(why.Job)
		}
	}
	if r.Observe != nil {
		r.Observe(r.view, why)
	}
	if why.Kind == sched.Departure {
		r.tell(why.Job)
	}
	return nil
}

func (r *run) refuse(format string, args ...any) error {
	return &PolicyError{r.policy.Name(), fmt.Errorf(format, args...)}
}

// execute does what the policy asks for, as far as that is on the machine's side: nodes change hands, and the jobs
// that are concerned stand still. What has changed is in r.change.
func (r *run) execute(why sched.Event, t *sim.Tally) error {
	r.touched = r.touched[:0]
	r.change = Change{Why: why.Kind}
	placed := r.state.Placed()
	for i := range r.do {
		placed = placed || r.do[i].Offset >= 0
	}
	for i := 0; placed && i < len(r.do); i++ {
		if a := &r.do[i]; a.Kind == sched.Allocating && r.state.Status(a.Job) == sched.Runs {
			r.vacate(a)
		}
	}
	for i := range r.do {
		a := &r.do[i]
		if a.Kind == sched.Waking {
			if !(a.At >= r.now) || math.IsInf(a.At, 1) {
				return r.refuse("asks for an alarm at %v; it is %v", a.At, r.now)
			}
			r.calendar.ScheduleRanked(a.At, wakes.rank(0), occurrence{kind: wakes})
			continue
		}
		if err := r.allocate(a, t); err != nil {
			return err
		}
	}
	if free := r.view.Free(); free < 0 {
		return r.refuse("hands out %d of %d nodes", r.Nodes-free, r.Nodes)
	}
	r.change.Running = r.view.Running()
	return nil
}

// vacate takes a job that has a place, or is about to get one, off its nodes if an action changes them: in whatever
// order the actions are, jobs can exchange places.
func (r *run) vacate(a *sched.Action) {
	p, e := &r.jobs[a.Job], r.state.Entry(a.Job)
	nodes, offset := e.Held, e.Offset
	if a.Offset < 0 && offset < 0 || p.away || keeps(a, nodes, offset) {
		return
	}
	r.halt(a.Job)
	r.account(a.Job)
	r.state.Hold(a.Job, 0, -1)
	p.away, p.had, p.from = true, nodes, offset
}

// keeps reports whether an action leaves a job on the nodes that it has.
func keeps(a *sched.Action, nodes, offset int) bool {
	return nodes == a.Nodes && (a.Offset < 0 || offset == a.Offset)
}

// allocate changes the nodes of a job, which stands still from then on.
func (r *run) allocate(a *sched.Action, t *sim.Tally) error {
	status := r.state.Status(a.Job)
	if status != sched.Waits && status != sched.Runs {
		return r.refuse("there is no job %d", a.Job)
	}
	p, e := &r.jobs[a.Job], r.state.Entry(a.Job)
	held, offset := e.Held, e.Offset
	if p.away {
		held, offset, p.away = p.had, p.from, false
	}
	if err := r.permits(a, e, held); err != nil {
		return err
	}
	if status == sched.Waits {
		r.begin(a, p, e, t)
	} else {
		if keeps(a, held, offset) {
			return nil
		}
		r.halt(a.Job)
		r.account(a.Job)
		r.change.Resized++
		if held != a.Nodes {
			p.resized++
		}
	}
	r.change.Moved += moved(held, offset, a)
	r.state.Hold(a.Job, a.Nodes, a.Offset)
	if a.Nodes == 0 {
		r.state.Work(a.Job, false, math.Inf(1))
	} else if err := r.quicken(a, p, e); err != nil {
		return err
	}
	if r.Costs == nil {
		r.work(a.Job)
	} else {
		r.touched = append(r.touched, a.Job)
	}
	return nil
}

// quicken makes a job as fast as it is on the nodes that it now has.
func (r *run) quicken(a *sched.Action, p *progress, e *sched.Entry) error {
	if r.speed != nil {
		p.speed = r.speed[a.Nodes]
	} else {
		p.speed = e.Job.SpeedupOn(a.Nodes)
	}
	if !(p.speed > 0) {
		return r.refuse("the speedup of job %d on %d nodes is %v", e.Job.ID, a.Nodes, p.speed)
	}
	p.fewest, p.widest = min(p.fewest, a.Nodes), max(p.widest, a.Nodes)
	return nil
}

// begin moves a waiting job among the running ones.
func (r *run) begin(a *sched.Action, p *progress, e *sched.Entry, t *sim.Tally) {
	r.state.Start(a.Job)
	r.started++
	p.rank = r.started
	p.setupTime = r.setup.Draw(&r.overheads)
	p.setup = p.setupTime
	p.counted = r.now
	p.first, p.fewest, p.widest = a.Nodes, a.Nodes, a.Nodes
	r.change.Started++
	t[sim.Started]++
	t[sim.WaitSum] += r.now - e.Job.Submit
}

// moved returns how many nodes an action takes from a job that holds some, from offset on, and how many it gives it.
func moved(held, offset int, a *sched.Action) int {
	kept := min(held, a.Nodes)
	if offset >= 0 && a.Offset >= 0 {
		kept = max(0, min(offset+held, a.Offset+a.Nodes)-max(offset, a.Offset))
	}
	return held - kept + a.Nodes - kept
}

// permits checks that a job may have the nodes that an action gives it in place of those held.
func (r *run) permits(a *sched.Action, e *sched.Entry, held int) error {
	job, n, runs := &e.Job, a.Nodes, e.Status == sched.Runs
	switch {
	case runs && n == held:
	case runs && job.Kind != workload.Malleable:
		return r.refuse("gives %d nodes to job %d, which is %s and runs on %d", n, job.ID, job.Kind, held)
	case runs && n == 0:
		return nil
	case n < 1 || n > r.Nodes:
		return r.refuse("gives %d of %d nodes to job %d", n, r.Nodes, job.ID)
	case n < e.Least || n > e.Most:
		if job.Kind == workload.Rigid {
			return r.refuse("starts job %d, which asks for %d nodes, on %d", job.ID, job.Nodes, n)
		}
		return r.refuse("gives %d nodes to job %d, which runs on %d to %d", n, job.ID, e.Least, e.Most)
	case n != e.Asked && n%r.Unit != 0:
		return r.refuse("gives %d nodes to job %d: not a multiple of %d", n, job.ID, r.Unit)
	}
	if a.Offset == -1 {
		return nil
	}
	return r.isFree(a)
}

// isFree checks that the nodes on which an action places a job are there, and no other job's.
func (r *run) isFree(a *sched.Action) error {
	if a.Offset < 0 || a.Offset+a.Nodes > r.Nodes {
		return r.refuse("places a job on the nodes %d to %d of %d", a.Offset, a.Offset+a.Nodes-1, r.Nodes)
	}
	for i := a.Offset; i < a.Offset+a.Nodes; i++ {
		if other, taken := r.state.Owner(i); taken && other != a.Job {
			return r.refuse("places job %d on node %d, which job %d has",
				r.state.Entry(a.Job).Job.ID, i, r.state.Entry(other).Job.ID)
		}
	}
	return nil
}

// charge makes the jobs pay for a change, or lets those that it concerns go on at once.
func (r *run) charge(t *sim.Tally) {
	pause := r.Costs.Pause(r.change, &r.overheads)
	if !pause.Reconfigures {
		r.resumeAll(r.touched)
		return
	}
	if pause.Stops != NoJobs {
		for _, id := range r.touched {
			r.jobs[id].stopped = true
		}
	}
	if pause.Stops == AllJobs && pause.Time > 0 {
		for k := range r.view.Running() {
			id := r.view.Started(k)
			r.halt(id)
			r.jobs[id].stopped = true
		}
	}
	if r.paused {
		t[sim.Abandoned]++
		r.calendar.Cancel(r.resume)
		r.paused = false
	}
	if pause.Time == 0 {
		r.release()
		r.resumeAll(r.touched)
		return
	}
	if pause.Stops == NoJobs {
		r.resumeAll(r.touched)
	}
	t[sim.Repartitions]++
	t[pause.Kind]++
	r.paused = true
	r.resume = r.calendar.ScheduleRanked(r.now+pause.Time, resumes.rank(0), occurrence{kind: resumes})
}

// release ends a reconfiguration: all jobs that stand still for it go on.
func (r *run) release() {
	r.paused = false
	for k := range r.view.Running() {
		if id := r.view.Started(k); r.jobs[id].stopped {
			r.jobs[id].stopped = false
			r.work(id)
		}
	}
}

// resumeAll sets those jobs to work that do not stand still for a reconfiguration.
func (r *run) resumeAll(ids []sched.JobID) {
	for _, id := range ids {
		if p := &r.jobs[id]; !p.stopped && !p.working {
			r.work(id)
		}
	}
}

// work sets a job that stands still to work on the nodes that it has, if it has any.
func (r *run) work(id sched.JobID) {
	p, e := &r.jobs[id], r.state.Entry(id)
	nodes, job := e.Held, &e.Job
	if nodes == 0 {
		return
	}
	r.account(id)
	left := job.Run
	if !p.fresh || nodes != job.Nodes || left == 0 {
		left = p.left / p.speed
	}
	end := r.now + p.setup + left
	expected := end
	switch {
	case job.Estimate <= 0:
	case p.fresh:
		expected = r.now + p.setup + job.EstimateOn(nodes)
	case left > 0:
		expected = r.now + p.setup + left*(job.EstimateOn(nodes)/job.RunOn(nodes))
	}
	p.since, p.working = r.now, true
	p.due = r.calendar.ScheduleRanked(end, departs.rank(p.rank), occurrence{departs, id})
	r.state.Work(id, true, expected)
	r.atWork++
	r.working += nodes
	r.useful += p.speed
}

// halt stops a job and writes down what is left of it.
func (r *run) halt(id sched.JobID) {
	p := &r.jobs[id]
	if !p.working {
		return
	}
	r.account(id)
	r.calendar.Cancel(p.due)
	done := r.now - p.since
	setup := min(done, p.setup)
	p.setup -= setup
	r.setups += setup * p.speed
	if done > setup {
		p.left = max(0, p.left-(done-setup)*p.speed)
		p.fresh = false
	}
	e := r.state.Entry(id)
	r.rest(p, e)
	r.state.Work(id, false, e.Expected)
}

// rest counts a job that was at work no longer among those that are.
func (r *run) rest(p *progress, e *sched.Entry) {
	p.working = false
	r.atWork--
	r.working -= e.Held
	if r.useful -= p.speed; r.atWork == 0 {
		r.useful = 0 // and not what rounding has left of it
	}
}

// account adds the time since a job was looked at last to its record, if somebody wants that.
func (r *run) account(id sched.JobID) {
	if r.Done != nil && r.now != r.jobs[id].counted {
		r.addUp(id)
	}
}

func (r *run) addUp(id sched.JobID) {
	p := &r.jobs[id]
	dt := r.now - p.counted
	p.counted = r.now
	e := r.state.Entry(id)
	nodes := float64(e.Held)
	p.nodeTime += dt * nodes
	if !p.working {
		p.paused += dt
		return
	}
	in := r.Window.part(r.now-dt, r.now)
	p.busy += in * nodes
	if p.setup > 0 {
		in = r.Window.part(min(p.since+p.setup, r.now), r.now)
	}
	p.done += in * p.speed
}

// tell passes the record of a job that has ended on, and forgets the job.
func (r *run) tell(id sched.JobID) {
	p, e := &r.jobs[id], r.state.Entry(id)
	if r.Done != nil {
		o := &r.record
		o.Job = e.Job
		o.Number, o.Start, o.End = e.Number, e.Start, r.now
		o.Held, o.First, o.Fewest, o.Widest, o.Resized = e.Held, p.first, p.fewest, p.widest, p.resized
		o.Paused, o.NodeTime, o.Busy, o.Useful = p.paused, p.nodeTime, p.busy, p.done
		o.Overtook, o.Killed, o.Promised = e.Overtook, p.killed, p.promised
		o.settle(p, r.Window)
		r.Done(o)
	}
	if r.learner != nil {
		r.learner.Ended(&e.Job, r.now)
	}
	r.state.Forget(id)
}

// settle writes the node-time of a job that ran undisturbed without the rounding of a sum, and the work of all jobs
// where the window is all time: what a job has done when it ends is its demand.
func (r *Record) settle(p *progress, w Window) {
	if r.Resized == 0 && r.Paused == 0 {
		in, nodes := w.part(r.Start, r.End), float64(r.Held)
		r.NodeTime, r.Busy = (r.End-r.Start)*nodes, in*nodes
		r.Useful = w.part(r.Start+p.setupTime, r.End) * p.speed
	}
	if w.all() {
		r.Useful = r.Work
	}
}
