package chain

import (
	"math"

	"github.com/partwise/partwise/validate/des"
)

// Advance simulates until n more jobs have departed and adds what happened to t.
func (r *run) Advance(n int, t *des.Tally) error {
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
			t[des.Events]++
			r.endRepartition(t)
		default:
			r.elapse(other, t)
			t[des.Events]++
			r.endQuiet(t)
		}
	}
	return nil
}

// arrive lets a job come, which is given a partition or waits.
func (r *run) arrive(t *des.Tally) {
	t[des.Events]++
	t[des.Arrived]++
	if r.minimum != nil {
		r.arriveSmoothed(t)
		return
	}
	i := len(r.running)
	if i == r.places {
		t[des.Queued]++
		r.queue.Push(r.now)
		return
	}
	partial := r.partial(r.going.Shrink)
	r.interrupt(t)
	r.mapPhases(i, i+1)
	r.running = r.running[:i+1]
	r.partition(i + 1)
	r.start(i, r.now, t)
	if r.level {
		r.begin(i)
		r.seek()
		return
	}
	r.repartition(partial, r.resizing.Shrinking, r.shrink[i+1], des.Shrinks, t)
}

// depart frees place k, for the head of the queue if there is one.
func (r *run) depart(k int, t *des.Tally) {
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
		t[des.EmptyPeriods]++
		r.going = Going{}
	}
	if r.level || i == 1 {
		r.seek()
		return
	}
	r.mapPhases(i, i-1)
	r.repartition(partial, r.resizing.Expanding, r.expand[i-1], des.Expands, t)
}

// partial draws whether a repartition that begins now is a partial one, if it is with a probability.
func (r *run) partial(probability float64) bool {
	return r.resizing.Executing != nil && r.random.Float64() < probability
}

// interrupt stops the running jobs, and gives up the repartition under way.
func (r *run) interrupt(t *des.Tally) {
	if r.level {
		return
	}
	if !r.full {
		r.stop()
	}
	if !r.executing() {
		t[des.Abandoned]++
		r.resumeAt = math.Inf(1)
	}
}

// repartition begins a repartition, during which jobs go on if it is partial; one that costs no time is over at once. Where
// all jobs always stop, no speed changes.
func (r *run) repartition(partial bool, going []Going, cost *des.Times, kind int, t *des.Tally) {
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

// execute sets the speed at which all jobs go on.
func (r *run) execute() {
	if r.resizing.Executing != nil {
		r.going = r.resizing.Executing[len(r.running)-1]
		r.speed = r.going.Speed
	}
}

// endRepartition sets all jobs to work. Jobs that went on during the repartition change their speed.
func (r *run) endRepartition(t *des.Tally) {
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
