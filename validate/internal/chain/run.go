package chain

import (
	"math"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/validate/internal/calendar"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// Advance simulates until n more jobs have departed, and adds the sums of this time to t. The error says that a limit
// of the run is exceeded, or comes from the Observer.
func (r *run) Advance(n int, t *simulation.Tally) error {
	defer r.HandOver()
	if r.level {
		return r.advanceLevel(n, t)
	}
	for n > 0 {
		if r.looks() {
			if err := r.interrupted(); err != nil {
				return err
			}
		}
		other := r.resumeAt // the next event that is no arrival and no end of a phase
		if r.quiet < other {
			other = r.quiet
		}
		switch {
		case r.arrivalAt <= r.nextDue && r.arrivalAt <= other:
			r.elapse(r.arrivalAt, t)
			r.arrive(t)
			r.arrivalAt = r.now + r.arrivals.Gap()
		case r.nextDue <= other:
			r.elapse(r.nextDue, t)
			if r.advance(t) {
				r.depart(r.next, t)
				n--
			}
		case r.resumeAt <= other:
			r.elapse(other, t)
			t[simulation.Events]++
			r.endRepartition(t)
		default:
			r.elapse(other, t)
			t[simulation.Events]++
			r.endQuiet(t)
		}
	}
	return nil
}

// arrive lets a job arrive now, and counts it in t. If a partition is left, the job gets one, and a repartition begins.
// Otherwise the job waits in the queue. Under smoothing see [run.arriveSmoothed].
func (r *run) arrive(t *simulation.Tally) {
	t[simulation.Events]++
	t[simulation.Arrived]++
	if r.minimum != nil {
		r.arriveSmoothed(t)
		return
	}
	i := len(r.running)
	if i == r.places {
		t[simulation.Queued]++
		r.queue.Push(r.now)
		return
	}
	partial := r.partial(r.going.Shrink)
	r.interrupt(t)
	r.mapPhases(i, i+1)
	r.running = r.running[:i+1]
	r.partition(i + 1)
	r.start(i, r.now, t)
	r.repartition(partial, r.resizing.Shrinking, r.shrink[i+1], simulation.Shrinks, t)
}

// depart frees place k, whose job has departed and is counted. The place goes to the head of the queue; if no job waits, a
// repartition of the remaining jobs begins. Under smoothing see [run.departSmoothed].
func (r *run) depart(k int, t *simulation.Tally) {
	switch {
	case r.queue.Len() > 0:
		r.replace(k, t)
		return
	case r.minimum != nil:
		r.departSmoothed(k, t)
		return
	}
	i := len(r.running)
	partial := r.partial(r.going.Expand)
	r.vacate(k)
	r.interrupt(t)
	r.partition(i - 1)
	if i == 1 {
		t[simulation.EmptyPeriods]++
		r.going = Going{}
		r.seek()
		return
	}
	r.mapPhases(i, i-1)
	r.repartition(partial, r.resizing.Expanding, r.expand[i-1], simulation.Expands, t)
}

// partial draws whether a repartition that begins now is partial, given its probability. It is never partial on a
// machine that always stops all jobs.
func (r *run) partial(probability float64) bool {
	return r.resizing.Executing != nil && r.random.Float64() < probability
}

// interrupt stops the running jobs, and abandons a repartition under way, which it counts in t. During a full repartition
// the jobs stand still already.
func (r *run) interrupt(t *simulation.Tally) {
	if !r.full {
		r.stop()
	}
	if !r.executing() {
		t[simulation.Abandoned]++
		r.resumeAt = math.Inf(1)
	}
}

// repartition begins a repartition that takes a time drawn from cost, and counts it in component kind of t. If it is
// partial, jobs continue at the speed of going. A repartition without cost is over at once. If repartitions always stop
// all jobs, speeds do not change.
func (r *run) repartition(partial bool, going []Going, cost *des.Times, kind int, t *simulation.Tally) {
	if r.resizing.Executing == nil {
		r.pause(cost, kind, t)
		return
	}
	r.execute()
	r.pause(cost, kind, t)
	if r.executing() {
		return
	}
	r.going = Going{}
	if partial {
		r.full, r.going = false, going[len(r.running)-1]
		r.speed = r.going.Speed
		r.plan()
		r.proceed()
	}
}

// execute sets the speed at which jobs run while all of them make progress.
func (r *run) execute() {
	if r.resizing.Executing != nil {
		r.going = r.resizing.Executing[len(r.running)-1]
		r.speed = r.going.Speed
	}
}

// endRepartition ends the repartition under way and sets all jobs to work. Jobs that made progress during a partial
// repartition change their speed.
func (r *run) endRepartition(t *simulation.Tally) {
	if r.full {
		r.execute()
	} else {
		r.stop()
		r.execute()
		r.plan()
	}
	r.resume()
	if r.minimum != nil && math.IsInf(r.quiet, 1) {
		r.divide(t)
	}
}

// run is a simulation of a [Chain] in progress: its jobs, their clocks, and the random numbers that drive it.
type run struct {
	*Chain
	now       float64
	arrivalAt float64
	resumeAt  float64 // end of the repartition under way; +Inf without one
	nextDue   float64 // the earliest end of a phase of a running job while jobs make progress, else +Inf
	next      int     // place of the job whose phase ends at nextDue
	since     float64 // time at which all running jobs were last set to work together
	shortest  float64 // the shortest time that a running job needs from since to the end of its phase
	first     int     // place of the job with this time; of several jobs the first
	running   []phasedJob
	ends      []float64               // of the phases of the running jobs, on a level machine
	queue     calendar.Queue[float64] // arrival times of waiting jobs
	q         int                     // partitions
	present   *des.Times              // service time at the present number of partitions
	own       *des.Times              // service time under water-filling, at the rates of the running jobs
	inService []float64               // running jobs by class; nil if there are no classes
	speed     float64                 // of the running jobs, over the rates of present
	going     Going                   // the jobs that make progress, with resizing
	full      bool                    // a repartition is under way that stops all jobs
	quiet     float64                 // under smoothing the end of the minimum time; +Inf if it is over
	simulation.Observer
	events uint // number of calls of looks

	arrivals  des.Arrivals
	overheads des.Ahead
	random    des.Stream // tells whether a repartition is partial, and how long minimum times are

	jobs   des.Key
	drawn  uint64    // number of jobs that have been drawn into coming
	coming drawnJobs // the next jobs to start
}

// Start returns a run from the empty machine at time 0. Its random numbers come from streams below key.
func (c *Chain) Start(key des.Key) simulation.Run {
	m := &run{
		Chain:     c,
		arrivals:  c.arrivals,
		overheads: key.At(simulation.OverheadStream).Ahead(),
		random:    key.At(simulation.PolicyStream).Stream(),
		jobs:      key.At(simulation.JobStream),
		resumeAt:  math.Inf(1),
		nextDue:   math.Inf(1),
		quiet:     math.Inf(1),
		running:   make([]phasedJob, 0, c.places),
		present:   c.service[0],
		coming:    newDrawnJobs(c.ahead),
		speed:     1,
	}
	if n := len(c.class); n > 0 {
		m.inService = make([]float64, c.class[n-1]+1)
	}
	if c.filling != nil {
		own := *c.service[1]
		own.Rate = slices.Clone(own.Rate)
		m.own = &own
	}
	if c.level {
		m.present, m.ends = c.service[1], slices.Repeat([]float64{math.Inf(1)}, c.places)
	}
	m.arrivals.Begin(key.At(simulation.ArrivalStream))
	m.arrivalAt = m.arrivals.Gap()
	return m
}

// eventsBetween is the number of events after which a run looks at its limits.
const eventsBetween = 1024

// looks reports whether the limits are to be checked before the next event: at each 1,024th call, because a check may
// take long. It is called once for each event.
func (r *run) looks() bool {
	r.events++
	return r.events%eventsBetween == 0
}

// interrupted returns the reason why the run should end before its next event, nil if it should not: too many jobs, or
// the reason of the Observer.
func (r *run) interrupted() error {
	switch {
	case r.Most > 0 && len(r.running)+r.queue.Len() > r.Most:
		return parallel.TooManyJobs(r.Most, r.now)
	case r.Stop != nil:
		return r.Stop()
	}
	return nil
}

// elapse advances the clock to a time and adds the integrals over the time between to t.
func (r *run) elapse(to float64, t *simulation.Tally) {
	dt := to - r.now
	r.now = to
	running, waiting := float64(len(r.running)), float64(r.queue.Len())
	jobs := running + waiting
	t[simulation.Elapsed] += dt
	t[simulation.JobTime] += dt * jobs
	t[simulation.JobSquareTime] += dt * jobs * jobs
	t[simulation.QueueTime] += dt * waiting
	if r.ByClass != nil {
		r.elapseOfClasses(dt)
	}
	switch {
	case len(r.running) == 0:
		t[simulation.EmptyTime] += dt
	case r.resumeAt < math.Inf(1):
		t[simulation.PausedTime] += dt
		t[simulation.ExecutingTime] += dt * r.going.Jobs
		t[simulation.BusyTime] += dt * r.going.Nodes
	default:
		t[simulation.ExecutingTime] += dt * running
		switch {
		case r.separate:
			t[simulation.BusyTime] += dt * running / float64(r.places)
		case r.minimum != nil:
			t[simulation.BusyTime] += dt * running / float64(r.q)
		default:
			t[simulation.BusyTime] += dt
		}
	}
}

// due returns the time at which the present phase of a job ends while the job makes progress.
func (r *run) due(j *phasedJob) float64 {
	since := r.since
	if j.since > since {
		since = j.since
	}
	return since + j.time
}

// plan sets, for each running job, the time that it needs to the end of its phase once it works. It also sets
// r.shortest and r.first to the shortest of these times and its job; among equal times, to the first job. Under
// water-filling it first updates the rates.
//
// Nonnegative times have the same order as their bits, and integers are compared without a branch.
func (r *run) plan() {
	if r.filling != nil {
		r.present = r.own
		r.filling.rates(r.inService, r.q, r.service[1].Rate, r.own.Rate)
	}
	running, rate, speed := r.running, r.present.Rate, r.speed
	shortest, first := math.Float64bits(math.Inf(1)), 0
	for k := range running {
		j := &running[k]
		j.time = j.left / (rate[j.phase] * speed)
		if bits := math.Float64bits(j.time); bits < shortest {
			shortest, first = bits, k
		}
	}
	r.shortest, r.first = math.Float64frombits(shortest), first
}

// seek sets r.nextDue and r.next to the earliest end of a phase and its job; among equal times, to the first job.
func (r *run) seek() {
	due, next := math.Float64bits(math.Inf(1)), 0
	for k := range r.running {
		if bits := math.Float64bits(r.due(&r.running[k])); bits < due {
			due, next = bits, k
		}
	}
	r.nextDue, r.next = math.Float64frombits(due), next
}
