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
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// Selection is a log with the jobs that the flags choose.
type Selection struct {
	*replay.Log
	Source joblog.Log // what was read, without its jobs
	// Assumed has the number of nodes if the user did not give it, see [LogOptions.AssumeNodes].
	Assumed []output.Assumption
	inv     *cli.Invocation
}

// Select opens the log, chooses its jobs, and tells the user if they had to be sorted.
func (o *LogOptions) Select(inv *cli.Invocation, path string) (*Selection, error) {
	if o.nodes == 0 {
		o.NameNodes() // they say how large the machine is, if the log does not
	}
	log, list, err := o.pack(inv, path)
	stream := joblog.Jobs(nil)
	if errors.Is(err, joblog.ErrTooMany) && log.Format == joblog.SWF && !readOnce(path) {
		log, stream, err = joblog.Survey(func() (io.ReadCloser, string, error) { return inv.Open(path) }, o.Options)
	}
	if err != nil {
		return nil, WithRemedy(err)
	}
	c, err := o.choice(inv, path, log.Header)
	c.Lost, c.Range.Names, c.Apart, c.Unit = log.Lost, log.Names, log.Apart, o.Options.Unit
	WarnFindings(inv, c.Name, log.FindingsIn(&c.Range))
	if err != nil {
		return nil, err
	}
	all := stream
	if all == nil {
		all = list.All()
	}
	if err := c.Range.CheckNames(all); err != nil {
		return nil, unknownName(cli.NameOf(path), err)
	}
	if c.Unit == joblog.InCPUs {
		if err := o.sizeNodes(&c, all); err != nil {
			return nil, err
		}
	}
	l := &Selection{Source: log, inv: inv}
	if c.Nodes == 0 && o.assumeNodes {
		if err := replay.AssumeNodes(&c, all); err != nil {
			return nil, err
		}
		l.Assumed = []output.Assumption{{Name: "nodes", Value: strconv.Itoa(c.Nodes), Flag: "--nodes"}}
	}
	if c.Nodes == 0 {
		return nil, o.noNodes(c, log, all)
	}
	if stream != nil {
		l.Log, err = replay.Choose(stream, c)
	} else {
		l.Log, err = replay.ChooseList(list, c)
	}
	if err != nil {
		return nil, o.leftNothing(inv, lostRemedy(err, &log, all, c.Nodes))
	}
	if l.Sorted {
		inv.Notef("%s: the jobs are not in the order of their submission, and were sorted", l.Name)
	}
	return l, nil
}

// aboutLogs says where to read how a job log is written.
const aboutLogs = "a job log has a line for each job; docs/job-logs.md says how each system writes it"

// otherUnits says that a log does not give the sizes of its jobs in a unit, and which units there are besides.
func otherUnits(unit joblog.Unit) string {
	others := slices.DeleteFunc(joblog.Units(), func(u joblog.Unit) bool { return u == unit })
	return fmt.Sprintf("the log does not say how many %s its jobs have; use --unit-of-allocation %s", output.UnitWord(unit)+"s",
		words.Or(words.Strings(others)))
}

// leftNothing adds to the error of a log without jobs what may have left none: a flag, or the log itself.
func (o *LogOptions) leftNothing(inv *cli.Invocation, err error) error {
	flag := inv.FirstGiven("from", "to", "sizes", "status", "partition", "user", "account", "qos")
	switch {
	case !errors.Is(err, replay.ErrNoJobs):
		return err
	case flag == "" && inv.Given("unit-of-allocation"):
		return fault.Hint(fault.ExitInput, otherUnits(o.Options.Unit), err)
	case flag == "":
		return fault.Hint(fault.ExitInput, aboutLogs, err)
	}
	return fault.Hint(fault.ExitInput, fmt.Sprintf("no job is left that --%s chooses; partwise log shows what the log has", flag), err)
}

// choice returns what the flags choose of a log with a header. Nodes is 0 if neither the flags nor the log say the number of nodes.
func (o *LogOptions) choice(inv *cli.Invocation, path string, h joblog.Header) (c replay.Choice, err error) {
	c = replay.Choice{Name: cli.NameOf(path), Stretch: o.interarrival, Most: inv.MostKept(bytesOfJob), MostLost: o.mostLost(),
		Nodes: cmp.Or(o.nodes, h.Size())}
	if h.Size() == 0 && c.Nodes > 0 { // the log does not say it
		h.StateSize(c.Nodes)
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

// WarnSkipped tells how many jobs were left out, and why. It tells which share of the work is lost where a flag allows to lose
// more than usual.
func (l *Selection) WarnSkipped() {
	WarnSkipped(l.inv, l.Name, l.Skipped)
	if lost := l.LostShare(); lost > UsuallyLost {
		l.inv.Warnf("%s: %.3g %% of the node-seconds are lost with what is left out or set apart", l.Name, 100*lost)
	}
	sizes := l.Range.Sizes
	if sizes.From > 0 && sizes.From == sizes.To && l.Skipped["too small"]+l.Skipped["too large"] > 0 {
		l.inv.Notef("--sizes: jobs of exactly %[1]d nodes; "+
			"--sizes %[1]d: takes jobs of %[1]d or more, --sizes 1:%[1]d jobs of at most %[1]d", sizes.From)
	}
}

// WarnOverload warns if the largest of the loads at which jobs are replayed is not below 1; no loads: as the log has it. Nothing
// is said of few jobs.
func (l *Selection) WarnOverload(loads ...float64) {
	if len(loads) == 0 {
		loads = []float64{l.Load()}
	}
	// stretched times are rounded
	if load := slices.Max(loads); load >= 1-1e-9 && words.Finite(load) && l.Offer.Jobs >= metric.FewestJobs {
		l.inv.Warnf("%s: at a load of %.3g, jobs come faster than the machine can run them: "+
			"response times grow with the length of the log", l.Name, load)
	}
}

// skippedWords returns the words that follow the number of jobs that were left out: before the range, too small, with no run time.
func skippedWords(reason string) string {
	switch reason {
	case "before the range", "after the range", "too small", "too large":
		return reason
	}
	return "with " + reason
}

// WarnSkipped tells how many jobs of a log were left out, and why.
func WarnSkipped(inv *cli.Invocation, name string, skipped map[string]int) {
	var reasons []string
	for reason, n := range skipped {
		reasons = append(reasons, words.Whole(n)+" "+skippedWords(reason))
	}
	if len(reasons) > 0 {
		sort.Strings(reasons)
		inv.Warnf("%s: jobs left out: %s", name, strings.Join(reasons, ", "))
	}
}
