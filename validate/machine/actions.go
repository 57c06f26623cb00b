package machine

import (
	"math"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/sched"
)

// execute applies the actions r.actions of the policy to the nodes, and describes the change in r.change; [run.decide]
// adds its cause and the departures. Jobs whose nodes change stop. If the machine has costs, they are listed in
// r.changed, and [run.charge] decides how long they stand still. The steps are:
//
//   - If a job on the machine has a place, all jobs that the actions move leave their nodes first. Otherwise they do so
//     before the first action with a place. So jobs can exchange places in any order.
//   - Each action puts an alarm into the calendar, or gives a job its nodes.
//   - With scheduling points, jobs that occupy no nodes yet begin if their nodes are vacant. They wait while jobs stop
//     for a repartition together.
//   - The nodes in use are counted; more than the machine has are an error of the policy.
//
// The error is a *[PolicyError] if the machine does not allow an action, or if the jobs hold more nodes than there are.
// It is also a *[PolicyError] if an alarm lies in the past or is not finite, or if a speedup is not positive. Starts
// are counted in t.
func (r *run) execute(t *simulation.Tally) error {
	r.changed = r.changed[:0]
	r.change = Change{}
	actions, placed := r.actions, r.state.Placed()
	if placed {
		r.vacateAll(actions)
	}
	for i := 0; i < len(actions); i++ {
		if r.plain && !placed {
			if i = r.allocatePlain(i, t); i == len(actions) {
				break
			}
		}
		a := &actions[i]
		if a.Kind == sched.Waking {
			if !(a.At >= r.now) || math.IsInf(a.At, 1) {
				return r.refuse("asks for an alarm at %v", a.At)
			}
			r.calendar.Schedule(a.At, wakes.rank(0), occurrence{kind: wakes})
			continue
		}
		if a.Offset >= 0 && !placed { // no job has a place, so the actions before have nothing to vacate
			placed = true
			r.vacateAll(actions[i:])
		}
		if err := r.allocate(a, t); err != nil {
			return err
		}
	}
	if len(r.withoutNodes) > 0 && r.notStopped == 0 {
		if err := r.fillVacant(t); err != nil {
			return err
		}
	}
	if free := r.view.Free(); free < 0 {
		return r.refuse("hands out %d of %d nodes", r.Nodes-free, r.Nodes)
	}
	r.change.Running = r.view.Running()
	return nil
}

// vacateAll takes all running jobs off their nodes that the given actions move, see [run.vacate].
func (r *run) vacateAll(actions []sched.Action) {
	for i := range actions {
		if a := &actions[i]; a.Kind == sched.Allocating && r.state.Status(a.Job) == sched.Runs {
			r.vacate(a)
		}
	}
}

// vacate takes a running job off its nodes if the action a changes its nodes. Other jobs can then take the nodes within
// the same decision. The job stops, and p.had and p.from remember its old nodes until [run.allocate] gives it the new
// ones. Nothing happens if neither the job nor the action has particular nodes, or if the job has left its nodes
// already.
func (r *run) vacate(a *sched.Action) {
	p, e := &r.jobs[a.Job], r.state.Entry(a.Job)
	nodes, offset := e.Held, e.Offset
	if a.Offset < 0 && offset < 0 || p.away || keepsNodes(a, nodes, offset) {
		return
	}
	r.stopWork(p, e)
	r.account(p, e)
	r.state.Hold(a.Job, 0, -1)
	p.away, p.had, p.from = true, nodes, offset
}

// keepsNodes reports whether an action leaves a job on the nodes that it has. They are as many as before, and begin
// with the same node if the action places the job. nodes is the number of nodes of the job, offset the first of them,
// or −1 if it was not placed.
func keepsNodes(a *sched.Action, nodes, offset int) bool {
	return nodes == a.Nodes && (a.Offset < 0 || offset == a.Offset)
}

// allocate gives a job the nodes of an action. A waiting job starts, and a running job is resized, moved, or suspended
// if it gets zero nodes. An action that leaves a running job on its nodes does nothing. The job stands still until
// [run.workOrCharge] or [run.charge] sets it to work. With scheduling points, [run.assignNodes] does this later. The
// error is a *[PolicyError] if there is no such job, the machine does not allow the action, or the speedup is not
// positive. Starts are counted in t, and the change in r.change.
func (r *run) allocate(a *sched.Action, t *simulation.Tally) error {
	if a.Job < 0 || int(a.Job) >= len(r.jobs) {
		return r.refuse("there is no job %d", a.Job)
	}
	p, e := &r.jobs[a.Job], r.state.Entry(a.Job)
	started, held, offset := e.Status == sched.Waits, e.Held, e.Offset
	if !started && e.Status != sched.Runs {
		return r.refuse("there is no job %d", a.Job)
	}
	if p.away {
		held, offset, p.away = p.had, p.from, false
	}
	if !(r.Unit == 1 && isPlain(a, e)) {
		if err := r.checkAction(a, e, held); err != nil {
			return err
		}
	}
	// With scheduling points, a job takes its new nodes over later.
	if !r.everywhere {
		return r.assignNodes(a, e)
	}
	if started {
		r.state.Start(a.Job)
		r.begin(a.Nodes, p, e, t)
	} else {
		if keepsNodes(a, held, offset) {
			return nil
		}
		r.stopWork(p, e)
		r.account(p, e)
		r.change.Resized++
		if held != a.Nodes {
			p.resized++
		}
	}
	// A job that starts, or that is resized, stands still until its change is paid for.
	r.change.Moved += nodesMoved(held, offset, a)
	r.state.Assign(a.Job, a.Nodes, a.Offset)
	e.Occupied = a.Nodes
	if a.Nodes == 0 {
		r.state.SetWorking(a.Job, false, math.Inf(1))
	} else if err := r.setSpeed(a.Nodes, p, e); err != nil {
		return err
	}
	if r.Costs == nil {
		r.startWork(a.Job, p, e)
	} else {
		r.changed = append(r.changed, changedJob{a.Job, held, started})
	}
	return nil
}

// allocatePlain carries out actions from the i-th on, as long as they are plain (see [isPlain]), as [run.allocate] does. It
// returns the index of the first other action. The machine must be plain ([Machine].plain), and no job may have a place.
//
// Almost all actions of static and dynamic partitioning are plain. They need no further check, and nodes are only counted.
// One loop takes a third fewer instructions than a call of allocate for each.
func (r *run) allocatePlain(i int, t *simulation.Tally) int {
	for ; i < len(r.actions); i++ {
		a := &r.actions[i]
		if uint(a.Job) >= uint(len(r.jobs)) {
			break
		}
		p, e, nodes := &r.jobs[a.Job], r.state.Entry(a.Job), a.Nodes
		started, held := e.Status == sched.Waits, e.Held
		if !isPlain(a, e) || !started && e.Status != sched.Runs {
			break
		}
		r.change.Moved += max(nodes-held, held-nodes)
		if started {
			r.state.Start(a.Job)
			r.begin(nodes, p, e, t)
		} else {
			if nodes == held {
				continue
			}
			r.change.Resized++
			p.resized++
			if r.Costs == nil && p.working {
				r.resizeAtWork(a.Job, p, e, nodes)
				continue
			}
			r.stopWork(p, e)
			r.account(p, e)
		}
		if !r.state.HoldCounted(e, nodes) {
			r.state.Hold(a.Job, nodes, -1)
		}
		p.setSpeed(nodes, r.speed[nodes])
		if r.Costs == nil {
			r.startWork(a.Job, p, e)
		} else {
			r.changed = append(r.changed, changedJob{a.Job, held, started})
		}
	}
	return i
}

// changedJob is a job whose nodes a decision has changed, and what the cost of the change depends on.
type changedJob struct {
	job     sched.JobID
	had     int  // number of nodes that the job occupied before; 0 if it starts or was suspended
	started bool // the decision started the job: its first nodes
}

// workOrCharge sets a job to work on its new nodes at once if the machine has no costs. Otherwise it appends the job to
// r.changed, and [run.charge] decides how long the job stands still.
func (r *run) workOrCharge(j changedJob) {
	if r.Costs == nil {
		r.startWork(j.job, &r.jobs[j.job], r.state.Entry(j.job))
		return
	}
	r.changed = append(r.changed, j)
}

// setSpeed sets the speed of a job, p.speed, to its speedup on the given number of nodes, which it now occupies. The
// speed is work per unit of time. It also updates the fewest and the most nodes that the job has had. The error is a
// *[PolicyError] for a speedup that is not positive.
func (r *run) setSpeed(nodes int, p *progress, e *sched.Entry) error {
	var speed float64
	if r.speed != nil {
		speed = r.speed[nodes]
	} else {
		speed = e.Job.SpeedupOn(nodes)
	}
	if !(speed > 0) {
		return r.refuse("the speedup of job %d on %d nodes is %v", e.Job.ID, nodes, speed)
	}
	p.setSpeed(nodes, speed)
	return nil
}

// setSpeed stores the speed of a job on the given number of nodes in its progress, and the fewest and most nodes so far.
func (p *progress) setSpeed(nodes int, speed float64) {
	p.speed = speed
	p.fewest, p.widest = min(p.fewest, nodes), max(p.widest, nodes)
}

// begin initialises the progress p of a job that starts on the given number of nodes. It sets the rank in the order of
// starts, the set-up, which is drawn at random, and the sums of the record. It counts the start and the wait in t and
// in the sums of the class of the job. It counts the job in r.inService, and the start in r.change. It reports the wait
// to the observer. The wait includes the time for which the job was held back before its submission (Job.HeldFor). The
// nodes, the speed and the work are set elsewhere.
func (r *run) begin(nodes int, p *progress, e *sched.Entry, t *simulation.Tally) {
	r.started++
	p.rank = r.started
	p.setupTime = r.setup.DrawAhead(&r.overheads)
	p.setup = p.setupTime
	p.counted = r.now
	p.first, p.fewest, p.widest = nodes, nodes, nodes
	r.change.Started++
	t[simulation.Started]++
	wait := r.now - e.Job.Submit + e.Job.HeldFor
	t[simulation.WaitSum] += wait
	r.Waited(e.Job.Application, wait)
	r.addOfClass(&e.Job, simulation.ClassStarted, 1)
	r.addOfClass(&e.Job, simulation.ClassWait, wait)
	if len(r.inService) > 0 {
		r.inService[e.Job.Application]++
	}
}

// nodesMoved returns the number of nodes that change hands by an action: the nodes taken from the job plus the nodes
// given to it. The job had held nodes from node offset on. Nodes count as kept by their numbers if the job was placed
// before and after; otherwise the job keeps as many as it can. Costs may depend on the number, see [Change].
func nodesMoved(held, offset int, a *sched.Action) int {
	kept := min(held, a.Nodes)
	if offset >= 0 && a.Offset >= 0 {
		kept = max(0, min(offset+held, a.Offset+a.Nodes)-max(offset, a.Offset))
	}
	return held - kept + a.Nodes - kept
}

// isPlain reports that an action is of the most frequent kind, which [run.checkAction] always allows if the unit is 1. It
// gives a malleable job, which starts or is resized, a number of nodes within its bounds, without a place.
func isPlain(a *sched.Action, e *sched.Entry) bool {
	n := a.Nodes
	return a.Kind == sched.Allocating && a.Offset == -1 && e.Job.Kind == workload.Malleable && e.Least <= n && n <= e.Most
}

// checkAction returns a *[PolicyError] if the machine does not allow an action that gives nodes to the job e, else nil.
// held is the number of nodes that the job has now.
//
//   - The kind of the action must be [sched.Allocating].
//   - A running job may keep its number of nodes, on the same or other nodes. Only a malleable job may get another
//     number, or zero nodes, which suspend it.
//   - Any other number must lie between the fewest and the most nodes on which the job can run. A rigid job can only
//     run on the number that it asks for. The number must be a multiple of the unit or the number that the job asks
//     for.
//   - If the action names an offset, the nodes from there on must exist and belong to no other job.
//
// Whether the nodes of all jobs together exceed the machine is checked later, in [run.execute].
func (r *run) checkAction(a *sched.Action, e *sched.Entry, held int) error {
	job, n, runs := &e.Job, a.Nodes, e.Status == sched.Runs
	switch {
	case a.Kind != sched.Allocating:
		return r.refuse("asks for an action of the unknown kind %d", a.Kind)
	// A running job can be resized only if it is malleable. Zero nodes suspend it.
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
	return r.checkPlace(a)
}

// checkPlace returns a *[PolicyError] if the nodes on which an action places a job do not exist or belong to another
// job; else nil. The action must name a job of the machine, and at most as many nodes as the machine has.
func (r *run) checkPlace(a *sched.Action) error {
	if a.Offset < 0 || a.Offset > r.Nodes-a.Nodes {
		return r.refuse("places job %d on %d nodes from node %d on; the machine has nodes 0 to %d",
			r.state.Entry(a.Job).Job.ID, a.Nodes, a.Offset, r.Nodes-1)
	}
	for i := a.Offset; i < a.Offset+a.Nodes; i++ {
		if other, taken := r.state.Owner(i); taken && other != a.Job {
			return r.refuse("places job %d on node %d, which job %d has",
				r.state.Entry(a.Job).Job.ID, i, r.state.Entry(other).Job.ID)
		}
	}
	return nil
}
