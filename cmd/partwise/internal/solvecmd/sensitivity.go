package solvecmd

import (
	"errors"
	"fmt"
	"math"
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

// addSensitivity adds to the result what the parameters do. Without two stable policies there is nothing to add, which
// is no error: the results say so themselves.
func addSensitivity(inv *cli.Invocation, file *modelfile.Model, set markov.Settings, r *output.Result) error {
	found, err := decide.Sensitivity(inv.Context, file.System, set, inv.Workers)
	if errors.Is(err, markov.ErrUnstable) {
		inv.Warnf("no sensitivity: dynamic and some static partitioning must be stable")
		return nil
	}
	if errors.Is(err, models.ErrNoChain) { // of a static policy
		inv.Warnf("no sensitivity: %s", fault.PlainWithin(err))
		return nil
	}
	if err != nil {
		return input.MethodError(set.Method, err)
	}
	for _, w := range found.Warnings {
		inv.Warnf("sensitivity: %s", fault.PlainWithin(w))
	}
	r.Add("sensitivity", output.Pairs("partitions", found.Partitions, "step", found.Step, "parameters", effectTable(found)))
	r.List(output.ListOfRows("", "", output.Long, effectRows(found)).Show())
	r.Notes = append(r.Notes, words.NonEmpty(found.Sentence())...)
	return nil
}

// effectTable returns the changes of the response times and of their ratio, a row for each parameter.
func effectTable(found *decide.Elasticities) *output.List {
	static := policy.Static{Partitions: found.Partitions}
	change := func(key, head string) output.Column { return output.Col(key, head).Right().Written(signed) }
	dynamic, best, ratio := change("dynamic", "T dynamic"), change("best_static", "T "+static.String()), change("ratio", "ratio")
	return output.NewList("", "Change per 1 % of a parameter, the others held", output.NoCSV, found.Effects,
		func(e *decide.Effect) output.Row {
			row := output.Row{output.Data("parameter", parameterName(e)), output.InTable("parameter").Is(e.Parameter)}
			bound := output.Data("error", e.Error)
			if found.StaticOnly {
				return append(row, best.Is(e.Static), bound)
			}
			return append(row, dynamic.Is(e.Dynamic), best.Is(e.Static), ratio.Is(e.Ratio), bound)
		})
}

// effectRows returns the changes for CSV: a row for each policy, and a column for each parameter.
func effectRows(found *decide.Elasticities) []output.Row {
	ofPolicy := func(p policy.Policy, effect func(e *decide.Effect) float64) output.Row {
		row := output.Policy(p)
		for i := range found.Effects {
			e := &found.Effects[i]
			row = append(row, output.Data("sensitivity_"+parameterName(e), effect(e)))
		}
		return row
	}
	static := ofPolicy(policy.Static{Partitions: found.Partitions}, func(e *decide.Effect) float64 { return e.Static })
	if found.StaticOnly {
		return []output.Row{static}
	}
	return []output.Row{ofPolicy(policy.Dynamic{}, func(e *decide.Effect) float64 { return e.Dynamic }), static}
}

// parameterName returns the name of a parameter in JSON and CSV.
func parameterName(e *decide.Effect) string {
	return strings.NewReplacer(" ", "_", "-", "").Replace(e.Parameter)
}

// signed writes the change of a result, in per cent, with its sign.
func signed(change any) string {
	v := change.(float64)
	if math.Abs(v) < 5e-5 {
		return "0 %"
	}
	return fmt.Sprintf("%+.4f %%", v)
}
