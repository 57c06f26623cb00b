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
	static := policy.Static{Partitions: found.Partitions}
	change := func(key, head string) output.Column { return output.Col(key, head).Right().Written(signed) }
	r.Add("sensitivity", output.Pairs("partitions", found.Partitions, "step", found.Step, "parameters", output.NewList("",
		"Change per 1 % of a parameter, the others held", output.NoCSV, found.Effects, func(e *decide.Effect) output.Row {
			row := output.Row{output.Data("parameter", parameterName(e)), output.InTable("parameter").Is(e.Parameter)}
			best, bound := change("best_static", "T "+static.String()).Is(e.Static), output.Data("error", e.Error)
			if found.StaticOnly {
				return append(row, best, bound)
			}
			return append(row, change("dynamic", "T dynamic").Is(e.Dynamic), best, change("ratio", "ratio").Is(e.Ratio), bound)
		})))
	ofPolicy := func(p policy.Policy, effect func(e *decide.Effect) float64) output.Row {
		row := output.Policy(p)
		for i := range found.Effects {
			e := &found.Effects[i]
			row = append(row, output.Data("sensitivity_"+parameterName(e), effect(e)))
		}
		return row
	}
	var rows []output.Row
	if !found.StaticOnly {
		rows = append(rows, ofPolicy(policy.Dynamic{}, func(e *decide.Effect) float64 { return e.Dynamic }))
	}
	rows = append(rows, ofPolicy(static, func(e *decide.Effect) float64 { return e.Static }))
	r.List(output.ListOfRows("", "", output.Long, rows).Show())
	r.Notes = append(r.Notes, words.NonEmpty(found.Sentence())...)
	return nil
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
