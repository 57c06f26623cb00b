package chain

import (
	"errors"
	"math"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
)

// Smoothed is the machine of [Chain] under smoothing, at model fidelity: a minimum time lies between the starts of
// repartitions. The machine is divided into q partitions of P/q nodes on average, of which some may be idle. While the
// minimum time lasts, an arrival takes an idle partition or waits, and a departure hands its partition to the head of
// the queue or leaves it idle. When it is over, and when a repartition ends after that, the machine is divided among
// all jobs, N at most, if that is another division; from then on so does any arrival or departure at once. A
// repartition stops everybody and is not cut short: who comes meanwhile waits. A job that finds the machine empty gets
// all of it at once, for the cost of shrinking to one job, and that begins no minimum time.
//
// A Smoothed is immutable; Start makes one machine after another from it.
type Smoothed struct {
	*Chain
	minimum *des.Times
}

// NewSmoothed prepares a machine for simulation.
func NewSmoothed(c Config, minimum phasetype.Dist) (*Smoothed, error) {
	chain, err := New(c)
	switch {
	case err != nil:
		return nil, err
	case chain.setup != nil || chain.separate:
		return nil, errors.New("chain: smoothing has no set-ups, and no partitions of a fixed size")
	}
	chain.setRemap(c.Remap, chain.places)
	return &Smoothed{Chain: chain, minimum: des.NewTimes(minimum)}, nil
}

// smoothedRun is a [Smoothed] at a moment of its life.
type smoothedRun struct {
	population
	minimum    *des.Times
	random     des.Stream
	quietUntil float64 // end of the minimum time, +Inf if it is over
}

// Start returns the empty machine at time 0, its random numbers below key.
func (c *Smoothed) Start(key des.Key) des.Run {
	return &smoothedRun{population: c.population(key), minimum: c.minimum,
		random: key.At(des.PolicyStream).Stream(), quietUntil: math.Inf(1)}
}

// Advance simulates until n more jobs have departed and adds what happened to t.
func (r *smoothedRun) Advance(n int, t *des.Tally) error {
	for n > 0 {
		if r.looks() {
			if err := r.interrupted(); err != nil {
				return err
			}
		}
		switch at := min(r.arrivalAt, r.nextDue, r.resumeAt, r.quietUntil); at {
		case r.arrivalAt:
			r.elapse(at, t)
			r.arrive(t)
			r.arrivalAt = r.now + r.arrivals.Gap()
		case r.nextDue:
			r.elapse(at, t)
			if r.advance(t) {
				r.depart(r.next, t)
				n--
			}
		case r.resumeAt:
			r.elapse(at, t)
			t[des.Events]++
			r.resume()
			if !r.quiet() {
				r.divide(t)
			}
		default:
			r.elapse(at, t)
			r.endQuiet(t)
			if r.executing() {
				r.divide(t)
			}
		}
	}
	return nil
}

// Renew simulates to the next arrival that finds the machine empty and the minimum time over; see [des.Run].
func (r *smoothedRun) Renew(limit int, t *des.Tally) (renewed bool, err error) {
	for ; limit > 0 && !renewed && err == nil; limit-- {
		renewed, err = r.renew(1, t, r.Advance)
		if renewed && r.quiet() {
			if renewed = r.quietUntil <= r.now; renewed {
				r.endQuiet(t)
			}
		}
	}
	return renewed, err
}

// endQuiet ends the minimum time.
func (r *smoothedRun) endQuiet(t *des.Tally) {
	t[des.Events]++
	r.quietUntil = math.Inf(1)
}

func (r *smoothedRun) quiet() bool { return !math.IsInf(r.quietUntil, 1) }

func (r *smoothedRun) arrive(t *des.Tally) {
	t[des.Events]++
	t[des.Arrived]++
	r.queue.Push(r.now)
	switch {
	case r.q == 0:
		r.partition(1)
		r.admit(t)
		r.pause(r.shrink[1], des.Shrinks, t)
	case r.executing() && r.quiet() && len(r.running) < r.q:
		r.beginChange()
		r.begin(r.admit(t))
		r.endChange()
	case r.executing() && !r.quiet() && len(r.running) < r.places:
		r.divide(t)
	default:
		t[des.Queued]++
	}
}

// admit gives the head of the queue a partition, and returns its place.
func (r *smoothedRun) admit(t *des.Tally) int {
	k := len(r.running)
	r.running = r.running[:k+1]
	r.start(k, r.queue.Pop(), t)
	return k
}

// divide starts a repartition among all jobs, and a minimum time, if that is another division.
func (r *smoothedRun) divide(t *des.Tally) {
	to := min(len(r.running)+r.queue.Len(), r.places)
	if to == r.q {
		return
	}
	r.stop()
	r.mapPhases(r.q, to)
	cost, kind := r.shrink[to], des.Shrinks
	if to < r.q {
		cost, kind = r.expand[to], des.Expands
	}
	r.partition(to)
	r.quietUntil = r.now + r.minimum.Draw(&r.random)
	for len(r.running) < r.q {
		r.admit(t)
	}
	r.pause(cost, kind, t)
}

// depart frees place k, for the head of the queue if there is one.
func (r *smoothedRun) depart(k int, t *des.Tally) {
	if r.queue.Len() > 0 {
		r.replace(k, t)
		return
	}
	r.beginChange()
	r.vacate(k)
	r.endChange()
	switch {
	case len(r.running) == 0:
		t[des.EmptyPeriods]++
		r.q = 0
	case !r.quiet():
		r.divide(t)
	}
}
