package validatecmd

import (
	"cmp"
	"context"
	"errors"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logmodel"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/simulatecmd"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/replay"
)

// Command returns the command that compares a solved model with its simulation.
func Command(table policy.Table) cli.Command {
	fresh := func() *options { return &options{simulatecmd.NewOptions(table, policy.Chain)} }
	return cli.WithOptions(fresh, validateModel, cli.Command{
		Name:      "validate",
		Summary:   "compare the solved model with a simulation of the machine",
		Arguments: "FILE",
		Details: "Solves and simulates each policy and tests every measure; the family-wise error is 1 % by Holm's " +
			"procedure. Exit code 6 if a policy fails. Without --precision at least 10,000,000 jobs of each " +
			"policy are simulated. Further columns have the machine with whole nodes (unless --fidelity model), " +
			"with measured demands and with the jobs of a log; their differences are no failures. With a log it " +
			"also says which assumptions of the model make model and log differ; exit code 6 if they decide " +
			"differently.",
		Examples: []string{
			"partwise validate model.yaml",
			"partwise validate model.yaml --load 0.5 --policy dynamic --precision 0.5%",
			"partwise validate model.yaml --policy dynamic --log log.swf.gz",
		},
		RunsPolicies: policy.Chain,
	})
}

// bothFidelities is what --fidelity says for one after the other.
const bothFidelities validate.Fidelity = "both"

// options are the flags of validate.
type options struct{ simulatecmd.Options }

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return o.Options.Flags([]validate.Fidelity{validate.ModelFidelity, validate.MachineFidelity, bothFidelities},
		string(bothFidelities))
}

func validateModel(inv *cli.Invocation, o *options) error {
	file, err := o.File(inv)
	if err != nil {
		return err
	}
	run := o.Simulation(inv)
	given := run
	if o.Run.Precision == 0 {
		run.MinJobs = validate.EnoughJobs
	}
	if err := o.AddJobs(inv, file, &given); err != nil {
		return err
	}
	asked, err := o.Select(inv, file)
	if err != nil {
		return err
	}
	decision, err := decide.Solve(inv.Context, file.System, asked.Run, markov.Settings{Memory: inv.Memory}, inv.Workers)
	if err != nil {
		return input.MethodError("", err)
	}
	shown := decision.Shown(asked)
	if err := input.Unstable(file, shown); err != nil {
		return err
	}
	var policies []policy.Policy
	for _, r := range shown {
		if r.Measures.Stable {
			policies = append(policies, r.Policy)
			continue
		}
		for _, w := range input.Warnings(file.TimeUnit.Name, &r) {
			inv.Warnf("%v is left out: %s", r.Policy, w)
		}
	}
	v, err := compare(inv, file, policies, &decision, run, given)
	if err != nil {
		return err
	}
	var explained *Explanation
	if given.Replay != nil && !v.sims.Interrupted {
		if explained, err = explainLog(inv, file, given, policies, &decision, logmodel.Candidates()); err != nil {
			return err
		}
	}
	if v.sims.Interrupted {
		inv.MarkPartial()
	}
	r := v.result()
	explained.addTo(r)
	if err := inv.Emit(r); err != nil {
		return err
	}
	return cmp.Or(v.sims.Shortfall(run.Precision), v.failure(), explained.Verdict())
}

// validation is the simulations of the policies that were solved. The first column is tested, the others are shown.
type validation struct {
	file        *modelfile.Model
	columns     []*column
	sims        simulatecmd.Simulations // of the first column
	comparisons []validate.Comparison
}

// column is simulations of the model, of another machine, or of other jobs.
type column struct {
	key, head, words string // in JSON and CSV, in the table, in a sentence
	options          validate.Options
	policies         []policy.Policy
	runs             []validate.Simulation
}

// compare simulates policies, and compares what was solved with that. run says how the model is simulated, at both
// fidelities if it says so; given has other jobs, or is the same.
func compare(inv *cli.Invocation, file *modelfile.Model, policies []policy.Policy, d *decide.Decision,
	run, given validate.Options) (*validation, error) {
	v := &validation{file: file, columns: columns(file, policies, run, given)}
	if err := v.simulate(inv); err != nil {
		return nil, err
	}
	v.sims.Runs = v.columns[0].runs
	for _, s := range v.sims.Runs {
		v.comparisons = append(v.comparisons, validate.Compare(d.Of(s.Policy).Measures, s, 0))
	}
	return v, nil
}

// columns returns what is to be simulated.
func columns(file *modelfile.Model, policies []policy.Policy, run, given validate.Options) []*column {
	both := run.Fidelity == "" || run.Fidelity == bothFidelities
	if both {
		run.Fidelity = validate.ModelFidelity
	}
	all := []*column{{options: run, policies: policies}}
	if both {
		stopped := "all jobs"
		if file.System.Stops == models.ResizedStop {
			stopped = "only the resized jobs"
		}
		whole := &column{key: "machine", head: "whole nodes", words: "with whole nodes, and " + stopped + " stopped,", options: run}
		for _, p := range policies {
			if _, static := p.(policy.Static); !static && validate.HasModel(p) { // static partitions are whole at either fidelity
				whole.policies = append(whole.policies, p)
			}
		}
		whole.options.Fidelity, whole.options.MinJobs = validate.MachineFidelity, 0
		all = append(all, whole)
	}
	given.Fidelity = validate.MachineFidelity
	switch {
	case given.Replay != nil:
		all = append(all, &column{"log", "log", "with the jobs of the log", given, policies, nil})
	case given.Sample != nil:
		all = append(all, &column{"demands", "demands", "with the measured demands", given, policies, nil})
	}
	return all
}

// simulate simulates column by column, policy by policy. What is interrupted is left as far as it has come.
func (v *validation) simulate(inv *cli.Invocation) error {
	begun, of := 0, 0
	for _, c := range v.columns {
		of += len(c.policies)
	}
	for _, c := range v.columns {
		for _, p := range c.policies {
			o := c.options
			if !validate.HasModel(p) {
				o.Fidelity = validate.MachineFidelity
			}
			s, err := simulatecmd.Run(inv.Step(begun, of), v.file, []policy.Policy{p}, o)
			begun++
			for _, why := range s.Refused {
				inv.Warnf("%v", why)
			}
			c.runs = append(c.runs, s.Runs...)
			switch {
			case s.Interrupted, errors.Is(err, context.Canceled) && len(v.columns[0].runs) > 0:
				v.sims.Interrupted = true
				return nil
			case err != nil:
				return err
			}
		}
	}
	return nil
}

// all returns the simulations of all columns.
func (v *validation) all() (all []validate.Simulation) {
	for _, c := range v.columns {
		all = append(all, c.runs...)
	}
	return all
}

// failure returns an error if a policy failed.
func (v *validation) failure() error {
	for i := range v.comparisons {
		if row := v.comparisons[i].Failure(); row != nil {
			return cli.Failf(cli.ExitFailed, "validation failed: %v %s: solved %s, simulated %s (z = %s)", v.comparisons[i].Policy,
				row.Measure, output.Round(row.Analytic, 6), output.Round(row.Simulated, 6), output.Round(row.Z, 3))
		}
	}
	return nil
}

// Explain replays a log beside policies of a decision, and the log with one assumption of the chain after the other, as
// partwise validate --log does, with the costs of a resize and the bounds of jobs that a replay assumes.
func Explain(inv *cli.Invocation, file *modelfile.Model, log string, policies []policy.Policy, d *decide.Decision,
	a *replay.Assumptions) (*Explanation, error) {
	o := simulatecmd.NewOptions(inv.Table, policy.Chain)
	o.Log, o.Most = log, a.Most
	given := o.Simulation(inv)
	var err error
	if given.Costs, err = a.Cost.On(file.System.Machine(), 1, a.Stops); err != nil {
		return nil, err
	}
	if err := o.AddJobs(inv, file, &given); err != nil {
		return nil, err
	}
	return explainLog(inv, file, given, policies, d, nil)
}
