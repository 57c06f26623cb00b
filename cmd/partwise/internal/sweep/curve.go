package sweep

import (
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// Curve is the command that solves studies over their loads.
func Curve() cli.Command {
	return cli.WithOptions(newCurveOptions, curve, cli.Command{
		Name:      "curve",
		Group:     cli.Answering,
		Summary:   "response times, their ratio and the repartitioning over a range of loads",
		Arguments: "STUDY-or-MODEL...",
		Details: "Solves every series of a study at every load; a model file alone is one series from load 0.02 to 0.98. " +
			"Writes one row per series and load (as CSV, or a table on a terminal), and draws a picture with --plot. Several " +
			"studies make one result, in which a column names the study, and one picture with a row of panels for each.",
		Examples: []string{
			"partwise curve study.yaml --plot curve.svg",
			"partwise curve model.yaml --format csv --output curve.csv",
			"partwise curve w1.yaml w2.yaml --panels dynamic,ratio --plot both.png",
			"partwise curve model.yaml --over jobs.speedup.serial=0,0.02,0.1 --plot serial.svg",
		},
		MinArgs: 1, MaxArgs: cli.MostStudies,
		Formats: []string{"csv", "json", "markdown", "table"},
	})
}

// curveOptions are the flags of curve.
type curveOptions struct{ runOptions }

func newCurveOptions() *curveOptions { return &curveOptions{newRunOptions()} }

// Flags binds the flags.
func (o *curveOptions) Flags() []cli.Flag { return o.flags("response times, ratio and repartitioning") }

func curve(inv *cli.Invocation, o *curveOptions) error {
	r, err := newRun(inv, &o.runOptions)
	if err != nil {
		return err
	}
	for _, study := range r.studies {
		r.add(NewLayout(study, len(study.Loads)), NewSweep(study, study.Loads))
	}
	return r.execute(inv)
}

// NewSweep returns the points of a study.
func NewSweep(study *modelfile.Study, loads []float64) *decide.Sweep {
	sweep := &decide.Sweep{Loads: loads}
	for _, s := range study.Series {
		one := decide.Series{Name: s.Name, System: s.Model.System, StopsAssumed: s.Model.Assumes(modelfile.Stops)}
		if ref := study.Reference; ref != nil {
			// A rate per time unit of the series, which may not be that of the reference.
			one.Capacity = ref.System.Capacity() * s.Model.TimeUnit.Convert(1, ref.TimeUnit)
		}
		sweep.Series = append(sweep.Series, one)
	}
	return sweep
}

// Curves are the points of a study that were solved, with what is said about them.
type Curves struct {
	Layout
	Points [][]decide.Point // by series
	ks     []int            // every number of static partitions of any series
}

// NewCurves takes all points of a study, of which those that were solved are shown.
func NewCurves(l Layout, points []decide.Point) *Curves {
	c := &Curves{Layout: l}
	for i, s := range l.Series {
		c.Points = append(c.Points, l.solved(points, i))
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
func response(p *decide.Point, of policy.Policy) (float64, bool) {
	r := p.Decision.Of(of)
	if r == nil || !r.Measures.Stable {
		return 0, false
	}
	return r.Measures.MeanResponseTime, true
}

// repartitioning returns p_r, ok false if dynamic partitioning is unstable.
func repartitioning(p *decide.Point) (float64, bool) {
	r := p.Decision.Of(policy.Dynamic{})
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
func values(p *decide.Point) []value {
	dynamic, dynamicOK := response(p, policy.Dynamic{})
	var static, partitions float64
	best := p.Decision.Best
	if best != nil {
		static, partitions = best.Measures.MeanResponseTime, float64(best.Partitions())
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
func (c *Curves) statics(p *decide.Point) []value {
	var all []value
	for _, k := range c.ks {
		t, ok := response(p, policy.Static{Partitions: k})
		all = append(all, value{fmt.Sprintf("t_static_%d", k), t, ok})
	}
	return all
}

// ThrashingSentence says at which loads too much of the time goes into repartitioning, "" if at none.
func ThrashingSentence(points []decide.Point) string {
	from, to, at, most := math.Inf(1), 0.0, 0.0, 0.0
	for i := range points {
		r := points[i].Decision.Of(policy.Dynamic{})
		if r == nil {
			continue
		}
		p, thrashes := r.Thrashes()
		if !thrashes {
			continue
		}
		load := points[i].Load
		from, to = math.Min(from, load), math.Max(to, load)
		if p > most {
			at, most = load, p
		}
	}
	switch {
	case most == 0:
		return ""
	case from == to:
		return fmt.Sprintf("thrashing at load %s: %s of the time goes into repartitioning", output.Load(at),
			output.Percent(most))
	}
	return fmt.Sprintf("thrashing from load %s to %s: up to %s of the time goes into repartitioning (at load %s)",
		output.Load(from), output.Load(to), output.Percent(most), output.Load(at))
}
