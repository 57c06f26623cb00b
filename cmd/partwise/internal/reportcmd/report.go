// Package reportcmd writes everything about a study or a model on one page: the command report.
//
// Package points solves the points of a study. A model alone is solved at its own load, too. Points, sentences,
// assumptions, warnings and files become a document, which is written as HTML or as Markdown.
package reportcmd

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/explorer"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/points"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
	"github.com/partwise/partwise/models/words"
)

//go:embed report.txt
var help string

// Command is the command that writes a report.
func Command() cli.Command {
	return cli.WithOptions(newOptions, report, cli.Described(help, cli.Command{
		Formats: []string{"html", "markdown"},
	}))
}

// options are the flags of report.
type options struct {
	panels   []points.PanelKind
	settings markov.Settings
	sets     []modelfile.Set

	interactive bool
}

func newOptions() *options {
	return &options{settings: input.AnyMethod()}
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return []cli.Flag{points.Panels(&o.panels), cli.Unlisted(input.Method(&o.settings)), input.Sets(&o.sets),
		cli.Switch(&o.interactive, "interactive",
			"write a page on which the parameters of the model can be changed")}
}

// Check refuses to write a page to a terminal, and a report of nothing.
func (o *options) Check(inv *cli.Invocation) error {
	switch {
	case o.interactive && inv.Format != "html":
		return fault.Usagef("leave --format out", "--interactive writes HTML")
	case o.interactive && inv.FirstGiven("method", "panels") != "":
		return fault.Usagef("the page has its own", "--interactive takes neither --method nor --panels")
	case !o.interactive && len(inv.Args) == 0:
		return fault.Usagef("partwise report model.yaml --output report.html", "report needs STUDY-or-MODEL")
	}
	if inv.Output == "" && output.IsTerminal(inv.Stdout) {
		language := "HTML"
		if inv.Format == "markdown" {
			language = "Markdown"
		}
		return fault.Usagef("for example --output report.html", "refusing to write %s to a terminal; use --output", language)
	}
	return nil
}

// solved is a study with its solution; a model alone is solved at its own load, too.
type solved struct {
	*modelfile.Study
	points   *points.Study
	figure   *chart.Figure
	Own      *decide.Decision // of a model alone, at its own load
	readings []string         // what holds if only the resized jobs stop; of the model alone first
	settings markov.Settings
	warned   []string // what was warned of
}

// model returns the model of the first series, the only one of a model alone.
func (s *solved) model() *modelfile.Model { return s.Series[0].Model }

// answered reports whether the study is a model alone whose policies are all solved.
func (s *solved) answered() bool { return s.Own != nil && len(s.Own.Failed) == 0 }

func report(inv *cli.Invocation, o *options) error {
	if o.interactive {
		return explore(inv, o)
	}
	s, err := solve(inv, o)
	if err != nil {
		return err
	}
	leads, others := s.sentences()
	short := Part{Title: "In short", Lead: leads, Assumed: s.points.Assumed, Bullets: others, Figures: []*chart.Figure{s.figure}}
	if len(leads) > 0 {
		short.Verdict, short.Lead = leads[0], leads[1:]
		short.Tiles, short.Terms = tiles(s.model(), s.Own), []string{terms}
		if s.Own.Of(policy.FCFS{}) != nil {
			short.Terms = append(short.Terms, rigidTerms)
		}
		load := s.model().System.Load()
		if s.points.DrawnOver() < 0 {
			for i := range s.figure.Panels {
				s.figure.Panels[i].Here = chart.Named{At: load, Name: "load " + words.Load(load)}
			}
		}
	}
	d, err := s.page(input.CommandLine(inv, "report", "", "set", "method", "panels", "format"), short, s.goals())
	if err != nil {
		return err
	}
	write := d.writeHTML
	if inv.Format != "html" { // the picture is a file beside the report
		write = func(w io.Writer) error { return d.writeMarkdown(w, beside(inv.Output)) }
	}
	if err := inv.Write(write); err != nil {
		return err
	}
	return s.conclude()
}

// terms explains the words of the answer of a model.
const terms = "Dynamic partitioning resizes the running jobs whenever a job arrives or departs. A static split cuts the " +
	"machine into K equal partitions once; the best has the shortest mean response time, from submission to end. The load is the " +
	"work that arrives, as a share of what the machine can do."

// rigidTerms explains the words of the answer about rigid jobs.
const rigidTerms = "Rigid jobs keep the nodes that they ask for. They start in the order of their arrival (fcfs): the first of " +
	"the queue blocks all others while too few nodes are free."

// tiles are the numbers of the answer.
func tiles(file *modelfile.Model, d *decide.Decision) (all []Tile) {
	add := func(name string, of *decide.Solved) {
		if of != nil && of.Measures.Stable {
			all = append(all, Tile{name, words.WithUnit(of.Measures.MeanResponseTime, file.TimeUnit.Name)})
		}
	}
	dynamic := d.Of(policy.Dynamic{})
	add("dynamic", dynamic)
	if d.Best != nil {
		add(fmt.Sprintf("best static split, K=%d", d.Best.Partitions()), d.Best)
	}
	rigid := d.CompareWith(policy.FCFS{})
	add("rigid jobs, fcfs", rigid.Rival)
	if d.Ratio > 0 {
		all = append(all, Tile{"dynamic, times as fast as static", words.Round(d.Ratio, 3)})
	}
	if rigid.BothStable {
		all = append(all, Tile{"dynamic, times as fast as rigid jobs", words.Round(rigid.Ratio, 3)})
	}
	if dynamic != nil && dynamic.Measures.Stable && dynamic.Measures.Repartitions != nil {
		all = append(all, Tile{"time in repartitions", words.Round(100*dynamic.Measures.Repartitions.Probability, 2) + " %"})
	}
	return all
}

// solve reads and solves the study.
func solve(inv *cli.Invocation, o *options) (*solved, error) {
	if err := input.RefuseQueues(inv); err != nil {
		return nil, err
	}
	o.settings.Memory = inv.Memory
	s := &solved{settings: o.settings}
	inv.Warned = func(text string) { s.warned = append(s.warned, text) }
	var err error
	if s.Study, err = input.LoadStudy(inv, inv.Args[0], o.sets...); err != nil {
		return nil, err
	}
	if s.alone() {
		s.thinLoads(inv)
	}
	s.points = points.New(s.Study, s.Loads)
	s.points.CompareCandidates(inv, s.Study, s.settings)
	if err := s.solve(inv); err != nil {
		return nil, err
	}
	s.figure = points.Figure([]*points.Study{s.points}, o.panels)
	return s, nil
}

// solve solves all points, and a model alone at its own load, too.
func (s *solved) solve(inv *cli.Invocation) error {
	w := s.points.Sweep
	w.Settings, w.Workers = s.settings, inv.Workers
	step, clear := inv.Progress(len(w.Points()), "solving")
	defer clear()
	done := 0
	w.Each = func(_ int, p *decide.Point) error {
		if p.Err != nil && sweep.Fatal(p.Err) {
			return input.MethodError(s.settings.Method, p.Err)
		}
		done++
		step(done)
		return nil
	}
	var err error
	if s.points.Points, err = w.Solve(inv.Context); err != nil {
		return err
	}
	if s.readings, err = solution.Readings(inv.Context, w, s.points.Points); err != nil || !s.alone() {
		return err
	}
	d, err := decide.SolvePartly(inv.Context, s.model().System, s.policies(inv), s.settings, inv.Workers)
	if err != nil {
		return input.MethodError(s.settings.Method, err)
	}
	s.Own = &d
	if len(d.Failed) > 0 {
		return nil
	}
	_, text, err := solution.Reading(inv.Context, s.model(), s.Own, s.settings)
	if text != "" {
		s.readings = slices.Insert(s.readings, 0, text)
	}
	return err
}

// mostSeconds is about how long one core may take for the points of a model alone, whose loads the user did not give.
const mostSeconds = 30

// thinLoads takes so few of the loads of a model alone that the curve takes no longer than mostSeconds: every second, fifth or
// tenth of the steps of 0.02, or three loads.
func (s *solved) thinLoads(inv *cli.Invocation) {
	each, _ := decide.Seconds(inv.Context, s.model().System, s.policies(inv), s.settings) // the solve returns the error
	s.Loads = decide.ThinLoads(s.Loads, each, mostSeconds)
}

// policies returns what is solved of a model alone.
func (s *solved) policies(inv *cli.Invocation) []policy.Policy {
	all, _ := input.Candidates(inv, s.model(), s.settings)
	return all
}

// alone tells whether the study is one model.
func (s *solved) alone() bool { return len(s.Series) == 1 && s.model().File == s.File }

// conclude returns what is wrong with the solution: it makes the exit code of a report that was written.
func (s *solved) conclude() error {
	all := s.points.Points
	failed := points.Failed(all)
	switch {
	case len(failed) > 0:
		return points.FailedError(fmt.Sprintf("incomplete: %d of %d points failed", len(failed), len(all)), failed, "")
	case s.Own != nil && len(s.Own.Failed) > 0:
		return input.MethodError(s.settings.Method, s.Own.Failed[0])
	case !slices.ContainsFunc(all, func(p decide.Point) bool { return p.Decision.Stable() }):
		return fault.Failf(fault.ExitUnstable, "no policy is stable at any point")
	case s.Own != nil:
		return solution.Require(s.model(), s.Own)
	}
	return nil
}

// page returns a document: parts first, then the results of the model, and what the numbers rest on.
func (s *solved) page(command string, parts ...Part) (*document, error) {
	files, err := s.files()
	return &document{s.Title, append(parts, s.results(), s.machines(), s.assumptions(), s.warnings(), files, madeBy(command))}, err
}

// sentences say what the solution is: at the model's own load, and over all.
func (s *solved) sentences() (leads, others []string) {
	if s.answered() {
		leads = s.Own.Sentences("", s.model().System.Load())
	}
	return leads, append(s.points.CrossingSentences(), s.readings...)
}

// goals returns the goals of a model alone, with what became of them.
func (s *solved) goals() Part {
	if !s.answered() || len(s.model().Require) == 0 {
		return Part{}
	}
	file := s.model()
	var all []string
	for _, goal := range file.Require {
		text, met := s.Own.InWords(&goal.Requirement, file.TimeUnit.Name)
		outcome := "missed: "
		if met {
			outcome = "met: "
		}
		all = append(all, outcome+text)
	}
	return Part{Title: "Goals", Bullets: all}
}

// results are the tables.
func (s *solved) results() Part {
	out := Part{Title: "Results"}
	if s.Own != nil {
		file := s.model()
		unit := file.TimeUnit.Name
		policies := output.NewTable(input.Headline(file), s.Own.Results, func(r *decide.Solved) output.Row {
			return solution.Row(r, nil)
		}).In(unit).Show(solution.Shown()...)
		out.Tables = []*output.List{policies, solution.Classes(s.Own.Results, unit, nil)}
	}
	for i, one := range s.Series {
		solved, unit := s.points.Solved(i), one.Model.TimeUnit.Name
		if len(solved) == 0 {
			continue
		}
		every := points.Thinned(len(solved))
		out.Tables = append(out.Tables, points.SeriesTables(one.Name, unit, solved, every)...)
		if every > 1 {
			out.Folds = append(out.Folds, Fold{Summary: fmt.Sprintf("All %d loads of %s", len(solved), one.Name),
				Part: Part{Tables: points.SeriesTables("", unit, solved, 1)}})
		}
	}
	out.Notes = words.NonEmpty(s.accuracy())
	return out
}

// accuracy says how accurate all means are, and where they are least accurate; "" if no point is stable.
func (s *solved) accuracy() string {
	all, of := s.points.All()
	at, least := decide.LeastAccuratePoint(all)
	if least == nil {
		return ""
	}
	d := &least.Measures.Diagnostics
	return fmt.Sprintf("The equations of all chains are solved to at least %s; the largest bound of a relative error is %s, of %v "+
		"at load %s (%s). How well the chain describes the machine is another question.",
		words.Count(d.Digits(), "digit"), words.Round(d.ErrorBound, 2), least.Policy, words.Load(all[at].Load),
		of[at].Name)
}

// machines are the models in numbers.
func (s *solved) machines() Part {
	out := Part{Title: "Machines and jobs", Tables: []*output.List{machineTable(s.Series)}}
	for _, one := range s.Series {
		out.Folds = append(out.Folds, Fold{Summary: "Times of " + one.Name + " by the number of jobs that share the machine",
			Part: Part{Tables: []*output.List{timesTable(one.Model)}}})
	}
	return out
}

// assumptions returns the assumptions of all series, and the assumptions of some series only.
func (s *solved) assumptions() Part {
	made := map[string][]string{}
	var all []string
	for _, one := range s.Series {
		for _, a := range assumptions(one.Model) {
			if made[a] == nil {
				all = append(all, a)
			}
			made[a] = append(made[a], one.Name)
		}
	}
	for i, a := range all {
		if len(made[a]) < len(s.Series) {
			all[i] += " (" + strings.Join(made[a], "; ") + ")"
		}
	}
	return Part{Title: "Assumptions", Bullets: all}
}

// explore writes the page of the explorer, which starts from the model if one is named.
func explore(inv *cli.Invocation, o *options) error {
	file, err := startOf(inv, o)
	if err != nil {
		return err
	}
	if len(file.Expect)+len(file.Require) > 0 {
		inv.Notef("the page leaves the goals of %s out: they are for the values of the file; partwise solve checks them", file.File)
	}
	if err := explorer.Prepare(inv.Context, inv.Notef); err != nil {
		return fault.Hint(fault.ExitUsage, "released programs have the explorer; others compile it, with Go in PATH "+
			"and the source they were built from", err)
	}
	var text strings.Builder
	file.Expect, file.Require = nil, nil // goals are for the values of the file, and may name splits that other machines do not have
	if err := modelfile.WriteModel(&text, file); err != nil {
		return err
	}
	page := &explorer.Page{Title: file.Title, Model: text.String()}
	return inv.Write(page.Write)
}

func startOf(inv *cli.Invocation, o *options) (*modelfile.Model, error) {
	if len(inv.Args) == 0 {
		return modelfile.Parse("start.yaml", []byte(explorer.Start), o.sets...)
	}
	return input.Load(inv, o.sets, 0)
}
