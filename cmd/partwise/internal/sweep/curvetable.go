package sweep

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// result lays out the points in every form.
func (c *Curves) result() *cli.Result {
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}}}
	c.describe(&r.JSON)
	r.CSV = [][]string{c.columnNames()}
	objects := []output.Object{}
	for i := range c.Series {
		for j := range c.Points[i] {
			row, o := c.point(&c.Series[i], &c.Points[i][j])
			r.CSV = append(r.CSV, row)
			objects = append(objects, o)
		}
	}
	r.JSON.Add("points", objects)
	c.addTables(r)
	return r
}

// columnNames names the columns.
func (c *Curves) columnNames() []string {
	columns := []string{"series"}
	for _, v := range values(&decide.Point{}) {
		columns = append(columns, v.name)
	}
	columns = append(columns, c.Axes...)
	for _, v := range c.statics(&decide.Point{}) {
		columns = append(columns, v.name)
	}
	return append(columns, errorBound(&decide.Point{}).name, output.TimeUnit)
}

// point lays out one point of a series as a row and as an object.
func (c *Curves) point(s *SeriesLayout, p *decide.Point) ([]string, output.Object) {
	row := []string{s.Name}
	o := output.Object{{Name: "series", Value: s.Name}}
	if len(c.Axes) > 0 {
		o.Add("parameters", c.parameters(s))
	}
	add := func(v value) {
		switch {
		case !v.ok:
			row = append(row, "")
		case v.name == "best_partitions":
			row = append(row, output.Shortest(v.v))
			o.Add(v.name, int(v.v))
		default:
			row = append(row, output.Shortest(v.v))
			o.Add(v.name, v.v)
		}
	}
	for _, v := range values(p) {
		add(v)
	}
	row = append(row, s.At...)
	for _, v := range c.statics(p) {
		add(v)
	}
	add(errorBound(p))
	if p.Err != nil {
		o.Add("error", p.Err.Error())
	}
	return append(row, s.TimeUnit), o
}

// addTables adds a table for each series, with some of the loads if there are many, and what the table says.
func (c *Curves) addTables(r *cli.Result) {
	thinned := false
	for i, s := range c.Series {
		points := c.Points[i]
		if len(points) == 0 {
			continue
		}
		every := 1 + (len(points)-1)/output.MostRows
		thinned = thinned || every > 1
		r.Tables = append(r.Tables, SeriesTable(s.Name, s.TimeUnit, points, every))
		r.Notes = append(r.Notes, s.Name+": "+solution.Crossings(points)+".")
	}
	if thinned {
		r.Notes = append(r.Notes, fmt.Sprintf("The tables show some of the %d loads; --format csv has all.", c.Loads))
	}
}

// SeriesTable shows every so manyth load, and the last at which anything is stable.
func SeriesTable(name, unit string, points []decide.Point, every int) output.Table {
	t := output.Table{Title: name, Columns: []output.Column{{Name: "load", Number: true}}}
	t.Columns = append(t.Columns, comparedColumns(" ["+unit+"]")...)
	last := -1
	for i := range points {
		if points[i].Decision.Stable() {
			last = i
		}
	}
	for i := range points {
		if (i+1)%every == 0 && i <= last || i == last || every == 1 {
			t.Rows = append(t.Rows, pointCells(&points[i]))
		}
	}
	return t
}

// comparedColumns are those in which the policies of a point are compared.
func comparedColumns(unit string) []output.Column {
	return []output.Column{
		{Name: "T dynamic" + unit, Number: true},
		{Name: "T best static" + unit, Number: true},
		{Name: "K", Number: true},
		{Name: "ratio", Number: true},
		{Name: "repartitioning", Number: true},
	}
}

func pointCells(p *decide.Point) []string {
	row := []string{output.Load(p.Load), "unstable", "unstable", "", "", ""}
	if p.Err != nil { // what is not there may have failed
		row[1], row[2] = "", ""
	}
	if r := p.Decision.Of(policy.Dynamic{}); r != nil && !r.Measures.Stable {
		row[1] = "unstable"
	}
	if t, ok := response(p, policy.Dynamic{}); ok {
		row[1] = output.Round(t, 5)
	}
	if best := p.Decision.Best; best != nil {
		row[2] = output.Round(best.Measures.MeanResponseTime, 5)
		row[3] = fmt.Sprint(best.Partitions())
	}
	if p.Decision.Ratio > 0 {
		row[4] = fmt.Sprintf("%.3f", p.Decision.Ratio)
	}
	if pr, ok := repartitioning(p); ok {
		row[5] = output.Percent(pr)
	}
	return row
}

// columnOf returns a column of a point, NaN where it does not exist.
func columnOf(p *decide.Point, column string) float64 {
	for _, v := range values(p) {
		if v.name == column && v.ok {
			return v.v
		}
	}
	return math.NaN()
}
