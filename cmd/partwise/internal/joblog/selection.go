package joblog

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"time"
	_ "time/tzdata" // months begin where the machine stands, whatever this computer knows of time zones

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/swf"
)

// Selection is a log with what the flags say about its jobs. It can be read any number of times.
type Selection struct {
	Path       string
	format     joblog.Format
	header     swf.Header
	Nodes      int
	wantedJobs swf.Range
	sorted     bool
	Stretch    float64 // of the times between submissions; 1: as logged
	reading    Reading
	buffered   func() swf.Source // of a log that is read once: standard input, one to be sorted, or one of no order; else nil
	Skipped    map[string]int    // why jobs were left out
	Offer      workload.Offer    // of the jobs that are not, as logged; zero until it is asked for
}

// Select opens the log and chooses its jobs.
func (o *Options) Select(inv *cli.Invocation, path string) (*Selection, error) {
	l := &Selection{Path: path, Stretch: 1, sorted: o.sort, reading: o.Reading}
	if o.interarrival > 0 {
		l.Stretch = o.interarrival
	}
	if err := peek(inv, l); err != nil {
		return nil, err
	}
	var err error
	if l.wantedJobs, err = o.jobs(l); err != nil {
		return nil, err
	}
	if l.Nodes = o.nodes; l.Nodes == 0 {
		l.Nodes = l.header.Size()
	}
	l.header.SetSize(l.Nodes)
	if l.Nodes == 0 {
		return nil, cli.Usagef("for example --nodes 128", "%s does not say how many processors its machine has", path)
	}
	return l, nil
}

// peek reads what is before the first job, or everything where it can only be read once.
func peek(inv *cli.Invocation, l *Selection) error {
	in, close, err := l.read(inv)
	if err != nil {
		return err
	}
	defer close()
	l.format = joblog.SWF
	if stored, ok := in.(*joblog.Stored); ok {
		l.format = stored.Format()
		l.buffered = func() swf.Source { return stored.Again() }
	} else if l.Path == "-" || l.sorted {
		jobs, err := All(inv, in, 0)
		if err != nil {
			return err
		}
		if l.sorted {
			swf.SortBySubmission(jobs)
		}
		l.buffered = func() swf.Source { return swf.Jobs(jobs) }
	} else if err := firstJob(in); err != nil {
		return err
	}
	l.header = *in.Header()
	return nil
}

// read begins to read the log.
func (l *Selection) read(inv *cli.Invocation) (joblog.Reader, func() error, error) {
	return l.reading.open(inv, l.Path, !l.sorted)
}

// Jobs returns the jobs that are wanted, in the order of their submission, from the beginning, at the given load; 0: as
// the flags say.
func (l *Selection) Jobs(inv *cli.Invocation, load float64) (swf.Source, func() error, error) {
	stretch := l.Stretch
	if load > 0 {
		offer, err := l.ReadOffer(inv)
		if err != nil {
			return nil, nil, err
		}
		now := offer.Load(l.Nodes)
		if !(now > 0) || math.IsInf(now, 1) {
			return nil, nil, &workload.DataError{File: l.Path,
				Problem: "has no load that could be changed: no work, or all jobs submitted at once"}
		}
		stretch = now / load
	}
	wanted, close, err := l.wanted(inv)
	if err != nil || stretch == 1 {
		return wanted, close, err
	}
	return &swf.Stretch{In: wanted, Factor: stretch}, close, nil
}

// wanted returns the jobs as they are logged.
func (l *Selection) wanted(inv *cli.Invocation) (*swf.Filter, func() error, error) {
	if l.buffered != nil {
		return &swf.Filter{In: l.buffered(), Nodes: l.Nodes, Range: l.wantedJobs}, func() error { return nil }, nil
	}
	in, close, err := l.read(inv)
	if err != nil {
		return nil, nil, err
	}
	return &swf.Filter{In: in, Nodes: l.Nodes, Range: l.wantedJobs}, close, nil
}

// ReadOffer reads the log for what its jobs offer, once.
func (l *Selection) ReadOffer(inv *cli.Invocation) (workload.Offer, error) {
	if l.Offer.Jobs > 0 {
		return l.Offer, nil
	}
	jobs, close, err := l.wanted(inv)
	if err != nil {
		return workload.Offer{}, err
	}
	defer close()
	offer, err := workload.OfferOfLog(jobs)
	if err != nil {
		return offer, err
	}
	l.Skipped = jobs.Skipped
	if offer.Jobs == 0 {
		return offer, &workload.DataError{File: l.Path, Problem: "holds no jobs that can be run"}
	}
	l.Offer = offer
	return offer, nil
}

// Date returns what tells the date of a time of the log; nil if that is not known, or times are stretched.
func (l *Selection) Date(load float64) func(float64) time.Time {
	if !l.header.Dated() || l.Stretch != 1 || load > 0 {
		return nil
	}
	location, start := l.header.Location(), l.header.UnixStartTime
	return func(seconds float64) time.Time { return time.Unix(start+int64(math.Floor(seconds)), 0).In(location) }
}

// WarnSkipped tells how many jobs were skipped, and why.
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
