package main

import (
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // months begin where the machine stands, whatever this computer knows of time zones

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
)

// logFlags are those that choose jobs of a log and when they come.
func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "nodes", Usage: "`N` nodes of the machine", DefaultText: "MaxProcs or MaxNodes of the log"},
		&cli.StringFlag{Name: "load", Usage: "stretch the times between submissions so that the load offered is `X`"},
		&cli.StringFlag{Name: "interarrival", Usage: "multiply the times between submissions by `F`"},
		&cli.StringFlag{Name: "from", Usage: "jobs submitted on `DATE`, as 1996-10-01, or later, or so many seconds " +
			"after the beginning of the log"},
		&cli.StringFlag{Name: "to", Usage: "jobs submitted before `DATE`"},
		&cli.StringFlag{Name: "sizes", Usage: "jobs of `MIN:MAX` nodes; either may be left out"},
		&cli.StringSliceFlag{Name: "status", Usage: "jobs of status `S`: completed, failed, cancelled, …; may be repeated"},
		&cli.BoolFlag{Name: "sort", DisableDefaultText: true, Usage: "sort the log by submission first"},
	}
}

// jobLog is a log with what the flags say about its jobs. It can be read any number of times.
type jobLog struct {
	path    string
	header  swf.Header
	nodes   int
	jobs    swf.Range
	sorted  bool
	stretch float64        // of the times between submissions; 1: as logged
	kept    []swf.Job      // of standard input, or of a log to be sorted, which are read once
	skipped map[string]int // why jobs were left out
	offer   swf.Offer      // of the jobs that are not, as logged; zero until it is asked for
}

// jobLog opens the log and reads the flags.
func (inv *invocation) jobLog(path string) (*jobLog, error) {
	l := &jobLog{path: path, stretch: 1, sorted: inv.flags.Bool("sort")}
	if text := inv.flags.String("interarrival"); inv.flags.IsSet("interarrival") {
		if inv.flags.IsSet("load") {
			return nil, usage("leave one of them out", "--load with --interarrival: both set the load")
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f > 0) || math.IsInf(f, 1) {
			return nil, usage("for example --interarrival 0.8", "--interarrival: %q is not a positive number", text)
		}
		l.stretch = f
	}
	if err := inv.peek(l); err != nil {
		return nil, err
	}
	if err := inv.rangeOfJobs(l); err != nil {
		return nil, err
	}
	l.nodes = l.header.Size()
	if inv.flags.IsSet("nodes") {
		if l.nodes = inv.flags.Int("nodes"); l.nodes < 1 {
			return nil, usage("for example --nodes 128", "--nodes: %d is not a positive number", l.nodes)
		}
	}
	if l.nodes == 0 {
		return nil, usage("for example --nodes 128", "%s does not say how many processors its machine has", path)
	}
	return l, nil
}

// peek reads what is before the first job, or everything where it can only be read once.
func (inv *invocation) peek(l *jobLog) error {
	in, close, err := inv.openLog(l.path)
	if err != nil {
		return err
	}
	defer close()
	if l.path == "-" || l.sorted {
		if l.kept, err = swf.All(in); err != nil {
			return err
		}
		if l.sorted {
			swf.SortBySubmission(l.kept)
		}
	} else {
		var j swf.Job
		if err := in.Next(&j); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	l.header = *in.Header()
	return nil
}

func (inv *invocation) openLog(path string) (*swf.Reader, func() error, error) {
	file, name, err := inv.open(path)
	if err != nil {
		return nil, nil, err
	}
	in, err := swf.NewReader(file, name)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	in.InOrder = !inv.flags.Bool("sort")
	return in, file.Close, nil
}

// open opens a file, or standard input for "-", and returns its name for people.
func (inv *invocation) open(path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(inv.stdin), "standard input", nil
	}
	f, err := os.Open(path)
	return f, path, err
}

// rangeOfJobs reads --from, --to, --sizes and --status.
func (inv *invocation) rangeOfJobs(l *jobLog) error {
	for _, end := range []struct {
		flag string
		at   *float64
	}{{"from", &l.jobs.From}, {"to", &l.jobs.To}} {
		text := inv.flags.String(end.flag)
		if text == "" {
			continue
		}
		if seconds, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(seconds) && !math.IsInf(seconds, 0) {
			*end.at = seconds
			continue
		}
		day, err := time.ParseInLocation(time.DateOnly, text, l.header.Location())
		if err != nil {
			return usage("for example --"+end.flag+" 1996-10-01", "--%s: %q is neither a date nor a number of seconds",
				end.flag, text)
		}
		if !l.header.Dated() {
			return usage("give seconds from the beginning of the log", "--%s: %s does not say when it begins", end.flag, l.path)
		}
		*end.at = l.header.Seconds(day)
	}
	if text := inv.flags.String("sizes"); text != "" {
		least, most, ok := strings.Cut(text, ":")
		if !ok {
			least, most = text, text
		}
		for _, end := range []struct {
			text string
			n    *int
		}{{least, &l.jobs.MinNodes}, {most, &l.jobs.MaxNodes}} {
			n, err := strconv.Atoi(end.text)
			if end.text != "" && (err != nil || n < 1) {
				return usage("for example --sizes 2:64", "--sizes: %q is not a number of nodes", end.text)
			}
			*end.n = n
		}
	}
	for _, text := range inv.flags.StringSlice("status") {
		s, err := swf.ParseStatus(text)
		if err != nil {
			return usage("for example --status completed", "--status: %s", plain(err))
		}
		l.jobs.Statuses = append(l.jobs.Statuses, s)
	}
	return nil
}

// open returns the jobs that are wanted, in the order of their submission, from the beginning, at the given load; 0: as
// the flags say.
func (l *jobLog) open(inv *invocation, load float64) (swf.Source, func() error, error) {
	stretch := l.stretch
	if load > 0 {
		offer, err := l.offered(inv)
		if err != nil {
			return nil, nil, err
		}
		now := offer.Load(l.nodes)
		if !(now > 0) || math.IsInf(now, 1) {
			return nil, nil, &workload.DataError{File: l.path,
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
func (l *jobLog) wanted(inv *invocation) (*swf.Filter, func() error, error) {
	if l.kept != nil {
		return &swf.Filter{In: swf.Jobs(l.kept), Nodes: l.nodes, Range: l.jobs}, func() error { return nil }, nil
	}
	in, close, err := inv.openLog(l.path)
	if err != nil {
		return nil, nil, err
	}
	return &swf.Filter{In: in, Nodes: l.nodes, Range: l.jobs}, close, nil
}

// offered reads the log for what its jobs offer, once.
func (l *jobLog) offered(inv *invocation) (swf.Offer, error) {
	if l.offer.Jobs > 0 {
		return l.offer, nil
	}
	jobs, close, err := l.wanted(inv)
	if err != nil {
		return swf.Offer{}, err
	}
	defer close()
	offer, err := swf.OfferOf(jobs)
	if err != nil {
		return offer, err
	}
	l.skipped = jobs.Skipped
	if offer.Jobs == 0 {
		return offer, &workload.DataError{File: l.path, Problem: "holds no jobs that can be run"}
	}
	l.offer = offer
	return offer, nil
}

// date returns what tells the date of a time of the log; nil if that is not known, or times are stretched.
func (l *jobLog) date(load float64) func(float64) time.Time {
	if !l.header.Dated() || l.stretch != 1 || load > 0 {
		return nil
	}
	location, start := l.header.Location(), l.header.UnixStartTime
	return func(seconds float64) time.Time { return time.Unix(start+int64(math.Floor(seconds)), 0).In(location) }
}
