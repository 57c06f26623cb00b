package machine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
)

// Config describes a machine at machine fidelity. Times are in one unit.
type Config struct {
	Nodes, Unit int // P and M: partitions are multiples of M nodes
	Arrivals    phasetype.MAP
	Demand      phasetype.Dist // work of a job, drawn whole when it arrives
	Sample      []float64      // if not nil, the demands, each drawn with the same probability, in place of Demand
	Replay      []Request      // if not nil, the jobs that come, in place of Arrivals and Demand; then the run is over
	Speed       []float64      // Speed[n] is the work that a job on n nodes does in a unit of time, n = 0..P
	// Shrink[i-1] is the repartition that leaves i jobs running when a job arrives, Expand[i-1] when one departs. What is
	// missing or zero costs nothing.
	Shrink, Expand []phasetype.Dist
	// Setup precedes the work of every job; it occupies the job's nodes.
	Setup phasetype.Dist
	// Policy returns a policy for one run.
	Policy func() Policy
	// Observe, if not nil, is called after each event, when the decision on it has been carried out, and after the end of
	// each repartition.
	Observe func(v View, why Event)
}

// Machine is a machine of whole nodes under a policy.
//
// Overheads are charged by what a decision changes. A decision on an arrival that starts or resizes jobs is a
// repartition, Shrink; one on a departure is a repartition, Expand, if it resizes jobs that were running, and otherwise
// just hands free nodes to waiting jobs; one on an alarm is a repartition if it resizes jobs that were running: Shrink
// if it starts others as well, else Expand. During a repartition the jobs it started or resized stand still, all others
// run. A repartition that meets one under way replaces it: the time spent is lost, and the jobs of both stand still for
// the new one.
//
// A Machine is immutable; Start makes one run after another from it.
type Machine struct {
	nodes, unit    int
	arrivals       arrivals
	demand         *phases
	sample         []float64
	replay         []Request
	speed          []float64
	shrink, expand []*phases
	setup          *phases
	policy         func() Policy
	observe        func(View, Event)
}

// New prepares a machine for simulation.
func New(c Config) (*Machine, error) {
	switch {
	case c.Unit < 1 || c.Nodes < 1 || c.Nodes%c.Unit != 0:
		return nil, fmt.Errorf("machine: %d nodes are not a multiple of %d", c.Nodes, c.Unit)
	case len(c.Speed) != c.Nodes+1:
		return nil, fmt.Errorf("machine: %d speeds for 0 to %d nodes", len(c.Speed), c.Nodes)
	case c.Policy == nil:
		return nil, errors.New("machine: no policy")
	}
	if err := c.checkJobs(); err != nil {
		return nil, err
	}
	n := c.Nodes / c.Unit
	m := &Machine{
		nodes: c.Nodes, unit: c.Unit, speed: slices.Clone(c.Speed), policy: c.Policy, observe: c.Observe,
		demand: newPhases(c.Demand),
		sample: c.Sample,
		replay: c.Replay,
		shrink: newPhasesList(c.Shrink, n),
		expand: newPhasesList(c.Expand, n),
		setup:  newPhases(c.Setup),
	}
	if c.Replay == nil {
		m.arrivals = newArrivals(c.Arrivals)
	}
	return m, nil
}

// occurrence is an event in the calendar.
type occurrence struct {
	kind occurrenceKind
	job  Job
}

type occurrenceKind uint8

const (
	arrives occurrenceKind = iota
	departs
	resumes
	wakes
)

// machineRun is a machine at a moment of its life.
type machineRun struct {
	*Machine
	arrivals  arrivals
	overheads des.Stream
	random    des.Stream // of the policy
	keys      des.Key
	decide    Policy
	watch     func(response float64)

	now       float64
	calendar  des.Calendar[occurrence]
	jobs      []workedJob
	vacant    []Job // places in jobs
	arrived   uint64
	announced uint64 // jobs whose arrival is or was in the calendar
	running   []Job
	waiting   fifo[Job]
	free      int
	atWork    int // jobs that make progress, and the nodes they hold
	working   int

	paused bool       // a repartition is under way
	resume des.Ticket // its end

	do      []Action
	touched []Job // by the decision being carried out
}

type workedJob struct {
	number  uint64
	arrived float64
	demand  float64
	nodes   int
	left    float64 // of the demand, at time since
	setup   float64 // of the set-up, at time since
	since   float64
	due     des.Ticket
	state   jobState
	working bool // makes progress
	halted  bool // stands still for the repartition under way
}

type jobState uint8

const (
	absent jobState = iota
	waits
	runs
)

// Start returns the empty machine at time 0, its random numbers below key.
func (m *Machine) Start(key des.Key) Run {
	r := &machineRun{
		Machine:   m,
		arrivals:  m.arrivals,
		overheads: key.At(overheadStream).Stream(),
		random:    key.At(policyStream).Stream(),
		keys:      key.At(jobStream),
		decide:    m.policy(),
		free:      m.nodes,
	}
	if m.replay == nil {
		r.arrivals.begin(key.At(arrivalStream))
	}
	r.announce()
	return r
}

// Watch makes the run tell the response time of every job that departs.
func (r *machineRun) Watch(f func(response float64)) { r.watch = f }

// Advance simulates until n more jobs have departed and adds what happened to t. It returns an error if the policy asks
// for what cannot be, and [ErrEnded] when all jobs of a replay have departed.
func (r *machineRun) Advance(n int, t *Tally) error {
	for n > 0 {
		at, what, ok := r.calendar.Next()
		if !ok {
			return r.ended()
		}
		r.elapse(at, t)
		t[Events]++
		why := Event{Kind: Alarm}
		switch what.kind {
		case arrives:
			r.announce()
			why = r.arrive(t)
		case departs:
			why = r.depart(what.job, t)
			n--
		case resumes:
			r.release()
			if r.observe != nil {
				r.observe(View{r}, Event{Kind: Resume})
			}
			continue
		}
		if err := r.settle(why, t); err != nil {
			return err
		}
	}
	return nil
}

// Renew simulates to the next arrival that finds the machine empty; see [Run].
func (r *machineRun) Renew(limit int, t *Tally) (renewed bool, err error) {
	for ; limit > 0; limit-- {
		if err := r.Advance(1, t); err != nil {
			return false, err
		}
		if at, ok := r.calendar.Peek(); ok && len(r.running) == 0 && r.waiting.len() == 0 && r.calendar.Len() == 1 {
			r.elapse(at, t)
			return true, nil
		}
	}
	return false, nil
}

func (r *machineRun) elapse(to float64, t *Tally) {
	dt := to - r.now
	r.now = to
	waiting := float64(r.waiting.len())
	jobs := waiting + float64(len(r.running))
	t[Elapsed] += dt
	t[JobTime] += dt * jobs
	t[JobSquareTime] += dt * jobs * jobs
	t[QueueTime] += dt * waiting
	t[ExecutingTime] += dt * float64(r.atWork)
	t[BusyTime] += dt * float64(r.working) / float64(r.nodes)
	if jobs == 0 {
		t[EmptyTime] += dt
	}
	if r.paused {
		t[PausedTime] += dt
	}
}

func (r *machineRun) arrive(t *Tally) Event {
	t[Arrived]++
	var id Job
	if n := len(r.vacant); n > 0 {
		id = r.vacant[n-1]
		r.vacant = r.vacant[:n-1]
	} else {
		id = Job(len(r.jobs))
		r.jobs = append(r.jobs, workedJob{})
	}
	demand := r.demandOf(r.arrived)
	r.jobs[id] = workedJob{number: r.arrived, arrived: r.now, demand: demand, left: demand, state: waits}
	r.arrived++
	r.waiting.push(id)
	return Event{Kind: Arrival, Job: id}
}

func (r *machineRun) depart(id Job, t *Tally) Event {
	j := &r.jobs[id]
	r.halt(id)
	t[Departed]++
	t[ResponseSum] += r.now - j.arrived
	if r.watch != nil {
		r.watch(r.now - j.arrived)
	}
	why := Event{Kind: Departure, Job: id, Nodes: j.nodes}
	r.free += j.nodes
	*j = workedJob{}
	r.vacant = append(r.vacant, id)
	at := slices.Index(r.running, id)
	r.running = slices.Delete(r.running, at, at+1)
	if len(r.running) == 0 && r.waiting.len() == 0 {
		t[EmptyPeriods]++
	}
	return why
}

// settle asks the policy what to do about an event and does it.
func (r *machineRun) settle(why Event, t *Tally) error {
	v := View{r}
	r.do = r.decide.Decide(v, why, r.do[:0])
	r.touched = r.touched[:0]
	resized, started := false, false
	for _, a := range r.do {
		if a.wake {
			r.calendar.Schedule(math.Max(a.at, r.now), occurrence{kind: wakes})
			continue
		}
		ran, err := r.allocate(a.job, a.nodes, t)
		if err != nil {
			return fmt.Errorf("machine: policy %s: %w", r.decide.Name(), err)
		}
		resized, started = resized || ran, started || !ran
	}
	if r.free < 0 {
		return fmt.Errorf("machine: policy %s: hands out %d of %d nodes", r.decide.Name(), r.nodes-r.free, r.nodes)
	}
	if why.Kind == Arrival && r.jobs[why.Job].state == waits {
		t[Queued]++
	}
	if len(r.touched) > 0 {
		shrink := why.Kind == Arrival || why.Kind == Alarm && started
		r.charge(shrink, why.Kind == Arrival || resized, t)
	}
	if r.observe != nil {
		r.observe(v, why)
	}
	return nil
}

// allocate changes the nodes of a job, which stands still from then on, and reports whether it was running before.
func (r *machineRun) allocate(id Job, nodes int, t *Tally) (ran bool, err error) {
	if int(id) >= len(r.jobs) || id < 0 || r.jobs[id].state == absent {
		return false, fmt.Errorf("there is no job %d", id)
	}
	if nodes < 0 || nodes > r.nodes || nodes%r.unit != 0 {
		return false, fmt.Errorf("%d nodes for a job: not a multiple of %d up to %d", nodes, r.unit, r.nodes)
	}
	j := &r.jobs[id]
	if j.nodes == nodes {
		return false, nil
	}
	ran = j.state == runs
	if ran {
		r.halt(id)
	} else {
		take(&r.waiting, id)
		r.running = append(r.running, id)
		j.state = runs
		j.setup = r.setup.draw(&r.overheads)
		t[Started]++
		t[WaitSum] += r.now - j.arrived
	}
	r.free += j.nodes - nodes
	j.nodes = nodes
	r.touched = append(r.touched, id)
	return ran, nil
}

// charge makes the touched jobs pay for the decision, if it is a repartition, or lets them go.
func (r *machineRun) charge(shrink, repartition bool, t *Tally) {
	if !repartition {
		for _, id := range r.touched {
			r.work(id)
		}
		return
	}
	cost, kind := r.expand, Expands
	if shrink {
		cost, kind = r.shrink, Shrinks
	}
	for _, id := range r.touched {
		r.jobs[id].halted = true
	}
	if r.paused {
		t[Abandoned]++
		r.calendar.Cancel(r.resume)
		r.paused = false
	}
	var d float64
	if n := len(r.running); n < len(cost) {
		d = cost[n].draw(&r.overheads)
	}
	if d == 0 {
		r.release()
		return
	}
	t[Repartitions]++
	t[kind]++
	r.paused = true
	r.resume = r.calendar.Schedule(r.now+d, occurrence{kind: resumes})
}

// release ends a repartition: all jobs that stand still for it go on.
func (r *machineRun) release() {
	r.paused = false
	for _, id := range r.running {
		if r.jobs[id].halted {
			r.jobs[id].halted = false
			r.work(id)
		}
	}
}

// work sets a job that stands still to work on the nodes it has.
func (r *machineRun) work(id Job) {
	j := &r.jobs[id]
	if speed := r.speedOf(j); speed > 0 {
		j.since, j.working = r.now, true
		j.due = r.calendar.Schedule(r.now+j.setup+j.left/speed, occurrence{departs, id})
		r.atWork++
		r.working += j.nodes
	}
}

// halt stops a job and writes down what is left of it.
func (r *machineRun) halt(id Job) {
	j := &r.jobs[id]
	if !j.working {
		return
	}
	r.calendar.Cancel(j.due)
	done := r.now - j.since
	setup := math.Min(done, j.setup)
	j.setup -= setup
	j.left = math.Max(0, j.left-(done-setup)*r.speedOf(j))
	j.working = false
	r.atWork--
	r.working -= j.nodes
}
