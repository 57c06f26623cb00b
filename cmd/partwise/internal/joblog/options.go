package joblog

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
)

// Options are the flags that choose jobs of a log and when they come.
type Options struct {
	Load         float64 // that the jobs are to offer; 0: as logged
	nodes        int     // 0: as the log says
	interarrival float64 // factor of the times between submissions; 0: as logged
	from, to     moment
	sizes        sizeRange
	statuses     []swf.Status
	sort         bool
}

// NewOptions returns the options of a whole log as it is.
func NewOptions() *Options { return &Options{} }

// Flags binds the flags.
func (o *Options) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Load(&o.Load, cli.About{
			Usage: "stretch the times between submissions so that the load offered is `X`"}),
		cli.Number(&o.interarrival, "interarrival", cli.About{
			Usage: "multiply the times between submissions by `F`", Hint: "for example --interarrival 0.8"}),
		cli.Int(&o.nodes, "nodes", cli.PositiveInt, cli.About{Usage: "`N` nodes of the machine",
			Default: "MaxProcs or MaxNodes of the log", Hint: "for example --nodes 128"}),
		cli.Value(&o.from, "from", parseMoment, cli.About{Usage: "jobs submitted on `DATE`, as 1996-10-01, or later, or so " +
			"many seconds after the beginning of the log", Hint: "for example --from 1996-10-01"}),
		cli.Value(&o.to, "to", parseMoment, cli.About{Usage: "jobs submitted before `DATE`",
			Hint: "for example --to 1996-10-01"}),
		cli.Value(&o.sizes, "sizes", parseSizes, cli.About{
			Usage: "jobs of `MIN:MAX` nodes; either may be left out", Hint: "for example --sizes 2:64"}),
		cli.Values(&o.statuses, "status", swf.ParseStatus, cli.About{
			Usage: "jobs of status `S`: completed, failed, cancelled, …; may be repeated",
			Hint:  "for example --status completed"}),
		cli.Switch(&o.sort, "sort", "sort the log by submission first"),
	}
}

// Check checks what cannot be asked for together.
func (o *Options) Check(*cli.Invocation) error {
	if o.Load > 0 && o.interarrival > 0 {
		return cli.Usagef("leave one of them out", "--load with --interarrival: both set the load")
	}
	return nil
}

// Flags are those of Options, as the table of commands has them.
func Flags() []urfave.Flag { return cli.Registered(NewOptions()) }

// jobs returns which jobs of a log are wanted.
func (o *Options) jobs(l *Selection) (jobs swf.Range, err error) {
	jobs = swf.Range{MinNodes: o.sizes.min, MaxNodes: o.sizes.max, Statuses: o.statuses}
	if jobs.From, err = o.from.in(l, "from"); err != nil {
		return jobs, err
	}
	jobs.To, err = o.to.in(l, "to")
	return jobs, err
}

// moment is a time of a log: a day where its machine stands, or seconds from its beginning.
type moment struct {
	day     string // as time.DateOnly writes it; "" for seconds
	seconds float64
}

func parseMoment(text string) (moment, error) {
	if text == "" {
		return moment{}, nil
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(seconds) && !math.IsInf(seconds, 0) {
		return moment{seconds: seconds}, nil
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return moment{}, fmt.Errorf("%q is neither a date nor a number of seconds", text)
	}
	return moment{day: text}, nil
}

// in returns the moment, which a flag says, in seconds from the beginning of a log.
func (m moment) in(l *Selection, flag string) (float64, error) {
	if m.day == "" {
		return m.seconds, nil
	}
	if !l.header.Dated() {
		return 0, cli.Usagef("give seconds from the beginning of the log", "--%s: %s does not say when it begins", flag,
			l.Path)
	}
	day, err := time.ParseInLocation(time.DateOnly, m.day, l.header.Location())
	return l.header.Seconds(day), err
}

// sizeRange is from how many to how many nodes a job has; 0 is any.
type sizeRange struct{ min, max int }

func parseSizes(text string) (sizes sizeRange, err error) {
	if text == "" {
		return sizes, nil
	}
	least, most, ok := strings.Cut(text, ":")
	if !ok {
		least, most = text, text
	}
	if sizes.min, err = parseSize(least); err == nil {
		sizes.max, err = parseSize(most)
	}
	return sizes, err
}

// parseSize returns a number of nodes, 0 for none.
func parseSize(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a number of nodes", text)
	}
	return n, nil
}

// estimates are the estimates of run times that --estimates names.
type estimates struct {
	name  string
	fresh func() workload.Estimator
}

func parseEstimates(text string) (estimates, error) {
	fresh, err := workload.ParseEstimator(text)
	return estimates{text, fresh}, err
}
