package replayview

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// mostGroups is how many groups a table shows: the groups with the most node-hours.
const mostGroups = 10

// GroupTables have, for each way to group jobs among by, the groups with their response time under EASY and what shares of
// malleable jobs change. Ways by which the log has no groups are left out.
func (g *Gains) GroupTables(by ...logstats.By) []*output.List {
	if len(g.Runs) == 0 {
		return nil
	}
	var all []*output.List
	for _, one := range by {
		for k := range g.EASY.Groups {
			if g.EASY.Groups[k].By == one {
				all = append(all, g.groupTable(k))
			}
		}
	}
	return all
}

// groupTable is the table of the k-th way to group jobs.
func (g *Gains) groupTable(k int) *output.List {
	by := &g.EASY.Groups[k]
	title := "By " + groupWords(g.Unit, by.By)
	groups := by.Groups
	if len(groups) > mostGroups && by.By != logstats.BySize {
		groups = groups[:mostGroups]
		title += fmt.Sprintf(": the %d with the most node-hours, of %d", mostGroups, len(by.Groups))
	}
	rows := make([]output.Row, len(groups))
	for i := range rows {
		one := &groups[i]
		rows[i] = append(groupCells(by, i, g.Unit),
			output.InTable(output.UnitWord(g.Unit)+"-hours").Decimals(0).Aside().Is(one.NodeTime/3600),
			secondsColumn("wait under EASY [s]").Aside().Is(one.MeanWaitingTime), secondsColumn("response [s]").Is(one.MeanResponseTime))
		for _, run := range g.Runs {
			rows[i] = append(rows[i], output.InTable(words.Tenths(run.Share)+" malleable").Right().Is(change(run.RatioInGroup(k, i).Mean)))
		}
		rows[i] = append(rows[i], output.InTable(intervalWords+", "+
			words.Tenths(g.Decisive().Share)).Right().Else("–").Is(changes(g.Decisive().RatioInGroup(k, i))))
	}
	return output.TableOfRows(title, rows)
}

// groupCells returns the cells that name the i-th group of jobs in a table: what its jobs have in common, and their number.
func groupCells(by *replay.GroupsRun, i int, unit joblog.Unit) output.Row {
	g := &by.Groups[i]
	return output.Row{output.InTable(groupWords(unit, by.By)).Else("not told").Is(output.NonZero(g.Name)),
		output.InTable("jobs").Is(g.Jobs)}
}

// groupWords names what the jobs of a group have in common; unit is what sizes of jobs count.
func groupWords(unit joblog.Unit, by logstats.By) string {
	switch by {
	case logstats.BySize:
		return output.UnitWord(unit) + "s asked for"
	case "qos":
		return "quality of service"
	}
	return string(by)
}

// Losers say which groups of jobs gain and which lose with the decisive share of malleable jobs, of each way to group jobs among
// by. The sentences tell only differences that are significant.
func (g *Gains) Losers(by ...logstats.By) []string {
	if len(g.Runs) == 0 || g.TooFew() {
		return nil
	}
	run := g.Decisive()
	var all, outcomes []string
	single := map[string][]string{} // the ways with one group with enough jobs to tell, by what this group takes
	for _, one := range by {
		for k := range run.Groups {
			if run.Groups[k].By != one {
				continue
			}
			if outcome := onlyGroup(run, k); outcome != "" {
				if single[outcome] == nil {
					outcomes = append(outcomes, outcome)
				}
				single[outcome] = append(single[outcome], groupWords(g.Unit, one))
			} else {
				all = append(all, g.losersAmong(run, k))
			}
		}
	}
	for _, outcome := range outcomes {
		all = append(all, onlyGroups(single[outcome], outcome, run.Share))
	}
	return all
}

// onlyGroups says what jobs take in the only group with enough jobs to tell, for each of some ways to group jobs.
func onlyGroups(ways []string, outcome string, share float64) string {
	groups := "one group has enough jobs to tell: it takes"
	if len(ways) > 1 {
		groups = "one group each has enough jobs to tell: these groups take"
	}
	return fmt.Sprintf("By %s, only %s %s with %s of the jobs malleable.", words.And(ways), groups, outcome, words.Tenths(share))
}

// losersAmong says how many of the groups of the k-th way gain and lose, and names the one that loses most. Groups with too few
// jobs for an interval do not count.
func (g *Gains) losersAmong(run *replay.Run, k int) string {
	by := &run.Groups[k]
	of := run.GroupOutcomes(k)
	if of.Judged == 0 {
		return fmt.Sprintf("By %s, no group has enough jobs to tell.", groupWords(g.Unit, by.By))
	}
	text := fmt.Sprintf("By %s, %s significantly less time with %s of the jobs malleable", groupWords(g.Unit, by.By),
		gainers(of.Gain, of.Judged, len(by.Groups)), words.Tenths(run.Share))
	switch of.Lose {
	case 0:
		return text + "; none takes significantly more."
	case 1:
		text += "; one takes more: "
	default:
		text += fmt.Sprintf("; %d take more, most of all ", of.Lose)
	}
	return fmt.Sprintf("%s%s (%s).", text, g.nameOf(by, of.Worst), change(run.RatioInGroup(k, of.Worst).Mean))
}

// gainers says how many of the groups with enough jobs to tell take less time.
func gainers(gain, told, all int) string {
	of, takes := words.Count(told, "group"), "take"
	if told < all {
		of = fmt.Sprintf("the %d groups with enough jobs to tell", told)
	}
	switch gain {
	case told:
		return "all " + strings.TrimPrefix(of, "the ") + " take"
	case 1:
		takes = "takes"
	}
	return fmt.Sprintf("%d of %s %s", gain, of, takes)
}

// onlyGroup says what the only group with enough jobs to tell takes, of the k-th way; "" if there are no or several such groups.
func onlyGroup(run *replay.Run, k int) string {
	switch of := run.GroupOutcomes(k); {
	case of.Judged != 1:
		return ""
	case of.Gain == 1:
		return "significantly less time"
	case of.Lose == 1:
		return "significantly more time"
	}
	return "neither significantly less nor more time"
}

// nameOf names the i-th group of jobs in a sentence.
func (g *Gains) nameOf(by *replay.GroupsRun, i int) string {
	name := by.Groups[i].Name
	switch {
	case name == "":
		return "jobs without a " + groupWords(g.Unit, by.By)
	case by.By == logstats.BySize:
		return "jobs of " + name + " " + output.UnitWord(g.Unit) + "s"
	}
	return groupWords(g.Unit, by.By) + " " + name
}
