package studycmd

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/replayview"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/words"
)

// terms explains the words of the verdict.
const terms = "The time of a job runs from its submission to its end: it is the response time. EASY backfilling is today's rule of batch " +
	"systems: jobs keep the nodes that they ask for, and a job may overtake if that does not delay the first of the queue. Malleable " +
	"jobs are resized while they run. The 90 % interval says how well the jobs of this log determine the number. The 90 % forecast is " +
	"for another stretch of the same length, with the load that it then has: nine of ten such stretches are expected within it."

// policies explains the names of the other policies.
const policies = "Names: fcfs starts jobs in the order of their submission; easy is EASY backfilling; dynamic divides all nodes evenly among " +
	"the jobs, and resizes them whenever a job comes or ends; static:K splits the machine into K equal partitions, in each of which " +
	"one job runs at a time."

// assumptions says in words what no log tells.
func (v *view) assumptions() string {
	a := &v.Assumptions
	stopped := "only the resized job stands"
	if a.Stops == models.AllStop {
		stopped = "all jobs stand"
	}
	cost := fmt.Sprintf("A resize takes %s, for which %s still.", output.TimeWords(a.Cost.Name), stopped)
	if a.Cost.Seconds == 0 {
		cost = "A resize takes no time."
	}
	return fmt.Sprintf("No log tells the following, so it is assumed. %s %s A malleable job runs on %s to %s times the nodes that it asks for.",
		cost, output.Sentence(replayview.SpeedupWords(a.Speedup)), output.Shortest(a.Least), output.Shortest(a.Most))
}

// document returns the page: the verdict first, then what it depends on, what to do, other policies, the chain, and the log.
func (v *view) document() (title string, parts []reportcmd.Part) {
	short := reportcmd.Part{Title: "Would resizing pay?", Verdict: v.verdict(), Terms: []string{terms, v.assumptions()},
		Lead: v.lead(), Figures: []*chart.Figure{v.gains.Figure()}, Assumed: v.assumed, Tables: present(v.gains.Table(), v.gains.PoolTable(), v.machines.Table())}
	for _, t := range v.gains.Tiles() {
		short.Tiles = append(short.Tiles, reportcmd.Tile{Name: t[0], Value: t[1]})
	}
	flips := reportcmd.Part{Title: "What would change the answer", Tables: []*output.List{replayview.Variations(v.Variations)}}
	if text := replayview.Flips(v.Variations); text != "" {
		flips.Lead = []string{text}
	}
	rules := v.rules()
	return v.heading(), []reportcmd.Part{short,
		{Title: "How long a resize may take", Bullets: v.breakevens()}, flips,
		reportcmd.Part{Title: "What to do", Lead: rules[:1], Bullets: rules[1:]}.Show(tablesOf(v.adviceResult()), "The rule in numbers"),
		reportcmd.Part{Title: "Other policies on this log", Terms: []string{policies}, Lead: v.others()}.Show(tablesOf(v.replays),
			"All policies in numbers"),
		v.chainPart(),
		reportcmd.Part{Title: "The log", Figures: []*chart.Figure{v.logged.Figure()}}.Show(v.logged.Result(), "The log in numbers")}
}

// verdict is the answer in large type: whether resizing pays, after what the replay is worth if it does not give the waits of the log.
func (v *view) verdict() string {
	if doubt := v.gains.Unreproduced(); doubt != "" {
		return doubt + " " + v.gains.VerdictSentence()
	}
	return v.gains.VerdictSentence()
}

// lead are the sentences below the verdict: how jobs waited in the log, and the gain in numbers.
func (v *view) lead() []string {
	gains := v.gains.Sentences()[1:]
	return slices.Concat(v.logged.WaitsSentences(), v.machines.Sentences(), gains)
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

// result is what is printed. Its tables are those of the gains and of the other assumptions.
func (v *view) result() *output.Result {
	r := &output.Result{Object: output.Pairs("version", output.Version, "page", v.page, "model", output.NonZero(v.model), "jobs", output.NonZero(v.jobs)),
		Notes: v.answer(), Assumed: v.assumed}
	for _, l := range present(v.gains.Table(), v.gains.PoolTable(), v.machines.Table()) {
		r.List(l)
	}
	r.Add("machine", output.Pairs("nodes", v.Nodes, "min_nodes", v.Unit))
	r.Add("machines", v.machines.Objects())
	r.Add("load", v.Log.Load)
	r.Object = append(r.Object, v.logged.WaitsObject()...)
	r.Object = append(r.Object, v.gains.Object()...)
	if apart := replayview.ApartObject(&v.Apart); apart != nil {
		r.Add("with_impossible_lines", apart)
	}
	r.List(replayview.Variations(v.Variations))
	r.Add("decision", v.gains.Decision())
	r.Result("advice", v.adviceResult())
	r.Object = append(r.Object, v.chainObject()...)
	r.Add("answer", v.answer())
	r.Result("log", v.logged.Result())
	r.Result("replay", v.replays)
	return r
}
