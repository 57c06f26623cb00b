package solvecmd

import (
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// newResult returns what solve found. The second value are the percentiles that were asked for and are missing.
func newResult(inv *cli.Invocation, o *options, file *modelfile.Model, asked *policy.Selection,
	d *decide.Decision) (r *output.Result, missing []error, err error) {
	shown := d.Shown(asked)
	percentiles, missing := percentilesOf(inv, shown, o.percentiles)
	if err := inv.Context.Err(); err != nil {
		return nil, nil, err
	}
	levels := make([]output.Row, len(shown))
	for i := range shown { // a solution by modes may need another method for them
		if m := &shown[i].Measures; m.Stable && inv.Format == "json" {
			p, err := m.LevelProbabilities(inv.Context)
			if err != nil {
				return nil, nil, err
			}
			levels[i] = levelCells(inv, &shown[i], p)
		}
	}
	unit := file.TimeUnit.Name
	r = &output.Result{Object: input.Heading(file), Assumed: input.Assumed(file.Assumed)}
	l := &output.List{Name: "results", Title: input.Headline(file), Len: len(shown), Form: output.Long, Unit: unit,
		Row: func(i int) output.Row {
			row := solution.Row(&shown[i], func(k int) output.Row { return percentileCells(ofClass(percentiles[i], k)) })
			row = append(row, percentileCells(percentiles[i])...)
			return append(append(row, levels[i]...), output.InJSON("diagnostics", solution.Diagnostics(&shown[i], unit)))
		}}
	r.List(l.Show(solution.Shown()...))
	if len(shown) == 1 {
		l.Show()
		r.List(measureTable(file, &shown[0], percentiles[0]))
	}
	for _, t := range percentileTables(unit, shown, percentiles) {
		r.List(t)
	}
	r.List(solution.Classes(shown, unit, func(i, k int) output.Row { return percentileCells(ofClass(percentiles[i], k)) }))
	if asked.Every && d.Best != nil {
		r.Add("best_static", solution.BestObject(d.Best))
		r.Add("ratio", output.Positive(d.Ratio))
	}
	if toFCFS := d.CompareWith(policy.FCFS{}).Ratio; toFCFS > 0 {
		r.Add("ratio_to_fcfs", toFCFS)
	}
	switch {
	case len(d.Failed) > 0: // nothing can be said of the best
	case asked.Every && file.Servers == 0: // the servers of a queue are no split among others
		r.Notes = append(r.Notes, d.Sentences("", file.System.Load())...)
	case len(shown) == 1 && shown[0].Measures.Stable:
		r.Notes = append(r.Notes, shown[0].Sentence(file.System.Load(), unit))
	default:
		r.Notes = append(r.Notes, d.SentencesAmong(file.System.Load())...)
	}
	return r, missing, nil
}

// wholeList is a probability, ten times the rest at which a list of level probabilities ends, below which the list is whole.
const wholeList = 1e-11

// levelCells returns the cells of the level probabilities p of a policy. If the list is cut at its largest length, a cell has the
// probability of more jobs, and a note tells the user.
func levelCells(inv *cli.Invocation, r *decide.Solved, p []float64) output.Row {
	row := output.Row{output.InJSON("level_probabilities", p)}
	if len(p) == 0 {
		return row
	}
	rest := 1 - floats.Sum(p)
	if rest < wholeList {
		return row
	}
	inv.Notef("%v: level_probabilities end at %s jobs; with probability %s there are more jobs", r.Policy,
		words.Whole(len(p)-1), words.Round(rest, 3))
	return append(row, output.InJSON("level_probabilities_rest", rest))
}

// measureTable returns the table of one policy, a measure a row.
func measureTable(file *modelfile.Model, r *decide.Solved, p *decide.Percentiles) *output.List {
	unit := file.TimeUnit.Name
	var rows []output.Row
	add := func(name, value, unit string) {
		rows = append(rows, output.Row{output.InTable("measure").Is(name), output.InTable("value").Right().Is(value),
			output.InTable("unit").Is(unit)})
	}
	digits := r.Measures.Diagnostics.Digits()
	for _, q := range models.Table() {
		if v, ok := r.Measures.Of(q.Name); ok {
			add(q.Name, certain(v, digits), q.Unit.In(unit))
		}
	}
	if m := &r.Measures; m.Stable {
		add("digits", strconv.Itoa(m.Diagnostics.Digits()), "certain")
	} else {
		add(measure.MaxArrivalRate, words.Round(m.MaxArrivalRate, 6), "1/"+unit)
	}
	if p != nil {
		for _, time := range p.Times {
			for k, q := range decide.Percents() {
				add(time.Name+" "+words.Shortest(q)+" %", certain(time.Values[k], digits), unit)
			}
		}
	}
	return output.TableOfRows(input.Headline(file)+", "+r.Policy.String(), rows)
}

// certain writes a number to six significant digits, or to fewer if fewer are certain.
func certain(v float64, digits int) string {
	return words.Round(words.Certain(v, digits), min(6, max(1, digits)))
}
