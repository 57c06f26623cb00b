package solvecmd

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// addSensitivity adds to the result what the parameters do. Without two stable policies there is nothing to add, which
// is no error: the results say so themselves.
func addSensitivity(inv *cli.Invocation, file *modelfile.Model, set markov.Settings, r *output.Result) error {
	found, err := decide.Sensitivity(inv.Context, file.System, set, inv.Workers)
	if errors.Is(err, markov.ErrUnstable) {
		inv.Warnf("no sensitivity: dynamic and some static partitioning must be stable")
		return nil
	}
	if err != nil {
		return input.MethodError(set.Method, err)
	}
	for _, w := range found.Warnings {
		inv.Warnf("sensitivity: %s", cli.Plain(w))
	}
	effects := found.Effects
	number := func(key, name string, of func(e *decide.Effect) float64) output.Column {
		return output.Column{Key: key, Name: name, Value: func(i int) any { return of(&effects[i]) }, Text: signedPercent}
	}
	static := func(e *decide.Effect) float64 { return e.Static }
	dynamic := func(e *decide.Effect) float64 { return e.Dynamic }
	r.Add("sensitivity", output.Object{
		{Name: "partitions", Value: found.Partitions},
		{Name: "step", Value: found.Step},
		{Name: "parameters", Value: &output.List{Title: "Change per 1 % of a parameter, the others held", Len: len(effects),
			Form: output.NoCSV, Columns: []output.Column{
				{Key: "parameter", Value: func(i int) any { return parameterName(&effects[i]) }},
				{Name: "parameter", Value: func(i int) any { return effects[i].Parameter }},
				number("dynamic", "T dynamic", dynamic),
				number("best_static", fmt.Sprintf("T static:%d", found.Partitions), static),
				number("ratio", "ratio", func(e *decide.Effect) float64 { return e.Ratio }),
				number("error", "", func(e *decide.Effect) float64 { return e.Error }),
			}}},
	})
	for _, p := range []struct {
		policy.Policy
		of func(e *decide.Effect) float64
	}{{policy.Dynamic{}, dynamic}, {policy.Static{Partitions: found.Partitions}, static}} {
		r.List(&output.List{Len: 1, Form: output.Long, Columns: append(
			input.PolicyColumns(func(int) policy.Policy { return p.Policy }), effectCells(effects, p.of)...)})
	}
	r.Notes = append(r.Notes, sensitivitySentence(found)...)
	return nil
}

// effectCells returns the effect of each parameter as a measure of CSV.
func effectCells(effects []decide.Effect, of func(e *decide.Effect) float64) []output.Column {
	var columns []output.Column
	for i := range effects {
		e := &effects[i]
		columns = append(columns, output.Column{Key: "sensitivity_" + parameterName(e), Value: func(int) any { return of(e) }})
	}
	return columns
}

// parameterName returns the name of a parameter in JSON and CSV.
func parameterName(e *decide.Effect) string {
	return strings.NewReplacer(" ", "_", "-", "").Replace(e.Parameter)
}

// signedPercent writes an elasticity as the change in per cent that 1 % makes.
func signedPercent(value any) string {
	v := value.(float64)
	if math.Abs(v) < 5e-5 {
		return "0 %"
	}
	return fmt.Sprintf("%+.4f %%", v)
}

// sensitivitySentence names the parameter that moves the decision most.
func sensitivitySentence(s *decide.Elasticities) []string {
	if len(s.Effects) == 0 {
		return nil
	}
	e := s.Effects[0]
	toward := "dynamic"
	if e.Ratio < 0 {
		toward = "static"
	}
	return []string{fmt.Sprintf("The ratio depends most on the %s: 1 %% more moves it by %.2g %% towards %s partitioning.",
		e.Parameter, math.Abs(e.Ratio), toward)}
}
