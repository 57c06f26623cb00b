package replayview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/replay"
)

// OnNodes returns a row for each run on several numbers of nodes: its times, and how much faster jobs are than under
// EASY on the same number of nodes (in JSON) and on the first number. unit is what one of the nodes is called. It
// returns nil without runs.
func OnNodes(runs []*replay.Run, unit string) *output.List {
	if len(runs) == 0 {
		return nil
	}
	title := "What more " + unit + "s would bring: the log under EASY, and with malleable jobs"
	return output.NewList("on_nodes", title, output.NoCSV, runs, func(one **replay.Run) output.Row {
		run, of := *one, (*one).Measures
		share, against := "none", run.RatioToFirst()
		if run.Resizes() {
			share = words.Tenths(run.Share)
		}
		row := output.Row{output.Col("nodes", unit+"s").Is(run.Nodes), output.Data("policy", run.Policy.String()),
			output.Data("malleable_share", run.Share), output.InTable("malleable jobs").Is(share)}
		for _, name := range []string{measure.OfferedLoad, measure.MeanResponseTime, measure.MeanWaitingTime} {
			row = append(row, output.Data(name, of[name]))
		}
		return append(row, secondsColumn("response [s]").Is(of[measure.MeanResponseTime]),
			secondsColumn("waiting [s]").Is(of[measure.MeanWaitingTime]),
			output.Data("ratio_to_easy", estimateObject(run.Ratio())), output.Data("ratio_to_first_nodes", onFirst(run)),
			output.InTable("time against EASY on fewest "+unit+"s").Right().Is(change(against.Mean)),
			intervalColumn.Is(output.NonZero(changes(against))))
	})
}
