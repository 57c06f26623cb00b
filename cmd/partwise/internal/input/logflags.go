package input

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
)

// LogOptions are the flags that choose jobs of a log, and the machine that they ran on. When the jobs come, --load says,
// which commands bind themselves: some take several loads.
type LogOptions struct {
	Reading
	nodes        int     // 0: as the log says
	several      bool    // --nodes takes several numbers
	numbers      []int   // that --nodes gives, ascending
	assumeNodes  bool    // if neither the log nor the command line says it
	interarrival float64 // factor of the times between submissions; 0: as logged
	from, to     moment
	wanted       joblog.Range     // without its times and choices
	choices      [4]joblog.Choice // in the order of chosenBy; the zero value takes all jobs
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
	return slices.Concat(topic(
		cli.Unlisted(cli.Number(&o.interarrival, "interarrival", cli.About{Hint: "for example --load 0.8"})),
		o.nodesFlag(),
		cli.Value(&o.from, "from", parseMoment, cli.About{Usage: "take jobs submitted at `TIME` or later: a date such as " +
			"1996-10-01, or seconds from the log's beginning", Hint: "for example --from 1996-10-01"}),
		cli.Value(&o.to, "to", parseMoment, cli.About{Usage: "take jobs submitted before `TIME`",
			Hint: "for example --to 1996-10-01"}),
		cli.Value(&o.wanted.Sizes, "sizes", joblog.ParseSizes, cli.About{
			Usage: "take jobs of `MIN:MAX` nodes; either may be left out", Hint: "for example --sizes 2:64"}),
		cli.Values(&o.wanted.Statuses, "status", joblog.ParseStatus, cli.About{
			Usage: "take jobs of the status `STATUS`: completed, failed, cancelled, …; may be repeated",
			Hint:  "for example --status completed"}),
	).Referred(), topic(o.choiceFlags()...).Referred(), o.Reading.Flags())
}

// chosenBy are the labels by which flags choose jobs, with the words of their help.
var chosenBy = [4]struct {
	label joblog.Label
	jobs  string
}{
	{joblog.Partition, "of the partitions, or queues,"}, {joblog.User, "of the users"},
	{joblog.Account, "of the accounts, or groups,"}, {joblog.QOS, "with the qualities of service"},
}

// choiceFlags binds --partition, --user, --account and --qos.
func (o *LogOptions) choiceFlags() (flags []cli.Flag) {
	for i, by := range chosenBy {
		parse := func(text string) (joblog.Choice, error) { return joblog.ParseChoice(by.label, text) }
		flags = append(flags, cli.Value(&o.choices[i], string(by.label), parse,
			cli.About{Usage: "take jobs " + by.jobs + " of `LIST`; !NAME leaves a name out",
				Hint: fmt.Sprintf("for example --%s a,b or --%[1]s '!a'", by.label)}))
	}
	return flags
}

// unknownName says which flag has a name that no job of the log has. It returns other errors as they are.
func unknownName(path string, err error) error {
	var unknown *joblog.UnknownNameError
	if !errors.As(err, &unknown) {
		return err
	}
	if len(unknown.Known) == 0 {
		return fault.Usagef("leave it out", "--%[1]s: %[2]s does not tell the %[1]s of its jobs", unknown.Label, path)
	}
	return fault.Usagef(knownNames(unknown), "--%[1]s: no job of %[2]s has the %[1]s %[3]q", unknown.Label, path, unknown.Name)
}

// mostListed is the most names of a log that a remedy lists.
const mostListed = 12

// knownNames returns the remedy for a name that no job has: a name like it, or the first of all names.
func knownNames(e *joblog.UnknownNameError) string {
	if _, near := words.Nearest(e.Name, e.Known); near || len(e.Known) <= mostListed {
		return words.Suggest(e.Name, e.Known)
	}
	return fmt.Sprintf("the log has %d names: %s, …", len(e.Known), strings.Join(e.Known[:mostListed], ", "))
}

// AssumeNodes has the number of nodes of the machine assumed if neither the log nor --nodes says it: the distinct nodes on which
// jobs ran or, if the log does not name nodes, the most that jobs held at once.
func (o *LogOptions) AssumeNodes() { o.assumeNodes = true }

// SeveralNodes has --nodes take several numbers. Jobs are chosen that run on the least of them.
func (o *LogOptions) SeveralNodes() { o.several = true }

// Numbers returns the numbers of nodes that --nodes gives, ascending; none if it gives fewer than two.
func (o *LogOptions) Numbers() []int {
	if len(o.numbers) < 2 {
		return nil
	}
	return o.numbers
}

// defaultNodes is the number of nodes without --nodes; see [LogOptions.AssumeNodes].
const defaultNodes = "what the log says: MaxProcs or MaxNodes; log and study else assume the nodes on which jobs ran"

// nodesFlag binds --nodes.
func (o *LogOptions) nodesFlag() cli.Flag {
	if o.several {
		return cli.Then(cli.Value(&o.numbers, "nodes", values.WholeNumbers(1, math.MaxInt32),
			cli.About{Default: defaultNodes,
				Usage: "assume a machine of each number of nodes of `LIST`, values or ranges A:B:STEP",
				Hint:  "for example --nodes 128 or --nodes 100:140:10"}), func(*cli.Invocation) error {
			slices.Sort(o.numbers)
			o.numbers = slices.Compact(o.numbers)
			o.nodes = o.numbers[0]
			return nil
		})
	}
	return cli.Int(&o.nodes, "nodes", values.PositiveInt, cli.About{Usage: "assume a machine of `N` nodes",
		Default: defaultNodes, Hint: "for example --nodes 128"})
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

// jobs returns which jobs of a log the flags choose. Dates become seconds from the beginning of the log, as its header says.
func (o *LogOptions) jobs(path string, h *joblog.Header) (jobs joblog.Range, err error) {
	jobs = o.wanted
	for _, c := range o.choices {
		if len(c.Only)+len(c.Except) > 0 {
			jobs.Choices = append(jobs.Choices, c)
		}
	}
	if jobs.From, err = o.from.in(path, h, "from"); err != nil {
		return jobs, err
	}
	if jobs.To, err = o.to.in(path, h, "to"); err != nil {
		return jobs, err
	}
	if jobs.From != 0 && jobs.To != 0 && jobs.To <= jobs.From {
		return jobs, fault.Usagef("name a later --to: jobs submitted before it are taken", "--to %v is not after --from %v", o.to, o.from)
	}
	return jobs, nil
}

// moment is a time of a log: a day where its machine stands, or seconds from its beginning.
type moment struct {
	day     string // as time.DateOnly writes it; "" for seconds
	seconds float64
}

// String returns the moment as the command line names it.
func (m moment) String() string { return cmp.Or(m.day, strconv.FormatFloat(m.seconds, 'f', -1, 64)) }

// parseMoment reads a date such as 1996-10-01, or a number of seconds from the beginning of a log.
func parseMoment(text string) (moment, error) {
	if text == "" {
		return moment{}, nil
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && words.Finite(seconds) {
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
