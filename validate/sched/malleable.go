package sched

import "github.com/partwise/partwise/models/workload"

// easyMalleable is EASY backfilling for rigid and malleable jobs together. In the decisions of EASY a malleable job,
// waiting or running, counts with the fewest nodes on which it can run. It shrinks to these nodes if another job can
// then start. Afterwards the nodes that rigid jobs leave are divided among the malleable jobs as evenly as their bounds
// allow; see [boundedDivision]. So malleable jobs grow into idle nodes. Jobs that need not be resized are not resized.
//
// Without malleable jobs the policy is [easy]. If all jobs are malleable and run on any number of nodes, it is
// [dynamic].
//
// References: S. Prabhakaran, M. Neumann, S. Rinke, F. Wolf, A. Gupta, L. V. Kale, A batch system with efficient
// adaptive scheduling for malleable and evolving applications, IPDPS 2015, 429–438. It shrinks running jobs for waiting
// jobs and grows them into idle nodes. M. Chadha, J. John, M. Gerndt, Extending SLURM for dynamic resource-aware
// adaptive batch scheduling, HiPC 2020, 223–232.
type easyMalleable struct {
	easy     easy
	division boundedDivision
	starting []resizable // within a decision: the jobs that start, and whose nodes can be chosen
	jobs     []resizable // within a decision: the jobs among which nodes are divided
	changes  int         // State.changes before the actions of the last decision; −1 if the next one must be a whole one
}

// Name returns "easy-malleable".
func (*easyMalleable) Name() string { return "easy-malleable" }

// Decide starts the jobs that EASY would start if all malleable jobs had the fewest nodes. It divides the remaining
// nodes among the malleable jobs, running and starting, as evenly as their bounds allow. An alarm may follow; see
// [easy.requestAlarm]. The actions are appended to do and returned. p.easy keeps the reservation and the index of waiting
// jobs, which events bring up to date.
//
// If jobs have arrived and nothing else has changed since the last decision ([easyMalleable.stands]), only the new jobs
// are examined.
func (p *easyMalleable) Decide(v View, events []Event, do []Action) []Action {
	p.easy.onFewest, p.easy.shrinks = true, true
	came := p.easy.indexArrivals(v, events)
	running := v.resizable()
	free, left := v.Nodes()-running.fewest, v.Nodes()-running.fixed
	if p.stands(v, events, came) {
		if do = p.easy.backfill(v, v.Waiting()-came, free, do); len(do) == 0 {
			return do
		}
		return p.shareNodes(v, running, left, do)
	}
	p.changes = v.s.changes
	return p.easy.requestAlarm(v, p.shareNodes(v, running, left, p.easy.startFromQueue(v, free, do)))
}

// stands reports whether the last decision still stands for all jobs but the last so many, which came by events. No job
// has then left, got other nodes or another expected end since. So the last decision had no actions, its reservation is
// that of now, and jobs that did not start then would now end later. A decision with a [StartRule] never stands, because
// jobs may have waited for the clock.
func (p *easyMalleable) stands(v View, events []Event, came int) bool {
	return p.changes == v.s.changes && p.easy.reserved && v.s.window == nil &&
		came < v.Waiting() && came+count(events, Resume) == len(events)
}

// shareNodes divides nodes evenly, within their bounds, among running jobs and the jobs that start. do holds the actions
// that start these jobs, and no other actions. left is the number of nodes to be divided: the nodes of these running jobs
// and the nodes that are free before the starts. Starting jobs without a choice of nodes keep the nodes of their actions,
// which are subtracted from left.
//
// shareNodes changes the nodes of the other actions, appends actions that resize running jobs, and returns do. p.jobs is
// overwritten.
func (p *easyMalleable) shareNodes(v View, running *resizableJobs, left int, do []Action) []Action {
	starts, unit := len(do), v.Unit()
	p.starting = p.starting[:0]
	most := running.most
	for _, a := range do {
		e := &v.s.jobs[a.Job]
		if j, ok := v.s.choice(a.Job); ok && e.kind != workload.Rigid {
			p.starting = append(p.starting, j)
			most += int(j.most)
		} else {
			left -= e.fewest
		}
	}
	units, list := left/unit, running.list
	if most <= units && running.held == running.most { // the running jobs have all nodes that they can use, and keep them
		units, most, list = units-running.most, most-running.most, nil
	}
	p.jobs = append(append(p.jobs[:0], list...), p.starting...)
	resizes := p.division.begin(p.jobs, most, units) - len(p.starting) // starting jobs have no size yet
	for k := 0; resizes > 0; k++ {
		j := &p.jobs[k]
		if n := p.division.nextSize(j); n != int(j.size) {
			do = appendAllocate(do, j.job, n*unit)
			resizes--
		}
	}
	next := p.starting
	for i := range do[:starts] {
		if len(next) > 0 && next[0].job == do[i].Job {
			do[i].Nodes = p.division.nextSize(&next[0]) * unit
			next = next[1:]
		}
	}
	return do
}
