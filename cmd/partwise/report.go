package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"

	"github.com/urfave/cli/v2"
)

func reportCommand() command {
	return command{
		name:      "report",
		group:     answering,
		summary:   "everything about a study or a model on one page",
		arguments: "STUDY-or-MODEL",
		details: "Solves the study, or the model over a range of loads and at its own, and writes a page that needs nothing " +
			"but itself: what came out, interactive pictures, results, what the numbers rest on, what there is to doubt, the " +
			"files it was made from with their SHA-256, and the versions of the programs. --format markdown writes the same " +
			"for a repository, the picture in an SVG file beside it. The same files give the same bytes.",
		examples: []string{
			"partwise report study.yaml --output report.html",
			"partwise report model.yaml --output report.md",
			"partwise report model.yaml --set machine.nodes=16 --set machine.min_nodes=4 -o wider.html",
		},
		flags:   []cli.Flag{panelsFlag(), setFlag(), methodFlag()},
		minArgs: 1, maxArgs: 1,
		formats: []string{"html", "markdown"},
		run:     report,
	}
}

// study is a study with its solution, as a report tells of them.
type solvedStudy struct {
	*spec.Study
	curves   *curves
	points   []models.Point
	figure   *chart.Figure
	own      *models.Decision // of a model alone, at its own load
	settings markov.Settings
	command  string // that makes the report again
}

func report(inv *invocation) error {
	if inv.output == "" && isTerminal(inv.stdout) {
		return usage("for example --output report.html", "report: a page is no reading for a terminal")
	}
	s, err := inv.studyOfReport()
	if err != nil {
		return err
	}
	d, err := s.document()
	if err != nil {
		return err
	}
	if inv.format == "html" {
		err = inv.write(d.writeHTML)
	} else {
		err = inv.writeMarkdown(d)
	}
	if err != nil {
		return err
	}
	return s.verdict()
}

// studyOfReport reads the flags, and reads and solves the study.
func (inv *invocation) studyOfReport() (*solvedStudy, error) {
	kinds, err := inv.panels()
	if err != nil {
		return nil, err
	}
	s := &solvedStudy{command: inv.commandLine()}
	if s.settings, err = inv.solver(); err != nil {
		return nil, err
	}
	sets, err := inv.settings()
	if err != nil {
		return nil, err
	}
	if s.Study, err = spec.LoadStudy(inv.args[0], sets...); err != nil {
		return nil, err
	}
	if err := s.solve(inv); err != nil {
		return nil, err
	}
	s.figure = figureOf([]*curves{s.curves}, kinds)
	return s, nil
}

// solve solves all points, and a model alone at its own load, too.
func (s *solvedStudy) solve(inv *invocation) error {
	sweep := newSweep(s.Study, s.Loads)
	sweep.Settings, sweep.Workers = s.settings, inv.workers
	step, clear := inv.progress(len(sweep.Points()), "solving")
	defer clear()
	done := 0
	sweep.Each = func(_ int, p *models.Point) error {
		if p.Err != nil && fatal(p.Err) {
			return methodError(s.settings.Method, p.Err)
		}
		done++
		step(done)
		return nil
	}
	var err error
	if s.points, err = sweep.Solve(inv.ctx); err != nil {
		return err
	}
	s.curves = newCurves(newLayout(s.Study, len(s.Loads)), s.points)
	if !s.alone() {
		return nil
	}
	system := s.Series[0].Model.System
	d, err := system.Decide(inv.ctx, system.Candidates(), s.settings, inv.workers)
	if err != nil {
		return methodError(s.settings.Method, err)
	}
	s.own = &d
	return nil
}

// alone tells whether the study is one model.
func (s *solvedStudy) alone() bool { return len(s.Series) == 1 && s.Series[0].Model.File == s.File }

// verdict is what makes the exit code of a report that was written.
func (s *solvedStudy) verdict() error {
	failed, stable := s.failures(), false
	for i := range s.points {
		stable = stable || s.points[i].Decision.Stable()
	}
	switch {
	case len(failed) > 0:
		return fail(exitIncomplete, "incomplete: %d of %d points failed:%s", len(failed), len(s.points), listed(failed))
	case !stable:
		return fail(exitUnstable, "no policy is stable at any of the %d points", len(s.points))
	case s.own != nil:
		return require(s.Series[0].Model, s.own)
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
func (inv *invocation) writeMarkdown(d *document) error {
	picture := func(f *chart.Figure) (string, error) {
		if inv.output == "" {
			return "", nil
		}
		name := strings.TrimSuffix(inv.output, filepath.Ext(inv.output)) + ".svg"
		err := output.WriteFile(name, func(w io.Writer) error { return f.Write(w, "svg") })
		return filepath.Base(name), err
	}
	return inv.write(func(w io.Writer) error { return d.writeMarkdown(w, picture) })
}

// commandLine returns the words that make the report again.
func (inv *invocation) commandLine() string {
	words := []string{"partwise", "report", quoted(filepath.ToSlash(inv.args[0]))}
	for _, set := range inv.flags.StringSlice("set") {
		words = append(words, "--set", quoted(set))
	}
	for _, name := range []string{"method", "panels", "format"} {
		if inv.flags.IsSet(name) {
			words = append(words, "--"+name, quoted(inv.flags.String(name)))
		}
	}
	return strings.Join(words, " ")
}

// document is all there is to say.
func (s *solvedStudy) document() (*document, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	sections := []section{s.inShort(), s.goals(), s.results(), s.machines(), s.assumptions(), s.doubts(), files, s.versions()}
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
	if s.own != nil {
		for _, sentence := range answer(s.Series[0].Model, s.own) {
			out.add(lead(sentence))
		}
	}
	var all bullets
	for i := range s.Series {
		if points := s.curves.points[i]; len(points) > 0 {
			all = append(all, s.Series[i].Name+": "+crossings(points)+".")
		}
	}
	out.add(all, pictured{s.figure})
	return out
}

// goals are those of a model alone, with what became of them.
func (s *solvedStudy) goals() section {
	out := section{title: "Goals"}
	if s.own == nil || len(s.Series[0].Model.Require) == 0 {
		return out
	}
	file := s.Series[0].Model
	var all bullets
	for _, goal := range file.Require {
		text := miss(file, s.own, goal)
		if text == "" {
			v, _ := measured(s.own, goal.Subject)
			text = fmt.Sprintf("met: %s %s is %s", goal.Policy, goal.Measure.Name, output.Round(v, 6))
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
		out.add(tableOf{comparison(s.Series[0].Model, s.own.Results)})
	}
	for i := range s.curves.Series {
		one, points := &s.curves.Series[i], s.curves.points[i]
		if len(points) == 0 {
			continue
		}
		out.add(tableOf{seriesTable(one.Name, one.TimeUnit, points, 1+(len(points)-1)/mostRows)})
		if len(points) > mostRows {
			all := seriesTable("", one.TimeUnit, points, 1)
			out.add(folded{fmt.Sprintf("All %d loads of %s", len(points), one.Name), []block{tableOf{all}}})
		}
	}
	if text := s.curves.certainty(); text != "" {
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
