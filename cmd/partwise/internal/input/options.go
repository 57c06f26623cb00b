package input

import (
	"fmt"
	"strconv"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// LogOptions are the flags that choose jobs of a log, and the machine that they ran on. When the jobs come, --load says,
// which commands bind themselves: some take several loads.
type LogOptions struct {
	Reading
	nodes        int     // 0: as the log says
	interarrival float64 // factor of the times between submissions; 0: as logged
	from, to     moment
	sizes        joblog.Sizes
	statuses     []joblog.Status
}

// topic is the page of help that explains flags of logs.
func topic(flags ...cli.Flag) cli.Topic {
	return cli.Topic{Name: "logs", Summary: "the flags that choose the jobs of a log and the machine",
		Details: "Commands that take a job log take these flags. A log is recognised by how it begins: Standard " +
			"Workload Format, sacct of Slurm, accounting files of PBS and others, also compressed with gzip. " +
			"Without a flag all its jobs count.", Flags: flags}
}

// Topic returns the page of help that explains all flags of logs.
func Topic() cli.Topic { return topic(new(LogOptions).Flags()...) }

// Flags binds the flags.
func (o *LogOptions) Flags() []cli.Flag {
	return append(topic(
		cli.Unlisted(cli.Number(&o.interarrival, "interarrival", cli.About{Hint: "for example --load 0.8"})),
		o.nodesFlag(),
		cli.Value(&o.from, "from", parseMoment, cli.About{Usage: "take jobs submitted at `TIME` or later: a date such as " +
			"1996-10-01, or seconds from the log's beginning", Hint: "for example --from 1996-10-01"}),
		cli.Value(&o.to, "to", parseMoment, cli.About{Usage: "take jobs submitted before `TIME`",
			Hint: "for example --to 1996-10-01"}),
		cli.Value(&o.sizes, "sizes", joblog.ParseSizes, cli.About{
			Usage: "take jobs of `MIN:MAX` nodes; either may be left out", Hint: "for example --sizes 2:64"}),
		cli.Values(&o.statuses, "status", joblog.ParseStatus, cli.About{
			Usage: "take jobs of the status `STATUS`: completed, failed, cancelled, …; may be repeated",
			Hint:  "for example --status completed"}),
	).Referred(), o.Reading.Flags()...)
}

// nodesFlag binds --nodes.
func (o *LogOptions) nodesFlag() cli.Flag {
	return cli.Int(&o.nodes, "nodes", values.PositiveInt, cli.About{Usage: "assume a machine of `N` nodes",
		Default: "MaxProcs or MaxNodes of the log", Hint: "for example --nodes 128"})
}

// MachineFlags binds the flags that say how a log is read, and what machine it comes from, for commands that take all its jobs.
func (o *LogOptions) MachineFlags() []cli.Flag {
	return append(topic(o.nodesFlag()).Referred(), o.Reading.Flags()...)
}

// Check refuses flags that exclude each other.
func (o *LogOptions) Check(inv *cli.Invocation) error {
	if o.interarrival > 0 && inv.Given("load") {
		return fault.Usagef("leave one of them out", "--load with --interarrival: both set the load")
	}
	return nil
}

// jobs returns which jobs of a log are wanted.
func (o *LogOptions) jobs(path string, h *joblog.Header) (jobs joblog.Range, err error) {
	jobs = joblog.Range{Sizes: o.sizes, Statuses: o.statuses}
	if jobs.From, err = o.from.in(path, h, "from"); err != nil {
		return jobs, err
	}
	jobs.To, err = o.to.in(path, h, "to")
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
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && output.Finite(seconds) {
		return moment{seconds: seconds}, nil
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return moment{}, fmt.Errorf("%q is neither a date nor a number of seconds", text)
	}
	return moment{day: text}, nil
}

// in returns the moment, which a flag says, in seconds from the beginning of a log.
func (m moment) in(path string, h *joblog.Header, flag string) (float64, error) {
	if m.day == "" {
		return m.seconds, nil
	}
	if !h.Dated() {
		return 0, fault.Usagef("give seconds from the beginning of the log", "--%s: %s does not say when it begins", flag,
			path)
	}
	day, err := time.ParseInLocation(time.DateOnly, m.day, h.Location())
	return float64(day.Unix() - h.UnixStartTime), err
}

// Estimates are the estimates of run times that --estimates names.
type Estimates struct {
	Name string
	New  func() workload.Estimator
}

// Logged are the estimates of the log.
func Logged() Estimates {
	return Estimates{(workload.Logged{}).Name(), func() workload.Estimator { return workload.Logged{} }}
}

// ParseEstimates reads the name of estimates, with its parameter where it takes one.
func ParseEstimates(text string) (Estimates, error) {
	fresh, err := workload.ParseEstimator(text)
	return Estimates{text, fresh}, err
}
