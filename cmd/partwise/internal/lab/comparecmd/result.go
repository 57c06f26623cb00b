package comparecmd

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/experiment/families"
)

// result returns the comparison.
func (c *comparison) result() *output.Result {
	column := func(key, name string, of func(*families.Outcome) any) output.Column {
		return output.Column{Key: key, Name: name, Value: output.Of(c.outcomes, of)}
	}
	family := column("family", "family", func(f *families.Outcome) any { return f.Name })
	policy := column("policy", "policy", func(f *families.Outcome) any { return f.Label() })
	response := column(measure.MeanResponseTime, "response ["+c.unit.Name+"]", func(f *families.Outcome) any { return f.MeanResponseTime })
	slowdown := column(measure.MeanSlowdown, "slowdown", func(f *families.Outcome) any { return f.MeanSlowdown })
	utilization := column(measure.Utilization, "utilization", func(f *families.Outcome) any { return f.Utilization })
	assumes := column("assumes", "", func(f *families.Outcome) any { return f.Assumes })
	family.ID, policy.ID, assumes.OnlyJSON = true, true, true
	slowdown.Text, utilization.Text = output.Digits(3), output.Digits(3)
	r := &output.Result{Object: c.heading, Assumed: c.assumed}
	r.List(&output.List{Name: "results", Title: c.title, Len: len(c.outcomes), Form: output.Long, Columns: []output.Column{family, policy,
		response, output.HalfWidth(response, 2), slowdown, output.HalfWidth(slowdown, 2), utilization, assumes}})
	assumes.Name = "assumption"
	r.List(&output.List{Title: "What is assumed of the jobs", Len: len(c.outcomes), Form: output.NoCSV,
		Columns: []output.Column{policy, assumes}})
	r.Add("seconds", c.seconds)
	r.Notes = append([]string{c.decision()}, c.settings()...)
	return r
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
