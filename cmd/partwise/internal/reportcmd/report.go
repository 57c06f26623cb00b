package reportcmd

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/sentence"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/cmd/partwise/internal/sweep"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// Command is the command that writes a report.
func Command() cli.Command {
	return cli.WithOptions(newOptions, report, cli.Command{
		Name:      "report",
		Group:     cli.Answering,
		Summary:   "everything about a study or a model on one page",
		Arguments: "[STUDY-or-MODEL]",
		Details: "Solves the study, or the model over a range of loads and at its own, and writes a page that needs " +
			"nothing but itself: the answer, interactive pictures, results, assumptions, warnings, the files it was made from " +
			"with their SHA-256, and the versions of the programs. --format markdown writes the same for a repository, the " +
			"picture in an SVG file beside it. The same files give the same bytes.\n\n" +
			"--interactive writes a page with the solver in it, on which load, overheads, variability, partitions and a " +
			"cooldown can be changed, from the values of a model file or without one.",
		Examples: []string{
			"partwise report study.yaml --output report.html",
			"partwise report model.yaml --output report.md",
			"partwise report model.yaml --set machine.nodes=16 --set machine.min_nodes=4 -o wider.html",
		},
		MaxArgs: 1,
		Formats: []string{"html", "markdown"},
	})
}

// options are the flags of report.
type options struct {
	panels   []sweep.PanelKind
	settings markov.Settings
	sets     []modelfile.Set

	interactive bool
}

func newOptions() *options {
	return &options{panels: sweep.DefaultPanels(), settings: model.AnyMethod()}
}

// Flags binds the flags.
func (o *options) Flags() []cli.Flag {
	return []cli.Flag{sweep.Panels(&o.panels), model.Method(&o.settings), cli.Sets(&o.sets),
		cli.Switch(&o.interactive, "interactive",
			"write a page on which the parameters of the model can be moved and the answer is computed anew")}
}

// Check refuses to write a page to a terminal, and a report of nothing.
func (o *options) Check(inv *cli.Invocation) error {
	switch {
	case o.interactive && inv.Format != "html":
		return cli.Usagef("leave --format out", "--interactive writes HTML")
	case o.interactive && len(inv.Repeat("method", "panels")) > 0:
		return cli.Usagef("the page has its own", "--interactive takes neither --method nor --panels")
	case !o.interactive && len(inv.Args) == 0:
		return cli.Usagef("partwise report model.yaml --output report.html", "report needs STUDY-or-MODEL")
	}
	if inv.Output == "" && cli.IsTerminal(inv.Stdout) {
		language := map[string]string{"html": "HTML", "markdown": "Markdown"}[inv.Format]
		return cli.Usagef("for example --output report.html", "refusing to write %s to a terminal; use --output", language)
	}
	return nil
}

// solvedStudy is a study with its solution, as a report tells of them.
type solvedStudy struct {
	*modelfile.Study
	curves   *sweep.Curves
	points   []decide.Point
	figure   *chart.Figure
	own      *decide.Decision // of a model alone, at its own load
	readings []string         // what holds if only the resized jobs stop; of the model alone first
	settings markov.Settings
	command  string // that makes the report again
}

func report(inv *cli.Invocation, o *options) error {
	if o.interactive {
		return explore(inv, o)
	}
	s, err := solveStudy(inv, o)
	if err != nil {
		return err
	}
	d, err := s.document()
	if err != nil {
		return err
	}
	if inv.Format == "html" {
		err = inv.Write(d.writeHTML)
	} else {
		err = writeMarkdown(inv, d)
	}
	if err != nil {
		return err
	}
	return s.conclude()
}

// solveStudy reads and solves the study.
func solveStudy(inv *cli.Invocation, o *options) (*solvedStudy, error) {
	o.settings.Memory = inv.Memory
	s := &solvedStudy{command: commandLine(inv), settings: o.settings}
	var err error
	if s.Study, err = model.LoadStudy(inv, "", inv.Args[0], o.sets...); err != nil {
		return nil, err
	}
	if err := s.solve(inv); err != nil {
		return nil, err
	}
	s.figure = sweep.Figure([]*sweep.Curves{s.curves}, o.panels)
	return s, nil
}

// solve solves all points, and a model alone at its own load, too.
func (s *solvedStudy) solve(inv *cli.Invocation) error {
	solver := sweep.NewSweep(s.Study, s.Loads)
	solver.Settings, solver.Workers = s.settings, inv.Workers
	step, clear := inv.Progress(len(solver.Points()), "solving")
	defer clear()
	done := 0
	solver.Each = func(_ int, p *decide.Point) error {
		if p.Err != nil && sweep.Fatal(p.Err) {
			return model.MethodError(s.settings.Method, p.Err)
		}
		done++
		step(done)
		return nil
	}
	var err error
	if s.points, err = solver.Solve(inv.Context); err != nil {
		return err
	}
	s.curves = sweep.NewCurves(sweep.NewLayout(s.Study, len(s.Loads)), s.points)
	if s.readings, err = solution.Readings(inv.Context, solver, s.points); err != nil || !s.alone() {
		return err
	}
	system := s.Series[0].Model.System
	d, err := decide.SolvePartly(inv.Context, system, policy.Candidates(system.Machine()), s.settings, inv.Workers)
	if err != nil {
		return model.MethodError(s.settings.Method, err)
	}
	s.own = &d
	if len(d.Failed) > 0 {
		return nil
	}
	_, text, err := solution.Reading(inv.Context, s.Series[0].Model, s.own, s.settings)
	if text != "" {
		s.readings = slices.Insert(s.readings, 0, text)
	}
	return err
}

// alone tells whether the study is one model.
func (s *solvedStudy) alone() bool { return len(s.Series) == 1 && s.Series[0].Model.File == s.File }

// conclude is what makes the exit code of a report that was written.
func (s *solvedStudy) conclude() error {
	failed, stable := s.failures(), false
	for i := range s.points {
		stable = stable || s.points[i].Decision.Stable()
	}
	switch {
	case len(failed) > 0:
		return cli.Failf(cli.ExitIncomplete, "incomplete: %d of %d points failed:%s", len(failed), len(s.points),
			sweep.Listed(failed))
	case s.own != nil && len(s.own.Failed) > 0:
		return model.MethodError(s.settings.Method, s.own.Failed[0])
	case !stable:
		return cli.Failf(cli.ExitUnstable, "no policy is stable at any of the %d points", len(s.points))
	case s.own != nil:
		return solution.Require(s.Series[0].Model, s.own)
	}
	return nil
}

func (s *solvedStudy) failures() []string {
	var all []string
	for _, p := range s.points {
		if p.Err != nil {
			all = append(all, p.Err.Error())
		}
	}
	return all
}

// writeMarkdown writes the document, and its picture beside it if it goes to a file.
func writeMarkdown(inv *cli.Invocation, d *document) error {
	return inv.Write(func(w io.Writer) error { return d.writeMarkdown(w, beside(inv.Output)) })
}

// commandLine returns the words that make the report again.
func commandLine(inv *cli.Invocation) string {
	words := []string{"partwise", "report", cli.Quoted(filepath.ToSlash(inv.Args[0]))}
	return strings.Join(append(words, inv.Repeat("set", "method", "panels", "format")...), " ")
}

// document is all there is to say.
func (s *solvedStudy) document() (*document, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	sections := []section{s.inShort(), s.goals(), s.results(), s.machines(), s.assumptions(), s.warnings(), files,
		s.versions()}
	d := &document{title: s.Title}
	for _, one := range sections {
		if len(one.blocks) > 0 {
			d.sections = append(d.sections, one)
		}
	}
	return d, nil
}

// inShort is the answer and its picture.
func (s *solvedStudy) inShort() section {
	out := section{title: "In short"}
	if s.own != nil && len(s.own.Failed) == 0 {
		for _, text := range sentence.Answer(s.Series[0].Model, s.own) {
			out.add(lead(text))
		}
	}
	var all bullets
	for i := range s.Series {
		if points := s.curves.Points[i]; len(points) > 0 {
			all = append(all, s.Series[i].Name+": "+solution.Crossings(points)+".")
		}
	}
	out.add(append(all, s.readings...), pictured{s.figure})
	return out
}

// goals are those of a model alone, with what became of them.
func (s *solvedStudy) goals() section {
	out := section{title: "Goals"}
	if s.own == nil || len(s.own.Failed) > 0 || len(s.Series[0].Model.Require) == 0 {
		return out
	}
	file := s.Series[0].Model
	var all bullets
	for _, goal := range file.Require {
		text := solution.MissedRequirement(file, s.own, goal)
		if text == "" {
			v, _ := s.own.Value(&goal.Subject)
			text = fmt.Sprintf("met: %s %s is %s", goal.PolicyName(), goal.Measure.Name, output.Round(v, 6))
		} else {
			text = "missed: " + text
		}
		all = append(all, text)
	}
	out.add(all)
	return out
}

// results are the tables.
func (s *solvedStudy) results() section {
	out := section{title: "Results"}
	if s.own != nil {
		out.add(tableOf{solution.ComparisonTable(s.Series[0].Model, s.own.Results)})
	}
	for i := range s.curves.Series {
		one, points := &s.curves.Series[i], s.curves.Points[i]
		if len(points) == 0 {
			continue
		}
		out.add(tableOf{sweep.SeriesTable(one.Name, one.TimeUnit, points, 1+(len(points)-1)/output.MostRows)})
		if len(points) > output.MostRows {
			all := sweep.SeriesTable("", one.TimeUnit, points, 1)
			out.add(folded{fmt.Sprintf("All %d loads of %s", len(points), one.Name), []block{tableOf{all}}})
		}
	}
	if text := s.curves.Accuracy(); text != "" {
		out.add(paragraph(text))
	}
	return out
}

// machines are the models in numbers.
func (s *solvedStudy) machines() section {
	out := section{title: "Machines and jobs"}
	out.add(tableOf{machineTable(s.Series)})
	for _, one := range s.Series {
		summary := "Times of " + one.Name + " by the number of jobs that share the machine"
		out.add(folded{summary, []block{tableOf{timesTable(one.Model)}}})
	}
	return out
}

// assumptions are those of all series, and those that only some make.
func (s *solvedStudy) assumptions() section {
	out := section{title: "Assumptions"}
	made := map[string][]string{}
	var order []string
	for _, one := range s.Series {
		for _, a := range assumptions(one.Model) {
			if made[a] == nil {
				order = append(order, a)
			}
			made[a] = append(made[a], one.Name)
		}
	}
	var all bullets
	for _, a := range order {
		if len(made[a]) < len(s.Series) {
			a += " (" + strings.Join(made[a], "; ") + ")"
		}
		all = append(all, a)
	}
	out.add(all)
	return out
}
