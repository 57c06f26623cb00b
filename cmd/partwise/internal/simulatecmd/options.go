package simulatecmd

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate"
)

// Options are the flags that say how to simulate a model, and which jobs.
type Options struct {
	input.ModelOptions
	Run     validate.Options // with a precision of 0 if the user gave no precision
	Log     string           // whose jobs are replayed; "": none
	maxJobs int              // 0: the bound of package validate
	demands column           // from which demands are drawn
	reading input.Reading    // of the log

	otherwise  string // the fidelity without --fidelity
	fidelities []validate.Fidelity
}

// NewOptions returns the options of a simulation of the jobs of the model. The flags take the policies of a table that
// a runner can run, and the listed fidelities. otherwise says which fidelity holds without the flag.
func NewOptions(table policy.Table, on policy.Runner, otherwise string, fidelities ...validate.Fidelity) *Options {
	return &Options{ModelOptions: input.ModelOptions{Table: table, On: on},
		Run: validate.Options{Seed: cli.DefaultSeed, Confidence: measure.Confidence}, otherwise: otherwise,
		fidelities: fidelities}
}

// Flags binds the flags.
func (o *Options) Flags() []cli.Flag {
	flags := append(o.ModelOptions.Flags(),
		cli.Then(cli.Value(&o.demands, "demands", parseColumn, cli.About{File: true,
			Usage: "draw the demands (run times on one node) from `FILE` or FILE:COLUMN, a CSV or JSON lines"}),
			func(inv *cli.Invocation) error { return inv.Reads(o.demands.file) }),
		cli.InputFile(&o.Log, "log", "replay the jobs of `LOG`, see partwise log: arrivals as logged, demands such that a job "+
			"on its own nodes runs as long as logged"),
		cli.Choice(&o.Run.Fidelity, "fidelity", "unknown fidelity", o.fidelities, cli.About{Default: o.otherwise,
			Usage: "simulate at the fidelity `FIDELITY`:"}),
		cli.Switch(&o.Run.Percentiles, "percentiles", "show percentiles of response and waiting times, with intervals"),
		cli.Seed(&o.Run.Seed, "draw random numbers from the seed `N`"))
	return slices.Concat(flags, o.Topic().Referred(), o.reading.Flags())
}

// Topic is the page of help about the flags of the precision of means.
func (o *Options) Topic() cli.Topic {
	d := validate.Defaults()
	return cli.Topic{Name: "precision",
		Summary: "the flags that say how long simulate and validate simulate, and how sure the means are",
		Details: "A simulation ends when the confidence interval of the mean response time is narrow enough.", Flags: []cli.Flag{
			cli.Value(&o.Run.Precision, "precision", values.Precision,
				cli.About{Default: words.Shortest(100*d.Precision) + "%", Hint: "for example --precision 1%",
					Usage: "stop when the relative half-width of that interval is below `E`"}),
			cli.Value(&o.Run.Confidence, "confidence", values.Share,
				cli.About{Default: words.Shortest(d.Confidence), Hint: "for example --confidence 0.95",
					Usage: "give confidence intervals of the level `LEVEL`"}),
			cli.Int(&o.Run.Replications, "replications", values.Between(1, values.MostReplications),
				cli.About{Default: strconv.Itoa(d.Replications),
					Usage: "run `N` independent replications", Hint: "for example --replications 32"}),
			cli.Int(&o.maxJobs, "jobs", values.Simulated, cli.About{Was: []string{"max-jobs"}, Default: strconv.FormatInt(d.MaxJobs, 10),
				Usage: "stop after `N` jobs of each policy, with exit code 5",
				Hint:  "for example --jobs 1000000"}),
		}}
}

// Check refuses flags that exclude each other.
func (o *Options) Check(inv *cli.Invocation) error {
	switch given := o.reading.Given(inv); {
	case o.demands.file != "" && o.Log != "":
		return fault.Usagef("leave one of them out", "--demands and --log: a log has demands of its own")
	case o.Log == "" && given != "":
		return fault.Usagef("add --log, or leave it out", "--%s without --log", given)
	}
	return nil
}

// Simulator returns what simulates the jobs of a model.
func (o *Options) Simulator(inv *cli.Invocation, file *modelfile.Model) validate.Simulator {
	run := o.Run
	run.MaxJobs, run.Workers, run.Table = int64(o.maxJobs), inv.Workers, inv.Table
	run.Precision = cmp.Or(run.Precision, validate.Defaults().Precision)
	return validate.Simulator{System: file.System, Options: run}
}
