package machine

import (
	"math"

	"github.com/partwise/partwise/validate/des"
)

// crowd is a machine at model fidelity at a moment of its life, whenever it may repartition: its jobs, their clocks, and
// what is counted of them. A running job is served by b, the service time at the present number of partitions.
type crowd struct {
	*Chain
	arrivals  arrivals
	overheads des.Stream
	jobs      des.Key
	watch     func(response float64)

	now       float64
	arrivalAt float64
	resumeAt  float64 // end of the repartition under way, +Inf if there is none
	nextDue   float64 // least due time of the running jobs while they execute, else +Inf
	next      int     // the job it belongs to
	running   []phasedJob
	queue     fifo[float64] // arrival times of waiting jobs
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

// crowd returns nobody at time 0, the random numbers below key.
func (c *Chain) crowd(key des.Key) crowd {
	m := crowd{
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

// Watch makes the run tell the response time of every job that departs.
func (c *crowd) Watch(f func(response float64)) { c.watch = f }

// renew is [Run.Renew] of a machine that is advanced by advance.
func (c *crowd) renew(limit int, t *Tally, advance func(int, *Tally) error) (renewed bool, err error) {
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
func (c *crowd) executing() bool { return math.IsInf(c.resumeAt, 1) }

func (c *crowd) elapse(to float64, t *Tally) {
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

// start gives place k to the next job, which arrived at the given time.
func (c *crowd) start(k int, arrived float64, b *phases, t *Tally) {
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
	c.enter(j, b)
}

// enter begins the service of a job.
func (c *crowd) enter(j *phasedJob, b *phases) {
	j.phase = b.start.pick(&j.stream)
	j.left = j.stream.Exp()
	j.due = c.now + j.left/b.rate[j.phase]
}

// advance moves the job whose phase ends now, and reports whether it departs; its place is still to be freed.
func (c *crowd) advance(b *phases, t *Tally) (departs bool) {
	j := &c.running[c.next]
	if j.phase == inSetup {
		t[Events]++
		c.enter(j, b)
		c.seek()
		return false
	}
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
	return true
}

// vacate gives up place k.
func (c *crowd) vacate(k int) {
	last := len(c.running) - 1
	c.running[k] = c.running[last]
	c.running = c.running[:last]
}

// stop reads the clocks of the running jobs.
func (c *crowd) stop(b *phases) {
	for k := range c.running {
		j := &c.running[k]
		j.left = math.Max(0, (j.due-c.now)*b.rate[j.phase])
	}
	c.nextDue = math.Inf(1)
}

// redraw moves the running jobs to other phases as the number of partitions changes. What is left of a hazard is
// exponential whatever the phase, so it stays.
func (c *crowd) redraw(from, to int) {
	rows := c.remap[to*(c.places+1)+from]
	if rows == nil {
		return
	}
	for k := range c.running {
		j := &c.running[k]
		j.phase = rows[j.phase].pick(&j.stream)
	}
}

// pause begins a repartition of a kind; if it costs no time, the jobs go on at once and it does not count.
func (c *crowd) pause(cost *phases, kind int, b *phases, t *Tally) {
	d := cost.draw(&c.overheads)
	if d == 0 {
		c.resume(b)
		return
	}
	c.resumeAt = c.now + d
	t[Repartitions]++
	t[kind]++
}

// resume ends a repartition and sets the clocks of the running jobs.
func (c *crowd) resume(b *phases) {
	c.resumeAt = math.Inf(1)
	for k := range c.running {
		j := &c.running[k]
		j.due = c.now + j.left/b.rate[j.phase]
	}
	c.seek()
}

// seek finds the running job whose phase ends next, the first of equals.
func (c *crowd) seek() {
	c.nextDue = math.Inf(1)
	for k := range c.running {
		if c.running[k].due < c.nextDue {
			c.nextDue, c.next = c.running[k].due, k
		}
	}
}
