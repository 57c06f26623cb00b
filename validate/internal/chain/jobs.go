package chain

import (
	"math"

	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// service is the progress of a job in its service time.
type service struct {
	stream des.Stream
	phase  int32   // in a set-up, ^phase is the first phase
	left   float64 // of the hazard, while the job does not execute; on a level machine the time that the phase takes
}

// phasedJob is a running job. Its phase ends at max(since, since of the run) + time. On a level machine the ends stand in a
// list of the run.
type phasedJob struct {
	service
	since, time float64
	arrived     float64
}

// jobsAhead is the number of jobs that are drawn at a time. A processor draws from many independent streams at once.
const jobsAhead = 64

// partition divides the machine into q partitions.
func (c *run) partition(q int) { c.q, c.present = q, c.service[q] }

// executing reports whether no repartition is under way.
func (c *run) executing() bool { return math.IsInf(c.resumeAt, 1) }

// start puts the next job, which arrived at the given time, into place k, and counts its start in t. The job does not
// make progress yet: [run.work] or [run.proceed] sets it to work.
func (c *run) start(k int, arrived float64, t *simulation.Tally) {
	if c.left == 0 {
		c.draw()
	}
	c.left--
	j := &c.running[k]
	j.service = c.coming[c.left]
	j.arrived = arrived
	class := 0
	if c.class != nil {
		class = int(c.class[j.phase])
		c.inService[class]++
	}
	t[simulation.Started]++
	t[simulation.WaitSum] += c.now - arrived
	if c.Wait != nil {
		c.Wait(class, c.now-arrived)
	}
}

// draw draws the first phases of the next jobs into c.coming, and the hazards, or on a level machine the times, of these
// phases.
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
		if c.level {
			c.coming[i].left /= c.present.Rate[c.coming[i].phase]
		}
	}
	c.left = len(c.coming)
}

// work starts the clock of a job for the rest of its phase.
func (c *run) work(j *phasedJob) {
	j.since, j.time = c.now, j.left/(c.present.Rate[j.phase]*c.speed)
}

// advance moves the job whose phase ends now to its next phase, and reports whether the job departs. A departure is
// counted in t; the caller frees its place.
func (c *run) advance(t *simulation.Tally) (departs bool) {
	j := &c.running[c.next]
	if to := c.present.Next[j.phase].Pick(&j.stream); to != des.Absorbed {
		j.phase, j.left = to, j.stream.Exp()
		c.work(j)
		c.seek()
		return false
	}
	c.countEnd(j, t)
	return true
}

// countEnd counts the departure of a job in t.
func (c *run) countEnd(j *phasedJob, t *simulation.Tally) {
	t[simulation.Events]++
	t[simulation.Departed]++
	t[simulation.ResponseSum] += c.now - j.arrived
	class := 0
	if c.class != nil {
		class = int(c.class[j.phase])
		c.countDeparture(class, c.now-j.arrived)
	}
	if c.Response != nil {
		c.Response(class, c.now-j.arrived)
	}
}

// countDeparture counts the departure of a job of class k in the sums of its class.
func (c *run) countDeparture(k int, response float64) {
	c.inService[k]--
	if c.ByClass != nil {
		c.ByClass[k*simulation.ClassSums+simulation.ClassDeparted]++
		c.ByClass[k*simulation.ClassSums+simulation.ClassResponse] += response
	}
}

// replace gives place k, whose job has departed, to the head of the queue while the other jobs make progress.
func (c *run) replace(k int, t *simulation.Tally) {
	c.beginChange()
	c.start(k, c.queue.Pop(), t)
	c.work(&c.running[k])
	c.endChange()
}

// beginChange and endChange enclose a change of the running jobs while the others make progress. Under water-filling
// the change gives all jobs other nodes, so beginChange stops them.
func (c *run) beginChange() {
	if c.filling != nil {
		c.stop()
	}
}

// endChange continues the jobs after a change of the running jobs, and finds the next end of a phase.
func (c *run) endChange() {
	if c.filling == nil {
		c.seek()
		return
	}
	c.plan()
	c.proceed()
}

// vacate removes the job in place k. The last job moves to place k.
func (c *run) vacate(k int) {
	last := len(c.running) - 1
	c.running[k] = c.running[last]
	c.running = c.running[:last]
}

// stop stops the running jobs and stores the rest of each hazard. No phase may end before now.
func (c *run) stop() {
	running, rate := c.running, c.present.Rate
	now, speed := c.now, c.speed
	for k := range running {
		j := &running[k]
		j.left = (c.due(j) - now) * rate[j.phase] * speed
	}
	c.nextDue = math.Inf(1)
}

// mapPhases draws new phases for the running jobs when the number of partitions changes. The rest of a hazard is
// exponential in every phase, so jobs keep it.
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

// pause begins a repartition and counts it in component kind of t. If the repartition costs no time, the jobs continue
// at once and it is not counted.
func (c *run) pause(cost *des.Times, kind int, t *simulation.Tally) {
	c.plan()
	d := cost.DrawAhead(&c.overheads)
	if d == 0 {
		c.resume()
		return
	}
	c.resumeAt, c.full = c.now+d, true
	t[simulation.Repartitions]++
	t[kind]++
}

// resume ends a repartition. The running jobs continue as [run.plan] has planned.
func (c *run) resume() {
	c.resumeAt, c.full = math.Inf(1), false
	c.proceed()
}

// proceed starts the clocks of all running jobs now, with the times that [run.plan] has found.
func (c *run) proceed() {
	c.since = c.now
	c.nextDue, c.next = c.now+c.shortest, c.first
}
