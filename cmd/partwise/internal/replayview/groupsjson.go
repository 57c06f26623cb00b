package replayview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/replay"
)

// groups has, for each way to group jobs, what came of the jobs of each group; nil if the run has no groups.
func groups(run *replay.Run) any {
	if len(run.Groups) == 0 {
		return nil
	}
	var all output.Object
	for k, by := range run.Groups {
		list := make([]output.Object, len(by.Groups))
		for i := range by.Groups {
			g := &by.Groups[i]
			list[i] = output.Pairs("name", g.Name, "jobs", g.Jobs, "node_seconds", g.NodeTime,
				measure.MeanResponseTime, g.MeanResponseTime, measure.MeanWaitingTime, g.MeanWaitingTime,
				"ratio_to_easy", estimateObject(run.RatioInGroup(k, i)))
		}
		all.Add(string(by.By), list)
	}
	return all
}
