package answer

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
)

// Data are measured times, one a line or a column of a table, in the unit of the model.
type Data struct {
	Name   string `json:"name"` // of the file
	Text   string `json:"text"`
	Column string `json:"column"` // empty: the only one with numbers
}

// Fit is a distribution of measured times.
type Fit struct {
	Values   int      `json:"values"`
	Mean     float64  `json:"mean"`
	SCV      float64  `json:"scv"`
	Phases   int      `json:"phases"`
	KS       float64  `json:"ks"` // distance from the data
	Dist     string   `json:"dist"`
	Tail     []Tail   `json:"tail"`
	Warnings []string `json:"warnings,omitempty"`
}

// Tail is how many times are longer than a value.
type Tail struct {
	Value float64 `json:"value"`
	Data  float64 `json:"data"`
	Fit   float64 `json:"fit"`
}

// mostPhases keeps chains small enough to be solved while a slider moves.
const mostPhases = 2

// mostTails is how many points of a tail are drawn.
const mostTails = 80

// fitted fits a distribution of few phases.
func fitted(ctx context.Context, q *Question, file *modelfile.Model) (any, error) {
	columns := workload.Columns{Value: q.Data.Column, Second: measure.Second().Convert(1, file.TimeUnit)}
	samples, err := workload.ReadSamples(strings.NewReader(q.Data.Text), q.Data.Name, columns)
	if err != nil {
		return nil, err
	}
	sample := fit.Sample{Values: samples.Values, Weights: samples.Weights, Censored: samples.Censored}
	ranked, err := fit.PhaseType(ctx, sample, fit.Options{MaxPhases: mostPhases})
	if err != nil {
		return nil, err
	}
	best := &ranked[0]
	compared, err := fit.Compare(ctx, sample, best.Dist)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"phase_type": map[string]any{"alpha": best.Dist.Alpha(), "T": modelfile.Rows(best.Dist.T())}})
	if err != nil {
		return nil, err
	}
	out := &Fit{Values: best.Samples, Mean: best.Dist.Mean(), SCV: best.Dist.SCV(), Phases: best.Phases, KS: best.KS,
		Dist: string(text), Warnings: modelfile.Texts(best.Warnings, error.Error)}
	step := 1 + (len(compared.Survival)-1)/mostTails
	for i := 0; i < len(compared.Survival); i += step {
		p := compared.Survival[i]
		out.Tail = append(out.Tail, Tail{p.At, p.Data, p.Fit})
	}
	return out, nil
}
