package comparecmd

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/experiment/families"
)

// result lays the comparison out.
func (c *comparison) result() *cli.Result {
	out := &cli.Result{JSON: c.heading, Assumed: c.assumed, CSV: [][]string{{"family", "policy", "measure", "value", "low", "high"}}}
	var objects []output.Object
	for i := range c.outcomes {
		f := &c.outcomes[i]
		objects = append(objects, c.object(f))
		name := []string{f.Name, f.Label()}
		for _, v := range []struct {
			name string
			of   estimate.Interval
		}{{measure.MeanResponseTime, f.MeanResponseTime}, {measure.MeanSlowdown, f.MeanSlowdown}} {
			out.CSV = append(out.CSV, append(name[:2:2], v.name, output.Shortest(v.of.Mean), output.ShortestOrEmpty(v.of.Low),
				output.ShortestOrEmpty(v.of.High)))
		}
		out.CSV = append(out.CSV, append(name[:2:2], measure.Utilization, output.Shortest(f.Utilization), "", ""))
	}
	out.JSON.Add("results", objects)
	out.JSON.Add("seconds", c.seconds)
	out.Tables = []output.Table{c.table(), c.assumptions()}
	out.Notes = append([]string{c.decision()}, c.settings()...)
	return out
}

func (c *comparison) object(f *families.Outcome) output.Object {
	return output.Object{{Name: "family", Value: f.Name}, {Name: "policy", Value: f.Label()},
		{Name: measure.MeanResponseTime, Value: interval(f.MeanResponseTime)}, {Name: measure.MeanSlowdown, Value: interval(f.MeanSlowdown)},
		{Name: measure.Utilization, Value: f.Utilization}, {Name: "assumes", Value: f.Assumes}}
}

func interval(i estimate.Interval) output.Object {
	v := output.Object{{Name: "mean", Value: i.Mean}}
	if output.Finite(i.HalfWidth) {
		v = append(v, output.Object{{Name: "low", Value: i.Low}, {Name: "high", Value: i.High},
			{Name: "half_width", Value: i.HalfWidth}}...)
	}
	return v
}

// table compares the families.
func (c *comparison) table() output.Table {
	t := output.Table{Title: c.title, Columns: []output.Column{{Name: "family"}, {Name: "policy"},
		{Name: "response [" + c.unit.Name + "]", Number: true}, {Name: "±", Number: true}, {Name: "slowdown", Number: true},
		{Name: "±", Number: true}, {Name: "utilization", Number: true}}}
	for i := range c.outcomes {
		f := &c.outcomes[i]
		t.Rows = append(t.Rows, []string{f.Name, f.Label(), output.Round(f.MeanResponseTime.Mean, 4),
			output.Round(f.MeanResponseTime.HalfWidth, 2), output.Round(f.MeanSlowdown.Mean, 3), output.Round(f.MeanSlowdown.HalfWidth, 2),
			output.Round(f.Utilization, 3)})
	}
	return t
}

// assumptions says what each family assumes of the jobs.
func (c *comparison) assumptions() output.Table {
	t := output.Table{Title: "What is assumed of the jobs", Columns: []output.Column{{Name: "policy"}, {Name: "assumption"}}}
	for i := range c.outcomes {
		t.Rows = append(t.Rows, []string{c.outcomes[i].Label(), c.outcomes[i].Assumes})
	}
	return t
}

// decision says which family is best.
func (c *comparison) decision() string {
	best, tied := families.Best(c.outcomes, confidence)
	b := &c.outcomes[best]
	text := fmt.Sprintf("Shortest mean response time: %s (%s)", b.Label(), b.Name)
	if easy := c.of("easy"); easy != nil && easy != b {
		text += fmt.Sprintf(", %s %% less than easy", output.Round(100*(1-b.RatioTo(easy, confidence).Mean), 2))
	}
	var others []string
	for _, i := range tied {
		if i != best {
			others = append(others, c.outcomes[i].Label())
		}
	}
	if others == nil {
		return text + "; all others take significantly longer."
	}
	return text + "; not significantly different: " + strings.Join(others, ", ") + "."
}

func (c *comparison) of(label string) *families.Outcome {
	for i := range c.outcomes {
		if c.outcomes[i].Label() == label {
			return &c.outcomes[i]
		}
	}
	return nil
}

// settings says what the numbers rest on.
func (c *comparison) settings() []string {
	counted := "."
	if c.outcomes[0].Jobs < len(c.Jobs) {
		counted = "; the first tenth of the jobs is not counted."
	}
	all := []string{fmt.Sprintf("± are half of %s %% intervals%s", output.Shortest(100*confidence), counted),
		fmt.Sprintf("gs, sb, dcs, pb: programs of %s, at most %d jobs on a node; a second of the cluster stands for %s %s.", c.mix.Name,
			c.mpl, output.Round(c.MeanRun()/c.options.dedicated, 3), c.unit.Name)}
	if c.resizes != nil {
		all = append(all, fmt.Sprintf("dynamic+costs: a resize costs %s.", c.costText))
	}
	return all
}

// figure draws mean response times and slowdowns, a dot for each family on its interval.
func (c *comparison) figure() *chart.Figure {
	f := &chart.Figure{Heading: "Families of policies", Title: c.title, XLabel: "policy, in the order of the legend"}
	for i := range c.outcomes {
		f.Series = append(f.Series, strconv.Itoa(i+1)+" "+c.outcomes[i].Label())
	}
	for _, m := range []struct {
		title, label string
		of           func(*families.Outcome) estimate.Interval
	}{
		{"Response time", "mean response time [" + c.unit.Name + "]", func(o *families.Outcome) estimate.Interval { return o.MeanResponseTime }},
		{"Slowdown", "mean slowdown", func(o *families.Outcome) estimate.Interval { return o.MeanSlowdown }},
	} {
		p := chart.Panel{Title: m.title, YLabel: m.label, FromZero: true, MayLog: true}
		bottom := math.Inf(1) // where intervals end that reach to zero, which a logarithmic axis does not have
		for i := range c.outcomes {
			bottom = min(bottom, m.of(&c.outcomes[i]).Mean/2)
		}
		for i := range c.outcomes {
			v, x := m.of(&c.outcomes[i]), float64(i+1)
			p.Lines = append(p.Lines, chart.Line{X: []float64{x, x}, Y: []float64{max(bottom, v.Low), v.High}, Series: i},
				chart.Line{X: []float64{x}, Y: []float64{v.Mean}, Series: i, Dots: true})
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}
