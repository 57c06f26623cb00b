package logstats

import "github.com/partwise/partwise/models/workload/joblog"

// CPUs is what a log tells of the CPUs of its machine and of its jobs.
type CPUs struct {
	// OfNodes are the most CPUs that were in use at once on each node, by its name. A job uses as many CPUs on each of its nodes.
	// The map is empty if more than 5 % of the jobs have no list of nodes.
	OfNodes map[string]int
	Peak    int // the most CPUs that jobs held at once
	// OneNode is the number of jobs of one node whose CPUs the log tells. Sharing is the number of these that had fewer CPUs than
	// were in use at once on their node: such jobs may share their nodes. A node without a name counts as one with the most CPUs
	// that a job had on a node.
	OneNode, Sharing int
}

// Total returns the CPUs of the machine: those of its nodes, and no fewer than jobs held at once.
func (c *CPUs) Total() (sum int) {
	for _, n := range c.OfNodes {
		sum += n
	}
	return max(sum, c.Peak)
}

// Shared reports whether most jobs of one node use part of a node.
func (c *CPUs) Shared() bool { return 2*c.Sharing > c.OneNode }

// CPUsOf returns what a log tells of CPUs; names are those of the log. Sizes of jobs count the given unit: nodes, beside which
// [joblog.Job.CPUs] tells the CPUs, or CPUs. The error comes from the jobs.
func CPUsOf(jobs joblog.Jobs, names *joblog.Names, sizes joblog.Unit) (c CPUs, err error) {
	jobs, names = given(jobs, names)
	err = inOrder(jobs, func(jobs joblog.Jobs) error {
		u := newCPUUse(names, sizes == joblog.InCPUs)
		for j, err := range jobs {
			if err == nil {
				err = u.add(j)
			}
			if err != nil {
				return err
			}
		}
		c = u.result()
		return nil
	})
	return c, err
}

// cpuUse collects the CPUs of jobs.
type cpuUse struct {
	lists      *nodeNumbers
	inCPUs     bool // sizes count CPUs
	all        occasions
	onNodes    occasions // of jobs with the CPUs on each of their nodes; the pool is the number of the list of nodes
	used, peak int
	usedOn     []int // CPUs in use on each node
	peakOn     []int
	jobs       int                // that started, and whose CPUs the log tells
	unnamed    int                // of these, jobs without a list of nodes
	oneNode    map[partOfNode]int // numbers of jobs of one node
	largest    int                // CPUs of a job on a node
}

// partOfNode is a node by its number, −1 if the log does not name it, and the CPUs of a job there.
type partOfNode struct {
	node int32
	cpus int
}

func newCPUUse(names *joblog.Names, inCPUs bool) *cpuUse {
	u := &cpuUse{lists: newNodeNumbers(names), inCPUs: inCPUs, oneNode: map[partOfNode]int{}}
	u.all.pass = func(o occasion) {
		u.used += o.change()
		u.peak = max(u.peak, u.used)
	}
	u.onNodes.pass = func(o occasion) {
		for _, node := range u.lists.lists[o.pool] {
			u.usedOn[node] += o.change()
			u.peakOn[node] = max(u.peakOn[node], u.usedOn[node])
		}
	}
	return u
}

// add adds a job. Its CPUs are divided evenly among its nodes, and rounded up.
func (u *cpuUse) add(j *joblog.Job) error {
	list, err := u.lists.of(j)
	if err != nil {
		return err
	}
	nodes, cpus := j.Nodes(), int(j.CPUs)
	if u.inCPUs {
		nodes, cpus = 0, nodes
		if list >= 0 {
			nodes = len(u.lists.lists[list])
		}
	}
	if cpus < 1 {
		return nil
	}
	each := (cpus + max(nodes, 1) - 1) / max(nodes, 1)
	u.largest = max(u.largest, each)
	if nodes == 1 {
		u.oneNode[partOfNode{u.onlyNode(list), cpus}]++
	}
	if !Waited(j) {
		return nil
	}
	u.jobs++
	if list < 0 {
		u.unnamed++
	}
	if err := u.all.addOf(j, cpus, 0); err != nil || list < 0 {
		return err
	}
	for len(u.usedOn) < len(u.lists.sizes) {
		u.usedOn, u.peakOn = append(u.usedOn, 0), append(u.peakOn, 0)
	}
	return u.onNodes.addOf(j, each, int32(list))
}

// onlyNode returns the number of the node in a list of one node, −1 for other lists.
func (u *cpuUse) onlyNode(list int) int32 {
	if list < 0 || len(u.lists.lists[list]) != 1 {
		return -1
	}
	return u.lists.lists[list][0]
}

// cpusOf returns the CPUs of a node by its number: the most that were in use at once or, if that is not known, that a job had on
// any node.
func (u *cpuUse) cpusOf(node int32) int {
	if node < 0 || int(node) >= len(u.peakOn) || u.peakOn[node] == 0 {
		return u.largest
	}
	return u.peakOn[node]
}

// result returns what the jobs tell.
func (u *cpuUse) result() CPUs {
	u.all.finish()
	u.onNodes.finish()
	c := CPUs{OfNodes: map[string]int{}, Peak: u.peak}
	if areNamed(u.jobs, u.unnamed) {
		for name, number := range u.lists.numbers {
			if int(number) < len(u.peakOn) && u.peakOn[number] > 0 {
				c.OfNodes[name] = u.peakOn[number]
			}
		}
	}
	for part, n := range u.oneNode {
		c.OneNode += n
		if part.cpus < u.cpusOf(part.node) {
			c.Sharing += n
		}
	}
	return c
}
