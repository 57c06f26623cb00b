package machine

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/internal/calendar"
	"github.com/partwise/partwise/validate/sched"
)

// occurrence is an event in the calendar.
type occurrence struct {
	kind occurrenceKind
	job  sched.JobID
}

type occurrenceKind uint8

// The kinds of occurrences, in the order in which those of the same time are told.
const (
	departs  occurrenceKind = iota
	resumes                 // all that stand still for a reconfiguration
	proceeds                // a job that stands still for its own
	reaches                 // a scheduling point, a job that is to be resized there
	wakes
)

// rank orders occurrences of the same time: by their kinds, and departures by the order of the starts.
func (k occurrenceKind) rank(start uint64) uint64 { return uint64(k)<<56 | start }

// run is a machine at a moment of its life.
type run struct {
	*Machine
	state     *sched.State
	view      sched.View
	overheads des.Ahead
	random    des.Stream // of the policy
	policy    sched.Policy
	promiser  sched.Promiser // the policy, if it is one
	failing   sched.Failing  // likewise
	estimator workload.Estimator
	learner   workload.Learner // the estimator, if it is one
	guess     des.Stream       // of the estimate of a job
	des.Observer
	inService []float64 // jobs by class

	now      float64
	source   workload.Source
	next     workload.Job // the job to come, if there is one
	more     bool
	err      error // of the source; the run is over
	calendar calendar.Calendar[occurrence]
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
	resume   calendar.Ticket
	moment   int           // how many there were
	instant  int           // decisions on alarms since a job made progress, or there was none
	events   []sched.Event // of this time that no decision was made on yet
	do       []sched.Action
	touched  []touched     // by the decision being carried out, where changes cost something,
	change   Change        // and what it changes
	anyway   bool          // the costs want to know of changes that touch no job
	resizing Resizing      // the costs, if each job pays for itself,
	standing int           // and the jobs that stand still for that
	starters []sched.JobID // jobs that are to run on nodes that are not free yet, where there are scheduling points,
	vacant   int           // and the nodes that are, for no job occupies them
	resized  []sched.JobID // by the repartition under way, where jobs are resized together,
	onTheWay int           // and how many of them have not come to their points;
	kept     []sched.Event // what has happened since
	record   Record
}

// Start returns the empty machine, its random numbers below key.
func (m *Machine) Start(key des.Key) des.Run { return m.start(key) }

func (m *Machine) start(key des.Key) *run {
	r := &run{
		Machine:   m,
		overheads: key.At(des.OverheadStream).Ahead(),
		random:    key.At(des.PolicyStream).Stream(),
		source:    m.Jobs.Jobs(key),
		vacant:    m.Nodes,
	}
	r.Observer.Most = m.Most
	r.resizing, _ = m.Costs.(Resizing)
	if o, ok := m.Costs.(*overheads); ok {
		r.anyway = o.stops == AllJobsAlways
	}
	r.policy, r.err = sched.New(m.Policy)
	r.promiser, _ = r.policy.(sched.Promiser)
	r.failing, _ = r.policy.(sched.Failing)
	if m.Estimates != nil {
		r.estimator = m.Estimates.New()
		r.learner, _ = r.estimator.(workload.Learner)
	}
	r.state = sched.NewState(m.Nodes, m.Unit, m.NodeMemory, m.Load, &r.random)
	r.view = r.state.View()
	r.announce(math.Inf(-1))
	r.now = r.next.Submit
	if jobs, is := m.Jobs.(*Random); is { // its first job comes after a time between arrivals
		r.now, r.inService = 0, make([]float64, len(jobs.Classes))
	}
	r.state.Elapse(r.now)
	return r
}

// Advance simulates until n more jobs have departed, or more if several depart at once, and adds what happened to t. It
// returns the error of the source, a *[PolicyError] if the policy asks for what cannot be, and [ErrEnded] when all jobs
// have departed.
func (r *run) Advance(n int, t *des.Tally) error {
	for departed := t[des.Departed] + float64(n); t[des.Departed] < departed; {
		if r.err != nil {
			return r.err
		}
		if r.err = r.interrupted(); r.err != nil {
			return r.err
		}
		at, due := r.calendar.Peek()
		switch {
		case r.more && (!due || r.next.Submit <= at):
			at = r.next.Submit
		case !due:
			return r.ended()
		}
		r.elapse(at, t)
		if err := r.happen(at, t); err != nil {
			return err
		}
		r.err = r.settle(t)
	}
	return r.err
}

// manyJobs are so many that a decision takes long enough to look before each whether the run should stop; otherwise it
// looks once in a number of moments.
const manyJobs, moments = 1000, 64

// interrupted returns why a run should stop between two events, if it should.
func (r *run) interrupted() error {
	if most := r.Observer.Most; most > 0 && r.present > most {
		return &des.TooManyError{Most: most, Time: r.now}
	}
	if r.moment++; r.Stop == nil || r.moment%moments != 0 && r.present < manyJobs {
		return nil
	}
	return r.Stop()
}

// happen lets everything happen that is due at a time: policies decide when they have seen all of it. What that brings
// about at the same time waits if it would have come first: jobs that are set to work with nothing left to do.
func (r *run) happen(at float64, t *des.Tally) error {
	r.events = r.events[:0]
	for r.more && r.next.Submit == at && r.err == nil && !r.oneDone() {
		r.events = append(r.events, r.arrive(t))
		t[des.Events]++
		if r.err == nil { // late in a long run, gaps round to nothing: no end of jobs may come at one time
			r.err = r.interrupted()
		}
	}
	for rank := uint64(0); r.err == nil && r.calendar.Due(at, rank) && !r.oneDone(); {
		_, what, _ := r.calendar.Next()
		t[des.Events]++
		why := sched.Event{Kind: sched.Resume}
		rank = what.kind.rank(0)
		switch what.kind {
		case departs:
			why = r.depart(what.job, t)
		case resumes:
			r.release()
		case proceeds:
			r.err = r.settled(what.job, t)
		case reaches:
			r.err = r.reach(what.job, t)
		case wakes:
			why = sched.Event{Kind: sched.Alarm}
		}
		r.events = append(r.events, why)
	}
	return r.err
}

// oneDone reports whether the policy is to be asked about what has happened although there may be more.
func (r *run) oneDone() bool { return r.OneByOne && len(r.events) > 0 }

// announce reads the job to come, after one that was submitted at last.
func (r *run) announce(last float64) {
	err := r.source.Next(&r.next)
	r.more = err == nil
	switch {
	case errors.Is(err, io.EOF):
		return
	case err != nil:
		r.err = err
		return
	case r.next.Submit < last:
		err = &workload.OrderError{ID: r.next.ID, Submit: r.next.Submit, Last: last}
	case !r.certain:
		err = r.check(&r.next)
	}
	if err != nil {
		r.err = fmt.Errorf("machine: %w", err)
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
		return r.refuse("%d jobs were never finished", r.present)
	}
	return ErrEnded
}

func (r *run) elapse(to float64, t *des.Tally) {
	dt := to - r.now
	if dt == 0 {
		return
	}
	r.now = to
	r.state.Elapse(to)
	if r.atWork > 0 || r.paused || r.present == 0 {
		r.instant = 0
	}
	waiting := float64(r.view.Waiting() + len(r.starters))
	jobs := float64(r.present)
	t[des.Elapsed] += dt
	t[des.JobTime] += dt * jobs
	t[des.JobSquareTime] += dt * jobs * jobs
	t[des.QueueTime] += dt * waiting
	t[des.ExecutingTime] += dt * float64(r.atWork)
	t[des.BusyTime] += dt * float64(r.working) / float64(r.Nodes)
	t[des.UsefulTime] += dt * r.useful / float64(r.Nodes)
	if r.ByClass != nil {
		for k, n := range r.inService {
			r.ByClass[k*des.ClassSums+des.ClassTime] += dt * n
		}
	}
	r.correct(t)
	if r.present == 0 {
		t[des.EmptyTime] += dt
	}
	if r.paused || r.onTheWay > 0 {
		t[des.PausedTime] += dt
	}
}

// correct takes set-ups out of the useful work of a tally.
func (r *run) correct(t *des.Tally) {
	if r.setups == 0 {
		return
	}
	t[des.UsefulTime] -= r.setups / float64(r.Nodes)
	r.setups = 0
}

// arrive puts the job to come into the queue and reads the one after it.
func (r *run) arrive(t *des.Tally) sched.Event {
	t[des.Arrived]++
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
		r.err = job.Check(r.Nodes)
		if _, ok := r.estimator.(workload.Logged); ok {
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
func (r *run) depart(id sched.JobID, t *des.Tally) sched.Event {
	p, e := &r.jobs[id], r.state.Entry(id)
	if p.resized > 0 || p.paused > 0 { // of others the record is known without a sum
		r.account(id)
	}
	r.setups += p.setup * p.speed
	r.correct(t)
	r.rest(p, e)
	r.forgo(p)
	r.stops(p)
	p.end = r.now
	r.vacant += e.Occupied
	k, response := e.Job.Application, r.now-e.Job.Submit
	t[des.Departed]++
	t[des.ResponseSum] += response
	if r.Response != nil {
		r.Response(k, response)
	}
	if len(r.inService) > 0 {
		r.inService[k]--
	}
	if r.ByClass != nil {
		r.ByClass[k*des.ClassSums+des.ClassDeparted]++
		r.ByClass[k*des.ClassSums+des.ClassResponse] += response
	}
	why := sched.Event{Kind: sched.Departure, Job: id, Nodes: e.Held}
	r.state.Depart(id)
	r.present--
	if r.present == 0 {
		t[des.EmptyPeriods]++
	}
	return why
}

// observe tells who wants to know of the machine as it is, and of the events that a decision was made on.
func (r *run) observe(events []sched.Event) {
	if r.Observe != nil {
		r.Observe(r.view, events)
	}
}

// mostAlarms is how many alarms a policy may ask for while there are jobs, but no time passes or none of them makes progress: more
// are a policy that goes round in circles, or that never starts a job.
const mostAlarms = 1 << 20

// settle asks the policy what to do about the events of a time, does it, and tells of it.
func (r *run) settle(t *des.Tally) error {
	if r.Points.Together {
		if busy, err := r.together(t); err != nil || busy {
			r.observe(nil)
			return err
		}
	}
	var count [sched.Resume + 1]int
	for i := range r.events {
		count[r.events[i].Kind]++
	}
	if count[sched.Resume] < len(r.events) {
		if err := r.decide(&count, t); err != nil {
			return err
		}
	}
	r.observe(r.events)
	for i := range r.events {
		if why := &r.events[i]; why.Kind == sched.Departure {
			r.tell(why.Job)
		}
	}
	return nil
}

// decide asks the policy, with so many events of each kind, and carries out what it answers.
func (r *run) decide(count *[sched.Resume + 1]int, t *des.Tally) error {
	if count[sched.Alarm] > 0 {
		if r.instant += count[sched.Alarm]; r.instant > mostAlarms {
			return r.refuse("asks for more than %d alarms while no job makes progress", mostAlarms)
		}
	}
	r.do = r.policy.Decide(r.view, r.events, r.do[:0])
	if r.failing != nil && r.failing.Err() != nil {
		return &PolicyError{r.policy.Name(), r.failing.Err()}
	}
	if err := r.execute(t); err != nil {
		return err
	}
	for i := 0; i < count[sched.Arrival]; i++ { // arrivals come first
		if r.state.Status(r.events[i].Job) == sched.Waits {
			t[des.Queued]++
		}
	}
	r.change.Why, r.change.Departed = r.cause(count), count[sched.Departure]
	if len(r.touched) > 0 || r.anyway {
		if err := r.charge(t); err != nil {
			return err
		}
	}
	for i := 0; i < count[sched.Arrival] && r.promiser != nil; i++ {
		id := r.events[i].Job
		if r.state.Status(id) == sched.Waits {
			r.jobs[id].promised = r.promiser.Promised(id)
		} else {
			r.jobs[id].promised = r.view.Begun(id)
		}
	}
	return nil
}

// cause returns what a change is put down to where several things happen at once: to arrivals if more jobs came than
// left, unless those that came got no more than what the others left.
func (r *run) cause(count *[sched.Resume + 1]int) sched.EventKind {
	came, left := count[sched.Arrival], count[sched.Departure]
	switch {
	case came > left && (left == 0 || r.change.Resized > 0):
		return sched.Arrival
	case left > 0:
		return sched.Departure
	}
	return sched.Alarm
}

func (r *run) refuse(format string, args ...any) error {
	return &PolicyError{r.policy.Name(), fmt.Errorf(format+"; the time is %v", append(args, r.now)...)}
}
