package replay

import (
	"errors"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
)

// errNoChoice is the error of functions that get no [Choice].
var errNoChoice = errors.New("replay: there is no choice")

// AssumeNodes sets the nodes of a choice whose log does not say them to the nodes on which jobs ran, see [logstats.NodesOf]. The header
// then says them, too. Nodes is 0 if the log does not tell where or when its jobs ran. The error comes from reading the jobs.
func AssumeNodes(c *Choice, jobs joblog.Jobs) (err error) {
	if c == nil {
		return errNoChoice
	}
	if c.Nodes, err = logstats.NodesOf(jobs, &c.Range.Names); err == nil && c.Nodes > 0 {
		c.Header.StateSize(c.Nodes)
	}
	return err
}

// SizeNodes sets the CPUs of each node of a choice whose sizes count CPUs, as far as the log names nodes. It returns what is known
// of the CPUs. countsNodes reports whether the nodes of the choice, which should be a number of CPUs, are rather a number of
// nodes: they are fewer than the CPUs that jobs held at once, and not much more than the named nodes. The error comes from
// reading the jobs.
func SizeNodes(c *Choice, jobs joblog.Jobs) (cpus logstats.CPUs, countsNodes bool, err error) {
	if c == nil {
		return cpus, false, errNoChoice
	}
	cpus, err = logstats.CPUsOf(jobs, &c.Range.Names, joblog.InCPUs)
	named := len(cpus.OfNodes)
	if err != nil || named == 0 {
		return cpus, false, err
	}
	c.Range.Names.NodeSizes = cpus.OfNodes
	return cpus, c.Nodes < cpus.Peak && 4*c.Nodes <= 5*named, nil
}
