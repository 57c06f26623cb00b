package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
)

// Validate is the command that compares a solved model with its simulation.
func Validate(table policy.Table) cli.Command {
	fresh := func() *validateOptions {
		o := &validateOptions{newRunOptions(table, policy.Chain)}
		o.precision = 0
		return o
	}
	return cli.WithOptions(fresh, validateModel, cli.Command{
		Name:      "validate",
		Group:     cli.Checking,
		Summary:   "compare the solved model with a simulation of the machine",
		Arguments: "FILE",
		Details: "Solves and simulates each policy and tests every measure; the family-wise error is 1 % by Holm's " +
			"procedure. Exit code 6 if a policy fails. Without --precision at least 10,000,000 jobs of each policy are simulated; " +
			"a sentence says how large an error would have been noticed. Further columns have the same machine with whole nodes " +
			"(unless --fidelity model), with measured demands and with the jobs of a log; their differences are reported and are " +
			"no failures. With a log it also says why model and log differ, replaying the log with one assumption of the model " +
			"after the other; exit code 6 if they decide differently.",
		Examples: []string{
			"partwise validate model.yaml",
			"partwise validate model.yaml --load 0.5 --policy dynamic --precision 0.5%",
			"partwise validate model.yaml --policy dynamic --log log.swf.gz",
		},
		MinArgs: 1, MaxArgs: 1,
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.Chain,
	})
}

// bothFidelities is what --fidelity says for one after the other.
const bothFidelities validate.Fidelity = "both"

// validateOptions are the flags of validate.
type validateOptions struct{ runOptions }

// Flags binds the flags.
func (o *validateOptions) Flags() []cli.Flag {
	fidelities := []validate.Fidelity{validate.ModelFidelity, validate.MachineFidelity, bothFidelities}
	return o.flags(fidelities, string(bothFidelities))
}

// testedJobs is how many jobs of each policy are simulated at least, unless a precision is asked for: as many as show an
// overhead or a service time that is 3 % wrong in the chain.
const testedJobs = 10_000_000

// familyWise is the probability that a correct simulation is rejected.
const familyWise = 0.01

func validateModel(inv *cli.Invocation, o *validateOptions) error {
	file, err := o.File(inv)
	if err != nil {
		return err
	}
	options := o.of(inv)
	fidelity := cmp.Or(o.fidelity, bothFidelities)
	given := options
	if o.precision == 0 {
		options.MinJobs = testedJobs
	}
	if err := o.addTo(inv, file, o.Load, &given); err != nil {
		return err
	}
	asked, err := o.Select(inv, file.System)
	if err != nil {
		return err
	}
	decision, err := decide.Solve(inv.Context, file.System, asked.Run, markov.Settings{Memory: inv.Memory}, inv.Workers)
	if err != nil {
		return model.MethodError("", err)
	}
	if !model.Stable(asked, &decision) {
		return model.Unstable(file, model.Shown(asked, &decision))
	}
	v := &validation{inv: inv, file: file, options: options, fidelity: fidelity, given: given}
	for _, r := range model.Shown(asked, &decision) {
		if r.Measures.Stable {
			v.policies = append(v.policies, r.Policy)
			continue
		}
		for _, w := range model.Warnings(file.TimeUnit.Name, &r) {
			inv.Warnf("%v is left out: %s", r.Policy, w)
		}
	}
	comparisons, err := v.compare(&decision)
	if err != nil {
		return err
	}
	if given.Replay != nil && !v.main.interrupted {
		if v.log, err = explainLog(inv, file, given, v.policies, &decision); err != nil {
			return err
		}
	}
	markPartial(inv, v.main)
	if err := inv.Emit(v.result(comparisons)); err != nil {
		return err
	}
	if v.main.interrupted {
		return v.main.interruption(options.Precision)
	}
	if err := precisionReached(v.main.runs, options.Precision); err != nil {
		return err
	}
	if err := verdict(comparisons, v.main.runs); err != nil {
		return err
	}
	return v.log.verdict()
}

// compare simulates the policies and holds what was solved against that.
func (v *validation) compare(decision *decide.Decision) ([]validate.Comparison, error) {
	if err := v.simulate(); err != nil {
		return nil, err
	}
	var comparisons []validate.Comparison
	for _, s := range v.main.runs {
		comparisons = append(comparisons, validate.Compare(decision.Of(s.Policy).Measures, s, familyWise))
	}
	return comparisons, nil
}

// validation is the simulations of the policies that were solved: the one that is tested, and others to look at.
type validation struct {
	inv            *cli.Invocation
	file           *modelfile.Model
	policies       []policy.Policy
	fidelity       validate.Fidelity
	options, given validate.Options // as the model says, and with other jobs
	main           simulations
	others         []crossCheck
	log            *logReport // nil without a log
	begun, of      int        // simulations, for the progress of a command that does more than these
}

// crossCheck is a column of simulations of another machine, or of other jobs, than the model's.
type crossCheck struct {
	name, header string
	stopped      string // who stops on whole nodes
	runs         []validate.Simulation
}

func (w crossCheck) of(p policy.Policy) *validate.Simulation {
	for i := range w.runs {
		if w.runs[i].Policy == p {
			return &w.runs[i]
		}
	}
	return nil
}

// simulate simulates policy by policy, column by column. What is interrupted is left as far as it has come.
func (v *validation) simulate() error {
	for _, p := range v.policies {
		o := v.options
		o.Fidelity = validate.ModelFidelity
		if v.fidelity == validate.MachineFidelity || !validate.HasModel(p) {
			o.Fidelity = validate.MachineFidelity
		}
		if err := v.add(&v.main, p, o); err != nil || v.main.interrupted {
			return err
		}
	}
	whole := v.options
	whole.Fidelity, whole.MinJobs = validate.MachineFidelity, 0
	if v.fidelity == bothFidelities {
		// Static partitions are whole at either fidelity.
		err := v.crossCheck("machine", "whole nodes", whole, func(p policy.Policy) bool {
			return !isStatic(p) && validate.HasModel(p)
		})
		if err != nil {
			return err
		}
	}
	name := ""
	switch {
	case v.given.Replay != nil:
		name = "log"
	case v.given.Sample != nil:
		name = "demands"
	default:
		return nil
	}
	v.given.Fidelity = validate.MachineFidelity
	return v.crossCheck(name, name, v.given, func(policy.Policy) bool { return true })
}

// add simulates one policy.
func (v *validation) add(to *simulations, p policy.Policy, o validate.Options) error {
	inv := v.inv
	if v.of > 0 {
		inv = inv.Step(v.begun, v.of)
		v.begun++
	}
	s, err := simulatePolicies(inv, v.file, []policy.Policy{p}, o)
	if errors.Is(err, context.Canceled) && len(v.main.runs) > 0 {
		to.interrupted = true
		return nil
	}
	for _, why := range s.refused {
		v.inv.Warnf("%v", why)
	}
	to.runs = append(to.runs, s.runs...)
	to.interrupted = to.interrupted || s.interrupted
	return err
}

// crossCheck adds a column of the policies that it makes sense for.
func (v *validation) crossCheck(name, header string, o validate.Options, of func(policy.Policy) bool) error {
	var column simulations
	for _, p := range v.policies {
		if !of(p) || v.main.interrupted {
			continue
		}
		if err := v.add(&column, p, o); err != nil {
			return err
		}
		v.main.interrupted = v.main.interrupted || column.interrupted
	}
	if column.runs != nil {
		stopped := "all jobs"
		if v.file.System.Stops == models.ResizedStop {
			stopped = "only the resized jobs"
		}
		v.others = append(v.others, crossCheck{name, header, stopped, column.runs})
	}
	return nil
}

// verdict returns an error if a policy failed; at machine fidelity the simulation is of another machine than the model.
func verdict(comparisons []validate.Comparison, runs []validate.Simulation) error {
	for i, c := range comparisons {
		if c.Pass || runs[i].Fidelity == validate.MachineFidelity {
			continue
		}
		for _, row := range c.Rows {
			if !row.Pass {
				return cli.Failf(cli.ExitFailed, "validation failed: %v %s: solved %s, simulated %s (z = %s)", c.Policy,
					row.Measure,
					output.Round(row.Analytic, 6), output.Round(row.Simulated, 6), output.Round(row.Z, 3))
			}
		}
	}
	return nil
}

// result lays out the comparisons, one row per policy and measure.
func (v *validation) result(comparisons []validate.Comparison) *cli.Result {
	r := &cli.Result{JSON: model.Heading(v.file)}
	columns := []string{"policy", "partitions", "measure", "value", "low", "high", "half_width", "analytic", "z", "pass"}
	table := output.Table{
		Title: model.Headline(v.file),
		Columns: []output.Column{{Name: "policy"}, {Name: "measure"}, {Name: "solved", Number: true},
			{Name: "simulated", Number: true}, {Name: "±", Number: true, Extra: true}, {Name: "difference", Number: true},
			{Name: "z", Number: true, Extra: true}, {Name: ""}},
	}
	for _, w := range v.others {
		columns = append(columns, w.name, w.name+"_low", w.name+"_high")
		table.Columns = append(table.Columns, output.Column{Name: w.header, Number: true},
			output.Column{Name: "±", Number: true, Extra: true},
			output.Column{Name: "difference", Number: true, Extra: true})
	}
	r.CSV = [][]string{columns}
	rows, simulations := []output.Object{}, []output.Object{}
	pass := true
	for i, c := range comparisons {
		pass = pass && (c.Pass || v.main.runs[i].Fidelity == validate.MachineFidelity)
		simulations = append(simulations, simulatedObject(&v.main.runs[i]))
		for _, row := range c.Rows {
			object, csv, cells := validatedObject(c.Policy, row), validatedCSV(c.Policy, row), validatedCells(c.Policy, row)
			for _, w := range v.others {
				w.append(c.Policy, row, &object, &csv, &cells)
			}
			rows = append(rows, object)
			r.CSV = append(r.CSV, csv)
			table.Rows = append(table.Rows, cells)
		}
		r.Notes = append(r.Notes, conclusion(c, &v.main.runs[i]))
		if v.main.runs[i].Fidelity == validate.ModelFidelity {
			r.Notes = append(r.Notes, detectable(c)...)
		}
	}
	for _, w := range v.others {
		for i := range w.runs {
			simulations = append(simulations, simulatedObject(&w.runs[i]))
			r.Notes = append(r.Notes, w.sentence(&w.runs[i], comparisons)...)
		}
	}
	r.JSON.Add("results", rows)
	r.JSON.Add("pass", pass)
	r.JSON.Add("simulations", simulations)
	if v.main.interrupted {
		r.JSON.Add("interrupted", true)
	}
	r.Tables = []output.Table{table}
	v.log.addTo(r)
	return r
}

// append adds the cells of the column to a row in all its forms.
func (w crossCheck) append(p policy.Policy, row validate.Row, object *output.Object, csv, cells *[]string) {
	var e validate.Estimate
	ok := false
	if s := w.of(p); s != nil {
		e, ok = s.Measure(row.Measure)
	}
	if !ok {
		*csv = append(*csv, "", "", "")
		*cells = append(*cells, "", "", "")
		return
	}
	o := output.Object{{Name: "value", Value: e.Mean}, {Name: "low", Value: e.Low}, {Name: "high", Value: e.High}}
	if row.Analytic != 0 {
		o.Add("difference", e.Mean/row.Analytic-1)
	}
	object.Add(w.name, o)
	*csv = append(*csv, output.Shortest(e.Mean), output.Shortest(e.Low), output.Shortest(e.High))
	*cells = append(*cells, output.Round(e.Mean, 5), output.Round(e.HalfWidth, 2), difference(row.Analytic, e.Mean))
}

// difference is what a simulated value differs by from a solved one, "" if that is 0.
func difference(solved, simulated float64) string {
	if solved == 0 {
		return ""
	}
	return fmt.Sprintf("%+.2f %%", 100*(simulated/solved-1))
}

// sentence is what there is to say about one simulation of the column.
func (w crossCheck) sentence(s *validate.Simulation, comparisons []validate.Comparison) []string {
	e, ok := s.Measure(measure.MeanResponseTime)
	for _, c := range comparisons {
		for _, row := range c.Rows {
			if !ok || c.Policy != s.Policy || row.Measure != e.Name {
				continue
			}
			change := 100 * (e.Mean/row.Analytic - 1)
			sure := 100 * e.HalfWidth / row.Analytic
			what := map[string]string{
				"machine": "with whole nodes, and " + w.stopped + " stopped,",
				"log":     "with the jobs of the log",
				"demands": "with the measured demands",
			}[w.name]
			return []string{fmt.Sprintf("%v: %s the mean response time differs by %+.1f %% ± %.1f %%.",
				c.Policy, what, change, sure)}
		}
	}
	return nil
}

func validatedObject(p policy.Policy, row validate.Row) output.Object {
	o := model.PolicyObject(p)
	o.Add("measure", row.Measure)
	o.Add("analytic", row.Analytic)
	o.Add("simulated", row.Simulated)
	o.Add("low", row.Low)
	o.Add("high", row.High)
	o.Add("half_width", (row.High-row.Low)/2)
	if row.Judged {
		o.Add("z", row.Z)
		o.Add("p", row.P)
		o.Add("detectable", row.Detectable)
	}
	o.Add("judged", row.Judged)
	o.Add("pass", row.Pass)
	return o
}

func validatedCSV(p policy.Policy, row validate.Row) []string {
	z := ""
	if row.Judged {
		z = output.Shortest(row.Z)
	}
	return append(model.PolicyCells(p), row.Measure, output.Shortest(row.Simulated), output.Shortest(row.Low),
		output.Shortest(row.High), output.Shortest((row.High-row.Low)/2), output.Shortest(row.Analytic), z,
		fmt.Sprint(row.Pass))
}

func validatedCells(p policy.Policy, row validate.Row) []string {
	word, z := "ok", ""
	switch {
	case !row.Judged:
		word = "too few events"
	case !row.Pass:
		word = "differs"
	}
	if row.Judged {
		z = fmt.Sprintf("%.2f", row.Z)
	}
	return []string{p.String(), row.Measure, output.Round(row.Analytic, 5), output.Round(row.Simulated, 5),
		output.Round((row.High-row.Low)/2, 2), difference(row.Analytic, row.Simulated), z, word}
}

// conclusion is the sentence about one policy.
func conclusion(c validate.Comparison, s *validate.Simulation) string {
	jobs := fmt.Sprintf("%s in %s", output.Count(s.Jobs, "job"), output.Count(s.Replications, "replication"))
	if s.Fidelity == validate.MachineFidelity {
		for _, row := range c.Rows {
			if row.Measure == measure.MeanResponseTime {
				return fmt.Sprintf("%v: with whole nodes the mean response time differs by %+.1f %% (%s).", c.Policy,
					100*(row.Simulated/row.Analytic-1), jobs)
			}
		}
	}
	if c.Pass {
		return fmt.Sprintf("%v: model and simulation agree (%s).", c.Policy, jobs)
	}
	return fmt.Sprintf("%v: model and simulation DIFFER (%s).", c.Policy, jobs)
}

// detectable is the sentence about the errors of the solution that the comparison would have noticed.
func detectable(c validate.Comparison) []string {
	var least, most, response *validate.Row
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Detectable == 0 {
			continue
		}
		if least == nil || row.Detectable < least.Detectable {
			least = row
		}
		if most == nil || row.Detectable > most.Detectable {
			most = row
		}
		if row.Measure == measure.MeanResponseTime {
			response = row
		}
	}
	if least == nil || response == nil {
		return nil
	}
	return []string{fmt.Sprintf("%v: errors from %s (%s) to %s (%s) would have been noticed with a probability of 80 %%, "+
		"in the mean response time of %s.", c.Policy, output.Percent(least.Detectable), least.Measure,
		output.Percent(most.Detectable), most.Measure, output.Percent(response.Detectable))}
}
