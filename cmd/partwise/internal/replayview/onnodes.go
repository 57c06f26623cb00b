package replayview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/replay"
)

// OnNodesObjects returns what JSON has of runs on several numbers of nodes: their times, and how much faster jobs are than under EASY on the
// first number.
func OnNodesObjects(runs []*replay.Run) []output.Object {
	var all []output.Object
	for _, run := range runs {
		o := output.Pairs("nodes", run.Nodes, "policy", run.Policy.String(), "malleable_share", run.Share)
		for _, name := range []string{measure.OfferedLoad, measure.MeanResponseTime, measure.MeanWaitingTime} {
			o.Add(name, run.Measures[name])
		}
		o.Add("ratio_to_easy", estimateObject(run.Ratio()))
		o.Add("ratio_to_first_nodes", onFirst(run))
		all = append(all, o)
	}
	return all
}

// OnNodesTable has a row for each run on several numbers of nodes; nil without runs.
func OnNodesTable(runs []*replay.Run) *output.List {
	if len(runs) == 0 {
		return nil
	}
	return output.NewList("", "What more nodes would bring: the log under EASY, and with malleable jobs", output.NoCSV, runs, func(one **replay.Run) output.Row {
		run := *one
		share := "none"
		if run.Resizes() {
			share = output.Tenths(run.Share)
		}
		against := run.RatioToFirst()
		return output.Row{output.InTable("nodes").Is(run.Nodes), output.InTable("malleable jobs").Is(share),
			output.InTable("response [s]").Right().Is(tableSeconds(run.Measures[measure.MeanResponseTime])),
			output.InTable("waiting [s]").Right().Is(tableSeconds(run.Measures[measure.MeanWaitingTime])),
			output.InTable("time against EASY on fewest nodes").Right().Is(change(against.Mean)),
			intervalColumn.Is(output.NonZero(changes(against)))}
	})
}
