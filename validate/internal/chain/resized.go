package chain

import (
	"errors"

	"github.com/partwise/partwise/validate/des"
)

// Going says what the jobs amount to that make progress at a number of jobs.
type Going struct {
	Speed float64 // of every job if they all shared it, over that of the service times
	Jobs  float64 // how many they are
	Nodes float64 // their share of the machine
	// Shrink and Expand are the probabilities that a repartition begun by an arrival or by a departure now is a partial
	// one.
	Shrink, Expand float64
}

// Resizing describes a machine of whole nodes that stops those jobs that are resized, by the number k of running jobs:
// while all make progress, entry k−1 of Executing, and in a partial repartition, that of Shrinking or Expanding. The
// latter have no entry that is used where no repartition is partial.
type Resizing struct{ Executing, Shrinking, Expanding []Going }

// Resized is the machine of [Chain] on whole nodes, where only those jobs stop that are resized, and the newcomer, at
// model fidelity. A repartition is partial, so that some jobs make progress, or full. One that begins while all make
// progress, or that interrupts a partial one, is partial with the probability that [Resizing] says, and what interrupts
// a full one is full. Which jobs go on is not looked at: in a partial repartition all do, at the speed that those would
// make together. A job that is done then leaves, which is the next repartition, or with jobs waiting hands its
// partition to the first of them, who begins at once.
//
// A Resized is immutable; Start makes one machine after another from it.
type Resized struct {
	*Chain
	resizing Resizing
}

// NewResized prepares a machine for simulation.
func NewResized(c Config, r Resizing) (*Resized, error) {
	m, err := New(c)
	switch {
	case err != nil:
		return nil, err
	case m.setup != nil || m.separate:
		return nil, errors.New("chain: dynamic partitioning has no set-ups, and no partitions of a fixed size")
	case m.filling != nil:
		return nil, errors.New("chain: jobs that share the nodes by water-filling all stop in a repartition")
	case len(r.Executing) != m.places || len(r.Shrinking) != m.places || len(r.Expanding) != m.places:
		return nil, errors.New("chain: partitions of whole nodes need an entry for each number of jobs")
	}
	return &Resized{m, r}, nil
}

// resizedRun is a [Resized] at a moment of its life.
type resizedRun struct {
	population
	resizing Resizing
	random   des.Stream
	full     bool // the repartition under way stops everybody
}

// Start returns the empty machine at time 0, its random numbers below key.
func (c *Resized) Start(key des.Key) des.Run {
	return &resizedRun{population: c.population(key), resizing: c.resizing, random: key.At(des.PolicyStream).Stream()}
}

// Advance simulates until n more jobs have departed and adds what happened to t.
func (r *resizedRun) Advance(n int, t *des.Tally) error {
	for n > 0 {
		if r.looks() {
			if err := r.interrupted(); err != nil {
				return err
			}
		}
		switch at := min(r.arrivalAt, r.nextDue, r.resumeAt); at {
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
		default:
			r.elapse(at, t)
			t[des.Events]++
			if !r.full {
				r.stop()
			}
			r.execute()
			r.plan()
			r.resume()
		}
	}
	return nil
}

// Renew simulates to the next arrival that finds the machine empty; see [des.Run].
func (r *resizedRun) Renew(limit int, t *des.Tally) (renewed bool, err error) {
	return r.renew(limit, t, r.Advance)
}

// execute sets the speed at which all jobs go on.
func (r *resizedRun) execute() {
	r.full = false
	r.going = r.resizing.Executing[len(r.running)-1]
	r.speed = r.going.Speed
}

func (r *resizedRun) arrive(t *des.Tally) {
	t[des.Events]++
	t[des.Arrived]++
	i := len(r.running)
	if i == r.places {
		t[des.Queued]++
		r.queue.Push(r.now)
		return
	}
	partial := r.random.Float64() < r.going.Shrink && i > 0
	r.interrupt(t)
	r.mapPhases(i, i+1)
	r.running = r.running[:i+1]
	r.partition(i + 1)
	r.start(i, r.now, t)
	r.repartition(partial, r.resizing.Shrinking, r.shrink[i+1], des.Shrinks, t)
}

// depart frees place k, for the head of the queue if there is one.
func (r *resizedRun) depart(k int, t *des.Tally) {
	if r.queue.Len() > 0 {
		r.replace(k, t)
		return
	}
	i := len(r.running)
	partial := r.random.Float64() < r.going.Expand
	r.interrupt(t)
	r.vacate(k)
	r.partition(i - 1)
	if i == 1 {
		t[des.EmptyPeriods]++
		r.going = Going{}
		return
	}
	r.mapPhases(i, i-1)
	r.repartition(partial, r.resizing.Expanding, r.expand[i-1], des.Expands, t)
}

// interrupt stops the running jobs, and gives up the repartition under way.
func (r *resizedRun) interrupt(t *des.Tally) {
	if !r.full {
		r.stop()
	}
	if !r.executing() {
		t[des.Abandoned]++
	}
}

// repartition begins a repartition, during which jobs go on if it is partial; one that costs no time is over at once.
func (r *resizedRun) repartition(partial bool, going []Going, cost *des.Times, kind int, t *des.Tally) {
	r.execute()
	r.pause(cost, kind, t)
	if r.executing() {
		return
	}
	r.full, r.going = !partial, Going{}
	if partial {
		r.going = going[len(r.running)-1]
		r.speed = r.going.Speed
		r.plan()
		r.proceed()
	}
}
