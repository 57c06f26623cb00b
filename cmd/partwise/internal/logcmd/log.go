// Package logcmd describes the jobs of a log and their estimates, and makes logs from models of jobs: the commands log and
// lab workload.
package logcmd

import (
	"errors"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"io"
	"maps"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/des"
)

// Command is the command that describes a job log.
func Command() cli.Command {
	return cli.WithOptions(newLogOptions, showLog, cli.Command{
		Name:      "log",
		Summary:   "describe the jobs of a log, when they come, and how good the estimates of their run times are",
		Arguments: "LOG",
		Details: "Tells the load of a job log, its jobs by size, how estimates compare with run times, when jobs come " +
			"(by hour, weekday and month), how they depend on each other, and which assumptions of the chains the " +
			"log violates. --swf-output also writes the jobs that the flags choose.",
		Examples: []string{
			"partwise log log.swf.gz --format table",
			"partwise log log.swf.gz --estimates history --plot log.html",
			"partwise log log.swf.gz --sizes 2: --load 0.8 --swf-output parallel.swf",
			"partwise log sacct.txt --nodes 128 --time-zone Europe/Berlin --swf-output log.swf",
		},
	})
}

// logOptions are the flags of log.
type logOptions struct {
	input.LogOptions
	load      float64 // that the jobs are to offer; 0: as logged
	estimates input.Estimates
	swfOutput string // "": none
	plot      chart.Picture
	seed      uint64
}

func newLogOptions() *logOptions { return &logOptions{seed: 1, estimates: input.Logged()} }

// Flags binds the flags.
func (o *logOptions) Flags() []cli.Flag {
	return append(o.LogOptions.Flags(),
		input.OneLoad(&o.load, "replay", cli.About{
			Usage: "stretch the times between submissions so that the jobs offer the load `LOAD`"}),
		cli.Plot(&o.plot, "arrivals, their dependence, sizes, run times and estimates"),
		cli.Value(&o.estimates, "estimates", input.ParseEstimates, cli.About{
			Usage:   "compare run times with the estimates `ESTIMATES`: " + strings.Join(workload.EstimatorForms(), ", "),
			Default: o.estimates.Name, Hint: "for example --estimates history"}),
		cli.OutputFile(&o.swfOutput, "swf-output", "write the jobs to `FILE`, in Standard Workload Format"),
		cli.Seed(&o.seed, "draw random estimates from the seed `N`"))
}

// Description is what there is to tell of a log.
type Description struct {
	Jobs       *joblog.List         // in the order of their submission
	Statistics *logstats.Statistics // nil of too few jobs

	*input.Selection
	offer     workload.Offer
	classes   []logstats.SizeClass
	name      string // of the estimates
	estimates []float64
	accuracy  logstats.Accuracy
}

func showLog(inv *cli.Invocation, o *logOptions) error {
	log, err := o.Select(inv, inv.Args[0])
	if err != nil {
		return err
	}
	l, err := o.describe(inv, log)
	if err != nil {
		return err
	}
	log.WarnSkipped()
	if err := inv.Emit(l.Result()); err != nil {
		return err
	}
	if !o.plot.Wanted() {
		return nil
	}
	return inv.Draw(o.plot, l.Figure())
}

// WriteSWF writes the jobs to a file.
func (l *Description) WriteSWF(file string) error {
	return output.WriteFile(file, func(w io.Writer) error { return joblog.WriteSWF(w, &l.Header, l.Jobs.All()) })
}

// Describe returns what there is to tell of the jobs that are selected, as logged.
func Describe(inv *cli.Invocation, log *input.Selection) (*Description, error) {
	return newLogOptions().describe(inv, log)
}

func (o *logOptions) describe(inv *cli.Invocation, log *input.Selection) (*Description, error) {
	jobs, err := log.List(o.load)
	if err != nil {
		return nil, err
	}
	l := &Description{Selection: log, name: o.estimates.Name, Jobs: jobs}
	if l.offer, err = workload.OfferOfLog(jobs.All()); err != nil {
		return nil, err
	}
	if o.swfOutput != "" {
		if err := l.WriteSWF(o.swfOutput); err != nil {
			return nil, err
		}
	}
	l.classes = logstats.SizeClasses(l.Jobs)
	if l.name == input.Logged().Name {
		l.estimates = make([]float64, jobs.Len())
		for i := range l.estimates {
			l.estimates[i] = jobs.At(i).Estimate
		}
	} else {
		stream := des.Seed(o.seed).Stream()
		l.estimates = logstats.EstimatesOf(jobs, o.estimates.New(), &stream)
	}
	l.accuracy = logstats.AccuracyOf(jobs, l.estimates)
	offered, err := log.At(o.load)
	if err != nil {
		return nil, err
	}
	l.Statistics, err = logstats.Of(inv.Context, l.Jobs, logstats.Options{Nodes: l.Nodes, Date: offered.Date()})
	if errors.Is(err, logstats.ErrTooFew) {
		err = nil
	}
	return l, err
}

// states counts the jobs by how they ended, in the log's own spelling.
func (l *Description) states() map[string]int {
	counts := map[string]int{}
	for j := range l.Jobs.All() {
		counts[l.Source.Names.State(j)]++
	}
	return counts
}

// leftOut counts what was left out, by reason: lines that gave no job, jobs set apart or never started, and jobs not chosen.
func (l *Description) leftOut() map[string]int {
	counts := maps.Clone(l.Skipped)
	for _, f := range l.Source.Findings {
		if f.Lost || f.Apart {
			counts[f.What] += f.Count
		}
	}
	if n := l.Source.NeverStarted; n > 0 {
		counts["never started"] = n
	}
	return counts
}

// addResizing adds how jobs were resized while they ran, if any was.
func addResizing(r *output.Result, z logstats.Resizing) {
	if z.Resizes == 0 {
		return
	}
	r.Add("resized", output.Pairs("jobs", z.Jobs, "resizes", z.Resizes, "grown", z.Grown, "shrunk", z.Shrunk, "factor", z.Factor,
		"kept_time", z.Kept, "pause", z.Pause))
	r.Note("Resized while they ran: %s, by %s: %d to more nodes, %d to fewer, by a factor of %s (geometric mean), after %s s on the same "+
		"nodes, with a pause of %s s.", words.Count(z.Jobs, "job"), words.Count(z.Resizes, "resize"), z.Grown, z.Shrunk,
		output.Round(z.Factor, 3), output.Round(z.Kept, 4), output.Round(z.Pause, 3))
}

// section gives a list in Long form, whose rows of CSV have the columns section, name and value, the names of its sections.
func section(l *output.List, name func(i int) any) *output.List {
	l.Measure = "name"
	l.Columns = append([]output.Column{{Key: "section", ID: true, OnlyCSV: true, Value: name}}, l.Columns...)
	return l
}

// figure is a row of CSV.
type figure struct {
	Section string `key:"section" form:"csv"`
	Label   any    `key:"name" form:"csv"`
	Value   any    `key:"value" form:"csv"`
}

// Result returns the description as a result.
func (l *Description) Result() *output.Result {
	type row struct {
		Jobs int     `key:"jobs"`
		Load float64 `key:"load"`
		Span float64 `key:"span"`
	}
	all := row{l.Jobs.Len(), l.offer.Load(l.Nodes), l.offer.Last - l.offer.First}
	r := output.NewResult("s")
	r.Object = append(r.Object, output.Pairs("format", string(l.Format), "jobs", all.Jobs, "jobs_by_state", output.Counts(l.states()),
		"nodes", l.Nodes, "load", all.Load, "span", all.Span, "node_seconds", l.offer.NodeTime, "skipped", output.Counts(l.leftOut()))...)
	r.List(section(output.ListOf("", "", output.Long, []row{all}, ""), func(int) any { return "log" }))
	r.List(l.sizes())
	l.addEstimates(r)
	addResizing(r, logstats.ResizingOf(l.Jobs))
	addStatistics(r, l.Statistics)
	return r
}

// sizes describes the jobs by their sizes.
func (l *Description) sizes() *output.List {
	type row struct {
		Nodes  string  `head:"nodes"`
		From   int     `key:"from" form:"json"`
		To     int     `key:"to" form:"json"`
		Jobs   int     `key:"jobs" head:"jobs"`
		Share  float64 `head:"share" form:"percents"`
		Mean   float64 `key:"mean_run_time" head:"mean run [s]" form:"decimals=0"`
		Median float64 `key:"median_run_time" head:"median" form:"json decimals=0"`
		P90    float64 `key:"p90_run_time" head:"90 %" form:"json decimals=0"`
	}
	rows := output.RowsOf(l.classes, func(c logstats.SizeClass) row {
		return row{c.String(), c.From, c.To, len(c.Runs), float64(len(c.Runs)) / float64(l.Jobs.Len()), c.Mean, c.Quantile(0.5), c.Quantile(0.9)}
	})
	return section(output.ListOf("sizes", headlineOf(l), output.Long, rows, ""), func(i int) any { return "jobs of " + rows[i].Nodes + " nodes" })
}

// addEstimates adds how good the estimates are.
func (l *Description) addEstimates(r *output.Result) {
	a := &l.accuracy
	if a.Jobs == 0 {
		r.Note("The log has no estimates.")
		return
	}
	type row struct {
		figure
		Words string  `head:"jobs that"`
		Jobs  int     `head:"number"`
		Share float64 `head:"share" form:"number none=– percents"`
	}
	var rows []row
	estimates := output.Pairs("estimates", l.name)
	add := func(name, words string, jobs, of int) {
		estimates.Add(name, jobs)
		rows = append(rows, row{figure{"estimates", name, jobs}, words, jobs, float64(jobs) / float64(of)})
	}
	add("estimated", "jobs with an estimate", a.Jobs, a.Jobs)
	add("killed", "failed or cancelled", a.Killed, a.Jobs)
	add("peak", "ran 99 to 101 % of it", a.Peak, a.Jobs)
	add("peak_killed", "… failed or cancelled", a.PeakKilled, a.Peak)
	add("zero", "ran less than 1 % of it", a.Zero, a.Jobs)
	add("under", "ran longer than it", a.Under, a.Jobs)
	add("short", "ran less than 90 s", a.Short, a.Jobs)
	add("two_hours", "estimate of at most 2 h", a.TwoHours, a.Jobs)
	estimates.Add("percent", a.Percent[:])
	r.Add("accuracy", estimates)
	r.List(output.ListOf("", "Run times and estimates ("+l.name+")", output.Wide, rows, ""))
	var percents []figure
	for k, jobs := range a.Percent {
		percents = append(percents, figure{"percent of estimate", k, jobs})
	}
	r.List(output.ListOf("", "", output.Wide, percents, ""))
}

func headlineOf(l *Description) string {
	days := output.Round((l.offer.Last-l.offer.First)/86400, 3)
	title := fmt.Sprintf("%s: %s in %s days", l.Name, words.Count(l.Jobs.Len(), "job"), days)
	if load := l.offer.Load(l.Nodes); output.Finite(load) {
		title += fmt.Sprintf(", load %s on %s", output.Round(load, 3), words.Count(l.Nodes, "node"))
	}
	return title
}

// figureColumns is the number of panels side by side.
const figureColumns = 3

// mostDots bounds the jobs that are drawn one by one.
const mostDots = 3000

// Figure draws run times by size, the share of estimates that was used, and estimates against run times.
func (l *Description) Figure() *chart.Figure {
	f := &chart.Figure{Title: l.Name, XLabel: "run time [s]", Series: []string{jobSeries: "jobs", workSeries: "work"}}
	if l.Statistics != nil {
		f.Panels = arrivalPanels(l.Statistics)
	}
	runs := chart.Panel{Title: "Run times by size", YLabel: "share of the jobs", MayLogX: true, FromZero: true}
	for i := range l.classes {
		series := chart.Line{Series: f.SeriesOf("size " + l.classes[i].String())}
		for k := range 101 {
			p := float64(k) / 100
			runs.Add(series, max(1, l.classes[i].Quantile(p)), p)
		}
	}
	f.Panels = append(f.Panels, runs)
	if l.accuracy.Jobs > 0 {
		l.drawEstimates(f)
	}
	f.Rows = make([]string, (len(f.Panels)+figureColumns-1)/figureColumns)
	return f
}

// drawEstimates draws how much of their estimates jobs used, and estimates of up to two hours against run times.
func (l *Description) drawEstimates(f *chart.Figure) {
	all, settled := chart.Line{Series: f.SeriesOf("all jobs")}, chart.Line{Series: f.SeriesOf("ran 90 s or more, not killed")}
	used := chart.Panel{Title: "How much of the estimate was used", XLabel: "run time [% of estimate]", YLabel: "jobs", FromZero: true}
	for k := range l.accuracy.Percent {
		used.Add(all, float64(k), float64(l.accuracy.Percent[k]))
		used.Add(settled, float64(k), float64(l.accuracy.Settled[k]))
	}
	var short [][2]float64 // estimates and run times in minutes
	for i, e := range l.estimates {
		if j := l.Jobs.At(i); e > 0 && e <= 7200 && j.Run <= 2*e { // those that ran for hours would leave the others no room
			short = append(short, [2]float64{e / 60, j.Run / 60})
		}
	}
	dots := chart.Panel{Title: "Estimates up to two hours", XLabel: "estimate [min]", YLabel: "run time [min]", FromZero: true}
	all.Dots = true
	dots.Lines = []chart.Line{all} // even if no job has such an estimate
	for k, step := 0, max(1, (len(short)+mostDots-1)/mostDots); k < len(short); k += step {
		dots.Add(all, short[k][0], short[k][1])
	}
	f.Panels = append(f.Panels, used, dots)
}
