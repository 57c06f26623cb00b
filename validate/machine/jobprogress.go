package machine

import (
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/calendar"
	"github.com/partwise/partwise/validate/sched"
)

// progress is what the machine knows of the execution of a job in the system, beside its [sched.Entry]. Times are in the
// unit of the jobs, and work is in node-time: the time that one node would take.
type progress struct {
	remainder
	setupTime float64         // the whole set-up
	due       calendar.Ticket // end of the job, or of its own standstill
	rank      uint64          // number in the order of the starts, from 1; 0: not started
	working   bool            // the job is at work: it makes progress
	stopped   bool            // the job stands still for the reconfiguration under way, or for its own resize
	killed    bool            // the job ends at its limit, before its work is done
	stretch   float64         // expected run time over true run time on stretchOn nodes
	stretchOn int             // number of nodes for which stretch is known; 0: unknown
	promised  float64         // start that the policy promised at the arrival; NaN without a promise
	end       float64         // time at which the job ended
	away      bool            // within a decision: the job has left its nodes so that other jobs can take them
	had       int             // if away: number of nodes that the job left
	from      int             // if away: first of these nodes, −1 if the job was not placed

	// For machines that resize jobs at scheduling points:
	point   calendar.Ticket // next scheduling point, if awaits is true
	awaits  bool            // the calendar holds the next scheduling point, at which the job is to be resized
	joins   bool            // the job is to be resized together with others
	coming  float64         // number of the next point, from 1
	passed  float64         // number of the last point at which the job was to be resized
	shrinks bool            // the job stands still before it leaves nodes
	leaves  int             // if shrinks: number of nodes that the job occupies after its standstill
	pieces  float64         // points by time: distances between points that the job covered until time since

	// For the record:
	counted        float64 // time up to which the following sums are counted
	nodeTime       float64 // node-time held
	paused         float64 // time during which the job stood still or was suspended
	busy           float64 // node-time at work in the window
	done           float64 // work done in the window
	first          int     // nodes on which the job started
	fewest, widest int     // fewest and most nodes that the job occupied
	resized        int     // number of resizes
}

// startWork sets a started job that stands still to work on the nodes that it occupies. It schedules the end of the job
// in the calendar, and stores its expected end in r.state if a policy may ask for it. The job is added to the sums of
// jobs at work. If the job holds other nodes, its next scheduling point is scheduled. A job that occupies no nodes goes
// on standing still.
func (r *run) startWork(id sched.JobID, p *progress, e *sched.Entry) {
	nodes, job := e.Occupied, &e.Job
	if nodes == 0 {
		return
	}
	r.account(p, e)
	end := plannedEnd(p, job, nodes, r.now)
	p.since, p.working, e.Working = r.now, true, true
	p.due = r.calendar.Schedule(end, departs.rank(p.rank), occurrence{departs, id})
	if r.plans {
		r.state.SetWorking(id, true, expectedEnd(p, job, nodes, r.now, end))
	}
	r.joinWork(nodes, p.speed)
	if nodes != e.Held {
		r.schedulePoint(id)
	}
}

// plannedEnd returns the time at which a job ends that works on the given number of nodes from time from on. The set-up
// that is left comes first. A job without work done then runs for job.Run, if this is known, on the nodes that it asks
// for. Otherwise it runs for the remaining work over p.speed, which must be the speed on these nodes.
func plannedEnd(p *progress, job *workload.Job, nodes int, from float64) float64 {
	return from + p.setup + timeLeft(p, job, nodes)
}

// timeLeft returns how long a job has still to work on the given number of nodes, in the unit of time of the machine.
// The set-up that is left does not count. For a job without work done it is job.Run, if this is known, on the nodes
// that the job asks for. So run times of a log keep all their digits. Otherwise it is the work left over the speed,
// p.left/p.speed; p.speed must be the speed on these nodes.
func timeLeft(p *progress, job *workload.Job, nodes int) float64 {
	if nodes != job.Nodes || job.Run == 0 || !p.fresh {
		return p.left / p.speed
	}
	return job.Run
}

// expectedEnd returns the time at which policies expect the end of a job that works on the given number of nodes from
// time from on. The estimate of its run time replaces the run time; without an estimate it is end, the end itself. If
// part of the work is done, the estimate is scaled by the part that is left; if no work is left, it is end. The ratio
// of the two run times is stored in p, because a job that stands still for its resize needs it twice. p.speed must be the
// speed on these nodes.
func expectedEnd(p *progress, job *workload.Job, nodes int, from, end float64) float64 {
	if job.Estimate <= 0 {
		return end
	}
	if p.fresh {
		return from + p.setup + job.EstimateAt(nodes, p.speed)
	}
	left := timeLeft(p, job, nodes)
	if left <= 0 {
		return end
	}
	if p.stretchOn != nodes {
		p.stretch, p.stretchOn = job.EstimateAt(nodes, p.speed)/job.RunAt(nodes, p.speed), nodes
	}
	return from + p.setup + left*p.stretch
}

// updateExpectedEnd stores in r.state, which policies see, when a job that stands still until the given time is
// expected to end. EASY and other policies plan with it. A job at work, or without nodes, is left as it is. Nothing
// happens if no policy asks for expected ends.
func (r *run) updateExpectedEnd(id sched.JobID, until float64) {
	if !r.plans {
		return
	}
	p, e := &r.jobs[id], r.state.Entry(id)
	if e.Occupied > 0 && !p.working {
		end := plannedEnd(p, &e.Job, e.Occupied, until)
		r.state.SetWorking(id, false, expectedEnd(p, &e.Job, e.Occupied, until, end))
	}
}

// stopWork makes a job at work stand still: it cancels its end in the calendar and its next scheduling point. The work
// since the job was last set to work is counted, see [course.countWork]. With scheduling points by time, p.pieces grows by
// the distances between points that the job has covered. A job that already stands still is left as it is.
func (r *run) stopWork(p *progress, e *sched.Entry) {
	if !p.working {
		return
	}
	r.account(p, e)
	r.calendar.Cancel(p.due)
	r.cancelPoint(p)
	worked := r.countWork(&p.remainder)
	if !r.everywhere && worked > 0 {
		if every := r.Points.timeBetween(e.Occupied); every > 0 {
			p.pieces += worked / every
		}
	}
	r.removeFromWorking(p, e)
}

// resizeAtWork gives a job at work another number of nodes, on a machine that is plain and has no costs. It does what
// [run.stopWork] and then [run.startWork] do. But the job stays at work, and its end only moves in the calendar. That takes
// half as many instructions.
func (r *run) resizeAtWork(id sched.JobID, p *progress, e *sched.Entry, nodes int) {
	r.account(p, e)
	r.countWork(&p.remainder)
	r.leaveWork(e.Occupied, p.speed)
	if !r.state.HoldCounted(e, nodes) {
		r.state.Hold(id, nodes, -1)
	}
	p.setSpeed(nodes, r.speed[nodes])
	r.joinWork(nodes, p.speed)
	end := plannedEnd(p, &e.Job, nodes, r.now)
	p.since = r.now
	p.due = r.calendar.Reschedule(p.due, end)
	if r.plans {
		r.state.SetWorking(id, true, expectedEnd(p, &e.Job, nodes, r.now, end))
	}
}

// removeFromWorking marks a job as not at work, and takes it out of the sums over jobs at work.
func (r *run) removeFromWorking(p *progress, e *sched.Entry) {
	p.working, e.Working = false, false
	r.leaveWork(e.Occupied, p.speed)
}

// account adds the time since its last call for a job to the sums of the record of the job. It does nothing if no
// records are wanted, because Config.Done is not set. It must be called before the nodes of the job change, and before
// its work starts or stops.
func (r *run) account(p *progress, e *sched.Entry) {
	if r.Done != nil && r.now != p.counted {
		r.addToSums(p, e)
	}
}

// addToSums adds the time since p.counted to the sums of the record of a job, and sets p.counted to the present time.
// The sums are the node-time held, the time standing still, and within the window the node-time at work and the work
// done. Set-up is node-time at work, but no work done.
func (r *run) addToSums(p *progress, e *sched.Entry) {
	dt := r.now - p.counted
	p.counted = r.now
	nodes := float64(e.Occupied)
	p.nodeTime += dt * nodes
	if !p.working {
		p.paused += dt
		return
	}
	in := r.Window.part(r.now-dt, r.now)
	p.busy += in * nodes
	if p.setup > 0 {
		in = r.Window.part(min(p.since+p.setup, r.now), r.now)
	}
	p.done += in * p.speed
}

// report calls Config.Done with the record of a job that has ended, and tells the estimator of its run time. Then the
// job is forgotten: its JobID may be used for another job.
func (r *run) report(id sched.JobID) {
	p, e := &r.jobs[id], r.state.Entry(id)
	if r.Done != nil {
		o := &r.record
		o.Job = e.Job
		o.Number, o.Start, o.End = e.Number, e.Start, p.end
		o.Held, o.First, o.Fewest, o.Widest, o.Resized = e.Occupied, p.first, p.fewest, p.widest, p.resized
		o.Paused, o.NodeTime, o.Busy, o.Useful = p.paused, p.nodeTime, p.busy, p.done
		o.Overtook, o.Killed, o.Promised = e.Overtook, p.killed, p.promised
		o.removeRounding(p, r.Window)
		r.Done(o)
	}
	if r.learner != nil {
		r.learner.Ended(&e.Job, r.now)
	}
	r.state.Forget(id)
}

// removeRounding replaces the sums of a record that are known exactly, and so removes their rounding errors. p is the
// progress of the job at its end, w the window of the sums. Without a resize or a standstill the node-times follow from
// start and end. If the window is all time, the useful work of a job at its end is its demand.
func (r *Record) removeRounding(p *progress, w Window) {
	if r.Resized == 0 && r.Paused == 0 {
		in, nodes := w.part(r.Start, r.End), float64(r.Held)
		r.NodeTime, r.Busy = (r.End-r.Start)*nodes, in*nodes
		r.Useful = w.part(r.Start+p.setupTime, r.End) * p.speed
	}
	if w.all() {
		r.Useful = r.Work
	}
}
