package replayview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// nodeHours are the measures of node-time, by the keys of JSON.
var nodeHours = []struct{ key, measure string }{{"held", measure.NodeHoursHeld}, {"useful", measure.NodeHoursUseful},
	{"reconfiguration", measure.NodeHoursReconfiguration}, {"imperfect_speedup", measure.NodeHoursImperfectSpeedup},
	{"idle", measure.NodeHoursIdle}, {"capacity", measure.NodeHoursCapacity}}

func nodeHoursObject(v metric.Values) output.Object {
	var o output.Object
	for _, q := range nodeHours {
		o.Add(q.key, v[q.measure])
	}
	return o
}

// nodeHoursTable says where the node-time went.
func (r *Replay) nodeHoursTable(runs []*replay.Run) *output.List {
	return output.NewTable("Node-hours", runs, func(run **replay.Run) output.Row {
		values, decimals := (*run).Measures, 0
		if values[measure.NodeHoursCapacity] < 100 {
			decimals = 3
		}
		row := output.Row{output.InTable("policy").Is(r.label(*run))}
		for _, q := range nodeHours {
			row = append(row, output.InTable(measure.Must(q.measure).Title).Right().Is(words.Fixed(values[q.measure], decimals)))
		}
		return row
	})
}
