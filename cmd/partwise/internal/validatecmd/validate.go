package validatecmd

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/simulatecmd"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
)

//go:embed validate.txt
var help string

// Command returns the command that compares a solved model with its simulation.
func Command(table policy.Table) cli.Command {
	fresh := func() *simulatecmd.Options {
		return simulatecmd.NewOptions(table, runners, string(bothFidelities), validate.ModelFidelity, validate.MachineFidelity, bothFidelities)
	}
	return cli.WithOptions(fresh, validateModel, cli.Described(help, cli.Command{
		RunsPolicies: policy.Chain,
	}))
}

// runners run the policies that can be asked for. Policies that only whole nodes can run are simulated and not judged.
const runners = policy.Chain | policy.WholeNodes

// bothFidelities is what --fidelity says for one after the other.
const bothFidelities validate.Fidelity = "both"

// solve finds the solutions that are compared; tests make it err.
var solve = decide.Solve

func validateModel(inv *cli.Invocation, o *simulatecmd.Options) error {
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
	asked, err := o.SelectCompared(inv.On(runners), file, input.AnyMethod())
	if err != nil {
		return err
	}
	if err := simulatecmd.CheckJobs(inv, file, asked.Run, &run); err != nil {
		return err
	}
	chains, beside := withChains(inv.Table, asked)
	if len(chains.Run) == 0 {
		return fault.Usagef("add a policy that has a chain, or use partwise simulate", "--policy: %s has no exact chain to be compared with",
			asked.Run[0])
	}
	decision, err := solve(inv.Context, file.System, chains.Run, markov.Settings{Memory: inv.Memory}, inv.Workers)
	if err != nil {
		return input.MethodError("", err)
	}
	shown := decision.Shown(chains)
	var policies []policy.Policy
	var unstable []decide.Solved
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
	if len(policies) == 0 {
		v := &validation{file: file, unstable: unstable}
		return cmp.Or(inv.Emit(v.result()), input.Unstable(file, shown))
	}
	v, err := compare(inv, file, slices.Concat(policies, beside), &decision, run, given)
	if err != nil {
		return err
	}
	v.unstable = unstable
	var explained *logview.Explanation
	if given.Replay != nil && !v.interrupted {
		if explained, err = explainLog(inv, file, given, policies, &decision); err != nil {
			return err
		}
	}
	if v.interrupted {
		inv.MarkPartial()
	}
	r := v.result()
	addExplanation(r, explained)
	if err := inv.Emit(r); err != nil {
		return err
	}
	tested := v.of(true)
	return cmp.Or(tested.Shortfall(run.Precision), v.failure(), verdict(explained))
}

// withChains divides the policies that are asked for into those that have an exact chain, and others.
func withChains(table policy.Table, asked *policy.Selection) (chains *policy.Selection, others []policy.Policy) {
	hasNone := func(p policy.Policy) bool {
		e, known := table.Named(p.Name())
		return known && e.RunsOn&policy.Chain == 0
	}
	some := *asked
	some.Run, some.Named = slices.DeleteFunc(slices.Clone(asked.Run), hasNone), slices.DeleteFunc(slices.Clone(asked.Named), hasNone)
	for _, p := range asked.Named {
		if hasNone(p) {
			others = append(others, p)
		}
	}
	return &some, others
}

// validation is the simulations of the policies that were solved, the first column beside the solutions.
type validation struct {
	file        *modelfile.Model
	columns     []*column
	unstable    []decide.Solved // policies that are not simulated, because they cannot keep up
	untested    []error         // why whole nodes are not tested
	interrupted bool
}

// column is simulations of the model, of another machine, or of other jobs.
type column struct {
	key, head, words string // in JSON and CSV, in the table, in a sentence
	options          simulatecmd.Settings
	steps            []step
	tested           bool // against the solutions; otherwise shown beside them
	runs             []validate.Simulation
	comparisons      []validate.Comparison // of the runs, if they are tested
}

// step is a policy to be simulated.
type step struct {
	policy   policy.Policy
	fidelity validate.Fidelity
}

// compare simulates policies, and compares what was solved with that. run says how the model is simulated, at both
// fidelities if it says so; given has other jobs, or is the same.
func compare(inv *cli.Invocation, file *modelfile.Model, policies []policy.Policy, d *decide.Decision,
	run, given simulatecmd.Settings) (*validation, error) {
	v := &validation{file: file}
	v.plan(policies, run, given)
	if err := v.simulate(inv); err != nil {
		return nil, err
	}
	for _, c := range v.columns {
		for i := 0; c.tested && i < len(c.runs); i++ {
			solved := d.Of(c.runs[i].Policy)
			compared := validate.Unsolved(c.runs[i])
			if solved != nil {
				compared = validate.Compare(solved.Measures, c.runs[i], 0)
			}
			if run.Percentiles && c == v.columns[0] {
				if err := showPercentiles(inv, &compared, &c.runs[i], solved); err != nil {
					return nil, err
				}
			}
			c.comparisons = append(c.comparisons, compared)
		}
	}
	return v, nil
}

// plan lists what is to be simulated: in the first column the model or, if only whole nodes were asked for, divided nodes; then
// divided nodes, whole nodes, and other jobs. Static partitions are whole at any fidelity.
func (v *validation) plan(policies []policy.Policy, run, given simulatecmd.Settings) {
	first := &column{options: run, tested: true}
	divided := &column{key: "divided", head: "divided nodes", options: run, tested: true}
	stopped := "all jobs"
	if v.file.System.Stops == models.ResizedStop {
		stopped = "only the resized jobs"
	}
	whole := &column{key: "machine", head: "whole nodes", words: "with whole nodes, and " + stopped + " stopped,", options: run}
	whole.options.MinJobs = 0
	other := &column{key: "demands", head: "demands", words: "with the measured demands", options: given}
	if given.Replay != nil {
		other.key, other.head, other.words = "log", "log", "with the jobs of the log"
	}
	for _, p := range policies {
		finest, fidelity := validate.DividedFidelity, validate.ModelFidelity
		why := validate.Comparable(v.file.System, p)
		if why != nil {
			finest = validate.MachineFidelity
		}
		if run.Fidelity == validate.MachineFidelity || !validate.HasModel(p) {
			fidelity = finest
		}
		first.steps = append(first.steps, step{p, fidelity})
		if given.Replay != nil || given.Sample != nil {
			other.steps = append(other.steps, step{p, validate.MachineFidelity})
		}
		if onWholeNodes(v.file, p) || fidelity == run.Fidelity && fidelity == validate.ModelFidelity {
			continue
		}
		if why != nil {
			v.untested = append(v.untested, why)
		} else if fidelity == validate.ModelFidelity {
			divided.steps = append(divided.steps, step{p, finest})
		}
		if fidelity != validate.MachineFidelity && run.Fidelity != validate.ModelFidelity {
			whole.steps = append(whole.steps, step{p, validate.MachineFidelity})
		}
	}
	for _, c := range []*column{first, divided, whole, other} {
		if len(c.steps) > 0 {
			v.columns = append(v.columns, c)
		}
	}
}

// onWholeNodes reports whether a policy has no other simulation than the machine with whole nodes: those of the chain, under static
// partitioning and for rigid jobs, or those of a policy without a chain.
func onWholeNodes(file *modelfile.Model, p policy.Policy) bool {
	switch p.(type) {
	case policy.Splitting, policy.Queued:
		return true
	}
	_, err := file.System.Chain(p)
	return errors.Is(err, models.ErrNoChain)
}

// simulate simulates column by column, policy by policy. What is interrupted is left as far as it has come.
func (v *validation) simulate(inv *cli.Invocation) error {
	begun, of := 0, 0
	for _, c := range v.columns {
		of += len(c.steps)
	}
	for _, c := range v.columns {
		for _, step := range c.steps {
			o := c.options
			o.Fidelity = step.fidelity
			s, err := simulatecmd.Run(inv.Step(begun, of), v.file, []policy.Policy{step.policy}, o)
			begun++
			inv.Warn(s.Refused...)
			c.runs = append(c.runs, s.Runs...)
			switch {
			case s.Interrupted, errors.Is(err, context.Canceled) && len(v.columns[0].runs) > 0:
				v.interrupted = true
				return nil
			case err != nil:
				return err
			}
		}
	}
	return nil
}

// further returns the columns beside the first.
func (v *validation) further() []*column {
	if len(v.columns) == 0 {
		return nil
	}
	return v.columns[1:]
}

// of returns the simulations of all columns, or of those that are tested.
func (v *validation) of(tested bool) simulatecmd.Simulations {
	all := simulatecmd.Simulations{Interrupted: v.interrupted}
	for _, c := range v.columns {
		if c.tested || !tested {
			all.Runs = append(all.Runs, c.runs...)
		}
	}
	return all
}

// failure returns an error if a policy failed.
func (v *validation) failure() error {
	for _, c := range v.columns {
		for i := range c.comparisons {
			if row := c.comparisons[i].Failure(); row != nil {
				return fault.Failf(fault.ExitFailed, "validation failed: %v %s: solved %s, simulated %s (z = %s)%s", c.comparisons[i].Policy,
					measureOf(row), output.Round(row.Analytic, 6), output.Round(row.Simulated, 6), output.Round(row.Z, 3),
					on(&c.comparisons[i]))
			}
		}
	}
	return nil
}
