package replayview

import (
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// pools has what came of the jobs of each partition that is a machine of its own; nil if the jobs share one machine.
func pools(run *replay.Run) any {
	if len(run.Pools) == 0 {
		return nil
	}
	all := make([]output.Object, len(run.Pools))
	for i := range run.Pools {
		p := &run.Pools[i]
		all[i] = slices.Concat(output.Pairs("pool", p.Name, "nodes", p.Nodes, "jobs", p.Jobs,
			measure.MeanResponseTime, p.Measures[measure.MeanResponseTime], measure.MeanWaitingTime, p.Measures[measure.MeanWaitingTime]),
			replayedPairs(p.Waits), output.Pairs("ratio_to_easy", estimateObject(run.RatioInPool(i))))
	}
	return all
}

// poolCells returns the cells that name a partition in a table: its name, its nodes in a unit, and its jobs.
func poolCells(p *replay.PoolRun, unit joblog.Unit) output.Row {
	return output.Row{output.InTable("partition").Is(p.Name), output.InTable(output.UnitWord(unit) + "s").Is(p.Nodes),
		output.InTable("jobs").Is(p.Jobs)}
}

// poolTable has, for each partition, the waits and response times of all policies side by side.
func (r *Replay) poolTable(runs []*replay.Run) *output.List {
	rows := make([]output.Row, len(runs[0].Pools))
	for i := range rows {
		of := func(name string) func(*replay.Run) float64 {
			return func(run *replay.Run) float64 { return run.Pools[i].Measures[name] }
		}
		rows[i] = slices.Concat(poolCells(&runs[0].Pools[i], r.Log.SizesIn()),
			r.besides(runs, "response [s]", 0, of(measure.MeanResponseTime)), r.besides(runs, "waiting [s]", 0,
				of(measure.MeanWaitingTime)))
	}
	return output.TableOfRows("By partition, each a machine of its own", rows)
}

// PoolTable has, for each partition, the response time under EASY and what shares of malleable jobs change; nil if the
// jobs share one machine.
func (g *Gains) PoolTable() *output.List {
	if len(g.Runs) == 0 || len(g.EASY.Pools) == 0 {
		return nil
	}
	rows := make([]output.Row, len(g.EASY.Pools))
	for i := range rows {
		p := &g.EASY.Pools[i]
		rows[i] = append(poolCells(p, g.Unit), secondsColumn("under EASY [s]").Is(p.Measures[measure.MeanResponseTime]),
			secondsColumn("waiting").Is(p.Measures[measure.MeanWaitingTime]))
		for _, run := range g.Runs {
			column := output.InTable(words.Tenths(run.Share) + " malleable").Right().Else("–")
			rows[i] = append(rows[i], column.If(p.Jobs > 0, change(run.RatioInPool(i).Mean)))
		}
	}
	return output.TableOfRows("Mean response time by partition, each a machine of its own: under EASY, and the change with "+
		"malleable jobs", rows)
}
