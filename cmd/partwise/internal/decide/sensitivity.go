package decide

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// addSensitivity adds to the result what the parameters do. Without two stable policies there is nothing to add, which
// is no error: the results say so themselves.
func addSensitivity(inv *cli.Invocation, file *modelfile.Model, set markov.Settings, r *cli.Result) error {
	found, err := decide.Sensitivity(inv.Context, file.System, set, inv.Workers)
	if errors.Is(err, markov.ErrUnstable) {
		inv.Warnf("no sensitivity: dynamic and some static partitioning must be stable")
		return nil
	}
	if err != nil {
		return model.MethodError(set.Method, err)
	}
	for _, w := range found.Warnings {
		inv.Warnf("sensitivity: %s", cli.Plain(w))
	}
	r.JSON.Add("sensitivity", sensitivityObject(found))
	r.CSV = append(r.CSV, sensitivityRows(found)...)
	r.Tables = append(r.Tables, sensitivityTable(found))
	r.Notes = append(r.Notes, sensitivitySentence(found)...)
	return nil
}

// parameterName is that of a parameter in JSON and CSV.
func parameterName(e decide.Effect) string {
	return strings.NewReplacer(" ", "_", "-", "").Replace(e.Parameter)
}

func sensitivityObject(s *decide.Elasticities) output.Object {
	rows := []output.Object{}
	for _, e := range s.Effects {
		rows = append(rows, output.Object{
			{Name: "parameter", Value: parameterName(e)},
			{Name: "dynamic", Value: e.Dynamic},
			{Name: "best_static", Value: e.Static},
			{Name: "ratio", Value: e.Ratio},
			{Name: "error", Value: e.Error},
		})
	}
	return output.Object{
		{Name: "partitions", Value: s.Partitions},
		{Name: "step", Value: s.Step},
		{Name: "parameters", Value: rows},
	}
}

func sensitivityRows(s *decide.Elasticities) [][]string {
	var rows [][]string
	for _, e := range s.Effects {
		name := "sensitivity_" + parameterName(e)
		rows = append(rows, []string{policy.Dynamic{}.Name(), "", name, output.Shortest(e.Dynamic)},
			[]string{policy.Static{}.Name(), strconv.Itoa(s.Partitions), name, output.Shortest(e.Static)})
	}
	return rows
}

func sensitivityTable(s *decide.Elasticities) output.Table {
	t := output.Table{
		Title: "Change per 1 % of a parameter, the others held",
		Columns: []output.Column{{Name: "parameter"}, {Name: "T dynamic", Number: true},
			{Name: fmt.Sprintf("T static:%d", s.Partitions), Number: true}, {Name: "ratio", Number: true}},
	}
	for _, e := range s.Effects {
		t.Rows = append(t.Rows, []string{e.Parameter, signedPercent(e.Dynamic), signedPercent(e.Static),
			signedPercent(e.Ratio)})
	}
	return t
}

// signedPercent writes an elasticity as the change in per cent that 1 % makes.
func signedPercent(v float64) string {
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
