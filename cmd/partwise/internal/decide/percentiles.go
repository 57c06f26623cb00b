package decide

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/validate"
)

// percentilesOf returns the percentiles of the results that are shown, if they were asked for or belong to the table of
// a single static policy. Those under dynamic partitioning take seconds; where following a job would take much longer, or
// only resized jobs stop, they are simulated. Those of one policy that are missing keep nobody from the others'.
func percentilesOf(inv *cli.Invocation, file *modelfile.Model, shown []decide.Solved, asked bool) (all []*decide.Percentiles,
	missing []error) {
	all = make([]*decide.Percentiles, len(shown))
	single := len(shown) == 1 && shown[0].Partitions() > 0
	if !asked && !(single && (inv.Format == "table" || inv.Format == "markdown")) {
		return all, nil
	}
	for i := range shown {
		var err error
		all[i], err = shown[i].Percentiles(inv.Context)
		if refused := errors.Is(err, models.ErrTooLarge) || errors.Is(err, models.ErrNoChain); refused && asked &&
			validate.HasModel(shown[i].Policy) {
			all[i], err = simulatedPercentiles(inv, file, &shown[i])
		}
		switch {
		case err != nil && asked && !errors.Is(err, models.ErrTooLarge) && !errors.Is(err, models.ErrNoChain):
			missing = append(missing, err)
		case err != nil:
			inv.Warnf("%v", err)
		}
	}
	return all, missing
}

// The simulation of percentiles ends when the mean is known to percentilePrecision, or after percentileJobs.
const (
	percentilePrecision = 0.005
	percentileJobs      = 20_000_000
)

// simulatedPercentiles returns the percentiles of a policy by simulation, with intervals of 95 %.
func simulatedPercentiles(inv *cli.Invocation, file *modelfile.Model, r *decide.Solved) (*decide.Percentiles, error) {
	show, clear := inv.Display(fmt.Sprintf("%v, percentiles", r.Policy))
	defer clear()
	begin := time.Now()
	s, err := validate.Simulate(inv.Context, file.System, r.Policy, validate.Options{Precision: percentilePrecision,
		MaxJobs: percentileJobs, Seed: 1, Workers: inv.Workers, Progress: func(p validate.Progress) {
			show(progress.Of(float64(p.Jobs)/float64(max(p.Expected, p.Jobs, 1)), time.Since(begin), ""))
		}})
	if err == nil && s.Partial {
		err = context.Canceled
	}
	if err != nil {
		return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
	}
	times := decide.TimePercentiles{Name: "response_time"}
	for _, p := range decide.Percents {
		e, ok := s.Measure(measure.ResponseTimePercentile(p / 100))
		if !ok {
			return nil, nil
		}
		times.Values, times.HalfWidths = append(times.Values, e.Mean), append(times.HalfWidths, e.HalfWidth)
	}
	inv.Notef("%v: percentiles by simulating %d jobs, as the chain of a single job cannot be followed",
		r.Policy, s.Jobs)
	return &decide.Percentiles{Times: []decide.TimePercentiles{times}}, nil
}

// percentileObject is the values by their percentages.
func percentileObject(values []float64) output.Object {
	var o output.Object
	for i, p := range decide.Percents {
		o.Add(output.Shortest(p), values[i])
	}
	return o
}

// simulatedNote explains the intervals of a table.
const simulatedNote = "Percentiles with ± were simulated, and are known to that with a confidence of 95 %; the others are exact."

// addPercentiles adds percentiles, if there are any, to the row of a policy: of simulated ones also how far they are known.
func addPercentiles(o *output.Object, t *decide.Percentiles) {
	if t == nil {
		return
	}
	for _, time := range t.Times {
		o.Add(time.Name+"_percentiles", percentileObject(time.Values))
		if time.HalfWidths != nil {
			o.Add(time.Name+"_percentiles_half_width", percentileObject(time.HalfWidths))
			o.Add(time.Name+"_percentiles_method", "simulation")
		}
	}
	if t.Bound > 0 {
		o.Add("percentiles_error", t.Bound)
	}
}

// anySimulated reports whether any percentiles were simulated.
func anySimulated(all []*decide.Percentiles) bool {
	for _, t := range all {
		if t != nil && t.Times[0].HalfWidths != nil {
			return true
		}
	}
	return false
}

// percentileRows are the percentiles of a policy as rows of CSV; simulated ones with their intervals.
func percentileRows(r *decide.Solved, t *decide.Percentiles) [][]string {
	var rows [][]string
	if t == nil {
		return nil
	}
	for _, time := range t.Times {
		for i, p := range decide.Percents {
			row := append(model.PolicyCells(r.Policy), time.Name+"_p"+output.Shortest(p), output.Shortest(time.Values[i]))
			if h := time.HalfWidths; h != nil {
				v := time.Values[i]
				row = append(row, output.Shortest(v-h[i]), output.Shortest(v+h[i]), output.Shortest(h[i]))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// percentileTables are the percentiles of several policies, one table for each time; none if there are none.
func percentileTables(unit string, shown []decide.Solved, all []*decide.Percentiles) []output.Table {
	var tables []output.Table
	for _, name := range []string{"response_time", "waiting_time"} {
		words := map[string]string{"response_time": "response time", "waiting_time": "waiting time"}[name]
		t := output.Table{Title: "Percentiles of the " + words + " [" + unit + "]", Columns: []output.Column{{Name: "policy"}}}
		for _, p := range decide.Percents {
			t.Columns = append(t.Columns, output.Column{Name: output.Shortest(p) + " %", Number: true})
		}
		for i, of := range all {
			if of == nil {
				continue
			}
			for _, time := range of.Times {
				if time.Name == name {
					t.Rows = append(t.Rows, append([]string{shown[i].Policy.String()}, percentileCells(time, 4)...))
				}
			}
		}
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// percentileCells are the percentiles of one time with so many digits, simulated ones with four and half of their
// intervals.
func percentileCells(t decide.TimePercentiles, digits int) []string {
	cells := make([]string, len(t.Values))
	for i, v := range t.Values {
		cells[i] = output.Round(v, digits)
		if t.HalfWidths != nil {
			cells[i] = output.Round(v, 4) + " ±" + output.Round(t.HalfWidths[i], 2)
		}
	}
	return cells
}
