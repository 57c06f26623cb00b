package chain

import (
	"math"

	"github.com/partwise/partwise/validate/des"
)

// service is how far the service of a job has come.
type service struct {
	stream des.Stream
	phase  int32   // in a set-up, ^phase is the first phase
	left   float64 // of the hazard, while the job does not execute
}

// phasedJob is a job that runs. Its phase, or its set-up, ends a time after since, or after that of the population if
// that is later.
type phasedJob struct {
	service
	since, time float64
	arrived     float64
}

// jobsAhead is how many jobs are drawn at a time: a processor works on many independent streams at once.
const jobsAhead = 64

// partition divides the machine into q partitions.
func (c *run) partition(q int) { c.q, c.present = q, c.service[q] }

// executing reports whether no repartition is under way.
func (c *run) executing() bool { return math.IsInf(c.resumeAt, 1) }

// start gives place k to the next job, which arrived at the given time and is to be set to work.
func (c *run) start(k int, arrived float64, t *des.Tally) {
	if c.left == 0 {
		c.draw()
	}
	c.left--
	j := &c.running[k]
	j.service = c.coming[c.left]
	j.arrived = arrived
	if c.class != nil {
		c.inService[c.class[j.phase]]++
	}
	t[des.Started]++
	t[des.WaitSum] += c.now - arrived
}

// draw draws the jobs to come.
func (c *run) draw() {
	for i := len(c.coming) - 1; i >= 0; i-- {
		j := &c.coming[i]
		j.stream = c.jobs.At(c.drawn).Stream()
		j.phase = c.present.Start.Pick(&j.stream)
		c.hazards[i] = j.stream.Float64()
		c.drawn++
	}
	des.Exps(c.hazards)
	for i, x := range c.hazards {
		c.coming[i].left = x
	}
	c.left = len(c.coming)
}

// begin sets the job to work that place k was given to while the others execute.
func (c *run) begin(k int) {
	j := &c.running[k]
	if c.setup != nil {
		if d := c.setup.DrawAhead(&c.overheads); d > 0 {
			j.phase, j.since, j.time = ^j.phase, c.now, d
			return
		}
	}
	c.work(j)
}

// work sets a job to work on its phase.
func (c *run) work(j *phasedJob) {
	j.since, j.time = c.now, j.left/(c.present.Rate[j.phase]*c.speed)
}

// advance moves the job whose phase ends now, and reports whether it departs; its place is still to be freed.
func (c *run) advance(t *des.Tally) (departs bool) {
	j := &c.running[c.next]
	if j.phase < 0 {
		t[des.Events]++
		j.phase = ^j.phase
		c.work(j)
		c.seek()
		return false
	}
	if to := c.present.Next[j.phase].Pick(&j.stream); to != des.Absorbed {
		j.phase, j.left = to, j.stream.Exp()
		c.work(j)
		c.seek()
		return false
	}
	t[des.Events]++
	t[des.Departed]++
	t[des.ResponseSum] += c.now - j.arrived
	class := 0
	if c.class != nil {
		class = int(c.class[j.phase])
		c.countDeparture(class, c.now-j.arrived)
	}
	if c.Response != nil {
		c.Response(class, c.now-j.arrived)
	}
	return true
}

// countDeparture counts a job of class k that departs.
func (c *run) countDeparture(k int, response float64) {
	c.inService[k]--
	if c.ByClass != nil {
		c.ByClass[k*des.ClassSums+des.ClassDeparted]++
		c.ByClass[k*des.ClassSums+des.ClassResponse] += response
	}
}

// replace gives place k, whose job has departed, to the head of the queue while the others execute.
func (c *run) replace(k int, t *des.Tally) {
	c.beginChange()
	c.start(k, c.queue.Pop(), t)
	c.begin(k)
	c.endChange()
}

// beginChange comes before another job, or none, takes the place of one while the others execute, and endChange after it:
// where jobs share the nodes by water-filling, each then has another number of them.
func (c *run) beginChange() {
	if c.filling != nil {
		c.stop()
	}
}

func (c *run) endChange() {
	if c.filling == nil {
		c.seek()
		return
	}
	c.plan()
	c.proceed()
}

// vacate gives up place k.
func (c *run) vacate(k int) {
	last := len(c.running) - 1
	c.running[k] = c.running[last]
	c.running = c.running[:last]
}

// stop reads the clocks of the running jobs, none of which is due before now.
func (c *run) stop() {
	running, rate := c.running, c.present.Rate
	now, speed := c.now, c.speed
	for k := range running {
		j := &running[k]
		j.left = (c.due(j) - now) * rate[j.phase] * speed
	}
	c.nextDue = math.Inf(1)
}

// mapPhases moves the running jobs to other phases as the number of partitions changes. What is left of a hazard is
// exponential whatever the phase, so it stays.
func (c *run) mapPhases(from, to int) {
	if c.remap == nil {
		return
	}
	rows := c.remap[to*(c.places+1)+from]
	for k := 0; rows != nil && k < len(c.running); k++ {
		j := &c.running[k]
		j.phase = rows[j.phase].Pick(&j.stream)
	}
}

// pause begins a repartition of a kind; if it costs no time, the jobs go on at once and it does not count.
func (c *run) pause(cost *des.Times, kind int, t *des.Tally) {
	c.plan()
	d := cost.DrawAhead(&c.overheads)
	if d == 0 {
		c.resume()
		return
	}
	c.resumeAt, c.full = c.now+d, true
	t[des.Repartitions]++
	t[kind]++
}

// resume ends a repartition; the running jobs go on as planned.
func (c *run) resume() {
	c.resumeAt, c.full = math.Inf(1), false
	c.proceed()
}

// proceed sets the running jobs to work.
func (c *run) proceed() {
	c.since = c.now
	c.nextDue, c.next = c.now+c.shortest, c.first
}
