package input

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// Selection is a log with the jobs that the flags choose.
type Selection struct {
	*replay.Log
	Source joblog.Log // what was read, without its jobs
	// Assumed has the number of nodes if nobody said it, see [LogOptions.AssumeNodes].
	Assumed []output.Assumption
	inv     *cli.Invocation
}

// Select opens the log, chooses its jobs, and tells the user if they had to be sorted.
func (o *LogOptions) Select(inv *cli.Invocation, path string) (*Selection, error) {
	log, list, err := o.pack(inv, path)
	stream := joblog.Jobs(nil)
	if errors.Is(err, joblog.ErrTooMany) && log.Format == joblog.SWF && !readOnce(path) {
		log, stream, err = joblog.Survey(func() (io.ReadCloser, string, error) { return inv.Open(path) }, o.Options)
		WarnFindings(inv, path, log.Findings)
	}
	if err != nil {
		return nil, WithRemedy(err)
	}
	c, err := o.choice(inv, path, log.Header)
	c.Lost, c.Range.Names, c.Apart, c.Unit = log.Lost, log.Names, log.Apart, o.Options.Unit
	if err != nil {
		return nil, err
	}
	all := stream
	if all == nil {
		all = list.All()
	}
	if err := c.Range.CheckNames(all); err != nil {
		return nil, unknownName(path, err)
	}
	if c.Unit == joblog.InCPUs {
		if err := o.sizeNodes(&c, all); err != nil {
			return nil, err
		}
	}
	l := &Selection{Source: log, inv: inv}
	if c.Nodes == 0 && o.assumeNodes {
		if err := o.assume(&c, all); err != nil {
			return nil, err
		}
		l.Assumed = []output.Assumption{{Name: "nodes", Value: strconv.Itoa(c.Nodes), Flag: "--nodes"}}
	}
	if c.Nodes == 0 {
		return nil, noNodes(path, all)
	}
	if stream != nil {
		l.Log, err = replay.Choose(stream, c)
	} else {
		l.Log, err = replay.ChooseList(list, c)
	}
	if err != nil {
		return nil, leftNothing(inv, WithRemedy(err))
	}
	if l.Sorted {
		inv.Notef("%s: the jobs are not in the order of their submission, and were sorted", path)
	}
	return l, nil
}

// aboutLogs says where to read how a job log is written.
const aboutLogs = "a job log has a line for each job; docs/job-logs.md says how each system writes it"

// leftNothing adds to the error of a log without jobs what may have left none: a flag, or the log itself.
func leftNothing(inv *cli.Invocation, err error) error {
	flag := inv.FirstGiven("from", "to", "sizes", "status", "partition", "user", "account", "qos")
	switch {
	case !errors.Is(err, replay.ErrNoJobs):
		return err
	case flag == "":
		return fault.Hint(fault.ExitInput, aboutLogs, err)
	}
	return fault.Hint(fault.ExitInput, fmt.Sprintf("no job is left that --%s chooses; partwise log shows what the log has", flag), err)
}

// assume sets the number of nodes of a choice to that on which the jobs of the log ran; it stays 0 if the log does not tell that. Where sizes
// count CPUs, it is the number of CPUs of these nodes.
func (o *LogOptions) assume(c *replay.Choice, jobs joblog.Jobs) (err error) {
	if c.Nodes, err = logstats.NodesOf(jobs, &c.Range.Names); err == nil && c.Nodes > 0 {
		sized(&c.Header, c.Nodes)
	}
	return err
}

// sizeNodes sets the CPUs of each node of a choice whose sizes count CPUs, as far as the log names nodes. It refuses the number of nodes where
// --nodes should be a number of CPUs.
func (o *LogOptions) sizeNodes(c *replay.Choice, jobs joblog.Jobs) error {
	cpus, err := logstats.CPUsOf(jobs, &c.Range.Names, joblog.InCPUs)
	if err != nil || len(cpus.OfNodes) == 0 {
		return err
	}
	c.Range.Names.NodeSizes = cpus.OfNodes
	named := len(cpus.OfNodes)
	if o.nodes > 0 && o.nodes < cpus.Peak && 4*o.nodes <= 5*named { // about as many as there are nodes
		return fault.Usagef(fmt.Sprintf("use --nodes %d: the CPUs of the %d nodes on which jobs ran", cpus.Total(), named),
			"--nodes %d with --unit-of-allocation cpus counts CPUs, and jobs of %s held %d CPUs at once", o.nodes, c.Name, cpus.Peak)
	}
	return nil
}

// sized adds the number of nodes to a header that does not say it.
func sized(h *joblog.Header, nodes int) {
	h.MaxProcs, h.MaxNodes = nodes, nodes
	h.Comments = append(slices.Clip(h.Comments), fmt.Sprintf(" MaxNodes: %d", nodes), fmt.Sprintf(" MaxProcs: %d", nodes))
}

// choice returns what the flags choose of a log with a header. Nodes is 0 if neither the flags nor the log say the number of nodes.
func (o *LogOptions) choice(inv *cli.Invocation, path string, h joblog.Header) (c replay.Choice, err error) {
	c = replay.Choice{Name: path, Stretch: o.interarrival, Most: inv.MostKept(bytesOfJob), MostLost: o.mostLost(),
		Nodes: cmp.Or(o.nodes, h.Size())}
	if h.Size() == 0 && c.Nodes > 0 { // the log does not say it
		sized(&h, c.Nodes)
	}
	c.Header = h
	c.Range, err = o.jobs(path, &h)
	return c, err
}

// readOnce reports whether a name leads to something that gives its bytes only once: standard input, a pipe, a device.
func readOnce(path string) bool {
	info, err := os.Stat(path)
	return err != nil || !info.Mode().IsRegular()
}

// noNodes returns the error of a log that does not tell the size of its machine. It proposes the nodes that were in use.
func noNodes(path string, jobs joblog.Jobs) error {
	peak, err := peakNodes(jobs)
	if err != nil {
		return err
	}
	if peak < 0 {
		return fault.Hint(fault.ExitInput, aboutLogs, &workload.DataError{File: path, Problem: "holds no jobs"})
	}
	return fault.Usagef(fmt.Sprintf("for example --nodes %d: no more were in use at once", peak),
		"%s does not say how many nodes its machine has", path)
}

// AtLoad returns the selection with the times between submissions stretched such that its jobs offer the given load; 0 leaves them.
func (l *Selection) AtLoad(load float64) (*Selection, error) {
	if load == 0 {
		return l, nil
	}
	log, err := l.Log.AtLoad(load)
	if err != nil {
		return nil, err
	}
	stretched := *l
	stretched.Log = log
	return &stretched, nil
}

// List returns the jobs in memory, at a load; 0: as the log has them.
func (l *Selection) List(load float64) (*joblog.List, error) {
	offered, err := l.At(load)
	if err != nil {
		return nil, err
	}
	list, err := offered.List()
	return list, WithRemedy(err)
}

// WarnSkipped tells how many jobs were left out, and why.
func (l *Selection) WarnSkipped() { WarnSkipped(l.inv, l.Name, l.Skipped) }

// WarnSkipped tells how many jobs of a log were left out, and why.
func WarnSkipped(inv *cli.Invocation, path string, skipped map[string]int) {
	var reasons []string
	for reason, n := range skipped {
		reasons = append(reasons, words.Grouped(strconv.Itoa(n))+" with "+reason)
	}
	if len(reasons) > 0 {
		sort.Strings(reasons)
		inv.Warnf("%s: jobs left out: %s", path, strings.Join(reasons, ", "))
	}
}
