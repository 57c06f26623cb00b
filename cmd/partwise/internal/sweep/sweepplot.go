package sweep

import (
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
)

// figure draws the points over the loads or, where each model has only its own, over an axis.
func (t sweepView) figure(kinds []PanelKind) *chart.Figure {
	var all []*Curves
	label := ""
	for i, one := range t {
		c, over := one.lines()
		all = append(all, c)
		if i > 0 && over != label {
			over = "value"
		}
		label = over
	}
	f := Figure(all, kinds)
	f.XLabel = label
	return f
}

// drawnOver returns the axis that the points are drawn over, the last of numbers; -1 for the loads.
func (l *Layout) drawnOver() int {
	for i := len(l.Axes) - 1; i >= 0 && l.Loads == 1; i-- {
		values := map[string]bool{}
		for _, s := range l.Series {
			values[s.At[i]] = true
		}
		numbers := !slices.ContainsFunc(l.Series, func(s SeriesLayout) bool { return !cli.IsNumber(s.At[i]) })
		if numbers && len(values) > 1 {
			return i
		}
	}
	return -1
}

// lines joins the points that differ only in what they are drawn over, which takes the place of the load in them.
func (g *grid) lines() (*Curves, string) {
	axis := g.drawnOver()
	if axis < 0 {
		return &Curves{Layout: g.Layout, Points: g.points}, "relative load"
	}
	c := &Curves{Layout: Layout{Title: g.Title, Loads: 1}}
	index := map[string]int{}
	for i, s := range g.Series {
		name := g.lineName(&s, axis)
		k, ok := index[name]
		if !ok {
			k = len(c.Series)
			index[name] = k
			s.Name = name
			c.Series = append(c.Series, s)
			c.Points = append(c.Points, nil)
		}
		x, _ := strconv.ParseFloat(g.Series[i].At[axis], 64) // drawnOver saw to its being a number
		for _, p := range g.points[i] {
			p.Load = x
			c.Points[k] = append(c.Points[k], p)
		}
	}
	return c, g.Axes[axis]
}

// lineName names what a point shares with those of its line.
func (g *grid) lineName(s *SeriesLayout, axis int) string {
	var parts []string
	if g.severalNames() || len(g.Axes) == 1 {
		parts = append(parts, s.Of)
	}
	for i, path := range g.Axes {
		if i != axis {
			parts = append(parts, path+"="+s.At[i])
		}
	}
	return strings.Join(parts, ", ")
}
