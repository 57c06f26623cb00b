package input

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// Selection is a log with the jobs that the flags choose.
type Selection struct {
	replay.Log
	Format joblog.Format
	inv    *cli.Invocation
	told   bool // that the log was sorted
}

// Select opens the log and chooses its jobs.
func (o *LogOptions) Select(inv *cli.Invocation, path string) (*Selection, error) {
	l := &Selection{Log: replay.Log{Name: path, Stretch: o.interarrival, Most: inv.MostKept(bytesOfJob), MostLost: o.mostLost()}, inv: inv}
	if err := o.read(l); err != nil {
		return nil, err
	}
	var err error
	if l.Wanted, err = o.jobs(l); err != nil {
		return nil, err
	}
	if l.Nodes = o.nodes; l.Nodes == 0 {
		l.Nodes = l.Header.Size()
	}
	if h := &l.Header; h.Size() == 0 && l.Nodes > 0 { // the log does not say it
		h.MaxProcs, h.MaxNodes = l.Nodes, l.Nodes
		h.Comments = append(h.Comments, fmt.Sprintf(" MaxNodes: %d", l.Nodes), fmt.Sprintf(" MaxProcs: %d", l.Nodes))
	}
	if l.Nodes == 0 {
		return nil, noNodes(path, l.All())
	}
	return l, nil
}

// read reads the log into memory. A log in Standard Workload Format that does not fit is read from its file each time its jobs are
// needed.
func (o *LogOptions) read(l *Selection) error {
	log, kept, err := o.pack(l.inv, l.Name)
	l.Format, l.Header, l.Kept = log.Format, log.Header, kept
	if !errors.Is(err, joblog.ErrTooMany) || log.Format != joblog.SWF || readOnce(l.Name) {
		return withRemedy(err)
	}
	l.Kept = nil
	l.Stream = func(yield func(*joblog.Job, error) bool) {
		file, name, err := l.inv.Open(l.Name)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		if _, err := joblog.Scan(file, name, o.Options, func(j *joblog.Job) bool { return yield(j, nil) }); err != nil {
			yield(nil, err)
		}
	}
	return nil
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
		return &workload.DataError{File: path, Problem: "holds no jobs"}
	}
	return cli.Usagef(fmt.Sprintf("for example --nodes %d: no more were in use at once", peak),
		"%s does not say how many nodes its machine has", path)
}

// Offer returns what the jobs offer as logged, and tells the user if the log had to be sorted.
func (l *Selection) Offer() (workload.Offer, error) {
	offer, err := l.Log.Offer()
	if l.Sorted && !l.told {
		l.told = true
		l.inv.Notef("%s: the jobs are not in the order of their submission, and were sorted", l.Name)
	}
	return offer, withRemedy(err)
}

// AtLoad stretches the log such that its jobs offer the given load.
func (l *Selection) AtLoad(load float64) error {
	if _, err := l.Offer(); err != nil {
		return err
	}
	return l.Log.AtLoad(load)
}

// List returns the jobs that are taken, at a load; 0: as logged.
func (l *Selection) List(load float64) (*joblog.List, error) {
	if _, err := l.Offer(); err != nil {
		return nil, err
	}
	list, err := l.Log.List(load)
	return list, withRemedy(err)
}

// Taken returns the jobs of [Selection.List].
func (l *Selection) Taken(load float64) ([]joblog.Job, error) {
	list, err := l.List(load)
	if err != nil {
		return nil, err
	}
	return list.Jobs(), nil
}

// WarnSkipped tells how many jobs were left out, and why.
func (l *Selection) WarnSkipped() { WarnSkipped(l.inv, l.Name, l.Skipped) }

// WarnSkipped tells how many jobs of a log were left out, and why.
func WarnSkipped(inv *cli.Invocation, path string, skipped map[string]int) {
	var reasons []string
	for reason, n := range skipped {
		reasons = append(reasons, fmt.Sprintf("%d with %s", n, reason))
	}
	if len(reasons) > 0 {
		sort.Strings(reasons)
		inv.Warnf("%s: jobs left out: %s", path, strings.Join(reasons, ", "))
	}
}
