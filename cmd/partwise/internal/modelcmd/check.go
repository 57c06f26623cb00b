package modelcmd

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

//go:embed check.txt
var help string

// Check returns the command that checks files.
func Check() cli.Command {
	return cli.Described(help, cli.Command{Run: check, Formats: []string{"json", "csv", "markdown", "table"}})
}

func check(inv *cli.Invocation) error {
	study, err := input.LoadStudy(inv, inv.Args[0])
	if err != nil {
		return err
	}
	var outcomes []outcome
	// What a model expects holds of the model as it is, not of the series of a study that change it.
	if model := study.Series[0].Model; model.File == study.File {
		if outcomes, err = expectations(inv, model); err != nil {
			return err
		}
	}
	failed := slices.DeleteFunc(slices.Clone(outcomes), func(o outcome) bool { return o.Pass })
	r := newChecked(inv.Args[0], study.Title, study.Series[0].Model.TimeUnit.Name, outcomes, len(failed))
	if classes := study.Series[0].Model.System.Classes; len(classes) > 0 {
		r.Note("Classes of jobs: %s.", strings.Join(words.Texts(classes, func(c models.Class) string { return c.Name }), ", "))
	}
	if err := inv.Emit(r); err != nil {
		return err
	}
	return failedExpectations(failed, len(outcomes))
}

// expectations solves what the expectations of a model speak of.
func expectations(inv *cli.Invocation, file *modelfile.Model) ([]outcome, error) {
	var needed policy.Selection
	for i := range file.Expect {
		needed.Add(file.Expect[i].Needs(file.System.Machine())...)
	}
	d, err := decide.Solve(inv.Context, file.System, needed.Run, markov.Settings{Memory: inv.Memory}, inv.Workers)
	if err != nil {
		return nil, err
	}
	var all []outcome
	for _, e := range file.Expect {
		all = append(all, outcome{e, d.Judge(&e.Expectation)})
	}
	return all, nil
}

// outcome is an expectation with what became of it.
type outcome struct {
	modelfile.Expectation
	decide.Judgement
}

// failedExpectations returns the error of expectations that fail, the first of which it names.
func failedExpectations(failed []outcome, all int) error {
	if len(failed) == 0 {
		return nil
	}
	first := failed[0]
	if !first.Exists {
		return fault.Failf(fault.ExitFailed, "%d of %d expectations fail; %s: the policy is unstable", len(failed), all, first.At)
	}
	return fault.Failf(fault.ExitFailed, "%d of %d expectations fail; %s: expected %s, found %s", len(failed), all, first.At,
		words.Shortest(first.Value), words.Shortest(first.Found))
}

// row returns what results say of an expectation.
func (o *outcome) row() output.Row {
	verdict := "differs"
	if o.Pass {
		verdict = "ok"
	}
	return output.Row{output.Col("policy", "policy").Is(o.PolicyName()), output.Col("measure", "measure").Is(o.Measure.Name),
		output.Col("expected", "expected").Digits(6).Is(o.Value),
		output.Col("value", "found").Digits(6).Else("unstable").If(o.Exists, o.Found),
		output.Col("relative_error", "error").Digits(2).If(o.Exists, o.Relative),
		output.Col("tolerance", "tolerance").Shortest().Is(o.Tolerance),
		output.Data("pass", o.Pass), output.InTable(" ").Is(verdict)}
}

func newChecked(file, title, unit string, outcomes []outcome, failed int) *output.Result {
	r := &output.Result{Object: output.Pairs("version", output.Version, "title", title, output.TimeUnit, unit)}
	l := output.NewList("results", "", output.Wide, outcomes, (*outcome).row)
	l.Sample = new(outcome).row() // a file may expect nothing
	r.List(l)
	r.Add("pass", failed == 0)
	if len(outcomes) > 0 {
		r.Note("%s: %d of %d expectations hold.", file, len(outcomes)-failed, len(outcomes))
	} else {
		r.Note("%s: no mistakes; it lists no expected results.", file)
	}
	return r
}
