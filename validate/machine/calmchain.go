package machine

import (
	"errors"
	"math"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
)

// CalmChain is the machine of [Chain] under smoothing, at model fidelity: a least time lies between the starts of
// repartitions. The machine is divided into q partitions of P/q nodes on average, of which some may be idle. While the
// least time lasts, an arrival takes an idle partition or waits, and a departure hands its partition to the head of the
// queue or leaves it idle. When it is over, and when a repartition ends after that, the machine is divided among all
// jobs, N at most, if that is another division; from then on so does any arrival or departure at once. A repartition
// stops everybody and is not cut short: who comes meanwhile waits. A job that finds the machine empty gets all of it,
// for the cost of shrinking to one job, and there is no least time then.
//
// A CalmChain is immutable; Start makes one machine after another from it.
type CalmChain struct {
	*Chain
	least  *phases
	redraw [][]choice // by to·(places+1)+from; nil keeps the phases
}

// NewCalmChain prepares a machine for simulation.
func NewCalmChain(c ChainConfig, least phasetype.Dist) (*CalmChain, error) {
	chain, err := NewChain(c)
	switch {
	case err != nil:
		return nil, err
	case chain.setup != nil || chain.separate:
		return nil, errors.New("machine: smoothing has no set-ups, and no partitions of a fixed size")
	}
	n := chain.places
	m := &CalmChain{Chain: chain, least: newPhases(least), redraw: make([][]choice, (n+1)*(n+1))}
	for from := 1; from <= n && c.Remap != nil; from++ {
		for to := 1; to <= n; to++ {
			m.redraw[to*(n+1)+from] = rows(c.Remap(from, to))
		}
	}
	return m, nil
}

// calmRun is a machine at a moment of its life.
type calmRun struct {
	*CalmChain
	arrivals  arrivals
	overheads des.Stream
	random    des.Stream
	jobs      des.Key
	watch     func(response float64)

	now       float64
	arrivalAt float64
	resumeAt  float64 // end of the repartition under way, +Inf if there is none
	calmUntil float64 // end of the least time, +Inf if it is over
	nextDue   float64 // least due time of the running jobs while they execute, else +Inf
	next      int     // the job it belongs to
	q         int     // partitions
	running   []phasedJob
	queue     fifo[float64] // arrival times of waiting jobs
	started   uint64
}

// Start returns the empty machine at time 0, its random numbers below key.
func (c *CalmChain) Start(key des.Key) Run {
	inf := math.Inf(1)
	r := &calmRun{
		CalmChain: c, arrivals: c.arrivals,
		overheads: key.At(overheadStream).Stream(), random: key.At(policyStream).Stream(), jobs: key.At(jobStream),
		resumeAt: inf, calmUntil: inf, nextDue: inf,
	}
	r.arrivals.begin(key.At(arrivalStream))
	r.arrivalAt = r.arrivals.gap()
	return r
}

// Watch makes the run tell the response time of every job that departs.
func (r *calmRun) Watch(f func(response float64)) { r.watch = f }

// Advance simulates until n more jobs have departed and adds what happened to t.
func (r *calmRun) Advance(n int, t *Tally) error {
	for n > 0 {
		switch at := min(r.arrivalAt, r.nextDue, r.resumeAt, r.calmUntil); at {
		case r.arrivalAt:
			r.elapse(at, t)
			r.arrive(t)
			r.arrivalAt = r.now + r.arrivals.gap()
		case r.nextDue:
			r.elapse(at, t)
			if r.advance(t) {
				n--
			}
		case r.resumeAt:
			r.elapse(at, t)
			t[Events]++
			r.resumeAt = math.Inf(1)
			r.goOn()
			if !r.calm() {
				r.divide(t)
			}
		default:
			r.elapse(at, t)
			t[Events]++
			r.calmUntil = math.Inf(1)
			if r.executing() {
				r.divide(t)
			}
		}
	}
	return nil
}

// Renew simulates to the next arrival that finds the machine empty; see [Run].
func (r *calmRun) Renew(limit int, t *Tally) (renewed bool, err error) {
	for ; limit > 0; limit-- {
		if err := r.Advance(1, t); err != nil {
			return false, err
		}
		if len(r.running) == 0 {
			r.elapse(r.arrivalAt, t)
			return true, nil
		}
	}
	return false, nil
}

func (r *calmRun) executing() bool { return math.IsInf(r.resumeAt, 1) }

func (r *calmRun) calm() bool { return !math.IsInf(r.calmUntil, 1) }

func (r *calmRun) elapse(to float64, t *Tally) {
	dt := to - r.now
	r.now = to
	running, waiting := float64(len(r.running)), float64(r.queue.len())
	jobs := running + waiting
	t[Elapsed] += dt
	t[JobTime] += dt * jobs
	t[JobSquareTime] += dt * jobs * jobs
	t[QueueTime] += dt * waiting
	switch {
	case jobs == 0:
		t[EmptyTime] += dt
	case !r.executing():
		t[PausedTime] += dt
	default:
		t[ExecutingTime] += dt * running
		if running > 0 {
			t[BusyTime] += dt
		}
	}
}

func (r *calmRun) arrive(t *Tally) {
	t[Events]++
	t[Arrived]++
	r.queue.push(r.now)
	switch {
	case r.q == 0:
		r.q = 1
		r.admit(t)
		r.begin(r.shrink[1], Shrinks, t)
	case r.executing() && r.calm() && len(r.running) < r.q:
		r.admit(t)
		j := &r.running[len(r.running)-1]
		j.due = r.now + j.left/r.service[r.q].rate[j.phase]
		r.seek()
	case r.executing() && !r.calm() && len(r.running) < r.places:
		r.divide(t)
	default:
		t[Queued]++
	}
}

// admit gives the head of the queue a partition; its clock is not set.
func (r *calmRun) admit(t *Tally) {
	r.running = append(r.running, phasedJob{})
	r.enter(len(r.running)-1, t)
}

// enter gives place k to the head of the queue.
func (r *calmRun) enter(k int, t *Tally) {
	j := &r.running[k]
	j.arrived = r.queue.pop()
	j.stream = r.jobs.At(r.started).Stream()
	r.started++
	t[Started]++
	t[WaitSum] += r.now - j.arrived
	j.phase = r.service[r.q].start.pick(&j.stream)
	j.left = j.stream.Exp()
}

// divide starts a repartition among all jobs, and a least time, if that is another division.
func (r *calmRun) divide(t *Tally) {
	to := min(len(r.running)+r.queue.len(), r.places)
	if to == r.q {
		return
	}
	for k := range r.running {
		j := &r.running[k]
		j.left = math.Max(0, (j.due-r.now)*r.service[r.q].rate[j.phase])
		if rows := r.redraw[to*(r.places+1)+r.q]; rows != nil {
			j.phase = rows[j.phase].pick(&j.stream)
		}
	}
	cost, kind := r.shrink[to], Shrinks
	if to < r.q {
		cost, kind = r.expand[to], Expands
	}
	r.q = to
	r.calmUntil = r.now + r.least.draw(&r.random)
	for len(r.running) < r.q {
		r.admit(t)
	}
	r.begin(cost, kind, t)
}

// begin stops everybody for a repartition, if it costs time.
func (r *calmRun) begin(cost *phases, kind int, t *Tally) {
	r.nextDue = math.Inf(1)
	d := cost.draw(&r.overheads)
	if d == 0 {
		r.goOn()
		return
	}
	t[Repartitions]++
	t[kind]++
	r.resumeAt = r.now + d
}

// goOn sets the clocks of the running jobs.
func (r *calmRun) goOn() {
	for k := range r.running {
		j := &r.running[k]
		j.due = r.now + j.left/r.service[r.q].rate[j.phase]
	}
	r.seek()
}

func (r *calmRun) seek() {
	r.nextDue = math.Inf(1)
	for k := range r.running {
		if r.running[k].due < r.nextDue {
			r.nextDue, r.next = r.running[k].due, k
		}
	}
}

// advance moves the job whose phase ends now, and reports whether it departs.
func (r *calmRun) advance(t *Tally) (departs bool) {
	j := &r.running[r.next]
	b := r.service[r.q]
	if to := b.next[j.phase].pick(&j.stream); to != absorbed {
		j.phase = to
		j.due = r.now + j.stream.Exp()/b.rate[to]
		r.seek()
		return false
	}
	t[Events]++
	t[Departed]++
	t[ResponseSum] += r.now - j.arrived
	if r.watch != nil {
		r.watch(r.now - j.arrived)
	}
	r.depart(r.next, t)
	return true
}

// depart frees place k.
func (r *calmRun) depart(k int, t *Tally) {
	if r.queue.len() > 0 {
		r.enter(k, t)
		j := &r.running[k]
		j.due = r.now + j.left/r.service[r.q].rate[j.phase]
		r.seek()
		return
	}
	last := len(r.running) - 1
	r.running[k] = r.running[last]
	r.running = r.running[:last]
	r.seek()
	switch {
	case last == 0:
		t[EmptyPeriods]++
		r.q, r.calmUntil = 0, math.Inf(1)
	case !r.calm():
		r.divide(t)
	}
}
