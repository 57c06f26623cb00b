package machine

import (
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/calendar"
	"github.com/partwise/partwise/validate/sched"
)

// progress is how far a job has come.
type progress struct {
	speed     float64 // on the nodes that it holds
	left      float64 // of the work, at time since
	setup     float64 // of the set-up, at time since
	setupTime float64 // the whole set-up
	since     float64
	due       calendar.Ticket
	rank      uint64 // its number in the order of the starts
	fresh     bool   // nothing is done of it
	working   bool   // makes progress
	stopped   bool   // stands still for the reconfiguration under way, or for one of its own
	killed    bool
	promised  float64
	end       float64
	away      bool // off its nodes while others take them, within a decision
	had       int  // the nodes that it then had
	from      int  // and the first of them, −1 if it was not placed

	// Where jobs are resized at their scheduling points.
	point   calendar.Ticket // the next of them,
	awaits  bool            // if the job is to be resized then,
	joins   bool            // together with others;
	coming  float64         // its number,
	passed  float64         // and that of the last at which it was to be
	shrinks bool            // it stands still on nodes of which it will leave all
	leaves  int             // but so many
	pieces  float64         // times from a point to the next that it made progress until since, where points come after times

	// For the record.
	counted        float64 // time up to which the following is counted
	nodeTime       float64
	paused         float64
	busy           float64 // node-time of work in the window
	done           float64 // and the work
	first          int
	fewest, widest int
	resized        int
}

// work sets a job that stands still to work on the nodes that it has, if it has any.
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

// ends returns when a job ends that works on a number of nodes from a time on, and when it is expected to.
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

// standStill tells policies when a job is expected to end that stands still until a time.
func (r *run) standStill(id sched.JobID, until float64) {
	p, e := &r.jobs[id], r.state.Entry(id)
	if e.Occupied > 0 && !p.working {
		_, expected := ends(p, &e.Job, e.Occupied, until)
		r.state.Work(id, false, expected)
	}
}

// halt stops a job and writes down what is left of it.
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

// rest counts a job that was at work no longer among those that are.
func (r *run) rest(p *progress, e *sched.Entry) {
	p.working = false
	r.atWork--
	r.working -= e.Occupied
	if r.useful -= p.speed; r.atWork == 0 {
		r.useful = 0 // and not what rounding has left of it
	}
}

// account adds the time since a job was looked at last to its record, if somebody wants that.
func (r *run) account(id sched.JobID) {
	if r.Done != nil && r.now != r.jobs[id].counted {
		r.addUp(id)
	}
}

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

// tell passes the record of a job that has ended on, and forgets the job.
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

// settle writes the node-time of a job that ran undisturbed without the rounding of a sum, and the work of all jobs
// where the window is all time: what a job has done when it ends is its demand.
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
