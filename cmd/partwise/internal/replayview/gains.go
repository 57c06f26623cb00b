package replayview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// Gains lays out what malleable jobs make of a log, with the break-evens that belong to it and the waits that the log recorded.
type Gains struct {
	*study.Gains
	Breakevens []replay.Breakeven
	Logged     *logstats.Logged // nil: the log has no waits
}

// impossible says why the log cannot be replayed; "" if it was.
func (g *Gains) impossible() string {
	if g.Impossible == nil {
		return ""
	}
	return fault.Plain(input.Misfit(g.Impossible))
}

// Sentences say whether resizing pays on the log, and by how much. Where the replay of EASY does not give the waits of the log, the
// first sentence says so.
func (g *Gains) Sentences() []string {
	doubt := g.Unreproduced()
	if doubt == "" {
		return g.verdict()
	}
	all := append([]string{doubt}, g.verdict()...)
	if text := g.anchored(g.Decisive()); text != "" {
		all = append(all, text)
	}
	return all
}

// verdict says whether resizing pays in the replay, and by how much.
func (g *Gains) verdict() []string {
	if g.Impossible != nil {
		return []string{g.VerdictSentence()}
	}
	answer, from := g.Verdict()
	last := g.Last()
	switch answer {
	case replay.Pays:
		return append([]string{g.gainInNumbers(from),
			fmt.Sprintf("Resizing pays from %s malleable jobs on; %s were compared.", output.Tenths(from.Share), g.shares())}, g.doubt(from)...)
	case replay.PaysNot:
		return append([]string{g.gainInNumbers(last), "Resizing does not pay, even if all jobs are malleable."}, g.doubt(last)...)
	}
	return []string{g.VerdictSentence(), g.gainInNumbers(last)}
}

// shares names the shares of malleable jobs that were replayed.
func (g *Gains) shares() string {
	return words.And(words.Texts(g.Runs, func(run *replay.Run) string { return output.Tenths(run.Share) }))
}

// doubt says that another stretch of the log could give another verdict, if that is so.
func (g *Gains) doubt(run *replay.Run) []string {
	if e := ratioForecast(run); e.ForecastHigh < 1 || 1 < e.ForecastLow || !foretold(run) {
		return nil
	}
	return []string{"That holds for this log; in " + g.another() + " it could be the other way round."}
}

// another names a stretch that is as long as the log.
func (g *Gains) another() string { return "another " + lengthWords(g.Days) }

// VerdictSentence says in one sentence whether resizing pays, as pages begin.
func (g *Gains) VerdictSentence() string {
	if g.Impossible != nil {
		return "The log cannot be replayed with malleable jobs: " + g.impossible() + "."
	}
	last := g.Last()
	switch answer, from := g.Verdict(); answer {
	case replay.Pays:
		return output.Sentence("resizing pays: ", gainClause(from), " than under EASY")
	case replay.PaysNot:
		return output.Sentence("resizing does not pay: ", gainClause(last), " than under EASY")
	}
	if g.TooFew() {
		return fmt.Sprintf("%s of %s are too few to tell whether resizing pays; jobs of %s would do.", words.Count(last.Jobs, "job"),
			lengthWords(g.Days), lengthWords(g.Enough(last)))
	}
	return fmt.Sprintf("Whether resizing pays is not clear from this log: with %s of the jobs malleable, jobs take %s time than under "+
		"EASY (90 %% interval). Jobs of %s could tell.", output.Tenths(last.Share), changes(last.Ratio()), lengthWords(g.Enough(last)))
}

// gainClause says how much time jobs take where a share of them is malleable.
func gainClause(run *replay.Run) string {
	return fmt.Sprintf("with %s of the jobs malleable, jobs take %s time", output.Tenths(run.Share), change(run.Ratio().Mean))
}

// gainInNumbers says so with the times and the forecast.
func (g *Gains) gainInNumbers(run *replay.Run) string {
	forecast := ""
	if foretold(run) {
		forecast = "; " + g.another() + ": " + otherChanges(run)
	}
	return output.Sentence(gainClause(run), fmt.Sprintf(" (%s s in place of %s s under EASY%s)", seconds(run), seconds(run.Baseline), forecast))
}

func seconds(run *replay.Run) string { return whole(run.Measures[measure.MeanResponseTime]) }

// whole writes seconds without decimals, unless they are few.
func whole(v float64) string {
	if 100 <= v && v < 1000 {
		return output.Fixed(v, 0)
	}
	return output.Thousands(v)
}

// change says how response times differ from those of EASY, of a ratio of EASY's to them: "16 % less", "5 % more". Whole per
// cents are enough: the intervals are wider.
func change(ratio float64) string {
	switch {
	case !(ratio > 0):
		return "any amount more"
	case ratio < 1/1.005: // nearer to 1 it rounds to none
		return fmt.Sprintf("%.0f %% more", 100*(1/ratio-1))
	}
	return fmt.Sprintf("%.0f %% less", 100*max(0, 1-1/ratio))
}

// changes says what the interval of a ratio to EASY means for response times, such as "12 to 19 % less". It is "" without an interval.
func changes(e metric.Interval) string {
	if !output.Finite(e.HalfWidth) {
		return ""
	}
	first, last := change(e.Low), change(e.High)
	if e.High < 1 {
		first, last = last, first
	}
	for _, same := range []string{" % less", " % more"} {
		if strings.HasSuffix(first, same) && strings.HasSuffix(last, same) {
			first = strings.TrimSuffix(first, same)
		}
	}
	return first + " to " + last
}

// otherChanges says what the forecast of a run means for response times.
func otherChanges(run *replay.Run) string {
	e := ratioForecast(run)
	return changes(metric.Interval{Low: e.ForecastLow, High: e.ForecastHigh})
}

// Columns of the table of gains, and of that of other assumptions.
var (
	changeColumn   = output.InTable("time against EASY").Right().Else("–")
	intervalColumn = output.InTable("90 % interval").Right().Else("–")
)

// Table has a row for EASY, and one for each share of malleable jobs; nil if there are no runs.
func (g *Gains) Table() *output.List {
	if len(g.Runs) == 0 {
		return nil
	}
	another := output.InTable(g.another()).Right().Else("–")
	row := func(share string, run *replay.Run) output.Row {
		return output.Row{output.InTable("malleable jobs").Is(share), output.InTable("response [s]").Right().Is(seconds(run)),
			changeColumn.Is(nil), intervalColumn.Aside().Is(nil), another.Is(nil), // of EASY
			output.InTable("times as fast as EASY").Right().Else("–").Is(ratioWords(run.Ratio()))}
	}
	rows := []output.Row{row("none (EASY)", g.EASY)}
	if g.Logged != nil {
		logged := row("as logged", g.EASY)
		logged[1].Value, logged[5].Value = whole(g.Logged.MeanResponseTime), nil
		rows = append([]output.Row{logged}, rows...)
	}
	for _, run := range g.Runs {
		r := row(output.Tenths(run.Share), run)
		r[2].Value, r[3].Value = change(run.Ratio().Mean), changes(run.Ratio())
		if foretold(run) {
			r[4].Value = otherChanges(run)
		}
		rows = append(rows, r)
	}
	with := &g.Runs[0].Assumptions
	return output.ListOfRows("", fmt.Sprintf("The log under EASY backfilling, and with malleable jobs, which are resized while they run (%s to %s times "+
		"the nodes that they ask for, %s)", output.Shortest(with.Least), output.Shortest(with.Most), input.CostWords(&with.Cost)), output.NoCSV, rows)
}

// Figure draws EASY's mean response time over that with malleable jobs against their share; nil if there are no runs.
func (g *Gains) Figure() *chart.Figure {
	if len(g.Runs) == 0 {
		return nil
	}
	with := &g.Runs[0].Assumptions
	figure := &chart.Figure{Title: "Gain against the share of malleable jobs", XLabel: "malleable jobs [% of the jobs]"}
	figure.Panels = []chart.Panel{benefitPanel(g.Curve, figure, func(run *replay.Run) float64 { return 100 * run.Share },
		func(*replay.Run) string { return "with malleable jobs, " + input.CostWords(&with.Cost) })}
	return figure
}

// Tiles are the numbers of the verdict, with what they are.
func (g *Gains) Tiles() [][2]string {
	if len(g.Runs) == 0 {
		return nil
	}
	run := g.Decisive()
	tiles := [][2]string{{"mean time under EASY", seconds(g.EASY) + " s"}, {"with " + output.Tenths(run.Share) + " malleable jobs", seconds(run) + " s"}}
	if foretold(run) {
		tiles = append(tiles, [2]string{"this log (90 % interval)", changes(run.Ratio())},
			[2]string{"in " + g.another() + " (90 % forecast)", otherChanges(run)})
	}
	i := slices.IndexFunc(g.Breakevens, func(b replay.Breakeven) bool { return b.Share == run.Share })
	if i >= 0 && g.Breakevens[i].ResizeCost.Mean > 0 && output.Finite(g.Breakevens[i].ResizeCost.Mean) {
		tiles = append(tiles, [2]string{"pays while a resize takes less than", whole(g.Breakevens[i].ResizeCost.Mean) + " s"})
	}
	return tiles
}

// Object returns what JSON has of the gains: the response time under EASY, those by share and the costs up to which resizing pays, or
// why there are none.
func (g *Gains) Object() output.Object {
	if g.Impossible != nil {
		return output.Pairs("forecast", []output.Object{}, "forecast_impossible", g.impossible())
	}
	response := func(run *replay.Run) output.Object {
		_, response := run.Forecasts()
		return forecastObject(response)
	}
	var rows []output.Object
	for _, run := range g.Runs {
		rows = append(rows, output.Pairs("malleable_share", run.Share, "policy", run.Policy.String(), measure.MeanResponseTime, response(run),
			"ratio_to_easy", forecastObject(ratioForecast(run)), "anchored_ratio", g.anchoredObject(run),
			"worth_nodes", g.worthObject(run), "pools", pools(run), "groups", groups(run)))
	}
	costs := []output.Object{}
	for _, b := range g.Breakevens {
		costs = append(costs, output.Pairs("malleable_share", b.Share, "resize_cost", estimateObject(b.ResizeCost)))
	}
	baseline := output.Pairs("policy", g.EASY.Policy.String(), measure.MeanResponseTime, response(g.EASY))
	baseline = append(append(baseline, replayedPairs(g.waits())...), output.Pairs("pools", pools(g.EASY))...)
	return output.Pairs("baseline", baseline,
		"forecast", rows, "breakeven", costs)
}

// Decision returns what JSON has of the decision: whether resizing pays, from which share of malleable jobs on, and why.
func (g *Gains) Decision() output.Object {
	answer, from := g.Verdict()
	o := output.Pairs("resizing_pays", string(answer))
	if from != nil {
		o.Add("from_share", from.Share)
	}
	o.Add("because", g.Sentences())
	return o
}
