package machine

import (
	"fmt"

	"github.com/partwise/partwise/markov/parallel"
)

// A run checks whether it should stop before each decision if it has manyJobs jobs or more, because decisions then take
// long. Otherwise it checks once in so many moments.
const manyJobs, moments = 1000, 64

// A run ends if it has more than mostInterruptions alarms and scheduling points, and interruptionsOfJob more for each job that
// has arrived. The first number is an alarm every second for three weeks, and takes about a second.
const (
	mostInterruptions  = 2_000_000
	interruptionsOfJob = 10_000
)

// Alarms start, resize or suspend at most mostIdleResizes jobs, and idleResizesOfNode more for each node of the machine,
// while no job makes progress. A policy that resizes more jobs interrupts each before its resize has ended, such as a
// time-sharing policy whose turns are shorter than a resize. A million resizes take about a second.
//
// A run that goes on may need n·ln k such resizes on n nodes: k jobs come one after the other, and at each arrival all
// jobs stand still for a new even division. This is less than idleResizesOfNode·n on the largest machine ([MostNodes]).
const mostIdleResizes, idleResizesOfNode = 1 << 20, 17

// setManyJobs sets r.many for the present Observer: with more jobs in the system, each check calls [course.interrupted].
func (r *course) setManyJobs() {
	r.many = manyJobs - 1
	if most := r.Observer.Most; most > 0 {
		r.many = min(r.many, most)
	}
}

// mayBeInterrupted counts a check in r.checks, and reports whether [course.interrupted] has to look closer. It is so small
// that the compiler puts it into the loop over events.
func (r *course) mayBeInterrupted() bool {
	r.checks++
	return r.checks%moments == 0 || r.present > r.many || r.interruptions > 0
}

// interrupted returns the reason why a run should end early, nil if it should not. The reasons are:
//
//   - more jobs in the system than allowed, a *[parallel.LimitError];
//   - more alarms and scheduling points than 2 million plus 10,000 for each job that has arrived, a
//     *[parallel.LimitError];
//   - more than 2^20 resizes at alarms, and 17 for each node, while no job makes progress (mostIdleResizes), a
//     *[parallel.LimitError];
//   - an error of the caller's Stop.
//
// Stop may take long. So it is called only at every 64th check, or at each check while there are 1,000 jobs or more.
// [course.mayBeInterrupted] counts the checks in r.checks.
func (r *course) interrupted() error {
	if most := r.Observer.Most; most > 0 && r.present > most {
		return parallel.TooManyJobs(most, r.now)
	}
	if r.interruptions > 0 { // otherwise there were no resizes at alarms either
		if err := r.tooManyInterruptions(); err != nil {
			return err
		}
	}
	if r.Stop == nil || r.checks%moments != 0 && r.present < manyJobs {
		return nil
	}
	return r.Stop()
}

// tooManyInterruptions returns a *[parallel.LimitError] if there are too many alarms and scheduling points, or too many
// resizes at alarms while no job makes progress; see [course.interrupted].
func (r *course) tooManyInterruptions() error {
	if r.interruptions > mostInterruptions+int(r.arrived)*interruptionsOfJob {
		return &parallel.LimitError{Resource: parallel.Events,
			What: fmt.Sprintf("%d alarms and scheduling points for %d jobs by time %g", r.interruptions,
				r.arrived, r.now)}
	}
	if r.idleResizes > mostIdleResizes+idleResizesOfNode*r.Nodes {
		return &parallel.LimitError{Resource: parallel.Events,
			What: fmt.Sprintf("none of %d jobs makes progress during %d resizes up to time %g",
				r.present, r.idleResizes, r.now)}
	}
	return nil
}
