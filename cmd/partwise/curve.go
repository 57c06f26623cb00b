package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
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
			"partwise curve model.yaml --over jobs.speedup.serial=0,0.02,0.1 --plot serial.svg",
		},
		flags:   append(sweepFlags(), drawingFlags("response times, ratio and repartitioning")...),
		minArgs: 1, maxArgs: mostStudies,
		formats: []string{"csv", "json", "markdown", "table"},
		run:     curve,
	}
}

func methodFlag() cli.Flag {
	return &cli.StringFlag{Name: "method", Value: markov.Auto, Usage: "algorithm `M` for the chains: " +
		strings.Join(multiserver.Methods(), ", ")}
}

// solver returns what the flags say about how to solve.
func (inv *invocation) solver() (markov.Settings, error) {
	method := inv.flags.String("method")
	if slices.Contains(multiserver.Methods(), method) {
		return markov.Settings{Method: method}, nil
	}
	return markov.Settings{}, usage(suggestion(method, multiserver.Methods()), "--method: no method %q", method)
}

func curve(inv *invocation) error {
	c, err := inv.campaign("curve")
	if err != nil {
		return err
	}
	for _, study := range c.studies {
		c.add(newLayout(study, len(study.Loads)), newSweep(study, study.Loads))
	}
	return c.carryOut(inv)
}

// newSweep returns the points of a study.
func newSweep(study *spec.Study, loads []float64) *models.Sweep {
	sweep := &models.Sweep{Loads: loads}
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

// curves are the points of a study that were solved, with what is said about them.
type curves struct {
	layout
	points [][]models.Point // by series
	ks     []int            // every number of static partitions of any series
}

// newCurves takes all points of a study, of which those that were solved are shown.
func newCurves(l layout, points []models.Point) *curves {
	c := &curves{layout: l}
	for i, s := range l.Series {
		c.points = append(c.points, l.solved(points, i))
		for _, k := range s.Divisors {
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

// values returns the columns of a point that all curves have after the series, in order.
func values(p *models.Point) []value {
	dynamic, dynamicOK := response(p, models.Policy{Kind: models.Dynamic})
	var static, partitions float64
	best := p.Decision.Best
	if best != nil {
		static, partitions = best.Measures.MeanResponseTime, float64(best.Policy.Partitions)
	}
	pr, prOK := repartitioning(p)
	return []value{
		{"load", p.Load, true},
		{"arrival_rate", p.ArrivalRate, true},
		{"t_dynamic", dynamic, dynamicOK},
		{"t_static", static, best != nil},
		{"best_partitions", partitions, best != nil},
		{"ratio", p.Decision.Ratio, p.Decision.Ratio > 0},
		{"p_repartition", pr, prOK},
	}
}

// statics returns the columns of a point that are the response times of static policies.
func (c *curves) statics(p *models.Point) []value {
	var all []value
	for _, k := range c.ks {
		t, ok := response(p, models.Policy{Kind: models.Static, Partitions: k})
		all = append(all, value{fmt.Sprintf("t_static_%d", k), t, ok})
	}
	return all
}
