package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
)

func curveCommand() command {
	return command{
		name:      "curve",
		group:     answering,
		summary:   "response times, their ratio and the repartitioning over a range of loads",
		arguments: "STUDY-or-MODEL...",
		details: "Solves every series of a study at every load; a model file alone is one series from load 0.02 to 0.98. " +
			"Writes one row per series and load (CSV unless to a terminal), and draws a picture with --plot. Several studies " +
			"make one result, in which a column names the study, and one picture, a row of panels each.",
		examples: []string{
			"partwise curve study.yaml --plot curve.svg",
			"partwise curve model.yaml --format csv --output curve.csv",
			"partwise curve w1.yaml w2.yaml --panels dynamic,ratio --plot both.png",
		},
		flags: []cli.Flag{
			plotFlag("response times, ratio and repartitioning"),
			panelsFlag(),
			setFlag(),
			methodFlag(),
		},
		minArgs: 1, maxArgs: mostStudies,
		formats: []string{"csv", "json", "markdown", "table"},
		run:     curve,
	}
}

func methodFlag() cli.Flag {
	return &cli.StringFlag{Name: "method", Value: markov.Auto, Usage: "algorithm `M` for the chains: " +
		strings.Join(markov.Methods(), ", ")}
}

// solver returns what the flags say about how to solve.
func (inv *invocation) solver() (markov.Settings, error) {
	method := inv.flags.String("method")
	if slices.Contains(markov.Methods(), method) {
		return markov.Settings{Method: method}, nil
	}
	hint := "use " + strings.Join(markov.Methods(), ", ")
	if near := nearest(method, markov.Methods()); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return markov.Settings{}, usage(hint, "--method: no method %q", method)
}

func curve(inv *invocation) error {
	plot, err := inv.picture("plot")
	if err != nil {
		return err
	}
	panels, err := inv.panels()
	if err != nil {
		return err
	}
	settings, err := inv.solver()
	if err != nil {
		return err
	}
	sets, err := inv.settings()
	if err != nil {
		return err
	}
	var studies []*spec.Study
	for _, name := range inv.args {
		study, err := spec.LoadStudy(name, sets...)
		if err != nil {
			return err
		}
		inv.doubts(study)
		studies = append(studies, study)
	}
	g, err := inv.solve(studies, settings)
	if errors.Is(err, context.Canceled) {
		return g.interrupted(inv)
	}
	if err != nil {
		return err
	}
	if err := inv.emit(g.result()); err != nil {
		return err
	}
	if err := inv.draw(plot, g.figure(panels)); err != nil {
		return err
	}
	return g.verdict(inv)
}

// solve solves studies one after the other, each with all workers. When interrupted it returns what is done.
func (inv *invocation) solve(studies []*spec.Study, settings markov.Settings) (gallery, error) {
	var sweeps []*models.Sweep
	total := 0
	for _, study := range studies {
		sweep := newSweep(study)
		sweep.Settings, sweep.Workers = settings, inv.workers
		sweeps = append(sweeps, sweep)
		total += len(sweep.Series) * len(sweep.Loads)
	}
	step, clear := inv.progress(total, "solving")
	defer clear()
	g := gallery{planned: total}
	before := 0
	for i, sweep := range sweeps {
		sweep.Progress = func(done int) { step(before + done) }
		points, err := sweep.Solve(inv.ctx)
		g.curves = append(g.curves, newCurves(studies[i], points))
		if err != nil {
			return g, err
		}
		before += len(points)
	}
	return g, nil
}

// newSweep returns the points of a study.
func newSweep(study *spec.Study) *models.Sweep {
	sweep := &models.Sweep{Loads: study.Loads}
	for _, s := range study.Series {
		one := models.Series{Name: s.Name, System: s.Model.System}
		if ref := study.Reference; ref != nil {
			// A rate per time unit of the series, which may not be that of the reference.
			one.Capacity = ref.System.Capacity() * s.Model.TimeUnit.Convert(1, ref.TimeUnit)
		}
		sweep.Series = append(sweep.Series, one)
	}
	return sweep
}

// doubts passes on the warnings about the files of a study, each once.
func (inv *invocation) doubts(study *spec.Study) {
	seen := map[string]bool{}
	for _, s := range study.Series {
		for _, w := range s.Model.Warnings {
			if text := w.Error(); !seen[text] {
				seen[text] = true
				inv.warn("%s", text)
			}
		}
	}
}

// curves are the points of a study that were solved, with what is said about them.
type curves struct {
	study  *spec.Study
	points []models.Point
	ks     []int // every number of static partitions of any series
}

func newCurves(study *spec.Study, points []models.Point) *curves {
	c := &curves{study: study}
	for _, p := range points {
		if p.Done {
			c.points = append(c.points, p)
		}
	}
	for _, s := range study.Series {
		for _, k := range s.Model.System.Divisors() {
			if !slices.Contains(c.ks, k) {
				c.ks = append(c.ks, k)
			}
		}
	}
	slices.Sort(c.ks)
	return c
}

// response returns the mean response time of a policy, ok false if there is none.
func response(p *models.Point, policy models.Policy) (float64, bool) {
	r := p.Decision.Of(policy)
	if r == nil || !r.Measures.Stable {
		return 0, false
	}
	return r.Measures.MeanResponseTime, true
}

// repartitioning returns p_r, ok false if dynamic partitioning is unstable.
func repartitioning(p *models.Point) (float64, bool) {
	r := p.Decision.Of(models.Policy{Kind: models.Dynamic})
	if r == nil || !r.Measures.Stable || r.Measures.Repartitions == nil {
		return 0, false
	}
	return r.Measures.Repartitions.Probability, true
}

// value is a named number of a point; ok is false where it does not exist.
type value struct {
	name string
	v    float64
	ok   bool
}

// values returns the columns of a point after its series, in order.
func (c *curves) values(p *models.Point) []value {
	dynamic, dynamicOK := response(p, models.Policy{Kind: models.Dynamic})
	var static, partitions float64
	best := p.Decision.Best
	if best != nil {
		static, partitions = best.Measures.MeanResponseTime, float64(best.Policy.Partitions)
	}
	pr, prOK := repartitioning(p)
	all := []value{
		{"load", p.Load, true},
		{"arrival_rate", p.ArrivalRate, true},
		{"t_dynamic", dynamic, dynamicOK},
		{"t_static", static, best != nil},
		{"best_partitions", partitions, best != nil},
		{"ratio", p.Decision.Ratio, p.Decision.Ratio > 0},
		{"p_repartition", pr, prOK},
	}
	for _, k := range c.ks {
		t, ok := response(p, models.Policy{Kind: models.Static, Partitions: k})
		all = append(all, value{fmt.Sprintf("t_static_%d", k), t, ok})
	}
	return all
}
