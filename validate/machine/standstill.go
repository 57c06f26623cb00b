package machine

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// charge makes jobs stand still for the change r.change of a decision, for the time that r.Costs gives. It counts
// reconfigurations that take time in t:
//
//   - If each job pays for itself, see [run.chargeEach].
//   - If the change is not a reconfiguration, the jobs in r.changed begin to work, unless they already stand still for
//     a reconfiguration.
//   - A reconfiguration replaces one under way, which t counts as abandoned. The costs decide who stands still for it:
//     the jobs in r.changed, all jobs, or no job. Jobs that already stand still for the replaced one go on standing
//     still.
//   - A reconfiguration without time ends at once.
//
// The end of the standstill is an entry of the calendar. The ends that policies expect of jobs that stand still are
// delayed until then. The error says that a time is negative or not finite.
func (r *run) charge(t *simulation.Tally) error {
	if r.resizing != nil {
		return r.chargeEach(t)
	}
	pause := r.Costs.Pause(&r.change, &r.overheads)
	if !pause.Reconfigures {
		r.resumeAll(r.changed)
		return nil
	}
	if !(0 <= pause.Time && pause.Time <= math.MaxFloat64) {
		return checkCost(pause.Time)
	}
	if pause.Stops != NoJobs {
		changed := r.changed
		for i := range changed {
			r.stop(changed[i].job)
		}
	}
	if pause.Stops == AllJobs && pause.Time > 0 {
		for k := range r.view.Running() {
			id := r.view.Started(k)
			r.stopWork(&r.jobs[id], r.state.Entry(id))
			r.stop(id)
		}
	}
	if r.paused {
		t[simulation.Abandoned]++
		r.calendar.Cancel(r.resume)
		r.paused = false
	}
	if pause.Time == 0 {
		r.endReconfiguration()
		r.resumeAll(r.changed)
		return nil
	}
	if pause.Stops == NoJobs {
		r.resumeAll(r.changed)
	}
	t[simulation.Repartitions]++
	t[pause.Kind]++
	r.paused = true
	r.resume = r.calendar.Schedule(r.now+pause.Time, resumes.rank(0), occurrence{kind: resumes})
	if r.plans {
		for _, id := range r.stopped {
			r.updateExpectedEnd(id, r.now+pause.Time)
		}
	}
	return nil
}

// stop makes a job stand still for the reconfiguration under way, unless it does already.
func (r *run) stop(id sched.JobID) {
	if p := &r.jobs[id]; !p.stopped {
		p.stopped = true
		r.stopped = append(r.stopped, id)
	}
}

// checkCost returns an error if a reconfiguration cannot take the given time, because it is negative or not finite.
func checkCost(time float64) error {
	if !(time >= 0) || math.IsInf(time, 1) {
		return fmt.Errorf("machine: a reconfiguration cannot take the time %v", time)
	}
	return nil
}

// endReconfiguration ends the reconfiguration under way: all jobs that stand still for it work on. The calendar calls
// it at the end, and [run.charge] if the reconfiguration takes no time.
func (r *run) endReconfiguration() {
	r.paused = false
	for _, id := range r.stopped {
		p := &r.jobs[id]
		p.stopped = false
		r.startWork(id, p, r.state.Entry(id))
	}
	r.stopped = r.stopped[:0]
}

// resumeAll sets the given jobs to work on their new nodes. Jobs that stand still for a reconfiguration, and jobs at
// work, are left as they are. A job without nodes goes on standing still. [run.startWork] schedules the end of each
// job, and stores it as expected end in r.state.
func (r *run) resumeAll(jobs []changedJob) {
	for i := range jobs {
		if p := &r.jobs[jobs[i].job]; !p.stopped && !p.working {
			r.startWork(jobs[i].job, p, r.state.Entry(jobs[i].job))
		}
	}
}

// chargeEach makes each job in r.changed stand still for its own change, as long as r.resizing.Stop tells; see
// [Resizing]. The start of a job has no time of its own. But a job that starts or grows stands still at least as long
// as the slowest job that gives up nodes.
//
// A job that need not stand still works on at once. For a job that lost all its nodes nothing is scheduled: it is
// suspended. t counts one reconfiguration if some job stands still, and the earlier standstills that new ones replace. The
// error is for a time that is negative or not finite.
func (r *run) chargeEach(t *simulation.Tally) error {
	longest := 0.0 // longest standstill of a job that gives up nodes
	for _, j := range r.changed {
		if has := r.state.Entry(j.job).Occupied; has < j.had {
			longest = max(longest, r.resizing.Stop(j.had, has))
		}
	}
	paused := false
	for _, j := range r.changed {
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
		r.countReconfiguration(t)
	}
	return nil
}

// countReconfiguration adds the change r.change to t, as a reconfiguration that takes time. It counts as a shrink if it
// is due to an arrival, else as an expansion.
func (r *run) countReconfiguration(t *simulation.Tally) {
	t[simulation.Repartitions]++
	if r.change.Why == sched.Arrival {
		t[simulation.Shrinks]++
	} else {
		t[simulation.Expands]++
	}
}

// pause makes a job stand still for the given duration from now on, while other jobs work. The standstill replaces the
// rest of an earlier one, which t then counts as abandoned. The end of the standstill is an entry of the calendar, and
// delays the end of the job that policies expect.
func (r *run) pause(id sched.JobID, duration float64, t *simulation.Tally) {
	p := &r.jobs[id]
	if p.stopped {
		t[simulation.Abandoned]++
	}
	r.unpause(p)
	p.stopped, r.paused = true, true
	r.standing++
	p.due = r.calendar.Schedule(r.now+duration, proceeds.rank(p.rank), occurrence{proceeds, id})
	r.updateExpectedEnd(id, r.now+duration)
}

// unpause ends the standstill of one job for its own resize, and cancels the entry of the calendar that would have
// ended it. It does not set the job to work. A job that does not stand still for its own resize is left as it is.
func (r *run) unpause(p *progress) {
	if !p.stopped {
		return
	}
	r.calendar.Cancel(p.due)
	p.stopped = false
	r.standing--
	r.paused = r.standing > 0
}

// proceed ends the standstill of a job for its own resize, if the job stands still for one. It sets the job to work
// unless it is at work.
func (r *run) proceed(id sched.JobID) {
	p := &r.jobs[id]
	r.unpause(p)
	if !p.working {
		r.startWork(id, p, r.state.Entry(id))
	}
}
