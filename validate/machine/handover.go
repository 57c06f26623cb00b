package machine

import (
	"slices"

	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// fillVacant gives vacant nodes to the jobs that hold nodes but occupy none (r.withoutNodes), in the order of the list.
// Only machines with scheduling points have such jobs. It ends at the first job for which too few nodes are vacant.
//
// A job that gets its first nodes starts now, and is counted as a start in t. A job that was suspended continues, and
// counts as resized in r.change. Both leave the list; [run.workOrCharge] says when they work. Jobs that are still
// suspended, which hold no nodes, are passed over. The error is a *[PolicyError] for a speedup that is not positive.
func (r *run) fillVacant(t *simulation.Tally) error {
	for i := 0; i < len(r.withoutNodes); {
		id := r.withoutNodes[i]
		p, e := &r.jobs[id], r.state.Entry(id)
		switch {
		case e.Held == 0: // suspended before it began
			i++
			continue
		case e.Held > r.vacant:
			return nil
		}
		r.withoutNodes = slices.Delete(r.withoutNodes, i, i+1)
		first := p.rank == 0
		if first {
			e.Start = r.now
			r.begin(e.Held, p, e, t)
		} else {
			r.account(p, e)
			r.change.Resized++
			p.resized++
		}
		if err := r.occupy(id, e.Held); err != nil {
			return err
		}
		r.workOrCharge(changedJob{id, 0, first})
	}
	return nil
}

// occupy makes a job that stands still occupy the given number of nodes, at most the nodes that it holds. It updates
// the vacant nodes and the speed of the job, and adds the nodes that the job loses or gains to r.change.Moved. With 0
// nodes the job joins the jobs in r.withoutNodes. The error is a *[PolicyError] if the speedup of the job on the nodes
// is not positive.
func (r *run) occupy(id sched.JobID, nodes int) error {
	p, e := &r.jobs[id], r.state.Entry(id)
	had := e.Occupied
	r.vacant += had - nodes
	e.Occupied = nodes
	r.change.Moved += max(had-nodes, nodes-had)
	if nodes == 0 {
		r.waitForNodes(id)
		return nil
	}
	return r.setSpeed(nodes, p, e)
}

// startWaits reports whether some job in r.withoutNodes holds nodes but waits for them, because other jobs still occupy
// them. Then a job that grows has to wait, too, so that it does not take the vacant nodes from the waiting job.
func (r *run) startWaits() bool {
	return slices.ContainsFunc(r.withoutNodes, func(id sched.JobID) bool { return r.state.Entry(id).Held > 0 })
}

// handOver makes a job that stands still occupy the given number of nodes, at most the nodes that it holds; 0 suspends
// it. Then the jobs in r.withoutNodes, which wait for nodes, begin in their order where enough nodes are vacant.
//
// If paid is true, the job has already stood still for the change and works on at once. Otherwise its change j is
// charged together with the jobs that begin, see [run.charge]. Starts and reconfigurations are counted in t. Machines
// with scheduling points resize jobs in this way. The error is a *[PolicyError] for a speedup that is not positive, or
// comes from charge.
func (r *run) handOver(j changedJob, nodes int, paid bool, t *simulation.Tally) error {
	if err := r.occupy(j.job, nodes); err != nil {
		return err
	}
	if paid {
		r.startWork(j.job, &r.jobs[j.job], r.state.Entry(j.job))
	} else {
		r.workOrCharge(j)
	}
	return r.fillVacantAndCharge(t)
}

// endStandstill handles the end of the standstill of one job for its own resize. The job works on. A job that shrinks at
// a scheduling point first leaves the nodes that it gives up. Jobs that wait for nodes then begin on them; r.changed and
// r.change describe only these jobs. The policy is not asked, because it took the change for done when it decided. The
// error comes from [run.handOver].
func (r *run) endStandstill(id sched.JobID, t *simulation.Tally) error {
	p, e := &r.jobs[id], r.state.Entry(id)
	r.unpause(p)
	r.account(p, e)
	if !p.shrinks {
		r.startWork(id, p, e)
		return nil
	}
	p.shrinks = false
	r.changed, r.change = r.changed[:0], Change{Why: sched.Arrival, Running: r.view.Running()}
	return r.handOver(changedJob{job: id}, p.leaves, true, t)
}
