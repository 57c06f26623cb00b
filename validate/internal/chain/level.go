package chain

import (
	"math"

	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// advanceLevel is [run.Advance] for a level machine: one on which a change of the number of jobs touches no other job. All
// service times are alike, and nothing is repartitioned, as under static partitioning. So the end of a phase is known from
// its beginning on.
//
// The ends stand in a list of their own, r.ends, in the order of the partitions; an idle partition has no end. An arrival
// compares its end with the next one. A departure looks through the list. What comes next depends on chance, and a
// processor loses 15 ns on each wrong guess. Therefore ends are compared without branches, by their bits.
//
// Cost: an event of the queue M/M/4 takes 22 ns, of which random numbers take 7 ns. Each further partition adds half a
// nanosecond to a departure.
func (r *run) advanceLevel(n int, t *simulation.Tally) error {
	places, arrivalAt, nextDue, next := float64(r.places), r.arrivalAt, r.nextDue, r.next
	for n > 0 {
		if r.looks() {
			if err := r.interrupted(); err != nil {
				r.arrivalAt, r.nextDue, r.next = arrivalAt, nextDue, next
				return err
			}
		}
		to, arrives := first(arrivalAt, nextDue), arrivalAt <= nextDue
		// The integrals grow as in [run.elapse], except for the integrals of repartitions.
		dt := to - r.now
		r.now = to
		running, waiting := float64(len(r.running)), float64(r.queue.Len())
		jobs := running + waiting
		t[simulation.Elapsed] += dt
		t[simulation.JobTime] += dt * jobs
		t[simulation.JobSquareTime] += dt * jobs * jobs
		t[simulation.QueueTime] += dt * waiting
		t[simulation.ExecutingTime] += dt * running
		switch {
		case running == 0:
			t[simulation.EmptyTime] += dt
		case r.separate:
			t[simulation.BusyTime] += dt * running / places
		default:
			t[simulation.BusyTime] += dt
		}
		if r.ByClass != nil {
			r.elapseOfClasses(dt)
		}
		if !arrives {
			departs := false
			if nextDue, next, departs = r.endPhase(next, t); departs {
				n--
			}
			continue
		}
		t[simulation.Events]++
		t[simulation.Arrived]++
		if k := len(r.running); k < r.places {
			r.running = r.running[:k+1]
			nextDue, next = earlier(nextDue, next, r.startLevel(k, to, t), k)
		} else {
			t[simulation.Queued]++
			r.queue.Push(to)
		}
		arrivalAt = to + r.arrivals.Gap()
	}
	r.arrivalAt, r.nextDue, r.next = arrivalAt, nextDue, next
	return nil
}

// elapseOfClasses adds a time to the integrals of the classes.
func (r *run) elapseOfClasses(dt float64) {
	for k, n := range r.inService {
		r.ByClass[k*simulation.ClassSums+simulation.ClassTime] += dt * n
	}
}

// startLevel puts the next job, which arrived at the given time, into place k. It sets the job to work or starts its set-up,
// and returns the end of the first phase.
func (r *run) startLevel(k int, arrived float64, t *simulation.Tally) (end float64) {
	r.start(k, arrived, t)
	j := &r.running[k]
	end = r.now + j.left
	if r.setup != nil {
		if d := r.setup.DrawAhead(&r.overheads); d > 0 {
			j.phase, end = ^j.phase, r.now+d
		}
	}
	r.ends[k] = end
	return end
}

// endPhase ends the phase, or the set-up, of the job in place k. It returns the next end with its job, and whether the job
// in place k departs. Its place is then given to the first job of the queue, or to the last running job.
func (r *run) endPhase(k int, t *simulation.Tally) (at float64, job int, departs bool) {
	j := &r.running[k]
	r.ends[k] = math.Inf(1)
	due, next := r.firstEnd()
	end := math.Inf(1)
	to := int32(des.Absorbed)
	if !r.onePhase {
		to = r.nextPhase(j, t)
	}
	switch {
	case to != des.Absorbed:
		j.phase, end = to, r.now+j.left
		r.ends[k] = end
	case r.queue.Len() > 0:
		departs = true
		r.countEnd(j, t)
		end = r.startLevel(k, r.queue.Pop(), t)
	default:
		departs = true
		r.countEnd(j, t)
		last := len(r.running) - 1
		if last == 0 {
			t[simulation.EmptyPeriods]++
		}
		if next == last {
			next = k
		}
		r.ends[k] = r.ends[last]
		j.service, j.arrived = r.running[last].service, r.running[last].arrived
		r.ends[last] = math.Inf(1)
		r.running = r.running[:last]
	}
	at, job = earlier(due, next, end, k)
	return at, job, departs
}

// first returns the earlier of two nonnegative times, without a branch. So the processor adds the integrals before it needs
// to know which event comes next, and loses less on a wrong guess.
func first(a, b float64) float64 {
	return math.Float64frombits(min(math.Float64bits(a), math.Float64bits(b)))
}

// earlier returns the earlier of two ends with its job; among equal times, the first job. Nonnegative times have the order
// of their bits, and integers are compared without a branch.
func earlier(a float64, i int, b float64, k int) (at float64, job int) {
	first, other := math.Float64bits(a), math.Float64bits(b)
	if other < first+uint64(k-i)>>63 { // the shift gives 1 if k < i
		first, i = other, k
	}
	return math.Float64frombits(first), i
}

// firstEnd returns the earliest end of a phase and its job. Among equal times it is the first job. Idle partitions have no
// end.
func (r *run) firstEnd() (at float64, job int) {
	due := math.Float64bits(math.Inf(1))
	for k, end := range r.ends { // nonnegative times have the order of their bits
		if bits := math.Float64bits(end); bits < due {
			due, job = bits, k
		}
	}
	return math.Float64frombits(due), job
}

// nextPhase returns the phase to which a job moves at the end of a phase or of its set-up, and sets the time of that phase.
// It returns [des.Absorbed] if the job is done.
func (r *run) nextPhase(j *phasedJob, t *simulation.Tally) int32 {
	if j.phase < 0 {
		t[simulation.Events]++
		return ^j.phase
	}
	to := r.present.Next[j.phase].Pick(&j.stream)
	if to != des.Absorbed {
		j.left = j.stream.Exp() / r.present.Rate[to]
	}
	return to
}
