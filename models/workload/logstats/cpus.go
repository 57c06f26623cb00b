package logstats

import (
	"github.com/partwise/partwise/models/workload/joblog"
)

// CPUs is what a log tells of the CPUs of its machine and of its jobs.
type CPUs struct {
	// OfNodes are the most CPUs that were in use at once on each node, by its name. A job uses as many CPUs on each of its nodes. The map is
	// empty if some job has no list of nodes.
	OfNodes map[string]int
	Peak    int // the most CPUs that jobs held at once
	// OneNode is the number of jobs of one node whose CPUs the log tells. Sharing is the number of these that had fewer CPUs than the
	// job that had most on a node: such jobs may share their nodes.
	OneNode, Sharing int
}

// Total returns the CPUs of the machine: those of its nodes or, if the log does not name nodes, the most that jobs held at once.
func (c *CPUs) Total() (sum int) {
	for _, n := range c.OfNodes {
		sum += n
	}
	if sum == 0 {
		return c.Peak
	}
	return sum
}

// Shared reports whether most jobs of one node use part of a node.
func (c *CPUs) Shared() bool { return 2*c.Sharing > c.OneNode }

// CPUsOf returns what a log tells of CPUs; names are those of the log. Sizes of jobs count the given unit: nodes, beside which
// [joblog.Job.CPUs] tells the CPUs, or CPUs. The error is that of the jobs.
func CPUsOf(jobs joblog.Jobs, names *joblog.Names, sizes joblog.Unit) (CPUs, error) {
	jobs, names = given(jobs, names)
	u := cpuUse{names: names, inCPUs: sizes == joblog.InCPUs, onNode: map[string][]Stay{}, oneNode: map[int]int{}}
	for j, err := range jobs {
		if err == nil {
			err = u.add(j)
		}
		if err != nil {
			return CPUs{}, err
		}
	}
	return u.result(), nil
}

// cpuUse collects the CPUs of jobs.
type cpuUse struct {
	names   *joblog.Names
	inCPUs  bool              // sizes count CPUs
	all     []Stay            // of jobs, in CPUs
	onNode  map[string][]Stay // of the jobs on each node, in CPUs of the node
	unnamed bool              // some job has no list of nodes
	oneNode map[int]int       // numbers of jobs of one node, by their CPUs
	largest int               // CPUs of a job on a node
}

// add adds a job. Its CPUs are divided evenly among its nodes, and rounded up.
func (u *cpuUse) add(j *joblog.Job) error {
	var list []string
	if j.NodeList >= 1 && int(j.NodeList) <= len(u.names.NodeLists) {
		var err error
		if list, err = joblog.NodeNames(u.names.NodeLists[j.NodeList-1]); err != nil {
			return err
		}
	}
	nodes, cpus := j.Nodes(), int(j.CPUs)
	if u.inCPUs {
		nodes, cpus = len(list), nodes
	}
	if cpus < 1 {
		return nil
	}
	each := (cpus + max(nodes, 1) - 1) / max(nodes, 1)
	u.largest = max(u.largest, each)
	if nodes == 1 {
		u.oneNode[cpus]++
	}
	if !Waited(j) {
		return nil
	}
	s := stayOf(j)
	s.Nodes = cpus
	u.all = append(u.all, s)
	u.unnamed = u.unnamed || list == nil
	s.Nodes = each
	for _, name := range list {
		u.onNode[name] = append(u.onNode[name], s)
	}
	return nil
}

// result returns what the jobs tell.
func (u *cpuUse) result() CPUs {
	c := CPUs{OfNodes: map[string]int{}, Peak: peakOf(u.all)}
	if !u.unnamed {
		for name, stays := range u.onNode {
			c.OfNodes[name] = peakOf(stays)
		}
	}
	for cpus, n := range u.oneNode {
		c.OneNode += n
		if cpus < u.largest {
			c.Sharing += n
		}
	}
	return c
}
