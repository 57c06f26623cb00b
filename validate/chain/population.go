package chain

import (
	"math"

	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/sim"
)

// population is a machine at model fidelity at a moment of its life, whenever it may repartition: its jobs, their
// clocks, and what is counted of them. A running job is served by b, the service time at the present number of
// partitions.
type population struct {
	*Chain
	arrivals  sim.Arrivals
	overheads des.Stream
	jobs      des.Key
	watch     func(response float64)

	now       float64
	arrivalAt float64
	resumeAt  float64 // end of the repartition under way, +Inf if there is none
	nextDue   float64 // least due time of the running jobs while they execute, else +Inf
	next      int     // the job it belongs to
	running   []phasedJob
	queue     des.Queue[float64] // arrival times of waiting jobs
	started   uint64
	speed     float64 // of the running jobs, over the rates of b
	going     Going   // those that a repartition under way does not stop
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

// population returns nobody at time 0, the random numbers below key.
func (c *Chain) population(key des.Key) population {
	m := population{
		Chain:     c,
		arrivals:  c.arrivals,
		overheads: key.At(sim.OverheadStream).Stream(),
		jobs:      key.At(sim.JobStream),
		resumeAt:  math.Inf(1),
		nextDue:   math.Inf(1),
		running:   make([]phasedJob, 0, c.places),
		speed:     1,
	}
	m.arrivals.Begin(key.At(sim.ArrivalStream))
	m.arrivalAt = m.arrivals.Gap()
	return m
}

// Watch makes the run tell the response time of every job that departs.
func (c *population) Watch(f func(response float64)) { c.watch = f }

// renew is [sim.Run] of a machine that is advanced by advance.
func (c *population) renew(limit int, t *sim.Tally, advance func(int, *sim.Tally) error) (renewed bool, err error) {
	for ; limit > 0; limit-- {
		if err := advance(1, t); err != nil {
			return false, err
		}
		if len(c.running) == 0 {
			c.elapse(c.arrivalAt, t)
			return true, nil
		}
	}
	return false, nil
}

// executing reports whether no repartition is under way.
func (c *population) executing() bool { return math.IsInf(c.resumeAt, 1) }

func (c *population) elapse(to float64, t *sim.Tally) {
	dt := to - c.now
	c.now = to
	running, waiting := float64(len(c.running)), float64(c.queue.Len())
	jobs := running + waiting
	t[sim.Elapsed] += dt
	t[sim.JobTime] += dt * jobs
	t[sim.JobSquareTime] += dt * jobs * jobs
	t[sim.QueueTime] += dt * waiting
	switch {
	case running == 0:
		t[sim.EmptyTime] += dt
	case c.resumeAt < math.Inf(1):
		t[sim.PausedTime] += dt
		t[sim.ExecutingTime] += dt * c.going.Jobs
		t[sim.BusyTime] += dt * c.going.Nodes
	default:
		t[sim.ExecutingTime] += dt * running
		if c.separate {
			t[sim.BusyTime] += dt * running / float64(c.places)
		} else {
			t[sim.BusyTime] += dt
		}
	}
}

// start gives place k to the next job, which arrived at the given time.
func (c *population) start(k int, arrived float64, b *sim.Times, t *sim.Tally) {
	j := &c.running[k]
	j.arrived = arrived
	j.stream = c.jobs.At(c.started).Stream()
	c.started++
	t[sim.Started]++
	t[sim.WaitSum] += c.now - arrived
	if c.setup != nil {
		if d := c.setup.Draw(&c.overheads); d > 0 {
			j.phase, j.due = inSetup, c.now+d
			return
		}
	}
	c.enter(j, b)
}

// enter begins the service of a job.
func (c *population) enter(j *phasedJob, b *sim.Times) {
	j.phase = b.Start.Pick(&j.stream)
	j.left = j.stream.Exp()
	j.due = c.now + j.left/(b.Rate[j.phase]*c.speed)
}

// advance moves the job whose phase ends now, and reports whether it departs; its place is still to be freed.
func (c *population) advance(b *sim.Times, t *sim.Tally) (departs bool) {
	j := &c.running[c.next]
	if j.phase == inSetup {
		t[sim.Events]++
		c.enter(j, b)
		c.seek()
		return false
	}
	if to := b.Next[j.phase].Pick(&j.stream); to != sim.Absorbed {
		j.phase = to
		j.due = c.now + j.stream.Exp()/(b.Rate[to]*c.speed)
		c.seek()
		return false
	}
	t[sim.Events]++
	t[sim.Departed]++
	t[sim.ResponseSum] += c.now - j.arrived
	if c.watch != nil {
		c.watch(c.now - j.arrived)
	}
	return true
}

// vacate gives up place k.
func (c *population) vacate(k int) {
	last := len(c.running) - 1
	c.running[k] = c.running[last]
	c.running = c.running[:last]
}

// stop reads the clocks of the running jobs.
func (c *population) stop(b *sim.Times) {
	for k := range c.running {
		j := &c.running[k]
		j.left = max(0, (j.due-c.now)*b.Rate[j.phase]*c.speed)
	}
	c.nextDue = math.Inf(1)
}

// mapPhases moves the running jobs to other phases as the number of partitions changes. What is left of a hazard is
// exponential whatever the phase, so it stays.
func (c *population) mapPhases(from, to int) {
	rows := c.remap[to*(c.places+1)+from]
	if rows == nil {
		return
	}
	for k := range c.running {
		j := &c.running[k]
		j.phase = rows[j.phase].Pick(&j.stream)
	}
}

// pause begins a repartition of a kind; if it costs no time, the jobs go on at once and it does not count.
func (c *population) pause(cost *sim.Times, kind int, b *sim.Times, t *sim.Tally) {
	d := cost.Draw(&c.overheads)
	if d == 0 {
		c.resume(b)
		return
	}
	c.resumeAt = c.now + d
	t[sim.Repartitions]++
	t[kind]++
}

// resume ends a repartition; the running jobs go on.
func (c *population) resume(b *sim.Times) {
	c.resumeAt = math.Inf(1)
	c.proceed(b)
}

// proceed sets the clocks of the running jobs.
func (c *population) proceed(b *sim.Times) {
	for k := range c.running {
		j := &c.running[k]
		j.due = c.now + j.left/(b.Rate[j.phase]*c.speed)
	}
	c.seek()
}

// seek finds the running job whose phase ends next, the first of equals.
func (c *population) seek() {
	c.nextDue = math.Inf(1)
	for k := range c.running {
		if c.running[k].due < c.nextDue {
			c.nextDue, c.next = c.running[k].due, k
		}
	}
}
