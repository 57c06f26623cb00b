package machine

import "github.com/partwise/partwise/validate/internal/simulation"

// elapse sets the clocks of the run and of its state to time to, and adds the integrals over the time since the last
// event to t, see [course.integrate]. With scheduling points, started jobs without nodes wait, too. Jobs in service are
// added by class to r.ByClass, if it is set. Without elapsed time nothing changes. The counts of idle alarms may restart,
// see [run.forgetIdleAlarms].
func (r *run) elapse(to float64, t *simulation.Tally) {
	dt := to - r.now
	if dt == 0 {
		return
	}
	r.now = to
	r.state.Elapse(to)
	if r.interruptions > 0 { // otherwise there were no alarms
		r.forgetIdleAlarms()
	}
	r.integrate(dt, r.view.Waiting()+len(r.withoutNodes), r.view.Free(), r.paused || r.notStopped > 0, t)
	if r.ByClass != nil {
		for k, n := range r.inService {
			r.ByClass[k*simulation.ClassSums+simulation.ClassTime] += dt * n
		}
	}
	r.subtractSetups(t)
}

// integrate adds to t the integrals over a time dt between two events, of
//
//   - the number of jobs in the system and its square, jobs at work, and waiting jobs,
//   - the share of all nodes at work, the share that does useful work, and the share that is free while a job waits,
//   - 1 while there are no jobs, and 1 while the run is paused: a reconfiguration is under way or jobs stop for one.
//
// Nothing changes between two events: each integral grows by dt times the value of its integrand. What counts only in some
// states counts zero in the others: which state comes next depends on chance, so the processor would guess a branch wrong.
func (r *course) integrate(dt float64, waiting, free int, isPaused bool, t *simulation.Tally) {
	blocked, empty, paused := free, 0, 0
	if waiting == 0 {
		blocked = 0
	}
	if r.present == 0 {
		empty = 1
	}
	if isPaused {
		paused = 1
	}
	jobs, share := float64(r.present), dt*r.nodeShare
	t[simulation.Elapsed] += dt
	t[simulation.JobTime] += dt * jobs
	t[simulation.JobSquareTime] += dt * jobs * jobs
	t[simulation.QueueTime] += dt * float64(waiting)
	t[simulation.ExecutingTime] += dt * float64(r.atWork)
	t[simulation.BusyTime] += share * float64(r.working)
	t[simulation.BlockedTime] += share * float64(blocked)
	t[simulation.UsefulTime] += share * r.useful
	t[simulation.EmptyTime] += dt * float64(empty)
	t[simulation.PausedTime] += dt * float64(paused)
}

// forgetIdleAlarms restarts the counts of idle alarms and of idle resizes if jobs made progress or the machine was empty.
// While a reconfiguration is under way, only the count of idle alarms restarts: a policy may wait for the end of the
// reconfiguration, but must not replace it again and again.
func (r *run) forgetIdleAlarms() {
	if r.atWork > 0 || r.present == 0 {
		r.idleAlarms, r.idleResizes = 0, 0
	} else if r.paused {
		r.idleAlarms = 0
	}
}

// subtractSetups subtracts the set-ups in r.setups, in node-time, from the useful work of the tally t, which counted
// them as work. The tally counts shares of the machine, so they are divided by the number of nodes. r.setups becomes 0.
func (r *course) subtractSetups(t *simulation.Tally) {
	if r.setups == 0 {
		return
	}
	t[simulation.UsefulTime] -= r.setups * r.nodeShare
	r.setups = 0
}
