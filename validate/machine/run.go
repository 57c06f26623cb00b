package machine

import (
	"fmt"
	"math"

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
	course
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
	inService []float64        // number of jobs in service, by class

	source       workload.Source
	next         workload.Job // next job to arrive, if more is true
	more         bool         // the source has a further job
	calendar     calendar.Calendar[occurrence]
	jobs         []progress      // by JobID
	most         int             // largest number of jobs in the system so far
	started      uint64          // number of jobs that have started
	stopped      []sched.JobID   // the jobs that stand still for the reconfiguration under way
	paused       bool            // a reconfiguration is under way, or some job stands still for its own resize
	resume       calendar.Ticket // end of the reconfiguration under way
	idleAlarms   int             // number of alarms since a job was last at work or paused, or the machine was last empty
	events       []sched.Event   // events of the present time, on which the policy has not decided yet
	count        eventCount      // number of these events, by kind
	actions      []sched.Action  // actions of the present decision
	changed      []changedJob    // jobs whose nodes the present decision changes, if changes cost something
	change       Change          // what the present decision changes
	resizing     Resizing        // the costs, if each resized job pays for itself; else nil
	standing     int             // number of jobs that stand still for their own resize
	withoutNodes []sched.JobID   // with scheduling points: started or suspended jobs that occupy no nodes
	vacant       int             // with scheduling points: nodes that no job occupies
	resized      []sched.JobID   // jobs that are resized together in the repartition under way
	notStopped   int             // number of jobs in resized that have not reached their scheduling points
	deferred     []sched.Event   // events since that repartition began, on which the policy decides after its end
	record       Record          // the record that Config.Done gets, overwritten for each job
}

// Start returns a run from the empty machine, whose Advance simulates it step by step. Random numbers come from keys
// below key: the same key gives the same run. A wrong policy or first job is an error of the first Advance. Jobs that are
// alike are simulated in less time, see [alikeRun].
func (m *Machine) Start(key des.Key) simulation.Run {
	if m.hasAlikeJobs() {
		return m.startAlike(key)
	}
	return m.start(key)
}

// start returns a run of the empty machine, with the first job read from the source. The run begins at time 0 if the
// source draws jobs at random, otherwise at the first submission. Random numbers come from streams below key. A policy
// that cannot be made, or a first job that is wrong, sets r.err, which the first call of Advance returns.
func (m *Machine) start(key des.Key) *run {
	r := &run{
		course:    newCourse(m),
		overheads: key.At(simulation.OverheadStream).Ahead(),
		random:    key.At(simulation.PolicyStream).Stream(),
		source:    m.Jobs.Jobs(key),
		vacant:    m.Nodes,
	}
	r.resizing, _ = m.Costs.(Resizing)
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
// wrong job, the costs or [course.interrupted], or is a *[PolicyError] if the policy fails. Every later call returns the
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

// ended returns the error with which a run without further events ends: [ErrEnded], or a *[PolicyError] if jobs are
// still in the system, which then never finish.
func (r *run) ended() error {
	if r.present > 0 {
		return r.refuse("%d jobs were never finished", r.present)
	}
	return ErrEnded
}

// refuse returns a *[PolicyError] for an action that the machine does not allow, or for jobs that never finish. The
// message is formatted as by fmt.Errorf, and names the policy and the simulated time.
func (r *run) refuse(format string, args ...any) error {
	return &PolicyError{r.policy.Name(), fmt.Errorf(format+"; the time is %v", append(args, r.now)...)}
}
