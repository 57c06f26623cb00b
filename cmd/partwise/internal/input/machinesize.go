package input

import (
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// assume sets the number of nodes of a choice to the number of nodes on which the jobs of the log ran. The number stays 0 if the
// log does not give the nodes. Where sizes count CPUs, it is the number of CPUs of these nodes.
func (o *LogOptions) assume(c *replay.Choice, jobs joblog.Jobs) (err error) {
	if c.Nodes, err = logstats.NodesOf(jobs, &c.Range.Names); err == nil && c.Nodes > 0 {
		sized(&c.Header, c.Nodes)
	}
	return err
}

// sizeNodes sets the CPUs of each node of a choice whose sizes count CPUs, as far as the log names nodes. It refuses the number
// of nodes where --nodes should be a number of CPUs.
func (o *LogOptions) sizeNodes(c *replay.Choice, jobs joblog.Jobs) error {
	cpus, err := logstats.CPUsOf(jobs, &c.Range.Names, joblog.InCPUs)
	if err != nil || len(cpus.OfNodes) == 0 {
		return err
	}
	c.Range.Names.NodeSizes = cpus.OfNodes
	named := len(cpus.OfNodes)
	if o.nodes > 0 && o.nodes < cpus.Peak && 4*o.nodes <= 5*named { // about as many as there are nodes
		return fault.Usagef(fmt.Sprintf("use --nodes %d: the CPUs of the %s on which jobs ran", cpus.Total(), words.Count(named, "node")),
			"--nodes %d with --unit-of-allocation cpus counts CPUs, and jobs of %s held %s at once", o.nodes, c.Name,
			words.Count(cpus.Peak, "CPU"))
	}
	return nil
}

// sized adds the number of nodes to a header that does not say it.
func sized(h *joblog.Header, nodes int) {
	h.MaxProcs, h.MaxNodes = nodes, nodes
	h.Comments = append(slices.Clip(h.Comments), fmt.Sprintf(" MaxNodes: %d", nodes), fmt.Sprintf(" MaxProcs: %d", nodes))
}

// noNodes returns the error of a log that does not give the size of its machine. It proposes the nodes that log and study assume, see
// [LogOptions.AssumeNodes]. If too much of the log is lost, it returns the error that says so: the other jobs tell no size.
func (o *LogOptions) noNodes(c replay.Choice, log joblog.Log, jobs joblog.Jobs) error {
	ran, err := logstats.NodesOf(jobs, &c.Range.Names)
	if err != nil {
		return err
	}
	largest, err := logstats.LargestJob(jobs) // the largest job counts also if the log does not say when it ran
	if err != nil {
		return err
	}
	if max(ran, largest) == 0 {
		return noSizes(c.Name, jobs)
	}
	if o.mostLost() > 0 && log.Lost.Share > o.mostLost() {
		c.Nodes = max(ran, largest)
		if _, err := replay.Choose(jobs, c); errors.Is(err, replay.ErrLost) {
			return lostRemedy(err, &log, jobs, c.Nodes)
		}
	}
	hint := fmt.Sprintf("for example --nodes %d: jobs ran on no more", max(ran, largest))
	if ran == 0 {
		hint = fmt.Sprintf("at least --nodes %d, for the largest job; the log does not tell how many were in use at once", largest)
	}
	return fault.Usagef(hint, "%s does not say how many %ss its machine has", c.Name, output.UnitWord(c.SizesIn()))
}

// noSizes returns the error of a log without jobs, or without jobs that have a size.
func noSizes(path string, jobs joblog.Jobs) error {
	n := 0
	for _, err := range jobs {
		if err != nil {
			return err
		}
		n++
	}
	if n > 0 {
		return fault.Hint(fault.ExitInput, "--unit-of-allocation says what a size counts", &workload.DataError{File: path,
			Problem: "holds no jobs that can be run: " + words.Count(n, "job") + " without a size"})
	}
	return fault.Hint(fault.ExitInput, aboutLogs, &workload.DataError{File: path, Problem: "holds no jobs"})
}
