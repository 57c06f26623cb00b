package replayview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// Gains lays out what malleable jobs make of a log, with the break-evens that belong to it and the waits that the log recorded.
type Gains struct {
	*study.Gains
	Breakevens []replay.Breakeven
	Logged     *logstats.Logged // nil: the log has no waits
	Unit       joblog.Unit      // what sizes of jobs count; "": nodes
}

// impossible says why the log cannot be replayed; "" if it was.
func (g *Gains) impossible() string {
	if g.Impossible == nil {
		return ""
	}
	return fault.Plain(input.Misfit(g.Impossible))
}

// Columns of the table of gains, and of the table of other assumptions.
var (
	responseColumn = secondsColumn("mean response [s]")
	changeColumn   = output.InTable("time against EASY").Right().Else("–")
	intervalColumn = output.InTable(intervalWords).Right().Else("–")
	anchoredColumn = output.InTable("if other waiting stays").Right().Else("–")
)

// Table has a row for the log, for EASY, and for each share of malleable jobs; nil if there are no runs.
func (g *Gains) Table() *output.List {
	if len(g.Runs) == 0 {
		return nil
	}
	row := func(share string, response float64) output.Row {
		return output.Row{output.InTable("malleable jobs").Is(share), responseColumn.Is(response)}
	}
	var rows []output.Row
	if g.Logged != nil {
		rows = append(rows, row("as logged", g.Logged.MeanResponseTime))
	}
	rows = append(rows, row("none (EASY)", g.EASY.Measures[measure.MeanResponseTime]))
	for _, run := range g.Runs {
		ratio := run.Ratio()
		r := append(row(words.Tenths(run.Share), run.Measures[measure.MeanResponseTime]), changeColumn.Is(change(ratio.Mean)),
			intervalColumn.Is(changes(ratio)))
		if anchored, ok := g.anchoredChange(run); ok {
			r = append(r, anchoredColumn.Is(anchored))
		}
		rows = append(rows, append(r, output.InTable("in "+g.another()).Right().Aside().Else("–").If(foretold(run), otherChanges(run))))
	}
	return output.TableOfRows("Mean response time under EASY backfilling, and with malleable jobs", rows)
}

// Figure draws EASY's mean response time over that with malleable jobs against their share; nil if there are no runs.
func (g *Gains) Figure() *chart.Figure {
	if len(g.Runs) == 0 {
		return nil
	}
	with := &g.Runs[0].Assumptions
	figure := &chart.Figure{Title: "Gain against the share of malleable jobs", XLabel: "malleable jobs [% of the jobs]"}
	share := func(run *replay.Run) float64 { return 100 * run.Share }
	panel := benefitPanel(g.Curve, figure, share, func(*replay.Run) string { return "in the replay, " + input.CostWords(&with.Cost) })
	for _, run := range g.Curve {
		if ratio, ok := g.anchoredRatio(run); ok {
			panel.Add(chart.Line{Series: figure.SeriesOf("if the other waiting stays")}, share(run), ratio.Mean)
		}
	}
	figure.Panels = []chart.Panel{panel}
	return figure
}

// Tiles are the numbers of the verdict, with what they are.
func (g *Gains) Tiles() [][2]string {
	if len(g.Runs) == 0 {
		return nil
	}
	run := g.Decisive()
	var tiles [][2]string
	add := func(name, value string) {
		if value != "" {
			tiles = append(tiles, [2]string{name, value})
		}
	}
	share := words.Tenths(run.Share)
	add("mean response under EASY", seconds(g.EASY))
	add("with "+share+" malleable jobs", seconds(run))
	if g.TooFew() {
		return tiles
	}
	add("time against EASY ("+intervalWords+")", changes(run.Ratio()))
	if anchored, ok := g.anchoredChange(run); ok {
		add("… if the other waiting stays", anchored)
	}
	if foretold(run) {
		add("… in "+g.another()+" ("+forecastWords+")", otherChanges(run))
	}
	if b := run.BreakevenOf(g.Breakevens); b != nil && words.Finite(b.ResizeCost.Mean) && b.ResizeCost.Mean > 0 {
		add("pays while a resize takes less than", words.Seconds(b.ResizeCost.Mean))
	}
	add(share+" malleable jobs are worth", g.worthWords(run))
	return tiles
}

// BreakevenSentences say up to which cost of a resize resizing pays, for each share of malleable jobs.
func (g *Gains) BreakevenSentences() (all []string) {
	if g.TooFew() || g.NoneResizable() != "" {
		return nil
	}
	for _, run := range g.Runs {
		if b := run.BreakevenOf(g.Breakevens); b != nil {
			all = append(all, Breakeven(*b))
		}
	}
	switch {
	case len(g.Runs) == 0:
		return nil
	case all == nil:
		return []string{"Up to which resize cost resizing pays cannot be told: it is not clear at any cost that was tried."}
	}
	return append(all, trend)
}

// trend says what break-evens are.
const trend = "Replays go up and down by chance from one resize cost to the next. " +
	"The limits are their trend; a single replay may say otherwise."

// Object returns what JSON has of the gains: the response times under EASY and by share, and the costs up to which
// resizing pays, or why a forecast is impossible.
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
		rows = append(rows, output.Pairs("malleable_share", run.Share, "policy", run.Policy.String(),
			measure.MeanResponseTime, response(run),
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
