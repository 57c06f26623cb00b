// Package logview lays out what a log says of its jobs: their sizes, when they come, and how good the estimates of their run times
// are. It also lays out two answers about a log: a rule for resizing with its gains and losses, and the answer of a chain.
//
//	study.Log     → rows, figure
//	advise.Advice → rows, figure
//	study.Chain   → rows, sentences
package logview

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// Log is what there is to tell of a log.
type Log struct {
	*study.Log
	name      string
	source    *joblog.Log // as it was read, without its jobs
	findings  []joblog.Finding
	nodes     int
	capacity  int               // the nodes that jobs can use: nodes of the machine, or of all partitions together
	unit      string            // what one of the nodes is called: node, CPU or GPU
	estimator string            // the name of the estimates
	estimates []float64         // of the run times of the jobs; nil: the estimates of the log
	accuracy  logstats.Accuracy // of the estimates
	groupings []grouping
	pools     *pools // nil: one machine

	neverStarted int // the number of the jobs that the flags choose, but that were cancelled, or failed, in the queue
}

// New returns what there is to tell of the chosen jobs of a log, with the estimates that the log has. source is the log as it was
// read.
func New(log *replay.Log, source *joblog.Log, described *study.Log) *Log {
	l := &Log{Log: described, name: log.Name, source: source, findings: source.FindingsIn(&log.Range), nodes: log.Nodes,
		capacity: log.Capacity(), unit: output.UnitWord(log.SizesIn()), neverStarted: log.Range.Count(source.NeverStarted.All())}
	l.estimator, l.accuracy = workload.Logged{}.Name(), described.Accuracy
	return l
}

// WithEstimates returns the same with other estimates of the run times, one for each job.
func (l *Log) WithEstimates(name string, estimates []float64) *Log {
	with := *l
	with.estimator, with.estimates, with.accuracy = name, estimates, logstats.AccuracyOf(l.Jobs, estimates)
	return &with
}

// leftOut counts what was left out, by reason: lines that gave no job, jobs set apart or never started, and jobs not chosen. Where
// the flags choose a part of the log, inWhole counts the lines and the jobs set apart, because nobody knows of which part they are.
func (l *Log) leftOut() (counts, inWhole map[string]int) {
	counts, inWhole = joblog.LeftOut(l.Skipped, l.findings)
	if l.neverStarted > 0 {
		counts["never started"] = l.neverStarted
	}
	return counts, inWhole
}

// addResizing adds how jobs were resized while they ran, if any was. unit is what they were resized by: node, CPU or GPU.
func addResizing(r *output.Result, z logstats.Resizing, unit string) {
	if z.Resizes == 0 {
		return
	}
	r.Add("resized", output.Pairs("jobs", z.Jobs, "resizes", z.Resizes, "grown", z.Grown, "shrunk", z.Shrunk, "factor", z.Factor,
		"kept_time", z.Kept, "pause", z.Pause))
	r.Note("Resized while they ran: %s, by %s: %d to more %[5]ss, %[4]d to fewer, by a factor of %[6]s (geometric mean), "+
		"after %[7]s s on the same %[5]ss, with a pause of %[8]s s.",
		words.Count(z.Jobs, "job"), words.Count(z.Resizes, "resize"), z.Grown, z.Shrunk,
		unit, words.Round(z.Factor, 3), words.Round(z.Kept, 4), words.Round(z.Pause, 3))
}

// section returns the cell of CSV that names the section of a row.
func section(name string) output.Cell { return output.Col("section", "").CSV().Naming().Is(name) }

// sections returns a list in Long form, whose rows of CSV have the columns section, name and value; each row begins with its
// section.
func sections[T any](name, title string, all []T, row func(*T) output.Row) *output.List {
	l := output.NewList(name, title, output.Long, all, row)
	l.Measure = "name"
	return l
}

// sectionsOfRows returns such a list of rows that were made before.
func sectionsOfRows(name, title string, rows ...output.Row) *output.List {
	return sections(name, title, rows, func(row *output.Row) output.Row { return *row })
}

// figure returns the cells of a row of CSV in Wide form: section, name and value.
func figure(section string, name, value any) output.Row {
	return output.Row{output.InCSV("section", section), output.InCSV("name", name), output.InCSV("value", value)}
}

// Result returns the description as a result.
func (l *Log) Result() *output.Result {
	jobs, load, span := l.Jobs.Len(), l.Load, l.Offer.Last-l.Offer.First
	skipped, inWhole := l.leftOut()
	r := output.NewResult("s")
	r.Object = append(r.Object, output.Pairs(
		"format", string(l.source.Format), "jobs", jobs, "jobs_by_state", output.Counts(l.States),
		"nodes", l.nodes, "load", load, "span", span, "node_seconds", l.Offer.NodeTime,
		"skipped", output.Counts(skipped), "skipped_in_whole_log", output.When(len(inWhole) > 0, output.Counts(inWhole)))...)
	r.Object = append(r.Object, l.WaitsObject()...)
	r.Notes = append(append(r.Notes, l.WaitsSentences()...), words.NonEmpty(l.excessSentence())...)
	whole := output.Row{section("log"), output.InCSV("jobs", jobs), output.InCSV("load", load), output.InCSV("span", span)}
	r.List(sectionsOfRows("", "", whole))
	r.List(l.sizes())
	for i := range l.groupings {
		if !l.groupings[i].hasLabels() {
			r.Note("The log does not tell the %s of its jobs.", l.groupings[i].by)
			continue
		}
		r.List(l.groupings[i].list(l.unit, l.Logged != nil))
		if text := l.groupings[i].sentence(); text != "" && l.Logged != nil {
			r.Note("%s", text)
		}
	}
	if l.pools != nil {
		r.List(l.pools.list(l.Logged, l.Seen != study.SeenNone))
	}
	r.List(l.starts())
	l.addEstimates(r)
	addResizing(r, l.Resizing, l.unit)
	addStatistics(r, l.Statistics)
	return r
}

// sizes describes the jobs by their sizes.
func (l *Log) sizes() *output.List {
	time := func(key, head string) output.Column { return output.Col(key, head).Decimals(0) }
	return sections("sizes", headlineOf(l), l.Sizes, func(c *logstats.SizeClass) output.Row {
		return output.Row{section("jobs of " + c.String() + " nodes"), output.InTable(l.unit + "s").Is(c.String()),
			output.InJSON("from", c.From), output.InJSON("to", c.To), output.Col("jobs", "jobs").Is(c.Jobs),
			output.InTable("share").Percents().Is(float64(c.Jobs) / float64(l.Jobs.Len())),
			time("mean_run_time", "mean run [s]").Is(c.Mean), time("median_run_time", "median").JSON().Is(c.Quantile(0.5)),
			time("p90_run_time", "90 %").JSON().Is(c.Quantile(0.9))}
	})
}

// addEstimates adds how good the estimates are.
func (l *Log) addEstimates(r *output.Result) {
	a := &l.accuracy
	if a.Jobs == 0 {
		r.Note("The log has no estimates.")
		return
	}
	var rows, percents []output.Row
	estimates := output.Pairs("estimates", l.estimator)
	add := func(name, words string, jobs int, whole string, of int) {
		estimates.Add(name, jobs)
		rows = append(rows, append(figure("estimates", name, jobs), output.InTable("jobs that").Is(words),
			output.InTable("number").Is(jobs), output.InTable("share").Percents().Else("–").Is(float64(jobs)/float64(of)),
			output.InTable("of").Is(whole)))
	}
	estimated := func(name, words string, jobs int) { add(name, words, jobs, "estimated jobs", a.Jobs) }
	add("estimated", "have an estimate", a.Jobs, "all jobs", l.Jobs.Len())
	estimated("killed", "failed or were cancelled", a.Killed)
	estimated("peak", "ran 99 to 101 % of it", a.Peak)
	add("peak_killed", "… failed or were cancelled", a.PeakKilled, "these jobs", a.Peak)
	estimated("zero", "ran less than 1 % of it", a.Zero)
	estimated("under", "ran longer than it", a.Under)
	estimated("short", "ran less than 90 s", a.Short)
	estimated("two_hours", "have one of at most 2 h", a.TwoHours)
	estimates.Add("percent", a.Percent[:])
	r.Add("accuracy", estimates)
	r.List(output.ListOfRows("", "Run times and estimates ("+l.estimator+")", output.Wide, rows))
	for k, jobs := range a.Percent {
		percents = append(percents, figure("percent of estimate", k, jobs))
	}
	r.List(output.ListOfRows("", "", output.Wide, percents))
}

func headlineOf(l *Log) string {
	title := fmt.Sprintf("%s: %s in %s", l.name, words.Count(l.Jobs.Len(), "job"), words.Span(l.Offer.Last-l.Offer.First))
	if words.Finite(l.Load) {
		title += fmt.Sprintf(", load %s on %s", words.Round(l.Load, 3), words.Count(l.capacity, l.unit))
	}
	return title
}

// figureColumns is the number of panels side by side.
const figureColumns = 3

// mostDots bounds the jobs that are drawn one by one.
const mostDots = 3000

// Figure draws all of [Log.Figures], and the waits that the log recorded, in one picture.
func (l *Log) Figure() *chart.Figure {
	f := &chart.Figure{Title: l.name}
	if curves := l.waitCurves(); curves != nil {
		f.Append(WaitsFigure(curves, nil))
	}
	for _, one := range l.Figures() {
		f.Append(one)
	}
	f.Rows = make([]string, (len(f.Panels)+figureColumns-1)/figureColumns)
	return f
}

// waitCurves returns the curves of the logged waits; nil if the log has no waits.
func (l *Log) waitCurves() []*logstats.WaitCurves {
	if l.Logged == nil {
		return nil
	}
	curves := logstats.LoggedWaitCurves(l.Jobs)
	return []*logstats.WaitCurves{&curves}
}

// Figures draws the log as [Log.Figure] does, but for the waits, in one figure for each question: when jobs come and how large
// they are, how long they run, how good estimates are, and how jobs depend on each other. Figures without data are left out.
func (l *Log) Figures() []*chart.Figure {
	both := func(title string, panels ...chart.Panel) *chart.Figure {
		return &chart.Figure{Title: title, Series: []string{jobSeries: "jobs", workSeries: "work"}, Panels: panels}
	}
	sizes := &chart.Figure{Title: "How long jobs run", XLabel: "run time [s]",
		Panels: []chart.Panel{{Title: "Run times by size", YLabel: "share of the jobs", MayLogX: true, FromZero: true}}}
	runs := &sizes.Panels[0]
	for i := range l.Sizes {
		series := chart.Line{Series: sizes.SeriesOf("size " + l.Sizes[i].String())}
		for k := range 101 {
			p := float64(k) / 100
			runs.Add(series, max(1, l.Sizes[i].Quantile(p)), p)
		}
	}
	if l.Statistics == nil {
		return append([]*chart.Figure{sizes}, l.estimatesFigures()...)
	}
	panels := append(arrivalPanels(l.Statistics), sizePanel(l.Statistics, l.unit))
	arrivals := both("When jobs come, and how large they are", panels...)
	arrivals.Columns = 2
	return append(append([]*chart.Figure{arrivals, sizes}, l.estimatesFigures()...),
		both("How jobs depend on each other", dependencePanels(l.Statistics)...))
}

// estimatesFigures draws how much of their estimates jobs used, and estimates of up to two hours against run times; none of a log
// without estimates.
func (l *Log) estimatesFigures() []*chart.Figure {
	if l.accuracy.Jobs == 0 {
		return nil
	}
	f := &chart.Figure{Title: "How good estimates of run times are"}
	all, settled := chart.Line{Series: f.SeriesOf("all jobs")}, chart.Line{Series: f.SeriesOf("ran 90 s or more, not killed")}
	used := chart.Panel{
		Title: "How much of the estimate was used", XLabel: "run time [% of estimate]", YLabel: "jobs", FromZero: true,
	}
	for k := range l.accuracy.Percent {
		used.Add(all, float64(k), float64(l.accuracy.Percent[k]))
		used.Add(settled, float64(k), float64(l.accuracy.Settled[k]))
	}
	estimated, ran := logstats.ShortEstimates(l.Jobs, l.estimates)
	dots := chart.Panel{Title: "Estimates up to two hours", XLabel: "estimate [min]", YLabel: "run time [min]", FromZero: true}
	all.Dots = true
	for k, step := 0, max(1, (len(ran)+mostDots-1)/mostDots); k < len(ran); k += step {
		dots.Add(all, estimated[k]/60, ran[k]/60)
	}
	f.Panels = append(f.Panels, used)
	if len(ran) > 0 {
		f.Panels = append(f.Panels, dots)
	}
	return []*chart.Figure{f}
}
