package machine

import (
	"slices"

	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// admit begins the jobs in r.starters, in their order, while enough nodes are vacant for the first of them. Jobs that
// begin leave the list; see [run.touch] for when they work. Suspended jobs are passed over. The error is that of occupy.
func (r *run) admit(t *simulation.Tally) error {
	for i := 0; i < len(r.starters); {
		id := r.starters[i]
		p, e := &r.jobs[id], r.state.Entry(id)
		switch {
		case e.Held == 0: // suspended before it began
			i++
			continue
		case e.Held > r.vacant:
			return nil
		}
		r.starters = slices.Delete(r.starters, i, i+1)
		first := p.rank == 0
		if first {
			e.Start = r.now
			r.begin(e.Held, p, e, t)
		} else {
			r.account(id)
			r.change.Resized++
			p.resized++
		}
		if err := r.occupy(id, e.Held); err != nil {
			return err
		}
		r.touch(touched{id, 0, first})
	}
	return nil
}

// occupy makes a job that stands still occupy the given number of nodes, at most the nodes that the policy gave the job.
// It updates the vacant nodes and the speed of the job, and adds the nodes that the job loses or gains to r.change.Moved.
// With 0 nodes the job joins the jobs in r.starters, which wait for their nodes. The error says that the speedup of the
// job on these nodes is not positive.
func (r *run) occupy(id sched.JobID, nodes int) error {
	p, e := &r.jobs[id], r.state.Entry(id)
	had := e.Occupied
	r.vacant += had - nodes
	e.Occupied = nodes
	r.change.Moved += max(had-nodes, nodes-had)
	if nodes == 0 {
		r.enlist(id)
		return nil
	}
	return r.quicken(nodes, p, e)
}

// awaited reports whether a started job waits for nodes that others still occupy. Then jobs that grow have to wait, too.
func (r *run) awaited() bool {
	return slices.ContainsFunc(r.starters, func(id sched.JobID) bool { return r.state.Entry(id).Held > 0 })
}

// handOver makes a job occupy the given number of nodes, and begins other jobs on the vacated nodes. A job that has paid
// for the change goes on with its work. Otherwise the job is charged with the jobs that begin. The error is that of occupy
// or of the costs.
func (r *run) handOver(j touched, nodes int, paid bool, t *simulation.Tally) error {
	if err := r.occupy(j.job, nodes); err != nil {
		return err
	}
	if paid {
		r.work(j.job)
	} else {
		r.touch(j)
	}
	return r.admitAndCharge(t)
}

// settled ends the standstill of one job. The job works on or, if it shrinks at a scheduling point, first leaves its nodes. Started
// jobs that wait for nodes begin on these nodes; the policy is not asked.
func (r *run) settled(id sched.JobID, t *simulation.Tally) error {
	p := &r.jobs[id]
	r.unpause(p)
	r.account(id)
	if !p.shrinks {
		r.work(id)
		return nil
	}
	p.shrinks = false
	r.touched, r.change = r.touched[:0], Change{Why: sched.Arrival, Running: r.view.Running()}
	return r.handOver(touched{job: id}, p.leaves, true, t)
}
