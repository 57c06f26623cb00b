package wholelog

import "slices"

// SharedNodes tells jobs of one node that take some of its CPUs from jobs that take all of them. A node has the most CPUs that
// were in use on it at once. Nodes that the log does not name are taken to be alike: each has the most CPUs that a job had on one
// of them.
type SharedNodes struct {
	nodes []node // by their numbers; element 0 stands for all nodes without a name
}

// node is a node with its jobs.
type node struct {
	by      map[uint32]uint32 // jobs of this node alone, by their CPUs
	most    uint32            // CPUs in use at once
	running []nodeUse         // that may have run at the times of the next jobs
}

// nodeUse is what a job used on a node.
type nodeUse struct {
	job         [3]uint32
	start, end  int64
	cpus, inUse uint32 // of the job; of all jobs at its start
}

// mostRunning bounds the jobs in node.running: of a log that begins with the last job, none would have ended.
const mostRunning = 256

// NodeUse is what a job used. 0 nodes or CPUs say that the log does not tell.
type NodeUse struct {
	Job         [3]uint32 // tells the job from others
	On          []uint32  // the numbers of the nodes from 1; the number 0 alone if the log does not name them
	Nodes, CPUs uint32
	Start, End  int64 // Unix times; End is at most Start if one of them is not known
}

// Add takes a job in. If jobs come neither about in the order of their starts nor in the reverse order, there may have been more
// CPUs in use at once than Add finds. An execution that the log lists again while it may still run on its node is not taken in
// twice.
func (c *SharedNodes) Add(u NodeUse) {
	if u.Nodes == 0 || u.CPUs == 0 {
		return
	}
	each := (u.CPUs + u.Nodes - 1) / u.Nodes
	if u.Nodes > 1 {
		for _, number := range u.On {
			n := c.node(number)
			n.most = max(n.most, each)
		}
		return
	}
	n := c.node(u.On[0])
	if n.hasListed(&u) {
		return
	}
	if n.by == nil {
		n.by = map[uint32]uint32{}
	}
	n.by[u.CPUs]++
	n.most = max(n.most, u.CPUs)
	if n != &c.nodes[0] && u.Start < u.End {
		n.run(nodeUse{job: u.Job, start: u.Start, end: u.End, cpus: u.CPUs, inUse: u.CPUs})
	}
}

// hasListed reports whether an execution is one of those in node.running: the same job with the same start.
func (n *node) hasListed(u *NodeUse) bool {
	return slices.ContainsFunc(n.running, func(r nodeUse) bool { return r.job == u.Job && r.start == u.Start })
}

// run adds a job to those that run on the node. It forgets the jobs that ended before this job started. If there are many jobs,
// run also forgets the jobs that started after this job ended.
func (n *node) run(u nodeUse) {
	n.running = slices.DeleteFunc(n.running, func(r nodeUse) bool { return r.end <= u.start })
	if len(n.running) == mostRunning {
		n.running = slices.DeleteFunc(n.running, func(r nodeUse) bool { return r.start >= u.end })
	}
	for i := range n.running {
		r := &n.running[i]
		if r.start <= u.start {
			u.inUse += r.cpus
		}
		if u.start <= r.start && r.start < u.end {
			r.inUse += u.cpus
			n.most = max(n.most, r.inUse)
		}
	}
	n.most = max(n.most, u.inUse)
	if len(n.running) < mostRunning {
		n.running = append(n.running, u)
	}
}

// node returns the node with a number.
func (c *SharedNodes) node(number uint32) *node {
	for int(number) >= len(c.nodes) {
		c.nodes = append(c.nodes, node{})
	}
	return &c.nodes[number]
}

// fewestSharing is the share of the jobs of one node from which on it is said that they may share nodes: fewer hardly change the
// load of the machine.
const fewestSharing = 0.05

// Sharing returns the number of jobs of one node that had fewer CPUs than their node has, and the fewest and most CPUs of their
// nodes. ok is false if these jobs are few.
func (c *SharedNodes) Sharing() (jobs int, fewest, most uint32, ok bool) {
	all := 0
	for i := range c.nodes {
		n := &c.nodes[i]
		for cpus, count := range n.by {
			all += int(count)
			if cpus == n.most {
				continue
			}
			if jobs == 0 {
				fewest = n.most
			}
			jobs += int(count)
			fewest, most = min(fewest, n.most), max(most, n.most)
		}
	}
	return jobs, fewest, most, float64(jobs) > fewestSharing*float64(all)
}
