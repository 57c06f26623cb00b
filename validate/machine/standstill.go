package machine

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// charge makes jobs stand still for the change r.change of a decision, as long as its costs tell:
//
//   - If each job pays for itself, see [run.chargeEach].
//   - If the change is not a reconfiguration, the touched jobs begin to work, unless they already stand still for a
//     reconfiguration.
//   - A reconfiguration replaces one under way. The touched jobs stand still for it, or all jobs, or none, as the costs
//     tell. Jobs that already stand still for the replaced one go on standing still.
//   - A reconfiguration without time ends at once.
func (r *run) charge(t *simulation.Tally) error {
	if r.resizing != nil {
		return r.chargeEach(t)
	}
	pause := r.Costs.Pause(r.change, &r.overheads)
	if !pause.Reconfigures {
		r.resumeAll(r.touched)
		return nil
	}
	if err := checkCost(pause.Time); err != nil {
		return err
	}
	if pause.Stops != NoJobs {
		for i := range r.touched {
			r.jobs[r.touched[i].job].stopped = true
		}
	}
	if pause.Stops == AllJobs && pause.Time > 0 {
		for k := range r.view.Running() {
			id := r.view.Started(k)
			r.halt(id)
			r.jobs[id].stopped = true
		}
	}
	if r.paused {
		t[simulation.Abandoned]++
		r.calendar.Cancel(r.resume)
		r.paused = false
	}
	if pause.Time == 0 {
		r.release()
		r.resumeAll(r.touched)
		return nil
	}
	if pause.Stops == NoJobs {
		r.resumeAll(r.touched)
	}
	t[simulation.Repartitions]++
	t[pause.Kind]++
	r.paused = true
	r.resume = r.calendar.Schedule(r.now+pause.Time, resumes.rank(0), occurrence{kind: resumes})
	for i := range r.touched {
		r.standStill(r.touched[i].job, r.now+pause.Time)
	}
	return nil
}

// checkCost returns an error if a reconfiguration cannot take a time.
func checkCost(time float64) error {
	if !(time >= 0) || math.IsInf(time, 1) {
		return fmt.Errorf("machine: a reconfiguration cannot take the time %v", time)
	}
	return nil
}

// release ends the reconfiguration under way: all jobs that stand still for it continue.
func (r *run) release() {
	r.paused = false
	for k := range r.view.Running() {
		if id := r.view.Started(k); r.jobs[id].stopped {
			r.jobs[id].stopped = false
			r.work(id)
		}
	}
}

// resumeAll sets the given jobs to work, except those that stand still for a reconfiguration.
func (r *run) resumeAll(jobs []touched) {
	for i := range jobs {
		if p := &r.jobs[jobs[i].job]; !p.stopped && !p.working {
			r.work(jobs[i].job)
		}
	}
}

// chargeEach makes each touched job pay for its own change; see [Resizing]. A job that gains nodes stands still at least
// as long as the slowest job that gives up nodes.
func (r *run) chargeEach(t *simulation.Tally) error {
	longest := 0.0 // longest standstill of a job that gives up nodes
	for _, j := range r.touched {
		if has := r.state.Entry(j.job).Occupied; has < j.had {
			longest = max(longest, r.resizing.Stop(j.had, has))
		}
	}
	paused := false
	for _, j := range r.touched {
		// A job that starts pays nothing. A job that gains nodes also waits until the other jobs have given them up.
		has, stop := r.state.Entry(j.job).Occupied, 0.0
		if !j.started {
			stop = r.resizing.Stop(j.had, has)
		}
		if err := checkCost(stop); err != nil {
			return err
		}
		if has > j.had {
			stop = max(stop, longest)
		}
		if has > 0 && stop > 0 {
			paused = true
			r.pause(j.job, stop, t)
		} else {
			r.proceed(j.job)
		}
	}
	if paused {
		r.count(t)
	}
	return nil
}

// count adds a reconfiguration that takes time to the tally.
func (r *run) count(t *simulation.Tally) {
	t[simulation.Repartitions]++
	if r.change.Why == sched.Arrival {
		t[simulation.Shrinks]++
	} else {
		t[simulation.Expands]++
	}
}

// pause makes a job stand still for the given duration from now on, while other jobs work. The standstill replaces the rest
// of an earlier one, which t then counts as abandoned.
func (r *run) pause(id sched.JobID, duration float64, t *simulation.Tally) {
	p := &r.jobs[id]
	if p.stopped {
		t[simulation.Abandoned]++
	}
	r.unpause(p)
	p.stopped, r.paused = true, true
	r.standing++
	p.due = r.calendar.Schedule(r.now+duration, proceeds.rank(p.rank), occurrence{proceeds, id})
	r.standStill(id, r.now+duration)
}

// unpause ends the standstill of a job for a reconfiguration, and cancels the event that would have ended it. A job that does not
// stand still is left as it is.
func (r *run) unpause(p *progress) {
	if !p.stopped {
		return
	}
	r.calendar.Cancel(p.due)
	p.stopped = false
	r.standing--
	r.paused = r.standing > 0
}

// proceed ends the standstill of a job, if the job stands still, and sets the job to work, if it does not work.
func (r *run) proceed(id sched.JobID) {
	p := &r.jobs[id]
	r.unpause(p)
	if !p.working {
		r.work(id)
	}
}
