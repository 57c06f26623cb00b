package machine

import (
	"math"
	"math/bits"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/calendar"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/evenshares"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// alikeRun is a [run] of jobs that are alike: they differ only in the time of their arrival and in their work. Its policy
// divides the nodes evenly, or into partitions of one size. Its tallies and times are those of run to the last bit.
//
// Method. The running jobs stand in a short list in the order of their starts, and their ends in another list. The policy
// decides by the numbers of jobs that run, wait and have departed, so there are no entries of jobs, views, actions,
// records or calendar. An event costs one pass over the ends and one over the integrals. A division of the nodes costs one
// pass over the jobs up to the last that it resizes. The numbers of running jobs by size tell how many it resizes.
//
// It pays while few jobs run, because a pass takes O(jobs that run). On 8 nodes an event takes two thirds of the time
// that run takes. [Machine.hasAlikeJobs] says when it applies.
type alikeRun struct {
	course
	source    *randomJobs
	next      drawnJob                 // next job to arrive
	queue     calendar.Queue[drawnJob] // waiting jobs in the order of arrival
	running   [calendar.Most]alikeJob  // the first n are running jobs in the order of their starts
	n         int                      // number of running jobs
	ends      calendar.Times           // of the running jobs; +Inf for a job that stands still
	free      int                      // units that no job has
	units     int                      // of the machine: nodes / Unit
	most      int                      // largest number of running jobs
	partition int                      // units of every job; 0 if the units are divided evenly
	bySize    []int                    // number of running jobs by their units; entry 0 has no meaning
	overheads des.Ahead                // random numbers of the times of reconfigurations and set-ups
	left      []int                    // the units of each job that has departed at the present time
	change    Change                   // what the present decision changes
	changed   uint64                   // set of the running jobs whose nodes the decision changes, if changes cost something
	stopped   []int                    // running jobs that stand still for the reconfiguration, in the order of their stops
	paused    bool                     // a reconfiguration is under way
	resume    float64                  // end of the reconfiguration under way; +Inf without one
}

// drawnJob is a job as it arrives.
type drawnJob struct{ submit, work float64 }

// alikeJob is a running job.
type alikeJob struct {
	remainder
	submit  float64
	size    int  // in units
	working bool // the job makes progress
	stopped bool // the job stands still for the reconfiguration under way
}

// hasAlikeJobs reports whether [alikeRun] simulates the machine, under a policy with the given largest number of running
// jobs:
//
//   - Jobs are drawn without classes, so that all are malleable, and have the same speedup and no bounds.
//   - The policy is dynamic partitioning, also with a cap, or static partitioning, with at most [calendar.Most] running jobs.
//   - Nobody asks for records, or for the state after each event. Estimates are those of the jobs.
//   - Jobs are resized at any time. The policy decides once for all events of a time.
//   - Costs are those of a whole change, so that no job pays for its own resize.
func (m *Machine) hasAlikeJobs() bool {
	_, each := m.Costs.(Resizing)
	most, _ := m.evenShares()
	return m.alike && m.certain && 1 <= most && most <= calendar.Most && !each &&
		m.Done == nil && m.Observe == nil && m.Estimates == nil && !m.OneByOne
}

// evenShares returns the largest number of running jobs under a policy that [alikeRun] knows, 0 under any other. partition
// is the number of units of every job, 0 if the policy divides the units evenly among the jobs.
func (m *Machine) evenShares() (most, partition int) {
	units := m.Nodes / m.Unit
	switch p := m.Policy.(type) {
	case policy.Dynamic:
		return units, 0
	case policy.Capped:
		return min(p.Jobs, units), 0
	case policy.Static:
		return p.Partitions, units / p.Partitions
	}
	return 0, 0
}

// startAlike returns an alikeRun of the empty machine at time 0, with the first job drawn. Random numbers come from streams
// below key. [Machine.hasAlikeJobs] must be true.
func (m *Machine) startAlike(key des.Key) *alikeRun {
	r := &alikeRun{course: newCourse(m), source: m.Jobs.Jobs(key).(*randomJobs), units: m.Nodes / m.Unit,
		overheads: key.At(simulation.OverheadStream).Ahead(), resume: math.Inf(1)}
	r.most, r.partition = m.evenShares()
	r.free, r.bySize = r.units, make([]int, r.units+2)
	r.ends.Clear()
	r.drawNext()
	return r
}

// Advance simulates until at least n more jobs have departed and adds the sums of that time to t, as [simulation.Run] says.
// The error comes from the costs or [course.interrupted]. Every later call returns the same error.
func (r *alikeRun) Advance(n int, t *simulation.Tally) error {
	defer r.HandOver()
	if r.err != nil {
		return r.err
	}
	r.setManyJobs()
	for departed := t[simulation.Departed] + float64(n); t[simulation.Departed] < departed; {
		if r.mayBeInterrupted() {
			if r.err = r.interrupted(); r.err != nil {
				return r.err
			}
		}
		end, first := r.ends.Earliest(r.n)
		at := min(r.next.submit, end, r.resume)
		r.elapse(at, t)
		came := 0
		if r.next.submit == at {
			came = r.handleArrivals(at, t)
		}
		if end > at {
			first = 0
		}
		if r.handleEvents(at, came, first, t); r.err != nil {
			return r.err
		}
		if came+len(r.left) > 0 {
			if r.err = r.decide(came, t); r.err != nil {
				return r.err
			}
		}
	}
	return nil
}

// elapse sets the clock of the run to time to, and adds the integrals over the time since the last event to t.
func (r *alikeRun) elapse(to float64, t *simulation.Tally) {
	dt := to - r.now
	if dt == 0 {
		return
	}
	r.now = to
	r.integrateJobs(dt, r.queue.Len(), t)
	r.integrateNodes(dt, r.queue.Len(), r.free*r.Unit, t)
	r.integratePauses(dt, r.paused, t)
	r.subtractSetups(t)
}

// drawNext draws the next job to arrive.
func (r *alikeRun) drawNext() {
	i := r.source.advance()
	r.next = drawnJob{r.source.now, r.source.work[i]}
}

// handleArrivals puts the jobs that arrive at the time at into the queue, and returns their number. At least one arrives. An
// error of [course.interrupted] is stored in r.err.
func (r *alikeRun) handleArrivals(at float64, t *simulation.Tally) (came int) {
	for r.next.submit == at && r.err == nil {
		t[simulation.Arrived]++
		r.arrived++
		r.present++
		r.queue.Push(r.next)
		r.drawNext()
		came++
		if r.mayBeInterrupted() { // late in a long run, times between arrivals may round to zero
			r.err = r.interrupted()
		}
	}
	return came
}

// handleEvents handles the events of the time at after the arrivals, of which so many came: the departures of the jobs in
// the set first, then the end of a reconfiguration. It counts all events in t. r.left becomes the list of the units of the
// jobs that departed. After an error nothing else happens.
func (r *alikeRun) handleEvents(at float64, came int, first uint64, t *simulation.Tally) {
	r.left = r.left[:0]
	events := came
	if r.err == nil {
		for ; first != 0; first &= first - 1 { // jobs behind a departed job have moved up
			r.depart(bits.TrailingZeros64(first)-len(r.left), t)
		}
		events += len(r.left)
		if r.resume == at {
			r.endReconfiguration()
			events++
		}
	}
	t[simulation.Events] += float64(events)
}

// depart removes running job k, whose work is done, and adds its units to r.left. It counts the departure in t, and reports
// the response time.
func (r *alikeRun) depart(k int, t *simulation.Tally) {
	j := &r.running[k]
	r.setups += j.setup * j.speed // set-up was counted as useful work while the job was working
	r.subtractSetups(t)
	r.leaveWork(j.size*r.Unit, j.speed)
	response := r.now - j.submit
	t[simulation.Departed]++
	t[simulation.ResponseSum] += response
	r.Responded(noClass, response)
	r.left = append(r.left, j.size)
	r.free += j.size
	r.bySize[j.size]--
	r.remove(k)
	r.present--
	if r.present == 0 {
		t[simulation.EmptyPeriods]++
	}
}

// noClass is the class of a job without classes.
const noClass = -1

// remove removes running job k from the lists. The jobs behind it move up by a place.
func (r *alikeRun) remove(k int) {
	r.ends.Remove(k, r.n)
	r.n--
	for i := k; i < r.n; i++ {
		r.running[i] = r.running[i+1]
	}
	for i, j := range r.stopped {
		if j > k {
			r.stopped[i] = j - 1
		}
	}
}

// decide does what the policy decides on the events of the present time, after so many arrivals and the departures in
// r.left, and charges its cost. The error comes from the costs.
func (r *alikeRun) decide(came int, t *simulation.Tally) error {
	r.change, r.changed = Change{Departed: len(r.left)}, 0
	starts := max(0, min(r.queue.Len(), r.most-r.n))
	switch {
	case r.partition > 0:
		for range starts {
			r.begin(r.partition, t)
		}
	case starts == len(r.left): // each departed job hands its units over
		for _, size := range r.left {
			r.begin(size, t)
		}
	default:
		r.divide(starts, t)
	}
	t[simulation.Queued] += float64(min(came, r.queue.Len()))
	if r.changed == 0 && !r.alwaysCosts {
		return nil
	}
	r.change.Why, r.change.Running = causeOf(came, &r.change), r.n
	return r.charge(t)
}

// divide divides all units evenly among the running jobs and the given number of waiting jobs, which start.
func (r *alikeRun) divide(starts int, t *simulation.Tally) {
	jobs := r.n + starts
	if jobs == 0 {
		return
	}
	d := evenshares.New(r.units, jobs, 1)
	resizes := r.n - d.Keep(r.bySize[d.Small], r.bySize[d.Small+1], jobs)
	for k := 0; resizes > 0; k++ {
		if size := d.Next(r.running[k].size, 1); size != r.running[k].size {
			r.resize(k, size)
			resizes--
		}
	}
	for range starts {
		r.begin(d.Next(0, 1), t)
	}
}

// begin starts the first waiting job on the given number of units, after all running jobs. It counts the start and the wait
// in t, and reports the wait.
func (r *alikeRun) begin(size int, t *simulation.Tally) {
	k, job := r.n, r.queue.At(0)
	setup := r.setup.DrawAhead(&r.overheads)
	r.running[k] = alikeJob{remainder: remainder{left: job.work, setup: setup, fresh: true}, submit: job.submit}
	r.queue.RemoveFirst()
	r.n++
	wait := r.now - r.running[k].submit
	r.change.Started++
	t[simulation.Started]++
	t[simulation.WaitSum] += wait
	r.Waited(noClass, wait)
	r.give(k, size)
}

// resize gives running job k another number of units.
func (r *alikeRun) resize(k, size int) {
	r.stopWork(k)
	r.change.Resized++
	r.give(k, size)
}

// give gives running job k, which stands still, the given number of units instead of those that it has. The job works at
// once if changes cost nothing. Otherwise it becomes a member of r.changed.
func (r *alikeRun) give(k, size int) {
	j := &r.running[k]
	r.change.Moved += max(size-j.size, j.size-size) * r.Unit
	r.free += j.size - size
	r.bySize[j.size]--
	r.bySize[size]++
	j.size, j.speed = size, r.speed[size*r.Unit]
	if r.Costs == nil {
		r.startWork(k)
	} else {
		r.changed |= 1 << k
	}
}

// startWork sets running job k, which stands still, to work on its nodes.
func (r *alikeRun) startWork(k int) {
	j := &r.running[k]
	j.since, j.working = r.now, true
	r.ends.Set(k, r.now+j.setup+j.left/j.speed)
	r.joinWork(j.size*r.Unit, j.speed)
}

// stopWork makes running job k stand still, if it is at work.
func (r *alikeRun) stopWork(k int) {
	j := &r.running[k]
	if !j.working {
		return
	}
	j.working = false
	r.ends.Set(k, math.Inf(1))
	r.countWork(&j.remainder)
	r.leaveWork(j.size*r.Unit, j.speed)
}

// charge makes jobs stand still for the change r.change, as [run.charge] does.
func (r *alikeRun) charge(t *simulation.Tally) error {
	pause := r.Costs.Pause(&r.change, &r.overheads)
	if !pause.Reconfigures {
		r.resumeChanged()
		return nil
	}
	if !(0 <= pause.Time && pause.Time <= math.MaxFloat64) {
		return checkCost(pause.Time)
	}
	if pause.Stops != NoJobs {
		for left := r.changed; left != 0; left &= left - 1 {
			r.stop(bits.TrailingZeros64(left))
		}
	}
	if pause.Stops == AllJobs && pause.Time > 0 {
		for k := range r.n {
			r.stopWork(k)
			r.stop(k)
		}
	}
	if r.paused {
		t[simulation.Abandoned]++
	}
	r.paused, r.resume = false, math.Inf(1)
	if pause.Time == 0 {
		r.endReconfiguration()
		r.resumeChanged()
		return nil
	}
	if pause.Stops == NoJobs {
		r.resumeChanged()
	}
	t[simulation.Repartitions]++
	t[pause.Kind]++
	r.paused, r.resume = true, r.now+pause.Time
	return nil
}

// stop makes running job k stand still for the reconfiguration under way, unless it does already.
func (r *alikeRun) stop(k int) {
	if j := &r.running[k]; !j.stopped {
		j.stopped = true
		r.stopped = append(r.stopped, k)
	}
}

// endReconfiguration ends the reconfiguration under way: all jobs that stand still for it work on.
func (r *alikeRun) endReconfiguration() {
	r.paused, r.resume = false, math.Inf(1)
	for _, k := range r.stopped {
		r.running[k].stopped = false
		r.startWork(k)
	}
	r.stopped = r.stopped[:0]
}

// resumeChanged sets the jobs in r.changed to work, unless they stand still for a reconfiguration or are at work.
func (r *alikeRun) resumeChanged() {
	for left := r.changed; left != 0; left &= left - 1 {
		k := bits.TrailingZeros64(left)
		if j := &r.running[k]; !j.stopped && !j.working {
			r.startWork(k)
		}
	}
}
