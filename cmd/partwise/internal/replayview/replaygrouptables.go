package replayview

import (
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/replay"
)

// groupTables have, for each way to group jobs, the response times of all policies side by side, and who gains and who loses
// under policies that resize jobs. Sizes and months have tables of their own, so theirs say only who gains.
func (r *Replay) groupTables(runs []*replay.Run) (all []*output.List) {
	if len(runs) == 0 {
		return nil
	}
	resizing := resizingRuns(runs)
	for k, by := range runs[0].Groups {
		rows := make([]output.Row, len(by.Groups))
		for i := range rows {
			rows[i] = slices.Concat(groupCells(&by, i, r.Log.SizesIn()),
				r.besides(runs, "response [s]", 0, func(run *replay.Run) float64 { return run.Groups[k].Groups[i].MeanResponseTime }))
			for _, run := range resizing {
				e := run.RatioInGroup(k, i)
				rows[i] = append(rows[i], output.InTable(r.label(run)+" time against EASY").Right().Is(change(e.Mean)),
					output.InTable(r.label(run)+" "+intervalWords).Right().Else("–").Is(output.NonZero(changes(e))))
			}
		}
		all = append(all, output.TableOfRows("By "+groupWords(r.Log.SizesIn(), by.By)+": who gains and who loses", rows))
	}
	return all
}

// groupRowsOfCSV returns a row for each group of the jobs of a run.
func groupRowsOfCSV(run *replay.Run) (rows []output.Row) {
	for k, by := range run.Groups {
		for i := range by.Groups {
			g := &by.Groups[i]
			rows = append(rows, output.Row{output.InCSV("policy", run.Policy.String()),
				output.InCSV("by", string(by.By)), output.InCSV("group", g.Name),
				output.InCSV("jobs", g.Jobs), output.Measure(measure.MeanResponseTime).Is(g.MeanResponseTime),
				output.Measure(measure.MeanWaitingTime).Is(g.MeanWaitingTime), output.InCSV("malleable_share", run.Share),
				output.InCSV("ratio_to_easy", ifKnown(run.RatioInGroup(k, i)))})
		}
	}
	return rows
}
