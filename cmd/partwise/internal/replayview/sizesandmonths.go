package replayview

import (
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// sizes returns what a run did to the jobs of each size.
func sizes(run *replay.Run) *output.List {
	return output.NewTable("", run.Sizes, func(s *metric.SizeClass) output.Row {
		return output.Row{output.Data("from", s.From), output.Data("to", s.To), output.Data("jobs", s.Jobs),
			output.Data(measure.MeanResponseTime, s.MeanResponse()), output.Data(measure.MeanSlowdown, s.MeanSlowdown())}
	})
}

// months returns what a run did to the jobs of each month; nil if the log is not dated.
func months(run *replay.Run) any {
	if len(run.Months) == 0 {
		return nil
	}
	return output.NewTable("", run.Months, func(m *metric.Month) output.Row {
		row := output.Row{output.Data("month", monthName(m)), output.Data("jobs", m.Jobs)}
		return append(row, measured(m.Values, monthMeasures()...)...)
	})
}

func monthName(m *metric.Month) string { return m.From.Format("2006-01") }

// besides returns the cells that have all policies side by side.
func (r *Replay) besides(runs []*replay.Run, what string, decimals int, of func(run *replay.Run) float64) (row output.Row) {
	for _, run := range runs {
		row = append(row, output.InTable(r.label(run)+" "+what).Decimals(decimals).Else("–").Is(of(run)))
	}
	return row
}

// sizeTable has, for each size of jobs, the response times and slowdowns of all policies side by side.
func (r *Replay) sizeTable(runs []*replay.Run) *output.List {
	sizes := runs[0].Sizes
	rows := make([]output.Row, len(sizes))
	for i, s := range sizes {
		rows[i] = slices.Concat(output.Row{output.InTable(r.unit() + "s").Is(s.String()), output.InTable("jobs").Is(s.Jobs)},
			r.besides(runs, "response [s]", 0, func(run *replay.Run) float64 { return run.Sizes[i].MeanResponse() }),
			r.besides(runs, "slowdown", 1, func(run *replay.Run) float64 { return run.Sizes[i].MeanSlowdown() }))
	}
	return output.TableOfRows("By "+r.unit()+"s asked for", rows)
}

// monthTable has, for each month, the response times and slowdowns of all policies side by side.
func (r *Replay) monthTable(runs []*replay.Run) *output.List {
	rows := make([]output.Row, len(runs[0].Months))
	for i := range rows {
		m := &runs[0].Months[i]
		of := func(name string) func(*replay.Run) float64 {
			return func(run *replay.Run) float64 { return run.Months[i].Values[name] }
		}
		rows[i] = slices.Concat(output.Row{output.InTable("month").Is(monthName(m)),
			output.InTable("load").Decimals(3).Else("–").Is(m.Values[measure.OfferedLoad]), output.InTable("jobs").Is(m.Jobs)},
			r.besides(runs, "response [s]", 0, of(measure.MeanResponseTime)),
			r.besides(runs, "bounded slowdown", 1, of(measure.MeanBoundedSlowdown)))
	}
	return output.TableOfRows("By month of submission", rows)
}
