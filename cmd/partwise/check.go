package main

import (
	"fmt"
	"os"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
)

// checkCommand checks files; vocabulary is what studies of allocation may name.
func checkCommand(vocabulary spec.Vocabulary) command {
	return command{
		name:      "check",
		group:     describing,
		summary:   "check a model or study file and the results it expects",
		arguments: "FILE",
		details: "Reads the model or study FILE, all files it names included, and reports every mistake with its place. " +
			"Then it solves a model that lists expected results and compares. Exit code 6 if one differs by more than its " +
			"tolerance.",
		examples: []string{"partwise check model.yaml"},
		minArgs:  1, maxArgs: 1,
		formats: []string{"json", "csv", "markdown", "table"},
		run:     func(inv *invocation) error { return check(inv, vocabulary) },
	}
}

func check(inv *invocation, vocabulary spec.Vocabulary) error {
	if data, err := os.ReadFile(inv.args[0]); err == nil && spec.IsAllocation(inv.args[0], data) {
		return inv.checkAllocation(inv.args[0], vocabulary)
	}
	study, err := spec.LoadStudy(inv.args[0])
	if err != nil {
		return err
	}
	inv.doubts(study)
	var outcomes []outcome
	// What a model expects holds of the model as it is, not of the series of a study that change it.
	if model := study.Series[0].Model; model.File == study.File {
		if outcomes, err = inv.expectations(model); err != nil {
			return err
		}
	}
	if err := inv.emit(newChecked(inv.args[0], study.Title, outcomes)); err != nil {
		return err
	}
	return failedExpectations(outcomes)
}

// checkAllocation checks a study of allocation, which expects no results.
func (inv *invocation) checkAllocation(file string, vocabulary spec.Vocabulary) error {
	study, err := spec.LoadAllocation(file, vocabulary)
	if err != nil {
		return err
	}
	return inv.emit(newChecked(file, study.Title, nil))
}

// expectations solves what the expectations of a model speak of.
func (inv *invocation) expectations(file *spec.Model) ([]outcome, error) {
	var names []string
	for _, e := range file.Expect {
		names = append(names, e.Policy)
	}
	policies, err := subjects(file.System, names...)
	if err != nil {
		return nil, err
	}
	d, err := file.System.Decide(inv.ctx, policies, markov.Settings{}, inv.workers)
	if err != nil {
		return nil, err
	}
	return outcomesOf(file, &d), nil
}

func outcomesOf(file *spec.Model, d *models.Decision) []outcome {
	var all []outcome
	for _, e := range file.Expect {
		all = append(all, judge(d, e))
	}
	return all
}

func failedExpectations(outcomes []outcome) error {
	failed := 0
	var first outcome
	for _, o := range outcomes {
		if !o.pass {
			if failed++; failed == 1 {
				first = o
			}
		}
	}
	if failed == 0 {
		return nil
	}
	at := fmt.Sprintf("%s:%d:%d: %s", first.At.File, first.At.Line, first.At.Column, first.At.Path)
	if !first.exists {
		return fail(exitFailed, "%d of %d expectations fail; %s: the policy is unstable", failed, len(outcomes), at)
	}
	return fail(exitFailed, "%d of %d expectations fail; %s: expected %s, found %s", failed, len(outcomes), at,
		output.Shortest(first.Value), output.Shortest(first.found))
}

func newChecked(file, title string, outcomes []outcome) *result {
	r := &result{json: output.Object{{Name: "version", Value: resultVersion}, {Name: "title", Value: title}}}
	r.csv = [][]string{{"policy", "measure", "expected", "value", "relative_error", "tolerance", "pass"}}
	table := output.Table{Columns: []output.Column{{Name: "policy"}, {Name: "measure"}, {Name: "expected", Number: true},
		{Name: "found", Number: true}, {Name: "error", Number: true}, {Name: "tolerance", Number: true}, {Name: ""}}}
	rows := []output.Object{}
	passed := 0
	for _, o := range outcomes {
		object := output.Object{{Name: "policy", Value: o.Policy}, {Name: "measure", Value: o.Measure.Name},
			{Name: "expected", Value: o.Value}}
		tolerance := output.Shortest(o.Tolerance)
		cells := []string{o.Policy, o.Measure.Name, output.Shortest(o.Value), "", "", tolerance, fmt.Sprint(o.pass)}
		people := []string{o.Policy, o.Measure.Name, output.Round(o.Value, 6), "unstable", "", tolerance, "differs"}
		if o.exists {
			object.Add("value", o.found)
			object.Add("relative_error", o.relative)
			cells[3], cells[4] = output.Shortest(o.found), output.Shortest(o.relative)
			people[3], people[4] = output.Round(o.found, 6), output.Round(o.relative, 2)
		}
		if o.pass {
			passed++
			people[6] = "ok"
		}
		object.Add("tolerance", o.Tolerance)
		object.Add("pass", o.pass)
		rows = append(rows, object)
		r.csv = append(r.csv, cells)
		table.Rows = append(table.Rows, people)
	}
	r.json.Add("results", rows)
	r.json.Add("pass", passed == len(outcomes))
	if len(outcomes) > 0 {
		r.tables = []output.Table{table}
		r.notes = []string{fmt.Sprintf("%s: %d of %d expectations hold.", file, passed, len(outcomes))}
	} else {
		r.notes = []string{fmt.Sprintf("%s: no mistakes; it lists no expected results.", file)}
	}
	return r
}
