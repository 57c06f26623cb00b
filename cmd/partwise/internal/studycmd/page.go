package studycmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/replayview"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// terms explains the words of the verdict.
const terms = "Words: the response time of a job runs from its submission to its end. EASY backfilling is the usual rule of " +
	"batch systems: jobs keep the nodes that they ask for, and a job may overtake if that does not delay the first of the queue. " +
	"Malleable jobs are resized while they run. The 95 % interval says how well the jobs of this log determine a number. " +
	"The 95 % forecast is for another stretch as long as the log, with the load that it then has: " +
	"19 of 20 such stretches are expected within it. " +
	"docs/glossary.md has more words."

// moreTerms explains the words of tables, figures and assumptions.
func moreTerms() []string {
	return []string{
		fmt.Sprintf("Bounded slowdown: the response time of a job over its run time on the nodes that it asked for, "+
			"where a time below %d s counts as %[1]d s; at least 1.",
			measure.SlowdownBound),
		"Index of dispersion: the variance over the mean of how many jobs come in a time; 1 for independent jobs, more for bursts.",
		"Rank correlation (Spearman's): how far two orders agree, such as those of the logged and the replayed waits; 1 is the same " +
			"order, 0 no relation.", "Speedup amdahl:0.01: 1 % of a program is serial, and the rest is divided evenly among its nodes.",
		"Stops: who stands still for a resize, only the resized jobs (resized) or all jobs (all).",
	}
}

// policies explains the names of the other policies. The legend of their table explains static:K, where it has such a row.
const policies = "Names: fcfs starts jobs in the order of their submission; easy is EASY backfilling; dynamic divides all " +
	"nodes evenly among the jobs, and resizes them whenever a job comes or ends."

// unit returns what one of the nodes of the machine is called: node, CPU or GPU.
func (v *view) unit() string { return output.UnitWord(v.gains.Unit) }

// units says that these policies give nodes in larger units than the rule; none if their units are the same.
func (v *view) units() []string {
	if v.Rivals.Unit <= v.Unit {
		return nil
	}
	return []string{fmt.Sprintf("Units: dynamic gives jobs multiples of %d %[2]ss as one of the other policies and in the chain, "+
		"but any number of %[2]ss where a rule is searched. Another unit: --min-nodes.", v.Rivals.Unit, v.unit())}
}

// assumptions says in words what no log tells.
func (v *view) assumptions() string {
	a := &v.Assumptions
	stopped := "only the resized job stands"
	if a.Stops == models.AllStop {
		stopped = "all jobs stand"
	}
	cost := fmt.Sprintf("A resize takes %s, for which %s still.", words.TimeWords(a.Cost.Name), stopped)
	if a.Cost.Seconds == 0 {
		cost = "A resize takes no time."
	}
	return fmt.Sprintf("Assumed, because no log tells it: %s %s A malleable job runs on %s to %s times the %ss that it asks for.",
		cost, words.Sentence(replayview.SpeedupWords(a.Speedup)), words.Shortest(a.Least), words.Shortest(a.Most), v.unit())
}

// document returns the page. The answer in short comes first, then what happened and what the replay is worth. What
// resizing saves is followed by what would change the answer, what to do and who gains. The log and what else was
// compared come last.
func (v *view) document() (title string, parts []reportcmd.Part) {
	flips := reportcmd.Part{Title: "What would change the answer", Lead: words.NonEmpty(replayview.Flips(v.Variations)),
		Tables: present(replayview.Variations(v.Variations))}
	if v.Gains.TooFew() {
		flips.Tables = nil
	}
	return v.heading(), []reportcmd.Part{v.short(), v.yesterday(), v.saving(),
		{Title: "Up to which resize cost resizing pays", Bullets: v.breakevens()}, v.onNodes(), flips,
		{Title: "What to do", Steps: v.steps()}, v.whoGains(), v.logPart(), v.beyond()}
}

// short is the answer in short: what the replay is worth, whether resizing pays, and the numbers that decide it.
func (v *view) short() reportcmd.Part {
	part := reportcmd.Part{Title: "Would resizing pay?", Verdict: v.gains.VerdictSentence(), Assumed: v.assumed}
	part.Warnings = paragraphs(v.replaySentences())
	part.Beside = paragraphs(append(words.NonEmpty(v.machines.OtherUnit(v.gains.Decisive())), v.machines.Sentences()...))
	part.Tiles = []reportcmd.Tile{{Name: v.loadWords(), Value: words.Round(v.Log.Load, 3)}}
	for _, t := range v.gains.Tiles() {
		part.Tiles = append(part.Tiles, reportcmd.Tile{Name: t[0], Value: t[1]})
	}
	return part
}

// replaySentences say what the replay of EASY is worth, and why jobs waited, or that the log has no waits to compare with.
func (v *view) replaySentences() []string {
	text := v.gains.ReplaySentence()
	if text == "" {
		return words.NonEmpty(v.logged.NoWaitsSentence())
	}
	if v.Log.Logged.Waiting.Mean == 0 {
		return []string{text}
	}
	if v.Log.Logged.PoolsMakeWait() && v.logged.BusiestSentence() != "" {
		return []string{text, v.logged.BusiestSentence()}
	}
	return []string{text, v.logged.CauseSentence()}
}

// loadWords explains the load.
func (v *view) loadWords() string {
	return "load: work of the jobs over what " + words.Count(v.log.Capacity(), output.UnitWord(v.gains.Unit)) + " can do"
}

// yesterday is what happened: how jobs waited, what was left out of the log, and what the replay makes of the same jobs.
func (v *view) yesterday() reportcmd.Part {
	part := reportcmd.Part{Title: "What happened, and does the replay reproduce it?", Bullets: v.warnings}
	part.Lead = paragraphs(v.logged.WaitsSentences(), v.gains.RuleSentences())
	if v.Gains.EASY != nil && v.Gains.EASY.WaitCurves != nil {
		part.Figures = []*chart.Figure{logview.WaitsFigure([]*logstats.WaitCurves{v.Gains.EASY.WaitCurves},
			[]string{"in the replay, EASY"})}
	}
	part.Tables = present(v.machines.Table())
	part.Notes = v.withImpossible()
	return part
}

// withImpossible says what the answer would be with the jobs whose times cannot be right; none without such jobs.
func (v *view) withImpossible() []string {
	if v.Apart.EASY == nil || v.Gains.EASY == nil {
		return nil
	}
	return []string{replayview.ApartSentence(v.Apart.Run, v.Gains.EASY, v.Apart.EASY),
		replayview.ApartSentence(v.Apart.Run, v.Gains.Decisive(), v.Apart.Malleable)}
}

// paragraphs makes a paragraph of each list of sentences that is not empty.
func paragraphs(all ...[]string) (joined []string) {
	for _, sentences := range all {
		if len(sentences) > 0 {
			joined = append(joined, strings.Join(sentences, " "))
		}
	}
	return joined
}

// saving is how much time resizing saves, by the share of malleable jobs.
func (v *view) saving() reportcmd.Part {
	part := reportcmd.Part{Title: "How much time resizing saves", Terms: []string{terms, v.assumptions()},
		Lead: paragraphs(v.gains.GainSentences())}
	if v.Gains.TooFew() {
		return part // a curve would pretend to know
	}
	part.Figures = []*chart.Figure{v.gains.Figure()}
	part.Tables = present(v.gains.Table(), v.gains.PoolTable())
	part.Fold("More words of this page", reportcmd.Part{Bullets: moreTerms()})
	return part
}

// onNodes says what more nodes would bring, if several numbers of nodes were asked for.
func (v *view) onNodes() reportcmd.Part {
	part := reportcmd.Part{Title: "What more " + v.unit() + "s would bring"}
	if text := v.noMoreNodes(); text != "" {
		part.Lead = []string{text}
		return part
	}
	part.Tables = present(replayview.OnNodes(v.OnNodes.Runs, v.unit()))
	part.Figures = []*chart.Figure{replayview.OnNodesFigure("", v.unit(), v.OnNodes.Runs, func(run *replay.Run) string {
		if run.Resizes() {
			return words.Tenths(run.Share) + " of the jobs malleable"
		}
		return "EASY alone"
	})}
	return part
}

// whoGains says which groups of jobs gain and which lose. The tables of further groups are folded.
func (v *view) whoGains() reportcmd.Part {
	if v.Gains.TooFew() {
		return reportcmd.Part{}
	}
	first := []logstats.By{logstats.BySize, logstats.By(joblog.Partition), logstats.By(joblog.User)}
	var others []logstats.By
	for _, by := range logstats.EachBy() {
		if !slices.Contains(first, by) {
			others = append(others, by)
		}
	}
	part := reportcmd.Part{Title: "Who gains", Bullets: v.gains.Losers(append(first, others...)...),
		Tables: v.gains.GroupTables(first[:2]...)}
	for _, l := range v.gains.GroupTables(append(first[2:], others...)...) {
		table := *l
		table.Title = ""
		part.Fold(l.Title, reportcmd.Part{Tables: []*output.List{&table}})
	}
	return part
}

// logPart describes the jobs of the log.
func (v *view) logPart() reportcmd.Part {
	figures := v.logged.Figures()
	first := min(1, len(figures))
	part := reportcmd.Part{Title: "The log", Figures: figures[:first]}
	for _, f := range figures[first:] {
		part.Fold(f.Title, reportcmd.Part{Figures: []*chart.Figure{f}})
	}
	return part.Show(tablesOf(v.logged.Result()), "The log in numbers")
}

// beyond is what was compared besides, folded: other policies, a rule for the case that all jobs can be resized, and the chain.
func (v *view) beyond() reportcmd.Part {
	if v.Gains.TooFew() {
		return reportcmd.Part{}
	}
	part := reportcmd.Part{Title: "If all jobs could be resized, or were independent"}
	part.Fold("Other policies on this log", reportcmd.Part{Terms: append([]string{policies}, v.units()...),
		Lead: v.others()}.Show(tablesOf(v.replays), ""))
	rule := v.allMalleable()
	part.Fold("A rule for the case that all jobs can be resized to any number of "+v.unit()+"s",
		reportcmd.Part{Terms: v.units(), Lead: rule[:1], Bullets: rule[1:]}.Show(tablesOf(v.adviceResult()), ""))
	chain := v.chainPart()
	part.Fold(chain.Title, chain)
	return part
}

// present returns the lists that are not nil.
func present(all ...*output.List) []*output.List {
	return slices.DeleteFunc(all, func(l *output.List) bool { return l == nil })
}

// heading is the title of the page.
func (v *view) heading() string {
	n := v.Log.Jobs.Len()
	return fmt.Sprintf("%s: %s on %s", v.title(), words.Count(n, "job"), replayview.MachineWords(v.log.Log))
}

// adviceResult lays out the advice. It returns nil if the study found no advice.
func (v *view) adviceResult() *output.Result {
	if v.advice == nil {
		return nil
	}
	return v.advice.Result()
}

// tablesOf returns a result without its sentences, which stand elsewhere.
func tablesOf(r *output.Result) *output.Result {
	if r == nil {
		return nil
	}
	return &output.Result{Object: r.Object}
}

// result is what is printed. Its tables show the gains, the machine, who gains, and other assumptions.
func (v *view) result() *output.Result {
	r := &output.Result{Object: output.Pairs("version", output.Version, "page", v.page, "model",
		output.NonZero(v.model), "jobs", output.NonZero(v.jobs)),
		Notes: v.shortAnswer(), Short: v.summary(), Assumed: v.assumed}
	for _, l := range v.tables() {
		r.List(l)
	}
	r.Add("machine", output.Pairs("nodes", v.Nodes, "min_nodes", v.Unit))
	r.Add("machines", v.machines.Objects())
	if s := v.Sample; s != nil {
		alone := []string{"forecast.load", "advice.selection", "advice.flat"} // what is from these weeks alone
		if v.ChainInWeeks() {
			alone = append(alone, "chain.because")
		}
		r.Add("sample", output.Pairs("weeks", s.Weeks, "of", s.Of, "jobs", s.Log.Offer.Jobs, "alone", alone))
	}
	if v.Pool != nil { // that rule, splits, chain and worth are about
		r.Add("waiting_pool", output.Pairs("pool", v.Pool.Name, "jobs", v.Pool.Jobs, "nodes", v.Pool.Nodes))
	}
	r.Add("load", v.Log.Load)
	r.Add("start_window", output.NonZero(v.Assumptions.StartWindow.Rule().String()))
	r.Object = append(r.Object, v.logged.WaitsObject()...)
	r.Object = append(r.Object, v.gains.Object()...)
	if apart := replayview.ApartObject(&v.Apart); apart != nil {
		r.Add("with_impossible_lines", apart)
	}
	r.Notes = append(r.Notes, words.NonEmpty(v.noMoreNodes())...)
	r.List(replayview.OnNodes(v.OnNodes.Runs, v.unit()))
	r.List(v.variations())
	r.Add("decision", v.gains.Decision())
	r.Result("advice", v.adviceResult())
	r.Object = append(r.Object, v.chainObject()...)
	r.Add("answer", v.answer())
	r.Result("log", v.logged.Result())
	r.Result("replay", v.replays)
	return r
}

// tables are the tables that are printed before the tables of the other assumptions.
func (v *view) tables() []*output.List {
	if v.Gains.TooFew() {
		return present(v.machines.Table())
	}
	tables := present(v.machines.Table(), v.gains.Table(), v.gains.PoolTable())
	return append(tables, v.gains.GroupTables(logstats.BySize)...)
}

// variations returns the list of other assumptions. Of too few jobs it has no table, because none of its numbers means anything.
func (v *view) variations() *output.List {
	l := replayview.Variations(v.Variations)
	if v.Gains.TooFew() {
		return l.Show()
	}
	return l
}

// noMoreNodes says why the log was not replayed on the numbers of nodes of --nodes; "" if it was, or if one number was given.
func (v *view) noMoreNodes() string {
	if v.OnNodes.Missing == nil {
		return ""
	}
	return "More " + v.unit() + "s were not replayed: " + fault.Plain(input.Misfit(v.OnNodes.Missing)) + "."
}
