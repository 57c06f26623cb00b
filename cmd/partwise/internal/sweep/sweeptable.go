package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/sentence"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// sweepView are the points of studies with all their measures.
type sweepView []*grid

// grid is the points of a study that were solved, by series.
type grid struct {
	Layout
	points [][]decide.Point
}

func newSweepView(layouts []Layout, points [][]decide.Point) view {
	var all sweepView
	for i, l := range layouts {
		g := &grid{Layout: l}
		for k := range l.Series {
			g.points = append(g.points, l.solved(points[i], k))
		}
		all = append(all, g)
	}
	return all
}

// result lays out the studies.
func (t sweepView) result() *cli.Result {
	var all []*cli.Result
	for _, g := range t {
		all = append(all, g.result())
	}
	return combined(all)
}

// shown returns the results of a point that are shown.
func (s *SeriesLayout) shown(p *decide.Point) []decide.Solved {
	asked := policy.Selection{Best: s.Best}
	for _, r := range p.Decision.Results {
		if slices.Contains(s.Named, r.Policy.String()) {
			asked.Named = append(asked.Named, r.Policy)
		}
	}
	return model.Shown(&asked, &p.Decision)
}

// compares reports whether the points of a series compare dynamic with the best static partitioning.
func (s *SeriesLayout) compares() bool {
	return s.Every && slices.Contains(s.Named, policy.Dynamic{}.String())
}

// result lays out the points in every form.
func (g *grid) result() *cli.Result {
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}}}
	g.describe(&r.JSON)
	columns := append([]string{"series"}, g.Axes...)
	r.CSV = [][]string{append(columns, "load", "policy", "partitions", "measure", "value", output.TimeUnit)}
	objects := []output.Object{}
	for i := range g.Series {
		for j := range g.points[i] {
			s, p := &g.Series[i], &g.points[i][j]
			objects = append(objects, g.object(s, p))
			r.CSV = append(r.CSV, g.rows(s, p)...)
		}
	}
	r.JSON.Add("points", objects)
	g.addTables(r)
	return r
}

// object is a point as solve writes its results, without what is told apart by time or fills pages.
func (g *grid) object(s *SeriesLayout, p *decide.Point) output.Object {
	o := output.Object{{Name: "series", Value: s.Of}}
	if len(g.Axes) > 0 {
		o.Add("parameters", g.parameters(s))
	}
	o.Add("arrival_rate", p.ArrivalRate)
	o.Add("capacity", s.Capacity)
	o.Add("load", p.Load)
	var rows []output.Object
	for _, one := range s.shown(p) {
		row := solution.MeasuresObject(&one)
		d := output.Object{{Name: "warnings", Value: model.Warnings(s.TimeUnit, &one)}}
		if one.Measures.Stable {
			d = slices.DeleteFunc(solution.DiagnosticsObject(s.TimeUnit, &one),
				func(f output.Field) bool { return f.Name == "seconds" })
		}
		row.Add("diagnostics", d)
		rows = append(rows, row)
	}
	o.Add("results", rows)
	if best := p.Decision.Best; s.Every && best != nil {
		o.Add("best_static", solution.BestObject(best))
	}
	if s.Every && p.Decision.Ratio > 0 {
		o.Add("ratio", p.Decision.Ratio)
	}
	if p.Err != nil { // the others are there
		o.Add("error", p.Err.Error())
	}
	return o
}

// rows is a point as rows of CSV, one measure each.
func (g *grid) rows(s *SeriesLayout, p *decide.Point) [][]string {
	point := append(append([]string{s.Of}, s.At...), output.Shortest(p.Load))
	var rows [][]string
	for _, one := range s.shown(p) {
		for _, measured := range solution.Rows(&one) {
			rows = append(rows, append(append(slices.Clone(point), measured...), s.TimeUnit))
		}
	}
	return rows
}

// addTables adds a table with the points as rows, or if policies were asked for with a row for each of them, and what
// the table says.
func (g *grid) addTables(r *cli.Result) {
	compare := true
	for i := range g.Series {
		compare = compare && g.Series[i].compares()
	}
	t := output.Table{Title: g.Title, Columns: g.columns()}
	if compare {
		t.Columns = append(t.Columns, comparedColumns(g.unitText())...)
	} else {
		t.Columns = append(t.Columns, solution.PolicyColumns(g.unitText())...)
	}
	for i := range g.Series {
		s := &g.Series[i]
		for j := range g.points[i] {
			p := &g.points[i][j]
			cells := g.cells(s, p)
			if compare {
				t.Rows = append(t.Rows, append(cells, pointCells(p)[1:]...))
				continue
			}
			for _, one := range s.shown(p) {
				t.Rows = append(t.Rows, append(slices.Clone(cells), solution.PolicyRow(&one)...))
			}
		}
	}
	r.Tables = []output.Table{t}
	if compare {
		r.Notes = g.summary()
	}
}

// severalNames reports whether the series have names beside their values on the axes.
func (g *grid) severalNames() bool {
	return slices.ContainsFunc(g.Series, func(s SeriesLayout) bool { return s.Of != g.Series[0].Of })
}

// unitText is the unit in the names of the columns of times; where each series has its own, a column tells it.
func (g *grid) unitText() string {
	if unit := g.unit(); unit != "" {
		return " [" + unit + "]"
	}
	return ""
}

// columns are those that say which point a row is of.
func (g *grid) columns() []output.Column {
	var columns []output.Column
	if g.severalNames() {
		columns = append(columns, output.Column{Name: "series"})
	}
	for i, path := range g.Axes {
		numeric := !slices.ContainsFunc(g.Series, func(s SeriesLayout) bool { return !cli.IsNumber(s.At[i]) })
		columns = append(columns, output.Column{Name: path, Number: numeric})
	}
	if g.unit() == "" {
		columns = append(columns, output.Column{Name: "unit"})
	}
	return append(columns, output.Column{Name: "load", Number: true})
}

// cells are those of the columns.
func (g *grid) cells(s *SeriesLayout, p *decide.Point) []string {
	var cells []string
	if g.severalNames() {
		cells = append(cells, s.Of)
	}
	cells = append(cells, s.At...)
	if g.unit() == "" {
		cells = append(cells, s.TimeUnit)
	}
	return append(cells, output.Load(p.Load))
}

// summary says at how many points dynamic partitioning is faster, and where most.
func (g *grid) summary() []string {
	faster, slightly, known := 0, 0, 0
	var most *decide.Point
	var where *SeriesLayout
	for i := range g.Series {
		for j := range g.points[i] {
			p := &g.points[i][j]
			if p.Decision.Ratio == 0 {
				continue
			}
			known++
			if p.Decision.Ratio > 1 {
				faster++
				if decide.Negligible(p.Decision.Ratio) {
					slightly++
				}
			}
			if most == nil || p.Decision.Ratio > most.Decision.Ratio {
				most, where = p, &g.Series[i]
			}
		}
	}
	if known == 0 {
		return []string{"At no point are both policies stable."}
	}
	text := fmt.Sprintf("Dynamic partitioning is faster than the best static at %d of %d points", faster, known)
	if slightly > 0 {
		text += fmt.Sprintf(", at %d of them by so little that it makes no practical difference", slightly)
	}
	if all := g.total(); known < all {
		text += fmt.Sprintf(" (at %d one of them is unstable)", all-known)
	}
	if faster == 0 {
		return []string{text + "."}
	}
	c := most.Decision.Compare()
	return []string{fmt.Sprintf("%s; it gains most at %s, where a job takes %s than under static:%d.", text, g.place(where, most),
		sentence.Saving(&c), c.Static.Partitions())}
}

func (g *grid) total() int {
	n := 0
	for _, points := range g.points {
		n += len(points)
	}
	return n
}

// place names a point.
func (g *grid) place(s *SeriesLayout, p *decide.Point) string {
	var parts []string
	if g.severalNames() {
		parts = append(parts, s.Of)
	}
	for i, path := range g.Axes {
		parts = append(parts, path+"="+s.At[i])
	}
	return strings.Join(append(parts, "load "+output.Load(p.Load)), ", ")
}
