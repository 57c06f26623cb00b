package wholelog

// SharedNodes tells jobs of one node that take some of its CPUs from jobs that take all of them.
type SharedNodes struct {
	by   map[uint32]uint32 // jobs of one node by their CPUs
	jobs uint32            // of one node, whose CPUs are known
	full uint32            // the most CPUs that a job had on a node
}

// Add takes a job in that had some nodes and CPUs; 0 of either says that the log does not tell.
func (c *SharedNodes) Add(nodes, cpus uint32) {
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

// Sharing returns the number of jobs of one node that had fewer CPUs than a node has, and the CPUs of a node. ok is false if these jobs are few.
func (c *SharedNodes) Sharing() (jobs int, cpus uint32, ok bool) {
	some := c.jobs - c.by[c.full]
	return int(some), c.full, float64(some) > fewestSharing*float64(c.jobs)
}
