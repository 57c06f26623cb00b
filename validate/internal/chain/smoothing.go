package chain

import (
	"math"

	"github.com/partwise/partwise/validate/internal/simulation"
)

// arriveSmoothed lets a job arrive under smoothing. The job gets the empty machine, an idle partition or a new
// division, or it waits.
func (r *run) arriveSmoothed(t *simulation.Tally) {
	r.queue.Push(r.now)
	quiet := !math.IsInf(r.quiet, 1)
	switch {
	case r.q == 0:
		r.partition(1)
		r.admit(t)
		r.pause(r.shrink[1], simulation.Shrinks, t)
	case r.executing() && quiet && len(r.running) < r.q:
		r.beginChange()
		r.work(&r.running[r.admit(t)])
		r.endChange()
	case r.executing() && !quiet && len(r.running) < r.places:
		r.divide(t)
	default:
		t[simulation.Queued]++
	}
}

// admit gives a partition to the head of the queue, and returns its place. The job does not make progress yet.
func (r *run) admit(t *simulation.Tally) int {
	k := len(r.running)
	r.running = r.running[:k+1]
	r.start(k, r.queue.Pop(), t)
	return k
}

// divide begins a repartition among all jobs and draws the minimum time to the next one, if the number of partitions
// changes.
func (r *run) divide(t *simulation.Tally) {
	to := min(len(r.running)+r.queue.Len(), r.places)
	if to == r.q {
		return
	}
	r.stop()
	r.mapPhases(r.q, to)
	cost, kind := r.shrink[to], simulation.Shrinks
	if to < r.q {
		cost, kind = r.expand[to], simulation.Expands
	}
	r.partition(to)
	r.quiet = r.now + r.minimum.Draw(&r.random)
	for len(r.running) < r.q {
		r.admit(t)
	}
	r.pause(cost, kind, t)
}

// departSmoothed frees place k under smoothing when no job waits. If the minimum time is over, the machine is divided
// anew.
func (r *run) departSmoothed(k int, t *simulation.Tally) {
	r.beginChange()
	r.vacate(k)
	r.endChange()
	switch {
	case len(r.running) == 0:
		t[simulation.EmptyPeriods]++
		r.q = 0
	case math.IsInf(r.quiet, 1):
		r.divide(t)
	}
}

// endQuiet ends the minimum time between repartitions, and divides the machine anew unless a repartition is under way.
func (r *run) endQuiet(t *simulation.Tally) {
	r.quiet = math.Inf(1)
	if r.executing() {
		r.divide(t)
	}
}
