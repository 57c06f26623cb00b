package main

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/validate"
)

func validateCommand() command {
	return command{
		name:      "validate",
		summary:   "compare the solved model with a simulation of the machine",
		arguments: "FILE",
		details: "Solves and simulates each policy and tests every measure; the family-wise error is 1 % by Holm's " +
			"procedure. Exit code 6 if a policy fails. At machine fidelity the difference is a finding, not an error.",
		examples: []string{
			"partwise validate model.yaml",
			"partwise validate model.yaml --load 0.5 --policy dynamic --precision 0.5%",
		},
		flags:   append(modelFlags(), simulationFlags()...),
		minArgs: 1, maxArgs: 1,
		formats: []string{"json", "csv", "markdown", "table"},
		run:     validateModel,
	}
}

// familyWise is the probability that a correct simulation is rejected.
const familyWise = 0.01

func validateModel(inv *invocation) error {
	options, err := inv.simulationOptions()
	if err != nil {
		return err
	}
	file, err := inv.model()
	if err != nil {
		return err
	}
	asked, err := inv.policies(file.System)
	if err != nil {
		return err
	}
	decision, err := file.System.Decide(inv.ctx, asked.solved, markov.Settings{}, inv.workers)
	if err != nil {
		return methodError("", err)
	}
	if !asked.stable(&decision) {
		return unstable(file, asked.shown(&decision))
	}
	var policies []models.Policy
	for _, r := range asked.shown(&decision) {
		if r.Measures.Stable {
			policies = append(policies, r.Policy)
			continue
		}
		for _, w := range warnings(file, &r) {
			inv.warn("%v is left out: %s", r.Policy, w)
		}
	}
	runs, _, err := inv.simulations(file, policies, options)
	if err != nil {
		return err
	}
	var comparisons []validate.Comparison
	for _, s := range runs {
		comparisons = append(comparisons, validate.Compare(decision.Of(s.Policy).Measures, s, familyWise))
	}
	inv.markPartial(runs)
	if err := inv.emit(newValidated(file, runs, comparisons)); err != nil {
		return err
	}
	if err := precisionReached(runs, options.Precision); err != nil {
		return err
	}
	return verdict(comparisons, options.Fidelity)
}

// verdict returns an error if a policy failed; at machine fidelity the simulation is of another machine than the model.
func verdict(comparisons []validate.Comparison, fidelity validate.Fidelity) error {
	for _, c := range comparisons {
		if c.Pass || fidelity == validate.MachineFidelity {
			continue
		}
		for _, row := range c.Rows {
			if !row.Pass {
				return fail(exitFailed, "validation failed: %v %s: solved %s, simulated %s (z = %s)", c.Policy, row.Measure,
					output.Round(row.Analytic, 6), output.Round(row.Simulated, 6), output.Round(row.Z, 3))
			}
		}
	}
	return nil
}

// newValidated lays out the comparisons, one row per policy and measure.
func newValidated(file *spec.Model, runs []validate.Simulation, comparisons []validate.Comparison) *result {
	r := &result{json: heading(file)}
	r.csv = [][]string{{"policy", "partitions", "measure", "value", "low", "high", "half_width", "analytic", "z", "pass"}}
	table := output.Table{
		Title: headline(file),
		Columns: []output.Column{{Name: "policy"}, {Name: "measure"}, {Name: "solved", Number: true},
			{Name: "simulated", Number: true}, {Name: "±", Number: true}, {Name: "difference", Number: true},
			{Name: "z", Number: true}, {Name: ""}},
	}
	rows, simulated := []output.Object{}, []output.Object{}
	pass := true
	for i, c := range comparisons {
		pass = pass && c.Pass
		simulated = append(simulated, simulatedObject(&runs[i]))
		for _, row := range c.Rows {
			rows = append(rows, validatedObject(c.Policy, row))
			r.csv = append(r.csv, validatedCSV(c.Policy, row))
			table.Rows = append(table.Rows, validatedCells(c.Policy, row))
		}
		r.notes = append(r.notes, conclusion(c, &runs[i]))
	}
	r.json.Add("results", rows)
	r.json.Add("pass", pass)
	r.json.Add("simulations", simulated)
	r.tables = []output.Table{table}
	return r
}

func validatedObject(p models.Policy, row validate.Row) output.Object {
	o := policyObject(p)
	o.Add("measure", row.Measure)
	o.Add("analytic", row.Analytic)
	o.Add("simulated", row.Simulated)
	o.Add("low", row.Low)
	o.Add("high", row.High)
	o.Add("half_width", (row.High-row.Low)/2)
	if row.Judged {
		o.Add("z", row.Z)
		o.Add("p", row.P)
	}
	o.Add("judged", row.Judged)
	o.Add("pass", row.Pass)
	return o
}

func validatedCSV(p models.Policy, row validate.Row) []string {
	z := ""
	if row.Judged {
		z = output.Shortest(row.Z)
	}
	return append(policyCells(p), row.Measure, output.Shortest(row.Simulated), output.Shortest(row.Low),
		output.Shortest(row.High), output.Shortest((row.High-row.Low)/2), output.Shortest(row.Analytic), z,
		fmt.Sprint(row.Pass))
}

func validatedCells(p models.Policy, row validate.Row) []string {
	word, z, difference := "ok", "", ""
	switch {
	case !row.Judged:
		word = "too few events"
	case !row.Pass:
		word = "differs"
	}
	if row.Judged {
		z = fmt.Sprintf("%.2f", row.Z)
	}
	if row.Analytic != 0 {
		difference = fmt.Sprintf("%+.2f %%", 100*(row.Simulated/row.Analytic-1))
	}
	return []string{p.String(), row.Measure, output.Round(row.Analytic, 5), output.Round(row.Simulated, 5),
		output.Round((row.High-row.Low)/2, 2), difference, z, word}
}

// conclusion is the sentence about one policy.
func conclusion(c validate.Comparison, s *validate.Simulation) string {
	jobs := fmt.Sprintf("%d jobs in %d replications", s.Jobs, s.Replications)
	if s.Fidelity == validate.MachineFidelity {
		for _, row := range c.Rows {
			if row.Measure == "mean_response_time" {
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
