package sched

import "github.com/partwise/partwise/models/workload"

// easyMalleable is EASY backfilling for rigid and malleable jobs together. In the decisions of EASY a malleable job,
// waiting or running, counts with the fewest nodes on which it can run. It shrinks to these nodes if another job can
// then start. Afterwards the nodes that rigid jobs leave are divided among the malleable jobs as evenly as their bounds
// allow; see [partitionWithin]. So malleable jobs grow into idle nodes. Jobs that need not be resized are not resized.
//
// Without malleable jobs the policy is [easy]. If all jobs are malleable and run on any number of nodes, it is
// [dynamic].
//
// References: S. Prabhakaran, M. Neumann, S. Rinke, F. Wolf, A. Gupta, L. V. Kale, A batch system with efficient
// adaptive scheduling for malleable and evolving applications, IPDPS 2015, 429–438. It shrinks running jobs for waiting
// jobs and grows them into idle nodes. M. Chadha, J. John, M. Gerndt, Extending SLURM for dynamic resource-aware
// adaptive batch scheduling, HiPC 2020, 223–232.
type easyMalleable struct {
	easy easy
	jobs []resizable // the running and starting jobs whose nodes can be chosen

	// Of the last decision: State.changes before its actions, the nodes that EASY saw as free, and the nodes to be divided.
	// changes is −1 if the next decision must be a whole one.
	changes, free, left int
}

// resizable is a job whose number of nodes can be chosen. Sizes are in units.
type resizable struct {
	job         JobID
	size        int // its present size, 0 of a job that starts; then its new size
	least, most int
}

// Name returns "easy-malleable".
func (*easyMalleable) Name() string { return "easy-malleable" }

// Decide starts the jobs that EASY would start if all malleable jobs had the fewest nodes. It divides the remaining
// nodes among the malleable jobs, running and starting, as evenly as their bounds allow. An alarm may follow; see
// [easy.requestAlarm]. The actions are appended to do and returned. p.jobs is overwritten. p.easy keeps the reservation
// and the index of waiting jobs, which events bring up to date.
//
// If jobs have arrived and nothing else has changed since the last decision ([easyMalleable.stands]), only the new jobs
// are examined.
func (p *easyMalleable) Decide(v View, events []Event, do []Action) []Action {
	p.easy.onFewest, p.easy.shrinks = true, true
	came := p.easy.indexArrivals(v, events)
	if p.stands(v, events, came) {
		if do = p.easy.backfill(v, v.Waiting()-came, p.free, do); len(do) == 0 {
			return do
		}
		return p.shareNodes(v, p.left, do)
	}
	p.jobs = p.jobs[:0]
	p.changes, p.free, p.left = v.s.changes, v.Nodes(), v.Nodes()
	for _, j := range v.s.running {
		least, fixed := p.addResizable(v, j)
		p.free, p.left = p.free-least, p.left-fixed
	}
	return p.easy.requestAlarm(v, p.shareNodes(v, p.left, p.easy.startFromQueue(v, p.free, do)))
}

// stands reports whether the last decision still stands for all jobs but the last so many, which came by events. No job
// has then left, got other nodes or another expected end since. So the last decision had no actions, its reservation
// and its lists of jobs are those of now, and jobs that did not start then would now end later. A decision with a
// [StartRule] never stands, because jobs may have waited for the clock.
func (p *easyMalleable) stands(v View, events []Event, came int) bool {
	return p.changes == v.s.changes && p.easy.reserved && v.s.window == nil &&
		came < v.Waiting() && came+count(events, Resume) == len(events)
}

// shareNodes divides nodes evenly, within their bounds, among the running jobs in p.jobs and the jobs that start. do
// holds the actions that start these jobs, and no other actions. left is the number of nodes to be divided: the nodes
// of the running jobs in p.jobs and the nodes that are free before the starts. Starting jobs without a choice of nodes
// keep the nodes of their actions, which are subtracted from left.
//
// shareNodes changes the nodes of the other actions, appends actions that resize running jobs, and returns do. The
// starting jobs with a choice are appended to p.jobs, whose sizes become the new sizes.
func (p *easyMalleable) shareNodes(v View, left int, do []Action) []Action {
	running := len(p.jobs)
	for i := range do {
		_, fixed := p.addResizable(v, do[i].Job)
		left -= fixed
	}
	partitionWithin(p.jobs, left/v.Unit())
	i := running
	for k := range do {
		if i < len(p.jobs) && p.jobs[i].job == do[k].Job {
			do[k].Nodes = p.jobs[i].size * v.Unit()
			i++
		}
	}
	for k := range p.jobs[:running] {
		if j := &p.jobs[k]; j.size*v.Unit() != v.Held(j.job) {
			do = appendAllocate(do, j.job, j.size*v.Unit())
		}
	}
	return do
}

// addResizable appends job j to p.jobs if its number of nodes can be chosen. Such a job is malleable, or moldable and
// about to start, and has a choice of whole units. addResizable returns the fewest nodes that job j may have, whether it
// was appended or not. It also returns the number of its nodes that are fixed: the fewest nodes for a job without a
// choice, otherwise 0. The caller subtracts fixed nodes from the nodes to be divided.
func (p *easyMalleable) addResizable(v View, j JobID) (fewest, fixed int) {
	least, most := nodeBounds(v, j)
	if v.kind(j) == workload.Rigid || least == most {
		return least, least
	}
	one := resizable{j, v.s.jobs[j].Held, least, most}
	if unit := v.s.unit; unit > 1 {
		if least%unit != 0 || least/unit == most/unit {
			return least, least
		}
		one.size, one.least, one.most = one.size/unit, least/unit, most/unit
	}
	p.jobs = append(p.jobs, one)
	return least, 0
}
