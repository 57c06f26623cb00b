package input

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// sizeNodes sets the CPUs of each node of a choice whose sizes count CPUs. It refuses the number of nodes where --nodes should be a
// number of CPUs.
func (o *LogOptions) sizeNodes(c *replay.Choice, jobs joblog.Jobs) error {
	cpus, countsNodes, err := replay.SizeNodes(c, jobs)
	if err != nil || !countsNodes || o.nodes == 0 {
		return err
	}
	return fault.Usagef(fmt.Sprintf("use --nodes %d: the CPUs of the %s on which jobs ran", cpus.Total(),
		words.Count(len(cpus.OfNodes), "node")), "--nodes %d with --unit-of-allocation cpus counts CPUs, and jobs of %s held %s at once",
		o.nodes, c.Name, words.Count(cpus.Peak, "CPU"))
}

// noNodes returns the error of a log that does not give the size of its machine. It proposes the nodes that log and
// study assume, see [LogOptions.AssumeNodes]. If too much of the log is lost, it returns the error that says so: the
// other jobs tell no size.
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
		return noSizes(&c, jobs)
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
func noSizes(c *replay.Choice, jobs joblog.Jobs) error {
	n := 0
	for _, err := range jobs {
		if err != nil {
			return err
		}
		n++
	}
	if n > 0 {
		return fault.Hint(fault.ExitInput, otherUnits(c.SizesIn()), &workload.DataError{File: c.Name,
			Problem: "holds no jobs that can be run: " + words.Count(n, "job") + " without a size"})
	}
	return fault.Hint(fault.ExitInput, aboutLogs, &workload.DataError{File: c.Name, Problem: "holds no jobs"})
}
