package machine

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"gonum.org/v1/gonum/mat"
)

// ChainConfig describes a machine at model fidelity. Times are in one unit.
type ChainConfig struct {
	Arrivals phasetype.MAP
	// Service[i-1] is the run time of a job while i jobs have a partition, i = 1..N; one order for all. Its length is the
	// number N of partitions.
	Service []phasetype.Dist
	// Remap returns the stochastic matrix by which running jobs re-draw their phases when their number changes, or nil if
	// they keep them. Remap itself may be nil.
	Remap func(from, to int) *mat.Dense
	// Shrink[i-1] and Expand[i-1] are the repartitions that leave i jobs running, begun by an arrival and by a departure.
	// What is missing or zero costs nothing.
	Shrink, Expand []phasetype.Dist
	// Setup precedes the service of every job; it occupies the job's partition.
	Setup phasetype.Dist
	// Separate says that a partition is one N-th of the machine whoever else runs (static partitioning); otherwise the
	// running jobs share all nodes. It matters for nothing but BusyTime.
	Separate bool
}

// Chain is a machine with N equal partitions at model fidelity. While i jobs are in the system, min(i, N) of them have
// a partition and run, each in a phase of its own; the others wait first come, first served. An arrival that finds
// fewer than N jobs and a departure that leaves fewer than N, but some, begin a repartition, during which nobody runs.
// A repartition is abandoned when an arrival begins the next one.
//
// A running job carries what is left of a unit exponential, its hazard, used up at the rate of its phase at the present
// number of jobs, and moves on when nothing is left. A job that is stopped, and one whose rate changes, keeps the rest.
// So every job is the same job under any policy: its numbers come from its own stream.
//
// A Chain is immutable; Start makes one machine after another from it.
type Chain struct {
	places         int
	service        []*phases // by the number of running jobs, 0 unused
	shrink, expand []*phases
	remap          [][]choice // by to·(places+1)+from; nil keeps the phases
	setup          *phases
	arrivals       arrivals
	separate       bool
	level          bool // all service alike, no repartitions, no maps: a change of the number of jobs touches no job
}

// chainRun is a machine at a moment of its life.
type chainRun struct {
	*Chain
	arrivals  arrivals
	overheads des.Stream
	jobs      des.Key

	now       float64
	arrivalAt float64
	resumeAt  float64 // end of the repartition under way, +Inf if there is none
	nextDue   float64 // least due time of the running jobs while they execute, else +Inf
	next      int     // the job it belongs to
	running   []phasedJob
	queue     fifo[float64] // arrival times of waiting jobs
	watch     func(response float64)
	started   uint64
}

type phasedJob struct {
	stream  des.Stream
	arrived float64
	due     float64 // when the phase ends, while the job executes
	left    float64 // of the hazard, while it does not
	phase   int32
}

// inSetup is the phase of a job before its service begins.
const inSetup = -2

// NewChain prepares a machine for simulation.
func NewChain(c ChainConfig) (*Chain, error) {
	n := len(c.Service)
	if n == 0 || c.Arrivals.Phases() == 0 {
		return nil, errors.New("machine: no service times or no arrivals")
	}
	for i, b := range c.Service {
		if b.Atom() > 0 || b.Phases() != c.Service[0].Phases() {
			return nil, fmt.Errorf("machine: service time %d must be positive and have as many phases as the first", i+1)
		}
	}
	m := &Chain{
		places:   n,
		service:  newPhasesList(c.Service, n),
		shrink:   newPhasesList(c.Shrink, n),
		expand:   newPhasesList(c.Expand, n),
		setup:    newPhases(c.Setup),
		arrivals: newArrivals(c.Arrivals),
		separate: c.Separate,
	}
	m.setRemap(c.Remap)
	m.level = c.Remap == nil && len(c.Shrink)+len(c.Expand) == 0 && alike(c.Service)
	if m.setup != nil && !m.level {
		return nil, errors.New("machine: set-ups need one service time for all, and no repartitions")
	}
	return m, nil
}

// Start returns the empty machine at time 0, its random numbers below key.
func (c *Chain) Start(key des.Key) Run {
	m := &chainRun{
		Chain:     c,
		arrivals:  c.arrivals,
		overheads: key.At(overheadStream).Stream(),
		jobs:      key.At(jobStream),
		resumeAt:  math.Inf(1),
		nextDue:   math.Inf(1),
		running:   make([]phasedJob, 0, c.places),
	}
	m.arrivals.begin(key.At(arrivalStream))
	m.arrivalAt = m.arrivals.gap()
	return m
}

func (c *Chain) setRemap(f func(from, to int) *mat.Dense) {
	c.remap = make([][]choice, (c.places+1)*(c.places+1))
	if f == nil {
		return
	}
	for i := 1; i < c.places; i++ {
		c.remap[(i+1)*(c.places+1)+i] = rows(f(i, i+1))
		c.remap[i*(c.places+1)+i+1] = rows(f(i+1, i))
	}
}

func alike(service []phasetype.Dist) bool {
	first := service[0]
	for _, b := range service[1:] {
		if !mat.Equal(b.T(), first.T()) || !mat.Equal(vector(b.Alpha()), vector(first.Alpha())) {
			return false
		}
	}
	return true
}

func vector(v []float64) *mat.VecDense { return mat.NewVecDense(len(v), v) }

// Advance simulates until n more jobs have departed and adds what happened to t.
func (c *chainRun) Advance(n int, t *Tally) error {
	for n > 0 {
		switch {
		case c.arrivalAt <= c.nextDue && c.arrivalAt <= c.resumeAt:
			c.elapse(c.arrivalAt, t)
			c.arrive(t)
			c.arrivalAt = c.now + c.arrivals.gap()
		case c.nextDue <= c.resumeAt:
			c.elapse(c.nextDue, t)
			if c.advance(c.next, t) {
				n--
			}
		default:
			c.elapse(c.resumeAt, t)
			c.resumeAt = math.Inf(1)
			c.resume()
			t[Events]++
		}
	}
	return nil
}

// Renew simulates to the next arrival that finds the machine empty; see [Run].
func (c *chainRun) Renew(limit int, t *Tally) (renewed bool, err error) {
	for ; limit > 0; limit-- {
		if err := c.Advance(1, t); err != nil {
			return false, err
		}
		if len(c.running) == 0 {
			c.elapse(c.arrivalAt, t)
			return true, nil
		}
	}
	return false, nil
}

// Watch makes the run tell the response time of every job that departs.
func (c *chainRun) Watch(f func(response float64)) { c.watch = f }

func (c *chainRun) elapse(to float64, t *Tally) {
	dt := to - c.now
	c.now = to
	running, waiting := float64(len(c.running)), float64(c.queue.len())
	jobs := running + waiting
	t[Elapsed] += dt
	t[JobTime] += dt * jobs
	t[JobSquareTime] += dt * jobs * jobs
	t[QueueTime] += dt * waiting
	switch {
	case running == 0:
		t[EmptyTime] += dt
	case c.resumeAt < math.Inf(1):
		t[PausedTime] += dt
	default:
		t[ExecutingTime] += dt * running
		if c.separate {
			t[BusyTime] += dt * running / float64(c.places)
		} else {
			t[BusyTime] += dt
		}
	}
}

func (c *chainRun) arrive(t *Tally) {
	t[Events]++
	t[Arrived]++
	i := len(c.running)
	if i == c.places {
		t[Queued]++
		c.queue.push(c.now)
		return
	}
	if c.level {
		c.running = append(c.running, phasedJob{})
		c.start(i, c.now, t)
		c.seek()
		return
	}
	c.stop(t)
	c.redraw(i, i+1)
	c.running = append(c.running, phasedJob{})
	c.start(i, c.now, t)
	if c.pause(c.shrink[i+1]) {
		t[Repartitions]++
		t[Shrinks]++
	}
}

// start gives place k to the next job, which arrived at the given time. Its first phase is that of the present number
// of running jobs; its clock is not set unless the machine is level.
func (c *chainRun) start(k int, arrived float64, t *Tally) {
	j := &c.running[k]
	j.arrived = arrived
	j.stream = c.jobs.At(c.started).Stream()
	c.started++
	t[Started]++
	t[WaitSum] += c.now - arrived
	if c.setup != nil {
		if d := c.setup.draw(&c.overheads); d > 0 {
			j.phase, j.due = inSetup, c.now+d
			return
		}
	}
	c.enter(j)
}

// enter begins the service of a job.
func (c *chainRun) enter(j *phasedJob) {
	b := c.service[len(c.running)]
	j.phase = b.start.pick(&j.stream)
	j.left = j.stream.Exp()
	j.due = c.now + j.left/b.rate[j.phase]
}

// advance moves job k, whose phase ends now, and reports whether it departs.
func (c *chainRun) advance(k int, t *Tally) (departs bool) {
	j := &c.running[k]
	if j.phase == inSetup {
		t[Events]++
		c.enter(j)
		c.seek()
		return false
	}
	b := c.service[len(c.running)]
	if to := b.next[j.phase].pick(&j.stream); to != absorbed {
		j.phase = to
		j.due = c.now + j.stream.Exp()/b.rate[to]
		c.seek()
		return false
	}
	t[Events]++
	t[Departed]++
	t[ResponseSum] += c.now - j.arrived
	if c.watch != nil {
		c.watch(c.now - j.arrived)
	}
	c.depart(k, t)
	return true
}

// depart frees place k, for the head of the queue if there is one.
func (c *chainRun) depart(k int, t *Tally) {
	if c.queue.len() > 0 {
		c.start(k, c.queue.pop(), t)
		c.seek()
		return
	}
	i := len(c.running)
	if !c.level {
		c.stop(t)
	}
	c.running[k] = c.running[i-1]
	c.running = c.running[:i-1]
	if i == 1 {
		t[EmptyPeriods]++
	}
	if c.level || i == 1 {
		c.seek()
		return
	}
	c.redraw(i, i-1)
	if c.pause(c.expand[i-1]) {
		t[Repartitions]++
		t[Expands]++
	}
}

// stop reads the clocks of the running jobs, or gives up the repartition during which they stand still.
func (c *chainRun) stop(t *Tally) {
	if c.resumeAt < math.Inf(1) {
		t[Abandoned]++
		c.resumeAt = math.Inf(1)
		return
	}
	rate := c.service[len(c.running)]
	for k := range c.running {
		j := &c.running[k]
		j.left = math.Max(0, (j.due-c.now)*rate.rate[j.phase])
	}
	c.nextDue = math.Inf(1)
}

// redraw moves the running jobs to other phases as their number changes. What is left of a hazard is exponential
// whatever the phase, so it stays.
func (c *chainRun) redraw(from, to int) {
	rows := c.remap[to*(c.places+1)+from]
	if rows == nil {
		return
	}
	for k := range c.running {
		j := &c.running[k]
		j.phase = rows[j.phase].pick(&j.stream)
	}
}

// pause begins a repartition and reports whether it costs time; if it does not, the jobs go on at once.
func (c *chainRun) pause(cost *phases) bool {
	d := cost.draw(&c.overheads)
	if d == 0 {
		c.resume()
		return false
	}
	c.resumeAt = c.now + d
	return true
}

// resume sets the clocks of the running jobs, at the rates of their present number.
func (c *chainRun) resume() {
	if len(c.running) == 0 {
		return
	}
	b := c.service[len(c.running)]
	for k := range c.running {
		j := &c.running[k]
		j.due = c.now + j.left/b.rate[j.phase]
	}
	c.seek()
}

// seek finds the running job whose phase ends next, the first of equals.
func (c *chainRun) seek() {
	c.nextDue = math.Inf(1)
	for k := range c.running {
		if c.running[k].due < c.nextDue {
			c.nextDue, c.next = c.running[k].due, k
		}
	}
}
