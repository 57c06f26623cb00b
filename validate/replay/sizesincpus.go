package replay

import (
	"cmp"
	"math"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
)

// SizesIn returns what Nodes and the sizes of jobs count: nodes, or CPUs.
func (c *Choice) SizesIn() joblog.Unit { return cmp.Or(c.Unit, joblog.InNodes) }

// InCPUs returns the log with the machine and the sizes of jobs in CPUs. shared reports whether most jobs of one node
// use part of a node. l is not changed; a log in CPUs is returned as it is, with shared true.
//
// The machine has, summed over the nodes that the log names, the most CPUs that were in use at once on each node. If
// the machine has more nodes than the log names, it has CPUs in proportion. With fewer nodes it keeps the CPUs on which
// jobs ran. If the log does not name nodes, the machine has the most CPUs that jobs held at once.
//
// The error is a *[SettingError] if the log does not record the CPUs of its jobs. It may also come from reading the
// log, or from [Choose].
func (l *Log) InCPUs() (in *Log, shared bool, err error) {
	if err := l.check(); err != nil {
		return nil, false, err
	}
	if l.SizesIn() == joblog.InCPUs {
		return l, true, nil
	}
	cpus, err := logstats.CPUsOf(l.all, &l.Range.Names, joblog.InNodes)
	if err != nil {
		return nil, false, err
	}
	if cpus.Peak == 0 || l.SizesIn() != joblog.InNodes {
		return nil, false, &SettingError{"unit_of_allocation", l.Name + " does not tell the CPUs of its jobs beside their nodes"}
	}
	c := l.Choice
	c.Unit, c.Nodes, c.Range.Names.NodeSizes = joblog.InCPUs, cpus.Total(), nil
	if named := len(cpus.OfNodes); named > 0 {
		c.Nodes = int(math.Round(float64(c.Nodes) * float64(max(l.Nodes, named)) / float64(named)))
		c.Range.Names.NodeSizes = cpus.OfNodes
	}
	c.Apart = apartInCPUs(c.Apart)
	c.Range.Sizes, c.MostLost = joblog.Sizes{}, 0 // both were applied to nodes
	sizes := joblog.Range{Sizes: l.Range.Sizes}
	jobs := sizes.Choose(l.all, 0, func(string, float64) {})
	in, err = choose(&Log{Choice: c, all: joblog.InUnitOfCPUs(jobs)})
	return in, cpus.Shared(), err
}
