package logview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
)

// Figure draws how much worse the rule becomes if one parameter is changed, a panel for each, with intervals.
func (v *Advice) Figure() *chart.Figure {
	f := &chart.Figure{Title: "How much worse the best rule, " + v.Rule.String() + ", gets", Series: []string{"the rule, changed"},
		Notes: sentences.Sentences("figure",
			map[string]any{"Level": 100 * v.Probability, "Jobs": v.Problem.Jobs, "Indifference": v.Indifference})}
	for _, flat := range v.Flat {
		p := chart.Panel{Title: "If only its " + flat.Name + " is changed", XLabel: flat.Name, HasRule: true,
			YLabel: objectiveWords[v.Objective] + ", higher by [%]"}
		if flat.Name == "cooldown" {
			p.XLabel = output.InUnit(p.XLabel, v.Unit.Name)
		}
		for i, x := range flat.Values {
			w := flat.Worse[i]
			if !w.IsKnown() {
				w.Low, w.High = w.Mean, w.Mean
			}
			p.AddInterval(chart.Line{}, shownAt(flat.Name, x, v.Problem.Machine), 100*w.Mean, 100*w.Low, 100*w.High)
		}
		p.Here = chart.Named{At: shownAt(flat.Name, v.Rule.Get(flat.Name), v.Problem.Machine), Name: "the rule"}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// shownAt returns where a value of a parameter stands on its axis. The value 0 leaves the parameter out. It stands at the value
// of the parameter that has the same effect.
func shownAt(name string, v float64, m policy.Machine) float64 {
	switch {
	case v != 0 || name == "cooldown" || name == "on":
		return v
	case name == "cap":
		return float64(m.Partitions())
	}
	return 1
}
