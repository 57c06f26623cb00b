package validatecmd

import (
	"cmp"
	_ "embed"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/simulatecmd"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate"
)

//go:embed validate.txt
var help string

// Command returns the command that compares a solved model with its simulation.
func Command(table policy.Table) cli.Command {
	fresh := func() *simulatecmd.Options {
		return simulatecmd.NewOptions(table, runners, string(validate.BothFidelities), validate.ModelFidelity,
			validate.MachineFidelity, validate.BothFidelities)
	}
	return cli.WithOptions(fresh, validateModel, cli.Described(help, cli.Command{
		RunsPolicies: policy.Chain,
	}))
}

// runners run the policies that can be asked for. Policies that only whole nodes can run are simulated and not judged.
const runners = policy.Chain | policy.WholeNodes

// solve finds the solutions that are compared; tests make it err.
var solve = decide.Solve

func validateModel(inv *cli.Invocation, o *simulatecmd.Options) error {
	file, err := o.File(inv)
	if err != nil {
		return err
	}
	run := o.Simulator(inv, file)
	given := run
	if o.Run.Precision == 0 {
		run.MinJobs = max(validate.EnoughJobs, run.MaxJobs)
	}
	if err := o.AddJobs(inv, file, &given); err != nil {
		return err
	}
	asked, left, err := o.SelectCompared(inv.On(runners), file, input.AnyMethod())
	if err != nil {
		return err
	}
	if err := simulatecmd.CheckJobs(inv, file, asked.Run, &run); err != nil {
		return err
	}
	chains, beside := decide.SplitByChain(file.System, inv.Table, asked) // the others are simulated only
	if len(chains.Run) == 0 {
		return fault.Usagef("add a policy that has a chain, or use partwise simulate",
			"--policy: %s has no exact chain to be compared with", asked.Run[0])
	}
	decision, err := solve(inv.Context, file.System, chains.Run, markov.Settings{Memory: inv.Memory}, inv.Workers)
	if err != nil {
		return input.MethodError("", err)
	}
	shown := decision.Shown(chains)
	policies, unstable := stable(inv, file, shown)
	if len(policies) == 0 {
		v := &validation{validate.Validation{Unstable: unstable}, file, left}
		return cmp.Or(inv.Emit(v.result()), input.Unstable(file, shown))
	}
	v := &validation{*validate.NewValidation(slices.Concat(policies, beside), run, given), file, left}
	v.Unstable = unstable
	if err := v.run(inv, &decision); err != nil {
		return err
	}
	var explained *logview.Explanation
	if given.Replay != nil && !v.Interrupted {
		if explained, err = explainLog(inv, file, given, policies, &decision); err != nil {
			return err
		}
	}
	if err := v.emit(inv, explained); err != nil {
		return err
	}
	return cmp.Or(simulatecmd.Shortfall(v.Runs(true), v.Interrupted, run.Precision), v.failure(), verdict(explained))
}

// stable returns the policies whose chains are stable, and the solutions of the others. A warning says why each of
// these is left out.
func stable(inv *cli.Invocation, file *modelfile.Model, shown []decide.Solved) (
	policies []policy.Policy, unstable []decide.Solved) {
	for _, r := range shown {
		if r.Measures.Stable {
			policies = append(policies, r.Policy)
			continue
		}
		for _, w := range input.Warnings(file.TimeUnit.Name, &r) {
			inv.Warnf("%v is left out: %s", r.Policy, w)
		}
		unstable = append(unstable, r)
	}
	return policies, unstable
}

// validation lays out simulations of a model beside its solutions.
type validation struct {
	validate.Validation
	file *modelfile.Model
	left []output.LeftOut // that are not compared
}

// run carries out the plan of the validation, and compares the simulations with the solutions in d.
func (v *validation) run(inv *cli.Invocation, d *decide.Decision) error {
	err := v.Simulate(func(i, n int, s validate.Simulator, p policy.Policy) (validate.Simulations, error) {
		sims, err := simulatecmd.Run(inv.Step(i, n), []policy.Policy{p}, s)
		for _, unstable := range sims.Refused {
			inv.Warn(input.PerUnit(unstable, v.file.TimeUnit))
		}
		return sims, err
	})
	if err != nil {
		return err
	}
	return v.Compare(inv.Context, d, func(err error) { inv.Warnf("%v; only the simulation has them", err) })
}

// emit writes the result, with what explains a log if it was replayed.
func (v *validation) emit(inv *cli.Invocation, explained *logview.Explanation) error {
	if v.Interrupted {
		inv.MarkPartial()
	}
	r := v.result()
	addExplanation(r, explained)
	return inv.Emit(r)
}

// further returns all variants but the first.
func (v *validation) further() []*validate.Variant {
	if len(v.Variants) == 0 {
		return nil
	}
	return v.Variants[1:]
}

// failure returns an error if a policy failed.
func (v *validation) failure() error {
	c, row := v.Failure()
	if row == nil {
		return nil
	}
	return fault.Failf(fault.ExitFailed, "validation failed: %v %s: solved %s, simulated %s (z = %s)%s", c.Policy, measureOf(row),
		words.Round(row.Analytic, 6), words.Round(row.Simulated, 6), words.Round(row.Z, 3), on(c))
}
