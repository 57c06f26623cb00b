package joblog

import "fmt"

// cpusOfJobs tells jobs of one node that take some of its CPUs from jobs that take all of them.
type cpusOfJobs struct {
	by   map[uint32]uint32 // jobs of one node by their CPUs
	jobs uint32            // of one node, whose CPUs are known
	full uint32            // the most CPUs that a job had on a node
}

// add takes a job in that had some nodes and CPUs; 0 of either says that the log does not tell.
func (c *cpusOfJobs) add(nodes, cpus uint32) {
	if nodes == 0 || cpus == 0 {
		return
	}
	c.full = max(c.full, (cpus+nodes-1)/nodes)
	if nodes > 1 {
		return
	}
	if c.by == nil {
		c.by = map[uint32]uint32{}
	}
	c.by[cpus]++
	c.jobs++
}

// fewestSharing is the share of the jobs of one node from which on it is said that they may share nodes: fewer hardly change the
// load of the machine.
const fewestSharing = 0.05

// finding says how many jobs of one node had fewer CPUs than a node has. ok is false if these are few.
func (c *cpusOfJobs) finding() (f Finding, ok bool) {
	some := c.jobs - c.by[c.full]
	if !(float64(some) > fewestSharing*float64(c.jobs)) {
		return f, false
	}
	return Finding{Count: int(some), What: sharedNodes(c.full)}, true
}

func sharedNodes(cpus uint32) string {
	return fmt.Sprintf("jobs of one node with less than its %d CPUs, which may share the node: each counts as a whole node and is resized "+
		"by whole nodes (--unit-of-allocation cpus counts and resizes by CPUs)", cpus)
}
