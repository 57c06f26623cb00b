package logview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// pools are the partitions of a log, each a machine of its own, with the load of its jobs.
type pools struct {
	*replay.Pools
	unit string  // what one of their nodes is called: node, CPU or GPU
	span float64 // seconds from the first submission of the log to the last
}

// WithPools returns the same with a table of the partitions, each a machine of its own.
func (l *Log) WithPools(p *replay.Pools) *Log {
	with := *l
	with.pools = &pools{p, l.unit, l.Offer.Last - l.Offer.First}
	return &with
}

// list lays the partitions out: nodes, jobs, node-hours, load and, where the log has waits, how the jobs waited and whether nodes
// were free, if known.
func (p *pools) list(logged *logstats.Logged, known bool) *output.List {
	seconds := func(key, head string) output.Column { return output.Col(key, head).Decimals(0).Else("–") }
	share := func(key, head string) output.Column { return output.Col(key, head).Percents().Else("–") }
	const title = "By partition, each a machine of its own: load, logged waits, and what the partition had free meanwhile"
	return sections("pools", title, p.List, func(of *replay.Pool) output.Row {
		w, told := logged.WaitsIn(of.Name)
		waited := told && w.Mean > 0
		return output.Row{section("pool " + of.Name), output.Col("pool", "partition").JSON().Is(of.Name),
			output.Col("nodes", p.unit+"s").Is(of.Nodes),
			output.Col("jobs", "jobs").Is(of.Jobs), output.Col("node_hours", p.unit+"-hours").Decimals(1).Is(of.NodeTime / 3600),
			output.Col("load", "load").Digits(3).Else("–").Is(of.NodeTime / (p.span * float64(of.Nodes))),
			seconds("mean_waiting_time", "mean wait [s]").If(told, w.Mean),
			seconds("median_waiting_time", "median").If(told, w.Median),
			seconds("waiting_time_p90", "90 %").If(told, w.P90),
			share("no_nodes_share", "no "+p.unit+"s").If(waited && known, w.NoNodes/w.Mean),
			share("nodes_free_share", p.unit+"s free").If(waited && known, w.NodesFree/w.Mean)}
	})
}
