package joblog

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // months begin where the machine stands, whatever this computer knows of time zones

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
)

// Flags are those that choose jobs of a log and when they come.
func Flags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.IntFlag{Name: "nodes", Usage: "`N` nodes of the machine", DefaultText: "MaxProcs or MaxNodes of the log"},
		&urfave.StringFlag{Name: "load", Usage: "stretch the times between submissions so that the load offered is `X`"},
		&urfave.StringFlag{Name: "interarrival", Usage: "multiply the times between submissions by `F`"},
		&urfave.StringFlag{Name: "from", Usage: "jobs submitted on `DATE`, as 1996-10-01, or later, or so many seconds " +
			"after the beginning of the log"},
		&urfave.StringFlag{Name: "to", Usage: "jobs submitted before `DATE`"},
		&urfave.StringFlag{Name: "sizes", Usage: "jobs of `MIN:MAX` nodes; either may be left out"},
		&urfave.StringSliceFlag{Name: "status",
			Usage: "jobs of status `S`: completed, failed, cancelled, …; may be repeated"},
		&urfave.BoolFlag{Name: "sort", DisableDefaultText: true, Usage: "sort the log by submission first"},
	}
}

// Selection is a log with what the flags say about its jobs. It can be read any number of times.
type Selection struct {
	Path       string
	header     swf.Header
	Nodes      int
	wantedJobs swf.Range
	sorted     bool
	Stretch    float64        // of the times between submissions; 1: as logged
	buffered   []swf.Job      // of standard input, or of a log to be sorted, which are read once
	Skipped    map[string]int // why jobs were left out
	Offer      swf.Offer      // of the jobs that are not, as logged; zero until it is asked for
}

// Select opens the log and reads the flags.
func Select(inv *cli.Invocation, path string) (*Selection, error) {
	l := &Selection{Path: path, Stretch: 1, sorted: inv.Flags.Bool("sort")}
	if text := inv.Flags.String("interarrival"); inv.Flags.IsSet("interarrival") {
		if inv.Flags.IsSet("load") {
			return nil, cli.Usagef("leave one of them out", "--load with --interarrival: both set the load")
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f > 0) || math.IsInf(f, 1) {
			return nil, cli.Usagef("for example --interarrival 0.8", "--interarrival: %q is not a positive number", text)
		}
		l.Stretch = f
	}
	if err := peek(inv, l); err != nil {
		return nil, err
	}
	if err := readRange(inv, l); err != nil {
		return nil, err
	}
	l.Nodes = l.header.Size()
	if inv.Flags.IsSet("nodes") {
		if l.Nodes = inv.Flags.Int("nodes"); l.Nodes < 1 {
			return nil, cli.Usagef("for example --nodes 128", "--nodes: %d is not a positive number", l.Nodes)
		}
	}
	if l.Nodes == 0 {
		return nil, cli.Usagef("for example --nodes 128", "%s does not say how many processors its machine has", path)
	}
	return l, nil
}

// peek reads what is before the first job, or everything where it can only be read once.
func peek(inv *cli.Invocation, l *Selection) error {
	in, close, err := newReader(inv, l.Path)
	if err != nil {
		return err
	}
	defer close()
	if l.Path == "-" || l.sorted {
		if l.buffered, err = swf.All(in); err != nil {
			return err
		}
		if l.sorted {
			swf.SortBySubmission(l.buffered)
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

func newReader(inv *cli.Invocation, path string) (*swf.Reader, func() error, error) {
	file, name, err := inv.Open(path)
	if err != nil {
		return nil, nil, err
	}
	in, err := swf.NewReader(file, name)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	in.InOrder = !inv.Flags.Bool("sort")
	return in, file.Close, nil
}

// readRange reads --from, --to, --sizes and --status.
func readRange(inv *cli.Invocation, l *Selection) error {
	for _, end := range []struct {
		flag string
		at   *float64
	}{{"from", &l.wantedJobs.From}, {"to", &l.wantedJobs.To}} {
		text := inv.Flags.String(end.flag)
		if text == "" {
			continue
		}
		if seconds, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(seconds) && !math.IsInf(seconds, 0) {
			*end.at = seconds
			continue
		}
		day, err := time.ParseInLocation(time.DateOnly, text, l.header.Location())
		if err != nil {
			return cli.Usagef("for example --"+end.flag+" 1996-10-01", "--%s: %q is neither a date nor a number of seconds",
				end.flag, text)
		}
		if !l.header.Dated() {
			return cli.Usagef("give seconds from the beginning of the log", "--%s: %s does not say when it begins", end.flag,
				l.Path)
		}
		*end.at = l.header.Seconds(day)
	}
	if text := inv.Flags.String("sizes"); text != "" {
		least, most, ok := strings.Cut(text, ":")
		if !ok {
			least, most = text, text
		}
		for _, end := range []struct {
			text string
			n    *int
		}{{least, &l.wantedJobs.MinNodes}, {most, &l.wantedJobs.MaxNodes}} {
			n, err := strconv.Atoi(end.text)
			if end.text != "" && (err != nil || n < 1) {
				return cli.Usagef("for example --sizes 2:64", "--sizes: %q is not a number of nodes", end.text)
			}
			*end.n = n
		}
	}
	for _, text := range inv.Flags.StringSlice("status") {
		s, err := swf.ParseStatus(text)
		if err != nil {
			return cli.Usagef("for example --status completed", "--status: %s", cli.Plain(err))
		}
		l.wantedJobs.Statuses = append(l.wantedJobs.Statuses, s)
	}
	return nil
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
		return &swf.Filter{In: swf.Jobs(l.buffered), Nodes: l.Nodes, Range: l.wantedJobs}, func() error { return nil }, nil
	}
	in, close, err := newReader(inv, l.Path)
	if err != nil {
		return nil, nil, err
	}
	return &swf.Filter{In: in, Nodes: l.Nodes, Range: l.wantedJobs}, close, nil
}

// ReadOffer reads the log for what its jobs offer, once.
func (l *Selection) ReadOffer(inv *cli.Invocation) (swf.Offer, error) {
	if l.Offer.Jobs > 0 {
		return l.Offer, nil
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
