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
	least *phases
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
	chain.setRemap(c.Remap, chain.places)
	return &CalmChain{Chain: chain, least: newPhases(least)}, nil
}

// calmRun is a [CalmChain] at a moment of its life.
type calmRun struct {
	crowd
	least     *phases
	random    des.Stream
	calmUntil float64 // end of the least time, +Inf if it is over
	q         int     // partitions
}

// Start returns the empty machine at time 0, its random numbers below key.
func (c *CalmChain) Start(key des.Key) Run {
	return &calmRun{crowd: c.crowd(key), least: c.least, random: key.At(policyStream).Stream(), calmUntil: math.Inf(1)}
}

// present returns the service time at the present number of partitions.
func (r *calmRun) present() *phases { return r.service[r.q] }

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
			if r.advance(r.present(), t) {
				r.depart(r.next, t)
				n--
			}
		case r.resumeAt:
			r.elapse(at, t)
			t[Events]++
			r.resume(r.present())
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
	return r.renew(limit, t, r.Advance)
}

func (r *calmRun) calm() bool { return !math.IsInf(r.calmUntil, 1) }

func (r *calmRun) arrive(t *Tally) {
	t[Events]++
	t[Arrived]++
	r.queue.push(r.now)
	switch {
	case r.q == 0:
		r.q = 1
		r.admit(t)
		r.pause(r.shrink[1], Shrinks, r.present(), t)
	case r.executing() && r.calm() && len(r.running) < r.q:
		r.admit(t)
		r.seek()
	case r.executing() && !r.calm() && len(r.running) < r.places:
		r.divide(t)
	default:
		t[Queued]++
	}
}

// admit gives the head of the queue a partition.
func (r *calmRun) admit(t *Tally) {
	r.running = append(r.running, phasedJob{})
	r.start(len(r.running)-1, r.queue.pop(), r.present(), t)
}

// divide starts a repartition among all jobs, and a least time, if that is another division.
func (r *calmRun) divide(t *Tally) {
	to := min(len(r.running)+r.queue.len(), r.places)
	if to == r.q {
		return
	}
	r.stop(r.present())
	r.redraw(r.q, to)
	cost, kind := r.shrink[to], Shrinks
	if to < r.q {
		cost, kind = r.expand[to], Expands
	}
	r.q = to
	r.calmUntil = r.now + r.least.draw(&r.random)
	for len(r.running) < r.q {
		r.admit(t)
	}
	r.pause(cost, kind, r.present(), t)
}

// depart frees place k, for the head of the queue if there is one.
func (r *calmRun) depart(k int, t *Tally) {
	if r.queue.len() > 0 {
		r.start(k, r.queue.pop(), r.present(), t)
		r.seek()
		return
	}
	r.vacate(k)
	r.seek()
	switch {
	case len(r.running) == 0:
		t[EmptyPeriods]++
		r.q, r.calmUntil = 0, math.Inf(1)
	case !r.calm():
		r.divide(t)
	}
}
