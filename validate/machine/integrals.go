package machine

import "github.com/partwise/partwise/validate/internal/simulation"

// elapse sets the clocks of the run and of its state to time to, and adds the integrals over the time since the last
// event to t, see [course.integrateJobs]. With scheduling points, started jobs without nodes wait, too. Jobs in service are
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
	waiting := r.view.Waiting() + len(r.withoutNodes)
	r.integrateJobs(dt, waiting, t)
	r.integrateNodes(dt, waiting, r.view.Free(), t)
	r.integratePauses(dt, r.paused || r.notStopped > 0, t)
	if r.ByClass != nil {
		for k, n := range r.inService {
			r.ByClass[k*simulation.ClassSums+simulation.ClassTime] += dt * n
		}
	}
	r.subtractSetups(t)
}

// integrateJobs adds integrals over a time dt between two events to t. They are of the number of jobs in the system and its
// square, of jobs at work, and of the given number of waiting jobs. It adds the time without jobs, too.
//
// Nothing changes between two events: each integral grows by dt times the value of its integrand. What counts only in some
// states counts zero in the others: which state comes next depends on chance, so the processor would guess a branch wrong.
// This function and the next two are so small that the compiler puts them into their callers, which run at each event.
func (r *course) integrateJobs(dt float64, waiting int, t *simulation.Tally) {
	empty, jobs := 0, float64(r.present)
	if r.present == 0 {
		empty = 1
	}
	t[simulation.JobTime] += dt * jobs
	t[simulation.JobSquareTime] += dt * jobs * jobs
	t[simulation.QueueTime] += dt * float64(waiting)
	t[simulation.ExecutingTime] += dt * float64(r.atWork)
	t[simulation.EmptyTime] += dt * float64(empty)
}

// integrateNodes adds integrals over a time dt between two events to t. They are of the share of all nodes at work, of the
// share that does useful work, and of the share that is free while a job waits.
func (r *course) integrateNodes(dt float64, waiting, free int, t *simulation.Tally) {
	if waiting == 0 {
		free = 0
	}
	share := dt * r.nodeShare
	t[simulation.BusyTime] += share * float64(r.working)
	t[simulation.BlockedTime] += share * float64(free)
	t[simulation.UsefulTime] += share * r.useful
}

// integratePauses adds a time dt between two events to the elapsed time of t, and to its paused time if the run is paused: a
// reconfiguration is under way, or jobs stop for one.
func (r *course) integratePauses(dt float64, isPaused bool, t *simulation.Tally) {
	paused := 0
	if isPaused {
		paused = 1
	}
	t[simulation.Elapsed] += dt
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
