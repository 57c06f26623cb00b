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

// drawnJobs are jobs that were drawn together, in the order in which they start. Each list has an entry for each job, as
// [service] has a field.
type drawnJobs struct {
	streams []des.Stream
	phases  []int32
	left    []float64
	started int // number of these jobs that have started
}

// newDrawnJobs returns lists of n jobs that count as started, so that the next start draws jobs.
func newDrawnJobs(n int) drawnJobs {
	return drawnJobs{make([]des.Stream, n), make([]int32, n), make([]float64, n), n}
}

// jobsAhead is the number of jobs that are drawn at a time. A processor draws from many independent streams at once.
const jobsAhead = 64

// partition divides the machine into q partitions: it sets r.q, and r.present to the service time with q partitions.
func (r *run) partition(q int) { r.q, r.present = q, r.service[q] }

// executing reports whether no repartition is under way.
func (r *run) executing() bool { return math.IsInf(r.resumeAt, 1) }

// start puts the next job, which arrived at the given time, into place k, and counts its start in t. The job does not
// make progress yet: [run.work] or [run.proceed] sets it to work.
func (r *run) start(k int, arrived float64, t *simulation.Tally) {
	c := &r.coming
	if c.started == len(c.streams) {
		r.draw()
	}
	j := &r.running[k]
	j.phase, j.left, j.arrived = c.phases[c.started], c.left[c.started], arrived
	if !r.onePhase {
		j.stream = c.streams[c.started]
	}
	c.started++
	class := 0
	if r.class != nil {
		class = int(r.class[j.phase])
		r.inService[class]++
	}
	t[simulation.Started]++
	t[simulation.WaitSum] += r.now - arrived
	r.Waited(class, r.now-arrived)
}

// draw draws the first phases of the next jobs into r.coming, and the hazards, or on a level machine the times, of these
// phases.
func (r *run) draw() {
	c, jobs, drawn, rate := &r.coming, r.jobs, r.drawn, r.present.Rate
	for i := range c.streams {
		c.streams[i] = jobs.At(drawn + uint64(i)).Stream()
	}
	r.drawn = drawn + uint64(len(c.streams))
	r.present.BeginAll(c.phases, c.left, c.streams)
	if r.level {
		for i, phase := range c.phases {
			c.left[i] /= rate[phase]
		}
	}
	c.started = 0
}

// work sets a job to work now on the rest of its phase, j.left, at its present rate. The caller finds the next end of a
// phase, see [run.seek].
func (r *run) work(j *phasedJob) {
	j.since, j.time = r.now, j.left/(r.present.Rate[j.phase]*r.speed)
}

// advance moves the job whose phase ends now to its next phase, and reports whether the job departs. A departure is
// counted in t; the caller frees its place.
func (r *run) advance(t *simulation.Tally) (departs bool) {
	j := &r.running[r.next]
	if to := r.present.Next[j.phase].Pick(&j.stream); to != des.Absorbed {
		j.phase, j.left = to, j.stream.Exp()
		r.work(j)
		r.seek()
		return false
	}
	r.countEnd(j, t)
	return true
}

// countEnd counts the departure of a job in t.
func (r *run) countEnd(j *phasedJob, t *simulation.Tally) {
	t[simulation.Events]++
	t[simulation.Departed]++
	t[simulation.ResponseSum] += r.now - j.arrived
	class := 0
	if r.class != nil {
		class = int(r.class[j.phase])
		r.countDeparture(class, r.now-j.arrived)
	}
	r.Responded(class, r.now-j.arrived)
}

// countDeparture counts the departure of a job of class k in the sums of its class.
func (r *run) countDeparture(k int, response float64) {
	r.inService[k]--
	if r.ByClass != nil {
		r.ByClass[k*simulation.ClassSums+simulation.ClassDeparted]++
		r.ByClass[k*simulation.ClassSums+simulation.ClassResponse] += response
	}
}

// replace gives place k, whose job has departed, to the head of the queue while the other jobs make progress. A job must
// wait. The start is counted in t.
func (r *run) replace(k int, t *simulation.Tally) {
	r.beginChange()
	r.start(k, r.queue.Pop(), t)
	r.work(&r.running[k])
	r.endChange()
}

// beginChange and endChange enclose a change of the running jobs while the others make progress. Under water-filling
// the change gives all jobs other nodes, so beginChange stops them.
func (r *run) beginChange() {
	if r.filling != nil {
		r.stop()
	}
}

// endChange continues the jobs after a change of the running jobs, and finds the next end of a phase.
func (r *run) endChange() {
	if r.filling == nil {
		r.seek()
		return
	}
	r.plan()
	r.proceed()
}

// vacate removes the job in place k from r.running. The last job moves to place k.
func (r *run) vacate(k int) {
	last := len(r.running) - 1
	r.running[k] = r.running[last]
	r.running = r.running[:last]
}

// stop stops the running jobs and stores the rest of each hazard. No phase may end before now.
func (r *run) stop() {
	running, rate := r.running, r.present.Rate
	now, speed := r.now, r.speed
	for k := range running {
		j := &running[k]
		j.left = (r.due(j) - now) * rate[j.phase] * speed
	}
	r.nextDue = math.Inf(1)
}

// mapPhases draws new phases for the running jobs when the number of partitions changes. The rest of a hazard is
// exponential in every phase, so jobs keep it.
func (r *run) mapPhases(from, to int) {
	if r.remap == nil {
		return
	}
	rows := r.remap[to*(r.places+1)+from]
	for k := 0; rows != nil && k < len(r.running); k++ {
		j := &r.running[k]
		j.phase = rows[j.phase].Pick(&j.stream)
	}
}

// pause begins a repartition and counts it in component kind of t. If the repartition costs no time, the jobs continue
// at once and it is not counted.
func (r *run) pause(cost *des.Times, kind int, t *simulation.Tally) {
	r.plan()
	d := cost.DrawAhead(&r.overheads)
	if d == 0 {
		r.resume()
		return
	}
	r.resumeAt, r.full = r.now+d, true
	t[simulation.Repartitions]++
	t[kind]++
}

// resume ends a repartition. The running jobs continue as [run.plan] has planned.
func (r *run) resume() {
	r.resumeAt, r.full = math.Inf(1), false
	r.proceed()
}

// proceed starts the clocks of all running jobs now, with the times that [run.plan] has found.
func (r *run) proceed() {
	r.since = r.now
	r.nextDue, r.next = r.now+r.shortest, r.first
}
