package machine

import (
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/calendar"
	"github.com/partwise/partwise/validate/sched"
)

// progress is the state of a job's execution.
type progress struct {
	speed     float64         // speedup on the nodes that it occupies
	left      float64         // work left at time since
	setup     float64         // set-up left at time since
	setupTime float64         // the whole set-up
	since     float64         // time up to which left and setup are known
	due       calendar.Ticket // end of the job, or of its own standstill
	rank      uint64          // number in the order of the starts
	fresh     bool            // no work is done yet
	working   bool            // makes progress
	stopped   bool            // stands still for the reconfiguration under way, or for its own
	killed    bool
	promised  float64
	end       float64
	away      bool // within a decision: has left its nodes so that other jobs can take them
	had       int  // nodes before it left them
	from      int  // first of these nodes, −1 if the job was not placed

	// For machines that resize jobs at scheduling points:
	point   calendar.Ticket // next scheduling point
	awaits  bool            // the job is to be resized at that point
	joins   bool            // the job is to be resized together with others
	coming  float64         // number of the next point
	passed  float64         // number of the last point at which it was to be resized
	shrinks bool            // stands still before it leaves nodes
	leaves  int             // nodes that it occupies after that
	pieces  float64         // points by time: distances between points that it covered until since

	// For the record:
	counted        float64 // time up to which the following sums are counted
	nodeTime       float64
	paused         float64
	busy           float64 // node-time at work in the window
	done           float64 // work done in the window
	first          int
	fewest, widest int
	resized        int // number of resizes
}

// work sets a job that stands still to work on the nodes that it occupies, and schedules its end. It does nothing if the
// job occupies no nodes.
func (r *run) work(id sched.JobID) {
	p, e := &r.jobs[id], r.state.Entry(id)
	nodes, job := e.Occupied, &e.Job
	if nodes == 0 {
		return
	}
	r.account(id)
	end, expected := ends(p, job, nodes, r.now)
	p.since, p.working = r.now, true
	p.due = r.calendar.Schedule(end, departs.rank(p.rank), occurrence{departs, id})
	r.state.Work(id, true, expected)
	r.atWork++
	r.working += nodes
	r.useful += p.speed
	if nodes != e.Held {
		r.await(id)
	}
}

// ends returns the end of a job that works on so many nodes from a time on, and its expected end. A job whose work is
// untouched runs for job.Run on the nodes that it asks for, otherwise for the remaining work over the speed. The expected
// end replaces the run time by the estimate. If part of the work is done, the estimate is scaled by the part that is
// left.
func ends(p *progress, job *workload.Job, nodes int, from float64) (end, expected float64) {
	left := job.Run
	if !p.fresh || nodes != job.Nodes || left == 0 {
		left = p.left / p.speed
	}
	end = from + p.setup + left
	switch {
	case job.Estimate <= 0:
	case p.fresh:
		return end, from + p.setup + job.EstimateOn(nodes)
	case left > 0:
		return end, from + p.setup + left*(job.EstimateOn(nodes)/job.RunOn(nodes))
	}
	return end, end
}

// standStill stores in the state, which policies see, when a job that stands still until a time is expected to end.
func (r *run) standStill(id sched.JobID, until float64) {
	p, e := &r.jobs[id], r.state.Entry(id)
	if e.Occupied > 0 && !p.working {
		_, expected := ends(p, &e.Job, e.Occupied, until)
		r.state.Work(id, false, expected)
	}
}

// halt stops a working job and updates its set-up and its work. Set-up comes first and is not work, so its share of the
// useful work is corrected.
func (r *run) halt(id sched.JobID) {
	p := &r.jobs[id]
	if !p.working {
		return
	}
	r.account(id)
	r.calendar.Cancel(p.due)
	r.forgo(p)
	done := r.now - p.since
	setup := min(done, p.setup)
	p.setup -= setup
	r.setups += setup * p.speed
	if done > setup {
		p.left = max(0, p.left-(done-setup)*p.speed)
		if !r.everywhere {
			if every := r.Points.every(r.state.Entry(id).Occupied); every > 0 {
				p.pieces += (done - setup) / every
			}
		}
		p.fresh = false
	}
	e := r.state.Entry(id)
	r.rest(p, e)
	r.state.Work(id, false, e.Expected)
}

// rest removes a job that no longer works from the numbers of jobs and nodes at work, and its speed from their sum. The tally of useful
// work is made from these.
func (r *run) rest(p *progress, e *sched.Entry) {
	p.working = false
	r.atWork--
	r.working -= e.Occupied
	if r.useful -= p.speed; r.atWork == 0 {
		r.useful = 0 // removes rounding errors of the sum
	}
}

// account adds the time since the last call to the sums of a job's record, if records are wanted.
func (r *run) account(id sched.JobID) {
	if r.Done != nil && r.now != r.jobs[id].counted {
		r.addUp(id)
	}
}

// addUp adds the time since p.counted to the sums of the record of a job: node-time held, time standing still, node-time at work, and
// work done.
func (r *run) addUp(id sched.JobID) {
	p := &r.jobs[id]
	dt := r.now - p.counted
	p.counted = r.now
	e := r.state.Entry(id)
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

// tell calls Config.Done with the record of a job that has ended, and forgets the job; its ID may be used again.
func (r *run) tell(id sched.JobID) {
	p, e := &r.jobs[id], r.state.Entry(id)
	if r.Done != nil {
		o := &r.record
		o.Job = e.Job
		o.Number, o.Start, o.End = e.Number, e.Start, p.end
		o.Held, o.First, o.Fewest, o.Widest, o.Resized = e.Occupied, p.first, p.fewest, p.widest, p.resized
		o.Paused, o.NodeTime, o.Busy, o.Useful = p.paused, p.nodeTime, p.busy, p.done
		o.Overtook, o.Killed, o.Promised = e.Overtook, p.killed, p.promised
		o.settle(p, r.Window)
		r.Done(o)
	}
	if r.learner != nil {
		r.learner.Ended(&e.Job, r.now)
	}
	r.state.Forget(id)
}

// settle removes rounding errors from the sums of a record. A job that was never resized or paused has known node-times.
// If the window is all time, the useful work of a job at its end is its demand.
func (r *Record) settle(p *progress, w Window) {
	if r.Resized == 0 && r.Paused == 0 {
		in, nodes := w.part(r.Start, r.End), float64(r.Held)
		r.NodeTime, r.Busy = (r.End-r.Start)*nodes, in*nodes
		r.Useful = w.part(r.Start+p.setupTime, r.End) * p.speed
	}
	if w.all() {
		r.Useful = r.Work
	}
}
