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
	type row struct {
		Key       string `key:"parameter"`
		Parameter string `head:"parameter"`
		Dynamic   effect `key:"dynamic" head:"T dynamic" form:"number"`
		Static    effect `key:"best_static" head:"T static" form:"number"`
		Ratio     effect `key:"ratio" head:"ratio" form:"number"`
		Error     effect `key:"error"`
	}
	rows := output.RowsOf(found.Effects, func(e decide.Effect) row {
		return row{parameterName(&e), e.Parameter, effect(e.Dynamic), effect(e.Static), effect(e.Ratio), effect(e.Error)}
	})
	l := output.ListOf("", "Change per 1 % of a parameter, the others held", output.NoCSV, rows, "")
	l.Column("best_static").Name = fmt.Sprintf("T static:%d", found.Partitions)
	r.Add("sensitivity", output.Pairs("partitions", found.Partitions, "step", found.Step, "parameters", l))
	policies := []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: found.Partitions}}
	columns := output.ColumnsOf(output.RowsOf(policies, input.NameOf), "")
	for _, row := range rows {
		columns = append(columns, output.Column{Key: "sensitivity_" + row.Key, Value: func(i int) any {
			return []float64{float64(row.Dynamic), float64(row.Static)}[i]
		}})
	}
	r.List(&output.List{Len: len(policies), Form: output.Long, Columns: columns})
	r.Notes = append(r.Notes, sensitivitySentence(found)...)
	return nil
}

// parameterName returns the name of a parameter in JSON and CSV.
func parameterName(e *decide.Effect) string {
	return strings.NewReplacer(" ", "_", "-", "").Replace(e.Parameter)
}

// effect is the change of a result in per cent that 1 % more of a parameter makes.
type effect float64

// String returns the effect with its sign.
func (e effect) String() string {
	if math.Abs(float64(e)) < 5e-5 {
		return "0 %"
	}
	return fmt.Sprintf("%+.4f %%", float64(e))
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
