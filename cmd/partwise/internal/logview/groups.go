package logview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload/logstats"
)

// grouping is the jobs of a log by what they have in common.
type grouping struct {
	by     logstats.By
	groups []logstats.Group
}

// WithGroups returns the same with a table of groups of the jobs.
func (l *Log) WithGroups(by logstats.By, groups []logstats.Group) *Log {
	with := *l
	with.groupings = append(l.groupings[:len(l.groupings):len(l.groupings)], grouping{by, groups})
	return &with
}

// list lays the groups out: jobs, node-hours and, where the log has waits, the logged waits.
func (g *grouping) list(waits bool) *output.List {
	by := string(g.by)
	name := output.Col(by, by).JSON().Else("not told")
	wait := func(key, head string) output.Column { return output.Col(key, head).Decimals(0).Else("–") }
	return sections("groups_by_"+by, "Jobs by "+by, g.groups, func(group *logstats.Group) output.Row {
		w := &group.Waiting
		return output.Row{section(by + " " + group.Name), name.Is(output.NonZero(group.Name)), output.Col("jobs", "jobs").Is(group.Jobs),
			output.Col("node_hours", "node-hours").Decimals(1).Is(group.NodeTime / 3600),
			wait("mean_waiting_time", "mean wait [s]").If(waits, w.Mean), wait("median_waiting_time", "median").If(waits, w.Median),
			wait("waiting_time_p95", "95 %").If(waits, w.P95)}
	})
}
