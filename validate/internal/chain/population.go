package chain

import (
	"math"
	"slices"

	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/internal/calendar"
)

// run is a [Chain] at a moment of its life: its jobs, their clocks, and what is counted of them.
type run struct {
	*Chain
	now       float64
	arrivalAt float64
	resumeAt  float64 // end of the repartition under way, +Inf if there is none
	nextDue   float64 // least due time of the running jobs while they execute, else +Inf
	next      int     // the job it belongs to
	since     float64 // when the running jobs were last set to work together,
	shortest  float64 // and the shortest time that one of them needs from then on; of equal ones it is that of the first job
	first     int     // the job it belongs to
	running   []phasedJob
	queue     calendar.Queue[float64] // arrival times of waiting jobs
	q         int                     // partitions
	present   *des.Times              // service time at the present number of partitions
	own       *des.Times              // that of jobs that share the nodes by water-filling, at the rates of the jobs that run
	inService []float64               // running jobs by class; nil if there are no classes
	speed     float64                 // of the running jobs, over the rates of present
	going     Going                   // those that a repartition under way does not stop
	full      bool                    // a repartition is under way that stops everybody
	quiet     float64                 // under smoothing the end of the minimum time; +Inf if it is over
	des.Observer
	events uint // that have been looked at, see looks

	arrivals  des.Arrivals
	overheads des.Ahead
	random    des.Stream // of whom a repartition stops, and of the minimum times

	jobs    des.Key
	drawn   uint64    // jobs that are or were in coming
	coming  []service // jobs that were drawn together, the first of them last
	left    int       // so many of them did not start yet
	hazards []float64 // of coming, while they are drawn
}

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

// Start returns the empty machine at time 0, its random numbers below key.
func (c *Chain) Start(key des.Key) des.Run {
	m := &run{
		Chain:     c,
		arrivals:  c.arrivals,
		overheads: key.At(des.OverheadStream).Ahead(),
		random:    key.At(des.PolicyStream).Stream(),
		jobs:      key.At(des.JobStream),
		resumeAt:  math.Inf(1),
		nextDue:   math.Inf(1),
		quiet:     math.Inf(1),
		running:   make([]phasedJob, 0, c.places),
		present:   c.service[0],
		coming:    make([]service, c.ahead),
		hazards:   make([]float64, c.ahead),
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
	m.arrivals.Begin(key.At(des.ArrivalStream))
	m.arrivalAt = m.arrivals.Gap()
	return m
}

// partition divides the machine into q partitions.
func (c *run) partition(q int) { c.q, c.present = q, c.service[q] }

// eventsBetween is the number of events after which a run looks at its limits.
const eventsBetween = 1024

// looks reports whether to look at the limits before the next event.
func (c *run) looks() bool {
	c.events++
	return c.events%eventsBetween == 0
}

// interrupted returns why a run should end before its next event, if it should.
func (c *run) interrupted() error {
	switch {
	case c.Most > 0 && len(c.running)+c.queue.Len() > c.Most:
		return &des.TooManyError{Most: c.Most, Time: c.now}
	case c.Stop != nil:
		return c.Stop()
	}
	return nil
}

// executing reports whether no repartition is under way.
func (c *run) executing() bool { return math.IsInf(c.resumeAt, 1) }

func (c *run) elapse(to float64, t *des.Tally) {
	dt := to - c.now
	c.now = to
	running, waiting := float64(len(c.running)), float64(c.queue.Len())
	jobs := running + waiting
	t[des.Elapsed] += dt
	t[des.JobTime] += dt * jobs
	t[des.JobSquareTime] += dt * jobs * jobs
	t[des.QueueTime] += dt * waiting
	if c.ByClass != nil {
		for k, n := range c.inService {
			c.ByClass[k*des.ClassSums+des.ClassTime] += dt * n
		}
	}
	switch {
	case len(c.running) == 0:
		t[des.EmptyTime] += dt
	case c.resumeAt < math.Inf(1):
		t[des.PausedTime] += dt
		t[des.ExecutingTime] += dt * c.going.Jobs
		t[des.BusyTime] += dt * c.going.Nodes
	default:
		t[des.ExecutingTime] += dt * running
		if c.separate {
			t[des.BusyTime] += dt * running / float64(c.places)
		} else {
			t[des.BusyTime] += dt
		}
	}
}

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

// due returns when the phase of a job ends that executes.
func (c *run) due(j *phasedJob) float64 {
	since := c.since
	if j.since > since {
		since = j.since
	}
	return since + j.time
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

// plan finds how long each of the running jobs will need to the end of its phase when they are set to work, and the
// first of them, of equals that with the least number. Times that are not negative are in the order of their bits;
// whole numbers are compared without a branch.
func (c *run) plan() {
	if c.filling != nil {
		c.present = c.own
		c.filling.rates(c.inService, c.q, c.service[1].Rate, c.own.Rate)
	}
	running, rate, speed := c.running, c.present.Rate, c.speed
	shortest, first := math.Float64bits(math.Inf(1)), 0
	for k := range running {
		j := &running[k]
		j.time = j.left / (rate[j.phase] * speed)
		if bits := math.Float64bits(j.time); bits < shortest {
			shortest, first = bits, k
		}
	}
	c.shortest, c.first = math.Float64frombits(shortest), first
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

// seek finds the running job whose phase ends next, of equals that with the least number.
func (c *run) seek() {
	due, next := math.Float64bits(math.Inf(1)), 0
	for k := range c.running {
		if bits := math.Float64bits(c.due(&c.running[k])); bits < due {
			due, next = bits, k
		}
	}
	c.nextDue, c.next = math.Float64frombits(due), next
}
