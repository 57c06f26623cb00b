package solvecmd

import (
	_ "embed"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/breakevencmd"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

//go:embed solve.txt
var help string

// Command returns the command that compares policies on a model.
func Command(table policy.Table) cli.Command {
	fresh := func() *options {
		return &options{ModelOptions: input.ModelOptions{Table: table, On: policy.Chain}, settings: input.AnyMethod()}
	}
	return cli.WithOptions(fresh, solve, cli.Described(help, cli.Command{
		RunsPolicies: policy.Chain,
	}))
}

// options are the flags of solve.
type options struct {
	input.ModelOptions
	settings                 markov.Settings
	sensitivity, percentiles bool
	bootstrap                int    // samples; 0: none
	export                   string // folder; "": none
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return append(o.ModelOptions.Flags(),
		cli.Summary(),
		input.Method(&o.settings),
		cli.Switch(&o.sensitivity, "sensitivity",
			"add by how much the response times and their ratio change with each parameter"),
		cli.Switch(&o.percentiles, "percentiles",
			"add percentiles of the response time and, under static policies, of the waiting time"),
		cli.Int(&o.bootstrap, "bootstrap", decide.SeveralSamples, cli.About{Hint: "for example --bootstrap 200",
			Usage: "add 95 % intervals and the probability that dynamic partitioning wins, from `B` samples of the " +
				"measurements that the model names in {fit: ...}"}),
		cli.Then(cli.Text(&o.export, "export", cli.About{File: true,
			Usage: "write the chains, state by state, into the new folder `DIR`, as CSV"}),
			func(inv *cli.Invocation) error { return inv.Files.Writes("export", o.export) }))
}

func solve(inv *cli.Invocation, o *options) error {
	if o.sensitivity && modelfile.IsQueue(inv.Args[0]) {
		return fault.Usagef("partwise sweep '"+inv.Args[0]+"' --load 0.1:0.9:0.1 solves the queue at each load",
			"--sensitivity compares ways to share a machine, and %s is a queue", inv.Args[0])
	}
	file, err := o.File(inv)
	if err != nil {
		return err
	}
	asked, left, err := o.SelectCompared(inv, file, o.settings)
	if err != nil {
		return err
	}
	input.Include(asked, file)
	o.settings.Memory = inv.Memory
	input.TellTime(inv, file.System, asked.Run, o.settings, 1)
	decision, err := decide.SolvePartly(inv.Context, file.System, asked.Run, o.settings, inv.Workers)
	if err != nil {
		return input.MethodError(o.settings.Method, err)
	}
	r, missing, err := newResult(inv, o, file, asked, &decision)
	if err != nil {
		return err
	}
	r.Add("left_out", output.LeftOutObjects(left))
	if len(decision.Failed) > 0 {
		inv.Warn(missing...)
		return partly(inv, o, r, &decision)
	}
	missing = append(missing, addAsked(inv, o, file, asked, &decision, r)...)
	if inv.Summary {
		r.Short = summary(inv, o, file, asked, &decision, r)
	}
	if err := inv.Context.Err(); err != nil {
		return err
	}
	shown := decision.Shown(asked)
	if o.export != "" {
		if err := exportChains(inv, o, file, shown); err != nil {
			return err
		}
	}
	if err := inv.Emit(r); err != nil {
		return err
	}
	for _, one := range shown {
		for _, w := range input.Warnings(file.TimeUnit.Name, &one) {
			inv.Warnf("%v: %s", one.Policy, w)
		}
	}
	if len(missing) > 0 { // from what has been printed
		inv.Warn(missing[1:]...)
		return input.MethodError(o.settings.Method, missing[0])
	}
	if err := input.Unstable(file, shown); err != nil {
		return err
	}
	return solution.Require(file, &decision)
}

// addAsked adds to the result how its solutions are to be read, and what the flags ask for beside them. It returns an error for
// each part that is missing.
func addAsked(inv *cli.Invocation, o *options, file *modelfile.Model, asked *policy.Selection, d *decide.Decision,
	r *output.Result) []error {
	missing := []error{solution.AddReading(inv, file, d, o.settings, r)}
	if o.sensitivity {
		missing = append(missing, addSensitivity(inv, file, o.settings, r))
	}
	if o.bootstrap > 0 {
		missing = append(missing, solution.AddBootstrap(inv, file, asked, d, o.bootstrap, o.settings, r))
	}
	return slices.DeleteFunc(missing, func(err error) bool { return err == nil })
}

// summary returns the sentences of the summary: the answer, how certain it is, and what would change it.
func summary(inv *cli.Invocation, o *options, file *modelfile.Model, asked *policy.Selection, d *decide.Decision,
	r *output.Result) []string {
	all := append(slices.Clone(r.Notes), solution.Certainty(decide.LeastAccurate(d.Shown(asked))))
	if asked.Every && d.Compare().BothStable {
		all = append(all, breakevencmd.Changes(inv.Context, file, o.settings, inv.Workers)...)
	}
	return all
}

// partly prints what could be solved, and returns why the rest could not. What compares policies, or asks for all of them,
// is left out.
func partly(inv *cli.Invocation, o *options, r *output.Result, d *decide.Decision) error {
	var failed []output.Object
	for _, f := range d.Failed {
		row := output.PolicyObject(f.Policy)
		row.Add("error", fault.PlainWithin(f.Err))
		failed = append(failed, row)
	}
	r.Add("failed", failed)
	if err := inv.Emit(r); err != nil {
		return err
	}
	for _, f := range d.Failed[1:] {
		inv.Warnf("%s", fault.PlainWithin(f))
	}
	return input.MethodError(o.settings.Method, d.Failed[0])
}
