package epochscmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/estimate"
)

// results are the rows of an experiment.
type results struct {
	*options
	rows []row
}

// takesSpread returns k of the policy of a row; ok is false if it takes none.
func (r *row) takesSpread() (k int, ok bool) {
	e := r.epoch()
	return e.Spread, e.Rule.TakesSpread()
}

// result lays the rows out.
func (r *results) result() *cli.Result {
	out := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}, {Name: output.TimeUnit, Value: "1"},
		{Name: "experiment", Value: r.experiment}}}
	header := []string{"policy", "nodes", "jobs", "load_factor", "k", "application", "load"}
	for _, name := range r.measures() {
		header = append(header, name, name+"_half_width")
	}
	out.CSV = [][]string{header}
	var objects []output.Object
	for i := range r.rows {
		row := &r.rows[i]
		objects = append(objects, r.object(row))
		out.CSV = append(out.CSV, r.cells(row))
	}
	out.JSON.Add("results", objects)
	if r.experiment == openExperiment {
		out.Tables = r.openTables()
	} else {
		out.Tables = []output.Table{r.pivot()}
	}
	return out
}

func (r *results) object(w *row) output.Object {
	o := model.PolicyObject(w.Policy)
	o.Add("nodes", w.Nodes)
	o.Add("jobs", w.Jobs)
	o.Add("load_factor", w.LoadFactor)
	if k, ok := w.takesSpread(); ok {
		o.Add("k", k)
	}
	if w.application != "" {
		o.Add("application", string(w.application))
	}
	if w.load > 0 {
		o.Add("offered_load", w.load)
	}
	for i, name := range r.measures() {
		o.Add(name, output.Object{{Name: "mean", Value: w.values[i].Mean}, {Name: "half_width", Value: w.values[i].HalfWidth}})
	}
	return o
}

func (r *results) cells(w *row) []string {
	cells := []string{w.Policy.String(), strconv.Itoa(w.Nodes), strconv.Itoa(w.Jobs), output.Shortest(w.LoadFactor), "",
		string(w.application), ""}
	if k, ok := w.takesSpread(); ok {
		cells[4] = strconv.Itoa(k)
	}
	if w.load > 0 {
		cells[6] = output.Shortest(w.load)
	}
	for _, v := range w.values {
		cells = append(cells, output.Shortest(v.Mean), output.Shortest(v.HalfWidth))
	}
	return cells
}

// dimension is something that is varied.
type dimension struct {
	name string
	of   func(w *row) float64
	text func(v float64) string
}

// varied returns what may be varied, in the order in which one is chosen for the horizontal axis.
func (r *results) dimensions() []dimension {
	all := []dimension{
		{"number of jobs", func(w *row) float64 { return float64(w.Jobs) }, func(v float64) string { return fmt.Sprintf("J = %v", v) }},
		{"nodes", func(w *row) float64 { return float64(w.Nodes) }, func(v float64) string { return fmt.Sprintf("N = %v", v) }},
		{"load factor", func(w *row) float64 { return w.LoadFactor }, func(v float64) string { return fmt.Sprintf("L = %v", v) }},
		{"offered load", func(w *row) float64 { return w.load }, func(v float64) string { return fmt.Sprintf("load %v", v) }},
	}
	var some []dimension
	for _, d := range all {
		if len(r.valuesOf(d)) > 1 || d.name != "offered load" {
			some = append(some, d)
		}
	}
	return some
}

// valuesOf returns the values of a dimension, in order.
func (r *results) valuesOf(d dimension) []float64 {
	var values []float64
	for i := range r.rows {
		values = append(values, d.of(&r.rows[i]))
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// series returns the names of the series, in the order in which they were asked for.
func (r *results) series() []string {
	var names []string
	for _, c := range r.chosen {
		if !slices.Contains(names, c.series) {
			names = append(names, c.series)
		}
	}
	return names
}

// at returns the row of a series at the place of another row, with k where the series has several; nil if there is none.
func (r *results) at(w *row, series string, k int) *row {
	i := slices.IndexFunc(r.rows, func(x row) bool {
		return x.Case == w.Case && x.application == w.application && x.load == w.load && x.series == series &&
			(x.k < 0 || x.k == k)
	})
	if i < 0 {
		return nil
	}
	return &r.rows[i]
}

// spreadsOrNone are the values of --k; one that means nothing without it.
func (o *options) spreadsOrNone() []int {
	if o.spreads == nil {
		return []int{-1}
	}
	return o.spreads
}

// places returns the first row of each case.
func (r *results) places() []*row {
	var all []*row
	for i := range r.rows {
		w := &r.rows[i]
		if i == 0 || w.Case != r.rows[i-1].Case || w.application != r.rows[i-1].application || w.load != r.rows[i-1].load {
			all = append(all, w)
		}
	}
	return all
}

// pivot is a table with a row for each case and a column for each series.
func (r *results) pivot() output.Table {
	what := "Reallocations of a node in a quantum"
	if r.experiment == responseExperiment {
		what = "Mean response time relative to opt:1"
	}
	t := output.Table{Title: r.titled(what)}
	column := func(name string, number bool) {
		t.Columns = append(t.Columns, output.Column{Name: name, Number: number})
	}
	if r.experiment == responseExperiment {
		column("application", false)
	}
	for _, name := range []string{"nodes", "jobs", "load factor"} {
		column(name, true)
	}
	if r.spreads != nil {
		column("k", true)
	}
	for _, name := range r.series() {
		column(name, true)
	}
	for _, w := range r.places() {
		for _, k := range r.spreadsOrNone() {
			var cells []string
			if r.experiment == responseExperiment {
				cells = append(cells, string(w.application))
			}
			cells = append(cells, strconv.Itoa(w.Nodes), strconv.Itoa(w.Jobs), output.Shortest(w.LoadFactor))
			if r.spreads != nil {
				cells = append(cells, strconv.Itoa(k))
			}
			for _, name := range r.series() {
				cell := ""
				if x := r.at(w, name, k); x != nil {
					cell = estimated(x.values[r.principal()])
				}
				cells = append(cells, cell)
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// openTables are a table for each case with a row for each policy.
func (r *results) openTables() []output.Table {
	var tables []output.Table
	for i := range r.rows {
		w := &r.rows[i]
		if i == 0 || w.Case != r.rows[i-1].Case || w.application != r.rows[i-1].application || w.load != r.rows[i-1].load {
			t := output.Table{Title: r.titled(fmt.Sprintf("%d nodes, jobs need 1 to %d, %s applications, load %s", w.Nodes,
				w.Most(), w.application, output.Shortest(w.load)))}
			t.Columns = append(t.Columns, output.Column{Name: "policy"}, output.Column{Name: "relative", Number: true},
				output.Column{Name: "response", Number: true}, output.Column{Name: "waiting", Number: true},
				output.Column{Name: "slowdown", Number: true})
			tables = append(tables, t)
		}
		cells := []string{w.Policy.String()}
		for _, v := range w.values {
			cells = append(cells, estimated(v))
		}
		t := &tables[len(tables)-1]
		t.Rows = append(t.Rows, cells)
	}
	return tables
}

func (r *results) titled(what string) string {
	return fmt.Sprintf("%s; ± half of %s %% intervals", what, output.Shortest(100*r.confidence))
}

// estimated writes an estimate for people.
func estimated(v estimate.Interval) string {
	if v.HalfWidth == 0 {
		return output.Round(v.Mean, 4)
	}
	digits := cmp.Or(int(math.Ceil(math.Log10(math.Abs(v.Mean)/v.HalfWidth)))+1, 1)
	return output.Round(v.Mean, min(max(digits, 3), 5)) + " ±" + output.Round(v.HalfWidth, 2)
}

// growing is the growth of the number of jobs from which on a policy is taken to fall behind.
const growing = 2

// warn says which policies cannot keep up.
func (r *results) warn(inv *cli.Invocation) {
	for i := range r.rows {
		if w := &r.rows[i]; w.growth > growing {
			inv.Warnf("%s falls behind at the load %s: its response times grow with --length", w.Policy, output.Shortest(w.load))
		}
	}
}

// plotTo draws the principal value over what is varied.
func (r *results) plotTo(inv *cli.Invocation) error {
	if !r.plot.Wanted() {
		return nil
	}
	f, err := r.figure()
	if err != nil {
		return err
	}
	return inv.Draw(r.plot, f)
}

// figure has a panel for each combination of what is not on the horizontal axis.
func (r *results) figure() (*chart.Figure, error) {
	dimensions := r.dimensions()
	axis := -1 // k
	if len(r.spreads) < 2 {
		axis = slices.IndexFunc(dimensions, func(d dimension) bool { return len(r.valuesOf(d)) > 1 })
		if axis < 0 {
			return nil, cli.Usagef("for example --jobs 2:32:2", "--plot: nothing is varied")
		}
	}
	f := &chart.Figure{Heading: "Memory-constrained jobs", XLabel: "k", Series: r.series()}
	rest := dimensions
	if axis >= 0 {
		f.XLabel = dimensions[axis].name
		rest = slices.Delete(slices.Clone(dimensions), axis, axis+1)
	}
	places := r.places()
	slices.SortStableFunc(places, func(a, b *row) int { return -cmp.Compare(a.application, b.application) }) // static first
	for _, w := range places {
		title := panelTitle(w, rest)
		p := slices.IndexFunc(f.Panels, func(p chart.Panel) bool { return p.Title == title })
		if p < 0 {
			p = len(f.Panels)
			f.Panels = append(f.Panels, r.panel(title))
		}
		for s, name := range f.Series {
			line := &f.Panels[p].Lines[s]
			for _, k := range r.spreadsOrNone() {
				x := float64(k)
				if axis >= 0 {
					x = dimensions[axis].of(w)
				}
				if at := r.at(w, name, k); at != nil {
					line.X, line.Y = append(line.X, x), append(line.Y, at.values[r.principal()].Mean)
				}
			}
		}
	}
	if len(f.Panels) > 2 && places[0].application != places[len(places)-1].application {
		f.Rows = []string{"static applications", "dynamic applications"}
		for p := range f.Panels {
			_, f.Panels[p].Title, _ = strings.Cut(f.Panels[p].Title, ", ")
		}
	}
	return f, nil
}

// panel returns an empty panel.
func (r *results) panel(title string) chart.Panel {
	p := chart.Panel{Title: title, YLabel: "reallocations of a node in a quantum", Lines: make([]chart.Line, len(r.series()))}
	for s := range p.Lines {
		p.Lines[s].Series = s
	}
	switch r.experiment {
	case responseExperiment:
		p.YLabel, p.Rule, p.HasRule = "mean response time relative to opt:1", 1, true
	case openExperiment:
		p.YLabel, p.Rule, p.HasRule = "mean response time relative to "+r.series()[0], 1, true
	}
	return p
}

// panelTitle says what all points of a panel have in common.
func panelTitle(w *row, rest []dimension) string {
	var words []string
	if w.application != "" {
		words = append(words, string(w.application))
	}
	for _, d := range rest {
		words = append(words, d.text(d.of(w)))
	}
	return strings.Join(words, ", ")
}
