package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// Config describes a machine, its jobs and its policy. All times are in the unit of the jobs: seconds for a log.
type Config struct {
	Nodes      int     // number of nodes
	Unit       int     // moldable and malleable jobs get multiples of so many nodes; 0: 1
	NodeMemory float64 // memory of a node, in the unit of the memory of jobs; 0: memory does not matter
	Jobs       Workload
	Policy     policy.Policy // each run has a scheduler of its own, see [sched.New]
	Costs      Costs         // costs of a change of the jobs on the machine; nil: no costs
	Points     Points        // scheduling points, at which jobs can be resized; the zero Points: at any time
	// Setup precedes the work of every job; it occupies the job's nodes.
	Setup phasetype.Dist
	// Load is the offered load as policies know it; 0 if it is unknown.
	Load float64
	// StartWindow is the rule for the starts of jobs by the time of the week. Only EASY backfilling, with rigid and with
	// malleable jobs, obeys it; nil: jobs start at any time.
	StartWindow *sched.StartWindow
	// Estimates, if not nil, replace the estimates of the jobs with which policies plan.
	Estimates *Estimates
	// KillAtEstimate ends jobs that exceed their limits, or their estimates if they have no limits. Such a job ends when it has
	// done the work that it would do within that time on the nodes that it asks for. If any other job exceeds its estimate, the
	// estimate is raised to the run time before the job arrives. So no job exceeds the estimate that a policy sees.
	KillAtEstimate bool
	// OneByOne makes policies decide after each event, even if several events happen at the same time. Otherwise they decide
	// once for all events of a time.
	OneByOne bool
	// Most is the largest number of jobs in the system; with more, the run ends with a *[parallel.LimitError]. 0: any number.
	Most int
	// Window is the time in which the node-time of records is counted; the zero Window is all time.
	Window Window
	// Done, if not nil, is called for each job that has ended. The record is valid until Done returns.
	Done func(*Record)
	// Observe, if not nil, is called after the events of each time and the decision that follows them. There is no decision if
	// the only events are ends of reconfigurations.
	Observe func(v sched.View, events []sched.Event)
}

// Window is the time interval from From to To.
type Window struct{ From, To float64 }

// all reports whether the window is the zero value, which stands for all time. Sums of records then need no clipping.
func (w Window) all() bool { return w == Window{} }

// part returns the length of the part of the interval from time from to time to that lies in the window. It is the
// whole length for the zero window, and 0 if the two have no time in common.
func (w Window) part(from, to float64) float64 {
	if w.all() {
		return to - from
	}
	return max(0, min(to, w.To)-max(from, w.From))
}

// Estimates determine how run times are estimated. Random estimates come from a stream for each job below Key. So a job
// has the same estimate under every policy.
type Estimates struct {
	New func() workload.Estimator // one for each run
	Key des.Key
}

// Machine is a machine under a policy. It is immutable; Start makes any number of runs.
type Machine struct {
	Config
	setup         *des.Times
	speed         []float64 // speedup on n nodes if it is the same for all jobs, else nil
	everywhere    bool      // jobs can be resized at any time
	alike         bool      // jobs have no scheduling points or speeds of their own: see alikeRun
	plain         bool      // jobs are alike, and the unit is one node: see allocatePlain
	certain       bool      // every job can run on the machine, so that jobs need no check
	leastEstimate float64   // leastReservation for jobs of a log, 0 for drawn jobs
}

// BytesOfJob is the approximate number of bytes of a job in the system, spare capacity of lists included. Limits of
// memory become limits of the number of jobs by it.
const BytesOfJob = 1250

// MostNodes is the number of nodes of the largest machine that is simulated.
const MostNodes = 10_000_000

// New returns a machine that simulates the jobs, policy and costs of a configuration. Nothing runs yet: [Machine.Start]
// makes runs. A Unit of 0 becomes 1.
//
// The error says which field of the configuration is wrong. Nodes must be a positive multiple of Unit and at most
// [MostNodes], Policy and Jobs must be set, and NodeMemory must not be negative. Points and a [Random] workload must be
// valid. Otherwise it is the error of the policy's Check for the machine, or a *[PolicyError] if the policy has no
// scheduler.
func New(c Config) (*Machine, error) {
	if c.Unit == 0 {
		c.Unit = 1
	}
	switch {
	case c.Nodes < 1 || c.Unit < 1 || c.Nodes%c.Unit != 0:
		return nil, fmt.Errorf("machine: %d nodes are not a positive multiple of %d", c.Nodes, c.Unit)
	case c.Nodes > MostNodes:
		return nil, fmt.Errorf("machine: %d nodes are more than %d, the most that are simulated", c.Nodes, MostNodes)
	case c.Policy == nil:
		return nil, errors.New("machine: no policy")
	case c.Jobs == nil:
		return nil, errors.New("machine: no jobs")
	case !(c.NodeMemory >= 0):
		return nil, fmt.Errorf("machine: a node has the memory %v", c.NodeMemory)
	}
	if err := c.Points.check(); err != nil {
		return nil, err
	}
	if err := c.Policy.Check(policy.Machine{Nodes: c.Nodes, Unit: c.Unit}); err != nil {
		return nil, err
	}
	if _, err := sched.New(c.Policy); err != nil {
		return nil, &PolicyError{c.Policy.Name(), err}
	}
	m := &Machine{Config: c, setup: des.NewTimes(c.Setup), everywhere: c.Points.Everywhere(), leastEstimate: leastReservation}
	if r, ok := c.Jobs.(*Random); ok {
		if err := r.check(); err != nil {
			return nil, err
		}
		m.speed, m.certain, m.leastEstimate = r.speeds(c.Nodes), len(r.Classes) == 0, 0
		m.alike = m.everywhere && m.speed != nil && slices.Min(m.speed[1:]) > 0
		m.plain = m.alike && m.Unit == 1
	}
	return m, nil
}

// PolicyError tells that a policy failed or returned an action that is not possible.
type PolicyError struct {
	Policy string
	Err    error
}

// Error returns "policy", the name of the policy and what it did wrong.
func (e *PolicyError) Error() string { return fmt.Sprintf("policy %s: %v", e.Policy, e.Err) }

// Unwrap returns the cause without the name of the policy, for errors.As.
func (e *PolicyError) Unwrap() error { return e.Err }

// ErrEnded tells that all jobs of the workload have ended. [simulation.Run].Advance returns it.
var ErrEnded = errors.New("machine: all jobs have ended")

// Outcome is the result of a run from empty to empty.
type Outcome struct {
	simulation.Tally
	MostJobs int // largest number of jobs in the system at a time
}

// interval is the number of departures for which [Run] advances a run at a time.
const interval = 256

// Run simulates a machine from empty until all its jobs have ended, and returns the sums of the whole run. Random
// numbers come from keys below key: the same key gives the same run. An error comes with the sums up to it. The error
// is
//
//   - an error of [New],
//   - an error of the source, or an error that says which job of the source is wrong or cannot run on the machine,
//   - a *[PolicyError] if the policy fails or does what the machine does not allow,
//   - a *[parallel.LimitError] for more than c.Most jobs in the system, or if alarms, scheduling points or resizes come so
//     often that the run would hardly end,
//   - an error that names a cost that is negative or not finite,
//   - the error of ctx.
func Run(ctx context.Context, c Config, key des.Key) (Outcome, error) {
	m, err := New(c)
	if err != nil {
		return Outcome{}, err
	}
	r := m.start(key)
	r.Stop = ctx.Err
	var o Outcome
	for {
		switch err := r.Advance(interval, &o.Tally); {
		case errors.Is(err, ErrEnded):
			o.MostJobs = r.most
			return o, nil
		case err != nil:
			return o, err
		}
	}
}

// RunInParts simulates a machine until the given number of jobs have ended, and returns the sums of the whole run.
// Batch means are made from its parts: it calls part with the sums of every size departures. The last part has the
// rest. A part has more departures if several jobs depart at the same time.
//
// The run reports single waits and responses to o, whose Stop is replaced by ctx. o.Most replaces c.Most unless it is 0.
// An error during a part comes with the sums of the parts before, and MostJobs is 0. This part is not reported. Besides
// the errors of [Run], the error is [ErrEnded] if the source has fewer jobs. It is an error of its own if the source
// has more jobs, or if size is below 1. If the source has more jobs, all parts were reported, and the sums are complete.
// part may keep the tallies that it gets.
func RunInParts(ctx context.Context, c Config, key des.Key, jobs, size int, o simulation.Observer,
	part func(*simulation.Tally)) (Outcome, error) {
	if size < 1 {
		return Outcome{}, fmt.Errorf("machine: parts of %d departures; a part must have at least 1", size)
	}
	m, err := New(c)
	if err != nil {
		return Outcome{}, err
	}
	r := m.start(key)
	o.Most, o.Stop = cmp.Or(o.Most, m.Most), ctx.Err
	r.Watch(o)
	var all Outcome
	for left := jobs; left > 0; {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		var t simulation.Tally
		if err := r.Advance(min(size, left), &t); err != nil {
			return all, err
		}
		left -= int(t[simulation.Departed])
		for k, x := range t {
			all.Tally[k] += x
		}
		part(&t)
	}
	all.MostJobs = r.most
	if r.more || r.present > 0 {
		return all, fmt.Errorf("machine: %d jobs have ended, and more are to come", jobs)
	}
	return all, nil
}
