package machine

import "github.com/partwise/partwise/validate/internal/simulation"

// course is what all runs of a machine have in common: the clock, the sums over the jobs from which the integrals of a
// tally are made, and the reasons why a run ends early. Times are in the unit of the jobs.
type course struct {
	*Machine
	simulation.Observer
	now       float64
	err       error   // why the run is over; nil while the run goes on
	present   int     // jobs in the system, waiting or started
	arrived   uint64  // number of jobs that have arrived
	atWork    int     // number of jobs at work: started jobs that do not stand still
	working   int     // nodes that the jobs at work occupy
	useful    float64 // sum of the speedups of the jobs at work
	nodeShare float64 // 1 / number of nodes
	// setups is the part of the integral of useful that was set-up, not work. It is still to be subtracted from the tally.
	setups        float64
	checks        uint // number of calls of mayBeInterrupted
	many          int  // with more jobs in the system, each check calls interrupted; see setManyJobs
	interruptions int  // number of alarms and of scheduling points so far
	idleResizes   int  // number of jobs that alarms resized since a job was last at work, or the machine was last empty
	alwaysCosts   bool // a decision may cost something even if it changes no job's nodes
}

// newCourse returns the course of a run of the empty machine at time 0.
func newCourse(m *Machine) course {
	o, ok := m.Costs.(*overheads)
	return course{Machine: m, Observer: simulation.Observer{Most: m.Most}, nodeShare: 1 / float64(m.Nodes),
		alwaysCosts: ok && o.stops == AllJobsAlways}
}

// remainder is what is left of a started job. Times are in the unit of the jobs, and work is in node-time: the time that one
// node would take.
type remainder struct {
	speed float64 // speedup on the nodes that the job occupies: work done per unit of time
	left  float64 // work left at time since
	setup float64 // set-up left at time since
	since float64 // time up to which left and setup are known
	fresh bool    // no work is done yet
}

// countWork updates the set-up and the work left of a job that was at work since p.since. It returns for how much of this
// time the job worked. Set-up comes first and is no work, so it is added to r.setups, to be subtracted from the useful work
// of the tally.
func (r *course) countWork(p *remainder) (worked float64) {
	worked = r.now - p.since
	if p.setup > 0 {
		setup := min(worked, p.setup)
		p.setup -= setup
		r.setups += setup * p.speed
		worked -= setup
	}
	if worked > 0 {
		if p.left -= worked * p.speed; p.left < 0 {
			p.left = 0
		}
		p.fresh = false
	}
	return worked
}

// joinWork adds a job, its nodes and its speed to the sums over jobs at work, from which the integrals of the
// tally are made, see [course.integrateJobs].
func (r *course) joinWork(nodes int, speed float64) {
	r.atWork++
	r.working += nodes
	r.useful += speed
}

// leaveWork takes a job, its nodes and its speed out of the sums over jobs at work. Without jobs at work r.useful becomes 0.
func (r *course) leaveWork(nodes int, speed float64) {
	r.atWork--
	r.working -= nodes
	if r.useful -= speed; r.atWork == 0 {
		r.useful = 0 // removes rounding errors of the sum
	}
}
