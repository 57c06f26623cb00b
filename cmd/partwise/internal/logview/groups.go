package logview

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
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

// labelled reports whether the groups are by a label: sizes and months have an order of their own.
func (g *grouping) labelled() bool { return g.by != logstats.BySize && g.by != logstats.ByMonth }

// sentence names the group with more than half of the waiting; "" if no group by a label has so much.
func (g *grouping) sentence() string {
	if !g.labelled() || len(g.groups) < 2 {
		return ""
	}
	for i, share := range logstats.SharesOfWaiting(g.groups) {
		if of := &g.groups[i]; share > 0.5 && of.Name != "" {
			return fmt.Sprintf("%s %s has %s of the waiting.", words.Capitalized(string(g.by)), of.Name, wholePercent(share))
		}
	}
	return ""
}

// hasLabels reports whether the log gives the label of any job.
func (g *grouping) hasLabels() bool {
	return slices.ContainsFunc(g.groups, func(group logstats.Group) bool { return group.Name != "" })
}

// list lays the groups out: jobs, hours of a unit (node, CPU or GPU) and, where the log has waits, the logged waits. Groups by a
// label then come in the order of their part of the waiting, the largest first.
func (g *grouping) list(unit string, waited bool) *output.List {
	by := string(g.by)
	groups := g.groups
	if waited && g.labelled() {
		groups = logstats.ByWaiting(groups)
	}
	shares := logstats.SharesOfWaiting(groups)
	name := output.Col(by, by).JSON().Else("not told")
	wait := func(key, head string) output.Column { return output.Col(key, head).Decimals(0).Else("–") }
	rows := make([]output.Row, len(groups))
	for i := range groups {
		group, w := &groups[i], &groups[i].Waiting
		rows[i] = output.Row{
			section(by + " " + group.Name), name.Is(output.NonZero(group.Name)),
			output.Col("jobs", "jobs").Is(group.Jobs),
			output.Col("node_hours", unit+"-hours").Decimals(1).Is(group.NodeTime / 3600),
			wait("mean_waiting_time", "mean wait [s]").If(waited, w.Mean),
			wait("median_waiting_time", "median").If(waited, w.Median),
			wait("waiting_time_p95", "95 %").If(waited, w.P95),
			output.Col("share_of_waiting", "share of the waiting").Percents().Else("–").If(waited, shares[i]),
		}
	}
	return sectionsOfRows("groups_by_"+by, "Jobs by "+by, rows...)
}
