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
	easy               easy
	sizes, least, most []int // of the jobs that can be resized, in units
	jobs               []JobID
}

// Name returns "easy-malleable".
func (*easyMalleable) Name() string { return "easy-malleable" }

// Decide starts the jobs that EASY would start if all malleable jobs had the fewest nodes, and divides the remaining
// nodes among the malleable jobs. The actions are appended to do and returned.
func (p *easyMalleable) Decide(v View, events []Event, do []Action) []Action {
	p.easy.need = fewestNodes
	p.easy.indexArrivals(v, events)
	free := v.Nodes()
	for _, j := range v.s.running {
		free -= fewestNodes(v, j)
	}
	return p.easy.requestAlarm(v, p.divide(v, p.easy.startFromQueue(v, free, do)))
}

// fewestNodes returns the fewest nodes on which a job can run; for a rigid job, the nodes that it asks for or has.
func fewestNodes(v View, j JobID) int {
	least, _ := nodeBounds(v, j)
	return least
}

// divide gives the running jobs, and the jobs that start, their nodes. do are the actions that start jobs: their
// numbers of nodes are changed, and actions that resize running jobs are appended.
func (p *easyMalleable) divide(v View, do []Action) []Action {
	p.clearLists()
	left := v.Nodes()
	for _, j := range v.s.running {
		left -= p.addResizable(v, j)
	}
	return p.shareNodes(v, left, do)
}

// clearLists empties the lists of jobs that can be resized, which are made anew for each decision.
func (p *easyMalleable) clearLists() {
	p.jobs, p.sizes, p.least, p.most = p.jobs[:0], p.sizes[:0], p.least[:0], p.most[:0]
}

// shareNodes divides left nodes evenly, within their bounds, among the running jobs in p.jobs and the jobs that the
// actions do start. It changes the nodes of these actions, and appends actions that resize running jobs.
func (p *easyMalleable) shareNodes(v View, left int, do []Action) []Action {
	running := len(p.jobs)
	for _, a := range do {
		left -= p.addResizable(v, a.Job)
	}
	partitionWithin(p.sizes, p.least, p.most, left/v.Unit())
	i := running
	for k := range do {
		if i < len(p.jobs) && p.jobs[i] == do[k].Job {
			do[k].Nodes = p.sizes[i] * v.Unit()
			i++
		}
	}
	return resizeTo(v, p.jobs[:running], p.sizes, do)
}

// addResizable appends a job that can be resized to the lists of the nodes to be divided, p.jobs, p.sizes, p.least and
// p.most, and returns 0. For any other job it returns the number of nodes of the job, which are fixed: the caller
// subtracts them from the nodes to be divided.
func (p *easyMalleable) addResizable(v View, j JobID) (fixed int) {
	least, most := nodeBounds(v, j)
	unit := v.Unit()
	if v.kind(j) == workload.Rigid || least%unit != 0 || least/unit == most/unit {
		return least
	}
	p.jobs, p.sizes = append(p.jobs, j), append(p.sizes, v.Held(j)/unit)
	p.least, p.most = append(p.least, least/unit), append(p.most, most/unit)
	return 0
}
