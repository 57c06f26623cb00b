package machine

import (
	"math"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/sched"
)

// execute does what the policy asks for, as far as that is on the machine's side: nodes change hands, and the jobs
// that are concerned stand still. What has changed is in r.change.
func (r *run) execute(t *des.Tally) error {
	r.touched = r.touched[:0]
	r.change = Change{}
	placed := r.state.Placed()
	for i := range r.do {
		placed = placed || r.do[i].Offset >= 0
	}
	for i := 0; placed && i < len(r.do); i++ {
		if a := &r.do[i]; a.Kind == sched.Allocating && r.state.Status(a.Job) == sched.Runs {
			r.vacate(a)
		}
	}
	for i := range r.do {
		a := &r.do[i]
		if a.Kind == sched.Waking {
			if !(a.At >= r.now) || math.IsInf(a.At, 1) {
				return r.refuse("asks for an alarm at %v", a.At)
			}
			r.calendar.Schedule(a.At, wakes.rank(0), occurrence{kind: wakes})
			continue
		}
		if err := r.allocate(a, t); err != nil {
			return err
		}
	}
	if len(r.starters) > 0 && r.onTheWay == 0 {
		if err := r.admit(t); err != nil {
			return err
		}
	}
	if free := r.view.Free(); free < 0 {
		return r.refuse("hands out %d of %d nodes", r.Nodes-free, r.Nodes)
	}
	r.change.Running = r.view.Running()
	return nil
}

// vacate takes a job that has a place, or is about to get one, off its nodes if an action changes them: in whatever
// order the actions are, jobs can exchange places.
func (r *run) vacate(a *sched.Action) {
	p, e := &r.jobs[a.Job], r.state.Entry(a.Job)
	nodes, offset := e.Held, e.Offset
	if a.Offset < 0 && offset < 0 || p.away || keeps(a, nodes, offset) {
		return
	}
	r.halt(a.Job)
	r.account(a.Job)
	r.state.Hold(a.Job, 0, -1)
	p.away, p.had, p.from = true, nodes, offset
}

// keeps reports whether an action leaves a job on the nodes that it has.
func keeps(a *sched.Action, nodes, offset int) bool {
	return nodes == a.Nodes && (a.Offset < 0 || offset == a.Offset)
}

// allocate changes the nodes of a job, which stands still from then on.
func (r *run) allocate(a *sched.Action, t *des.Tally) error {
	status := r.state.Status(a.Job)
	if status != sched.Waits && status != sched.Runs {
		return r.refuse("there is no job %d", a.Job)
	}
	p, e := &r.jobs[a.Job], r.state.Entry(a.Job)
	held, offset := e.Held, e.Offset
	if p.away {
		held, offset, p.away = p.had, p.from, false
	}
	if err := r.permits(a, e, held); err != nil {
		return err
	}
	if !r.everywhere {
		return r.assign(a, e)
	}
	started := status == sched.Waits
	if started {
		r.state.Start(a.Job)
		r.begin(a.Nodes, p, e, t)
	} else {
		if keeps(a, held, offset) {
			return nil
		}
		r.halt(a.Job)
		r.account(a.Job)
		r.change.Resized++
		if held != a.Nodes {
			p.resized++
		}
	}
	r.change.Moved += moved(held, offset, a)
	r.state.Hold(a.Job, a.Nodes, a.Offset)
	if a.Nodes == 0 {
		r.state.Work(a.Job, false, math.Inf(1))
	} else if err := r.quicken(a.Nodes, p, e); err != nil {
		return err
	}
	r.touch(touched{a.Job, held, started})
	return nil
}

// touched is a job that a decision has given other nodes than it had.
type touched struct {
	job     sched.JobID
	had     int
	started bool
}

// touch sets a job to work on the nodes that it was given, or leaves that to [run.charge] where changes cost something.
func (r *run) touch(j touched) {
	if r.Costs == nil {
		r.work(j.job)
		return
	}
	r.touched = append(r.touched, j)
}

// quicken makes a job as fast as it is on the nodes that it now has.
func (r *run) quicken(nodes int, p *progress, e *sched.Entry) error {
	if r.speed != nil {
		p.speed = r.speed[nodes]
	} else {
		p.speed = e.Job.SpeedupOn(nodes)
	}
	if !(p.speed > 0) {
		return r.refuse("the speedup of job %d on %d nodes is %v", e.Job.ID, nodes, p.speed)
	}
	p.fewest, p.widest = min(p.fewest, nodes), max(p.widest, nodes)
	return nil
}

// begin puts a job that has been started on its first nodes.
func (r *run) begin(nodes int, p *progress, e *sched.Entry, t *des.Tally) {
	r.started++
	p.rank = r.started
	p.setupTime = r.setup.DrawAhead(&r.overheads)
	p.setup = p.setupTime
	p.counted = r.now
	p.first, p.fewest, p.widest = nodes, nodes, nodes
	r.change.Started++
	t[des.Started]++
	t[des.WaitSum] += r.now - e.Job.Submit
	if len(r.inService) > 0 {
		r.inService[e.Job.Application]++
	}
}

// moved returns how many nodes an action takes from a job that holds some, from offset on, and how many it gives it.
func moved(held, offset int, a *sched.Action) int {
	kept := min(held, a.Nodes)
	if offset >= 0 && a.Offset >= 0 {
		kept = max(0, min(offset+held, a.Offset+a.Nodes)-max(offset, a.Offset))
	}
	return held - kept + a.Nodes - kept
}

// permits checks that a job may have the nodes that an action gives it in place of those held.
func (r *run) permits(a *sched.Action, e *sched.Entry, held int) error {
	job, n, runs := &e.Job, a.Nodes, e.Status == sched.Runs
	switch {
	case a.Kind != sched.Allocating:
		return r.refuse("asks for an action of the unknown kind %d", a.Kind)
	case runs && n == held:
	case runs && job.Kind != workload.Malleable:
		return r.refuse("gives %d nodes to job %d, which is %s and runs on %d", n, job.ID, job.Kind, held)
	case runs && n == 0:
		return nil
	case n < 1 || n > r.Nodes:
		return r.refuse("gives %d of %d nodes to job %d", n, r.Nodes, job.ID)
	case n < e.Least || n > e.Most:
		if job.Kind == workload.Rigid {
			return r.refuse("starts job %d, which asks for %d nodes, on %d", job.ID, job.Nodes, n)
		}
		return r.refuse("gives %d nodes to job %d, which runs on %d to %d", n, job.ID, e.Least, e.Most)
	case r.Unit > 1 && n != e.Asked && n%r.Unit != 0:
		return r.refuse("gives %d nodes to job %d: not a multiple of %d", n, job.ID, r.Unit)
	}
	if a.Offset == -1 {
		return nil
	}
	return r.isFree(a)
}

// isFree checks that the nodes on which an action places a job are there, and no other job's.
func (r *run) isFree(a *sched.Action) error {
	if a.Offset < 0 || a.Offset+a.Nodes > r.Nodes {
		return r.refuse("places a job on the nodes %d to %d of %d", a.Offset, a.Offset+a.Nodes-1, r.Nodes)
	}
	for i := a.Offset; i < a.Offset+a.Nodes; i++ {
		if other, taken := r.state.Owner(i); taken && other != a.Job {
			return r.refuse("places job %d on node %d, which job %d has",
				r.state.Entry(a.Job).Job.ID, i, r.state.Entry(other).Job.ID)
		}
	}
	return nil
}
