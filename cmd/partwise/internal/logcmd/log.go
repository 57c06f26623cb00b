// Package logcmd describes the jobs of a log and their estimates, and makes logs from models of jobs: the commands log and
// lab workload.
package logcmd

import (
	_ "embed"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

//go:embed log.txt
var logHelp string

// Command is the command that describes a job log.
func Command() cli.Command {
	return cli.WithOptions(newLogOptions, showLog, cli.Described(logHelp, cli.Command{
		First: []string{"nodes", "by", "pool", "partition", "time-zone", "plot"},
	}))
}

// logOptions are the flags of log.
type logOptions struct {
	input.LogOptions
	load      float64 // that the jobs are to offer; 0: as logged
	estimates input.Estimates
	swfOutput string        // "": none
	by        []logstats.By // of the tables that are added
	pool      study.Pooling // "": the whole machine
	plot      chart.Picture
	seed      uint64
}

func newLogOptions() *logOptions {
	return &logOptions{seed: cli.DefaultSeed, estimates: input.Logged()}
}

// Flags binds the flags.
func (o *logOptions) Flags() []cli.Flag {
	return append(cli.Explained(o.LogOptions.Flags(), "nodes", "partition", "time-zone"),
		input.OneLoad(&o.load, "replay", cli.About{
			Usage: "stretch the times between submissions so that the jobs offer the load `LOAD`"}),
		input.Plot(&o.plot, "arrivals, their dependence, sizes, run times and estimates"),
		input.EstimatesFlag(&o.estimates, "compare run times with the estimates `ESTIMATES`: ", "for example --estimates history"),
		input.By(&o.by, "add tables by `LIST`, each with jobs, node-hours and waits: ", ""),
		input.Pool(&o.pool, "machine"),
		cli.OutputFile(&o.swfOutput, "swf-output", "write the jobs to `FILE`, in Standard Workload Format"),
		cli.Seed(&o.seed, "draw random estimates from the seed `N`"))
}

// mostGarbage is the most garbage in per cent of the memory in use, see [input.SpareMemory]. The memory is packed jobs and lists
// of numbers, so a collection has little to look at: with 5 per cent a million jobs take 63 MB in place of 82 MB, in the same
// time.
const mostGarbage = 5

func showLog(inv *cli.Invocation, o *logOptions) error {
	o.NameNodes() // partitions have the nodes on which their jobs ran
	o.AssumeNodes()
	log, err := o.Select(inv, inv.Args[0])
	if err != nil {
		return err
	}
	if log, err = log.In(o.pool); err != nil {
		return err
	}
	defer input.SpareMemory(log.Offer.Jobs, mostGarbage)()
	offered, err := log.At(o.load)
	if err != nil {
		return err
	}
	described, err := study.Describe(inv.Context, offered)
	if err != nil {
		return input.WithRemedy(err)
	}
	if o.swfOutput != "" {
		if err := log.WriteSWF(o.swfOutput, described.Jobs); err != nil {
			return err
		}
	}
	log.WarnSkipped()
	log.WarnOverload(offered.Load())
	l, err := o.viewOf(log, offered, described)
	if err != nil {
		return err
	}
	for _, text := range l.Warnings(log.Assumed != nil) {
		inv.Warnf("%s: %s", log.Name, text)
	}
	r := l.Result()
	r.Assumed = log.Assumed
	if err := inv.Emit(r); err != nil {
		return err
	}
	if !o.plot.Wanted() {
		return nil
	}
	return input.Draw(inv, o.plot, l.Figure())
}

// viewOf returns the view of a log and its description, with the partitions, drawn estimates and groups that the flags ask for.
func (o *logOptions) viewOf(log *input.Selection, offered replay.Offered, described *study.Log) (*logview.Log, error) {
	l := logview.New(log.Log, &log.Source, described)
	if log.Pools != nil {
		l = l.WithPools(log.Pools)
	}
	if o.estimates.Name != input.Logged().Name {
		stream := machine.Seed(o.seed).Stream()
		l = l.WithEstimates(o.estimates.Name, logstats.EstimatesOf(described.Jobs, o.estimates.New(), &stream))
	}
	for _, by := range o.by {
		groups, err := logstats.GroupsOf(described.Jobs.All(), &log.Range.Names, by, offered.Date())
		if err != nil {
			return nil, err
		}
		l = l.WithGroups(by, groups)
	}
	return l, nil
}
