package machine

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/calendar"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// run is a simulation in progress: the implementation of [simulation.Run]. Each iteration of run.Advance handles one
// point in time:
//
//   - elapse advances the clock and adds the integrals over the time since the last event to the tally.
//   - handleEvents handles the arrivals of that time, then the occurrences of the calendar by kind.
//   - decideAndReport asks the policy for a decision on these events, carries it out (execute), charges its cost
//     (charge), and reports the jobs that have ended.
//
// Times are in the unit of the jobs: seconds for a log.
type run struct {
	*Machine
	state     *sched.State // the jobs in the system and their nodes, which the run changes
	view      sched.View   // the same state, as policies read it
	overheads des.Ahead    // random numbers of the times of reconfigurations and set-ups
	random    des.Stream   // random numbers of the policy
	policy    sched.Policy
	promiser  sched.Promiser // the policy, if it promises starts; else nil
	failing   sched.Failing  // the policy, if it can fail; else nil
	plans     bool           // the policy, or Config.Observe, may ask when jobs are expected to end
	follows   bool           // ends of repartitions alone matter, too: jobs are resized together, or Config.Observe is set
	estimator workload.Estimator
	learner   workload.Learner // the estimator, if it learns; else nil
	logged    bool             // the estimator repeats the estimates of the log, times a factor: it needs no random numbers
	guess     des.Stream       // random numbers of the estimate of a job
	simulation.Observer
	inService []float64 // number of jobs in service, by class

	now       float64
	source    workload.Source
	next      workload.Job // next job to arrive, if more is true
	more      bool         // the source has a further job
	err       error        // why the run is over; nil while the run goes on
	calendar  calendar.Calendar[occurrence]
	jobs      []progress // by JobID
	present   int        // jobs in the system, waiting or started
	most      int        // largest number of jobs in the system so far
	arrived   uint64     // number of jobs that have arrived
	started   uint64     // number of jobs that have started
	atWork    int        // number of jobs at work: started jobs that do not stand still
	working   int        // nodes that the jobs at work occupy
	useful    float64    // sum of the speedups of the jobs at work
	nodeShare float64    // 1 / number of nodes
	// setups is the part of the integral of useful that was set-up, not work. It is still to be subtracted from the tally.
	setups        float64
	stopped       []sched.JobID   // the jobs that stand still for the reconfiguration under way
	paused        bool            // a reconfiguration is under way, or some job stands still for its own resize
	resume        calendar.Ticket // end of the reconfiguration under way
	checks        uint            // number of calls of mayBeInterrupted
	many          int             // with more jobs in the system, each check calls interrupted; see setManyJobs
	interruptions int             // number of alarms and of scheduling points so far
	idleAlarms    int             // number of alarms since a job was last at work or paused, or the machine was last empty
	idleResizes   int             // number of jobs that alarms resized since a job was last at work, or the machine was last empty
	events        []sched.Event   // events of the present time, on which the policy has not decided yet
	count         eventCount      // number of these events, by kind
	actions       []sched.Action  // actions of the present decision
	changed       []changedJob    // jobs whose nodes the present decision changes, if changes cost something
	change        Change          // what the present decision changes
	alwaysCosts   bool            // a decision may cost something even if it changes no job's nodes
	resizing      Resizing        // the costs, if each resized job pays for itself; else nil
	standing      int             // number of jobs that stand still for their own resize
	withoutNodes  []sched.JobID   // with scheduling points: started or suspended jobs that occupy no nodes
	vacant        int             // with scheduling points: nodes that no job occupies
	resized       []sched.JobID   // jobs that are resized together in the repartition under way
	notStopped    int             // number of jobs in resized that have not reached their scheduling points
	deferred      []sched.Event   // events since that repartition began, on which the policy decides after its end
	record        Record          // the record that Config.Done gets, overwritten for each job
}

// Start returns a run from the empty machine, whose Advance simulates it step by step. Random numbers come from keys
// below key: the same key gives the same run. A wrong policy or first job is an error of the first Advance.
func (m *Machine) Start(key des.Key) simulation.Run { return m.start(key) }

// start returns a run of the empty machine, with the first job read from the source. The run begins at time 0 if the
// source draws jobs at random, otherwise at the first submission. Random numbers come from streams below key. A policy
// that cannot be made, or a first job that is wrong, sets r.err, which the first call of Advance returns.
func (m *Machine) start(key des.Key) *run {
	r := &run{
		Machine:   m,
		overheads: key.At(simulation.OverheadStream).Ahead(),
		random:    key.At(simulation.PolicyStream).Stream(),
		source:    m.Jobs.Jobs(key),
		vacant:    m.Nodes,
		nodeShare: 1 / float64(m.Nodes),
	}
	r.Observer.Most = m.Most
	r.resizing, _ = m.Costs.(Resizing)
	if o, ok := m.Costs.(*overheads); ok {
		r.alwaysCosts = o.stops == AllJobsAlways
	}
	r.policy, r.err = sched.New(m.Policy)
	r.promiser, _ = r.policy.(sched.Promiser)
	r.failing, _ = r.policy.(sched.Failing)
	r.plans = r.Observe != nil || sched.PlansWithEnds(r.policy)
	r.follows = r.Observe != nil || m.Points.Together
	if m.Estimates != nil {
		r.estimator = m.Estimates.New()
		r.learner, _ = r.estimator.(workload.Learner)
		_, r.logged = r.estimator.(workload.Logged)
	}
	r.state = sched.NewState(m.Nodes, m.Unit, m.NodeMemory, m.Load, &r.random)
	r.state.SetStartWindow(m.StartWindow)
	r.view = r.state.View()
	r.readNext(math.Inf(-1))
	r.now = r.next.Submit
	if jobs, is := m.Jobs.(*Random); is { // its first job comes after a time between arrivals
		r.now, r.inService = 0, make([]float64, len(jobs.Classes))
	}
	r.state.Elapse(r.now)
	return r
}

// Advance simulates until at least n more jobs have departed and adds the sums of that time to t. More than n depart if
// several depart at once. The error is [ErrEnded] when all jobs have departed. Otherwise it comes from the source, a
// wrong job, the costs or [run.interrupted], or is a *[PolicyError] if the policy fails. Every later call returns the
// same error.
func (r *run) Advance(n int, t *simulation.Tally) error {
	defer r.HandOver()
	if r.err != nil {
		return r.err
	}
	r.setManyJobs()
	for departed := t[simulation.Departed] + float64(n); t[simulation.Departed] < departed; {
		if r.mayBeInterrupted() {
			if r.err = r.interrupted(); r.err != nil {
				return r.err
			}
		}
		at, due := r.calendar.Peek()
		switch {
		case r.more && (!due || r.next.Submit <= at):
			due = due && r.next.Submit == at
			at = r.next.Submit
		case !due:
			return r.ended()
		}
		r.elapse(at, t)
		if r.handleEvents(at, due, t); r.err != nil {
			return r.err
		}
		// The end of a repartition alone changes neither jobs nor nodes, so the policy is not asked.
		if r.count[sched.Resume] < len(r.events) || r.follows {
			if err := r.decideAndReport(t); err != nil {
				r.err = err
				return err
			}
		}
	}
	return nil
}

// A run checks whether it should stop before each decision if it has manyJobs jobs or more, because decisions then take
// long. Otherwise it checks once in so many moments.
const manyJobs, moments = 1000, 64

// A run ends if it has more than mostInterruptions alarms and scheduling points, and interruptionsOfJob more for each job that
// has arrived. The first number is an alarm every second for three weeks, and takes about a second.
const (
	mostInterruptions  = 2_000_000
	interruptionsOfJob = 10_000
)

// Alarms start, resize or suspend at most mostIdleResizes jobs, and idleResizesOfNode more for each node of the machine,
// while no job makes progress. A policy that resizes more jobs interrupts each before its resize has ended, such as a
// time-sharing policy whose turns are shorter than a resize. A million resizes take about a second.
//
// A run that goes on may need n·ln k such resizes on n nodes: k jobs come one after the other, and at each arrival all
// jobs stand still for a new even division. This is less than idleResizesOfNode·n on the largest machine ([MostNodes]).
const mostIdleResizes, idleResizesOfNode = 1 << 20, 17

// setManyJobs sets r.many for the present Observer: with more jobs in the system, each check calls [run.interrupted].
func (r *run) setManyJobs() {
	r.many = manyJobs - 1
	if most := r.Observer.Most; most > 0 {
		r.many = min(r.many, most)
	}
}

// mayBeInterrupted counts a check in r.checks, and reports whether [run.interrupted] has to look closer. It is so small
// that the compiler puts it into the loop over events.
func (r *run) mayBeInterrupted() bool {
	r.checks++
	return r.checks%moments == 0 || r.present > r.many || r.interruptions > 0
}

// interrupted returns the reason why a run should end early, nil if it should not. The reasons are:
//
//   - more jobs in the system than allowed, a *[parallel.LimitError];
//   - more alarms and scheduling points than 2 million plus 10,000 for each job that has arrived, a
//     *[parallel.LimitError];
//   - more than 2^20 resizes at alarms, and 17 for each node, while no job makes progress (mostIdleResizes), a
//     *[parallel.LimitError];
//   - an error of the caller's Stop.
//
// Stop may take long. So it is called only at every 64th check, or at each check while there are 1,000 jobs or more.
// [run.mayBeInterrupted] counts the checks in r.checks.
func (r *run) interrupted() error {
	if most := r.Observer.Most; most > 0 && r.present > most {
		return parallel.TooManyJobs(most, r.now)
	}
	if r.interruptions > 0 { // otherwise there were no resizes at alarms either
		if err := r.tooManyInterruptions(); err != nil {
			return err
		}
	}
	if r.Stop == nil || r.checks%moments != 0 && r.present < manyJobs {
		return nil
	}
	return r.Stop()
}

// tooManyInterruptions returns a *[parallel.LimitError] if there are too many alarms and scheduling points, or too many
// resizes at alarms while no job makes progress; see [run.interrupted].
func (r *run) tooManyInterruptions() error {
	if r.interruptions > mostInterruptions+int(r.arrived)*interruptionsOfJob {
		return &parallel.LimitError{Resource: parallel.Events,
			What: fmt.Sprintf("%d alarms and scheduling points for %d jobs by time %g", r.interruptions,
				r.arrived, r.now)}
	}
	if r.idleResizes > mostIdleResizes+idleResizesOfNode*r.Nodes {
		return &parallel.LimitError{Resource: parallel.Events,
			What: fmt.Sprintf("none of %d jobs makes progress during %d resizes up to time %g",
				r.present, r.idleResizes, r.now)}
	}
	return nil
}

// handleEvents handles all events of the time at: first arrivals, then the occurrences of the calendar by their kinds.
// due tells whether the calendar has an occurrence of this time. handleEvents overwrites r.events with the events, on
// which the policy decides afterwards, and counts them by kind in r.count and together in t. If the policy decides
// after each event ([Config].OneByOne), only the first event is handled.
//
// An occurrence that these events cause at the same time, but whose kind comes earlier, waits for the next call. For
// example, a job that is set to work with no work left departs after the decision. An error is stored in r.err. It comes
// from the source or its job, from the end of a standstill, from a scheduling point, or from [run.interrupted].
func (r *run) handleEvents(at float64, due bool, t *simulation.Tally) {
	r.events = r.events[:0]
	r.count = eventCount{}
	if r.more && r.next.Submit == at {
		r.handleArrivals(at, t)
	}
	// rank only grows, so an occurrence of an earlier kind waits for the next call.
	for rank := uint64(0); due && r.err == nil && !r.decidesNow(); due = r.calendar.Due(at) {
		what, taken := r.calendar.Take(at, rank)
		if !taken {
			break
		}
		rank = what.kind.rank(0)
		switch what.kind {
		case departs:
			r.happen(r.depart(what.job, t))
		case wakes:
			r.interruptions++
			r.happen(sched.Event{Kind: sched.Alarm})
		case resumes:
			r.endReconfiguration()
			r.happen(sched.Event{Kind: sched.Resume})
		default:
			r.goOn(what, t)
			r.happen(sched.Event{Kind: sched.Resume})
		}
	}
	t[simulation.Events] += float64(len(r.events))
}

// handleArrivals handles the arrivals of the time at, the time of the next arrival, in the order of the source. An error
// is stored in r.err.
func (r *run) handleArrivals(at float64, t *simulation.Tally) {
	for {
		r.happen(r.arrive(t))
		// Late in a long run, times between arrivals may round to zero, and arrivals at one time never end.
		if r.err == nil && r.mayBeInterrupted() {
			r.err = r.interrupted()
		}
		if !r.more || r.next.Submit != at || r.err != nil || r.OneByOne {
			return
		}
	}
}

// eventCount holds the number of events of each kind.
type eventCount [sched.Resume + 1]int

// happen appends an event to the events of the present time, and counts it in r.count.
func (r *run) happen(why sched.Event) {
	r.events = append(r.events, why)
	r.count[why.Kind]++
}

// goOn handles an occurrence at which a job goes on on its nodes or changes them: the end of the job's own standstill, or a
// scheduling point. An error is stored in r.err.
func (r *run) goOn(what occurrence, t *simulation.Tally) {
	switch what.kind {
	case proceeds:
		r.err = r.endStandstill(what.job, t)
	case reaches:
		r.err = r.reachPoint(what.job, t)
		r.interruptions++
		if r.err == nil { // points so close that the time between them is rounded to zero never end
			r.err = r.interrupted()
		}
	}
}

// decidesNow reports whether the policy has to decide on the events so far, although more may happen at the same time:
// whether [Config].OneByOne is set and r.events has an event.
func (r *run) decidesNow() bool { return r.OneByOne && len(r.events) > 0 }

// readNext reads the next job from the source into r.next, and sets r.more to whether there is one. last is the
// submission time of the job before. readNext sets r.err if the source fails, if the job is submitted before last (a
// *[workload.OrderError]), or if no policy can run it. The last check is left out if r.certain is set: every job can
// run. A refused job stands in r.next all the same. The end of the source is no error.
func (r *run) readNext(last float64) {
	err := r.source.Next(&r.next)
	r.more = err == nil
	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.err = err
		}
		return
	}
	switch {
	case r.next.Submit < last:
		err = &workload.OrderError{ID: r.next.ID, Submit: r.next.Submit, Last: last}
	case !r.certain:
		err = r.check(&r.next)
	}
	if err != nil {
		r.err = fmt.Errorf("machine: %w", err)
	}
}

// check returns an error if no policy can run a job on the machine:
//
//   - [workload.Job.Check] refuses the job;
//   - the job needs the memory of more nodes than it can have;
//   - the job asks for no number of nodes, and no multiple of the unit lies between its fewest and most nodes.
//
// A job without an error can start on the empty machine.
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

// ended returns the error with which a run without further events ends: [ErrEnded], or a *[PolicyError] if jobs are
// still in the system, which then never finish.
func (r *run) ended() error {
	if r.present > 0 {
		return r.refuse("%d jobs were never finished", r.present)
	}
	return ErrEnded
}

// elapse sets the clocks of the run and of its state to time to. It adds to t the integrals over the time since the
// last event, of
//
//   - the number of jobs in the system and its square, jobs at work, and waiting jobs; with scheduling points, started
//     jobs without nodes wait, too,
//   - the share of all nodes at work, the share that does useful work, and the share that is idle while a job waits,
//   - 1 while there are no jobs, and 1 while a reconfiguration is under way or jobs stop for one together.
//
// Jobs in service are added by class to r.ByClass, if it is set. Nothing changes between two events, so each integral
// is a product. Without elapsed time nothing changes. The counts of idle alarms may restart, see
// [run.forgetIdleAlarms].
func (r *run) elapse(to float64, t *simulation.Tally) {
	dt := to - r.now
	if dt == 0 {
		return
	}
	r.now = to
	r.state.Elapse(to)
	if r.interruptions > 0 { // otherwise there were no alarms
		r.forgetIdleAlarms()
	}
	// Nothing changes between two events: each integral grows by dt times the value of its integrand. What counts only in
	// some states counts zero in the others: which state comes next depends on chance, so the processor would guess a branch
	// wrong.
	waiting := r.view.Waiting() + len(r.withoutNodes)
	blocked, empty, paused := r.view.Free(), 0, 0
	if waiting == 0 {
		blocked = 0
	}
	if r.present == 0 {
		empty = 1
	}
	if r.paused || r.notStopped > 0 {
		paused = 1
	}
	jobs, share := float64(r.present), dt*r.nodeShare
	t[simulation.Elapsed] += dt
	t[simulation.JobTime] += dt * jobs
	t[simulation.JobSquareTime] += dt * jobs * jobs
	t[simulation.QueueTime] += dt * float64(waiting)
	t[simulation.ExecutingTime] += dt * float64(r.atWork)
	t[simulation.BusyTime] += share * float64(r.working)
	t[simulation.BlockedTime] += share * float64(blocked)
	t[simulation.UsefulTime] += share * r.useful
	t[simulation.EmptyTime] += dt * float64(empty)
	t[simulation.PausedTime] += dt * float64(paused)
	if r.ByClass != nil {
		for k, n := range r.inService {
			r.ByClass[k*simulation.ClassSums+simulation.ClassTime] += dt * n
		}
	}
	r.subtractSetups(t)
}

// forgetIdleAlarms restarts the counts of idle alarms and of idle resizes if jobs made progress or the machine was empty.
// While a reconfiguration is under way, only the count of idle alarms restarts: a policy may wait for the end of the
// reconfiguration, but must not replace it again and again.
func (r *run) forgetIdleAlarms() {
	if r.atWork > 0 || r.present == 0 {
		r.idleAlarms, r.idleResizes = 0, 0
	} else if r.paused {
		r.idleAlarms = 0
	}
}

// subtractSetups subtracts the set-ups in r.setups, in node-time, from the useful work of the tally t, which counted
// them as work. The tally counts shares of the machine, so they are divided by the number of nodes. r.setups becomes 0.
func (r *run) subtractSetups(t *simulation.Tally) {
	if r.setups == 0 {
		return
	}
	t[simulation.UsefulTime] -= r.setups * r.nodeShare
	r.setups = 0
}

// arrive puts the job r.next into the queue, and reads the job after it from the source. Before, [run.estimateAndCut]
// sets the estimate of the job, and shortens the job if the machine will kill it. It begins the progress of the job in
// r.jobs, and returns the arrival as an event for the policy. It counts the arrival in t and in the sums by class, and
// adds the job to r.present, the jobs in the system. r.most becomes the largest value of r.present so far. An estimate
// that is not valid, a source that fails, or a wrong next job sets r.err. The event is the same then; the caller checks
// r.err.
func (r *run) arrive(t *simulation.Tally) sched.Event {
	t[simulation.Arrived]++
	job := &r.next
	killed := r.estimateAndCut(job)
	id := r.state.Arrive(job)
	for int(id) >= len(r.jobs) {
		r.jobs = append(r.jobs, progress{})
	}
	r.jobs[id] = progress{left: job.Work, fresh: true, killed: killed, promised: math.NaN()}
	r.present++
	r.most = max(r.most, r.present)
	r.addOfClass(job, simulation.ClassArrived, 1)
	r.readNext(job.Submit)
	return sched.Event{Kind: sched.Arrival, Job: id}
}

// addOfClass adds x to a sum of the class of a job, if r.ByClass collects sums by class. component is the index of the
// sum, such as simulation.ClassArrived for arrivals. Other sums are of starts, waits, departures, response times, and
// arrivals that do not start at once. The Application of a job is the number of its class.
func (r *run) addOfClass(job *workload.Job, component int, x float64) {
	if r.ByClass != nil {
		r.ByClass[job.Application*simulation.ClassSums+component] += x
	}
}

// depart removes a job whose work is done from its nodes, and from a repartition that it has joined. It subtracts the
// set-up of the job from the useful work of t, which counted it as work. It adds the departure and the response time to
// t and to the sums by class, and reports the response time to the observer. If the machine is empty then, t counts an
// empty period. depart returns the departure as an event for the policy. The job is reported and forgotten after the
// decision, in [run.report].
func (r *run) depart(id sched.JobID, t *simulation.Tally) sched.Event {
	p, e := &r.jobs[id], r.state.Entry(id)
	if p.resized > 0 || p.paused > 0 { // [Record.removeRounding] knows the sums of all other jobs
		r.account(p, e)
	}
	// Set-up was counted as useful work while the job was working: subtract it.
	r.setups += p.setup * p.speed
	r.subtractSetups(t)
	r.removeFromWorking(p, e)
	r.cancelPoint(p)
	r.countStopped(p)
	p.end = r.now
	r.vacant += e.Occupied
	k, response := e.Job.Application, r.now-e.Job.Submit+e.Job.HeldFor
	t[simulation.Departed]++
	t[simulation.ResponseSum] += response
	r.Responded(k, response)
	if len(r.inService) > 0 {
		r.inService[k]--
	}
	r.addOfClass(&e.Job, simulation.ClassDeparted, 1)
	r.addOfClass(&e.Job, simulation.ClassResponse, response)
	why := sched.Event{Kind: sched.Departure, Job: id, Nodes: e.Held}
	r.state.Depart(id)
	r.present--
	if r.present == 0 {
		t[simulation.EmptyPeriods]++
	}
	return why
}

// observe calls Config.Observe, if it is set, with the state of the machine and the given events. They are the events
// on which the policy has just decided, or nil while jobs stop for a repartition together.
func (r *run) observe(events []sched.Event) {
	if r.Observe != nil {
		r.Observe(r.view, events)
	}
}

// mostAlarms is the largest number of alarms while there are jobs, but no time passes or no job makes progress. A
// policy that requests more alarms is in an endless loop, or never starts a job.
const mostAlarms = 1 << 20

// decideAndReport lets the policy decide on the events r.events of the present time, and carries the decision out. Then
// Config.Observe sees the result, and Config.Done gets the records of the jobs that have ended. The policy is not asked
// if the only events are ends of reconfigurations. While jobs stop for a repartition together, it is not asked either,
// and nothing is reported yet. The error comes from decide, or from [run.continueRepartition].
func (r *run) decideAndReport(t *simulation.Tally) error {
	if r.Points.Together {
		if busy, err := r.continueRepartition(t); err != nil || busy {
			r.observe(nil)
			return err
		}
	}
	if r.count[sched.Resume] < len(r.events) {
		if err := r.decide(t); err != nil {
			return err
		}
	}
	r.observe(r.events)
	if r.count[sched.Departure] == 0 {
		return nil
	}
	for i := range r.events {
		if why := &r.events[i]; why.Kind == sched.Departure {
			r.report(why.Job)
		}
	}
	return nil
}

// decide asks the policy, applies its actions, completes r.change by its cause and the departures, and charges the
// costs. It counts the arrivals that stay in the queue in t, and the jobs that alarms resize in r.idleResizes. If the
// policy promises starts, decide stores the promised start of each arrival, or the start itself if the job has started.
//
// The error is a *[PolicyError] if the policy fails, or asks for an impossible action. It is a *[PolicyError], too, if
// the policy asks for more than 2^20 alarms (mostAlarms) while no job makes progress. Otherwise the error comes from
// the costs.
func (r *run) decide(t *simulation.Tally) error {
	count := &r.count
	if count[sched.Alarm] > 0 {
		if r.idleAlarms += count[sched.Alarm]; r.idleAlarms > mostAlarms {
			return r.refuse("asks for more than %d alarms while no job makes progress", mostAlarms)
		}
	}
	r.actions = r.policy.Decide(r.view, r.events, r.actions[:0])
	if r.failing != nil && r.failing.Err() != nil {
		return &PolicyError{r.policy.Name(), r.failing.Err()}
	}
	if err := r.execute(t); err != nil {
		return err
	}
	if count[sched.Alarm] > 0 {
		r.idleResizes += len(r.changed)
	}
	for i := 0; i < count[sched.Arrival]; i++ { // arrivals are the first events
		if e := r.state.Entry(r.events[i].Job); e.Status == sched.Waits {
			t[simulation.Queued]++
			r.addOfClass(&e.Job, simulation.ClassQueued, 1)
		}
	}
	r.change.Why, r.change.Departed = r.cause(), count[sched.Departure]
	// The changed jobs stand still for the cost of the change. If all jobs always stop, a decision can cost even if it
	// touches no job.
	if len(r.changed) > 0 || r.alwaysCosts {
		if err := r.charge(t); err != nil {
			return err
		}
	}
	if r.promiser != nil {
		r.recordPromises(r.events[:count[sched.Arrival]])
	}
	return nil
}

// recordPromises records the start that the policy promised to each arrival, or the start itself if the job has started.
func (r *run) recordPromises(arrivals []sched.Event) {
	for i := range arrivals {
		id := arrivals[i].Job
		if r.state.Status(id) == sched.Waits {
			r.jobs[id].promised = r.promiser.Promised(id)
		} else {
			r.jobs[id].promised = r.view.Begun(id)
		}
	}
}

// cause returns the kind of event to which a change is attributed if several events happen at once; costs depend on it.
// The cause is
//
//   - an arrival if more jobs arrived than departed, and a running job was resized or no job departed;
//   - otherwise a departure if a job departed: if more jobs arrived, they only took the nodes of departed jobs;
//   - otherwise an alarm.
func (r *run) cause() sched.EventKind {
	came, left := r.count[sched.Arrival], r.count[sched.Departure]
	switch {
	case came > left && (left == 0 || r.change.Resized > 0):
		return sched.Arrival
	case left > 0:
		return sched.Departure
	}
	return sched.Alarm
}

// refuse returns a *[PolicyError] for an action that the machine does not allow, or for jobs that never finish. The
// message is formatted as by fmt.Errorf, and names the policy and the simulated time.
func (r *run) refuse(format string, args ...any) error {
	return &PolicyError{r.policy.Name(), fmt.Errorf(format+"; the time is %v", append(args, r.now)...)}
}
