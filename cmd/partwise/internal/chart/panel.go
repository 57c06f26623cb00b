package chart

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/partwise/partwise/models/words"
)

// plot returns the panel of a figure with its axes, grid, rule and lines.
func (p *Panel) plot(f *Figure) *plot.Plot {
	g := plot.New()
	g.BackgroundColor = nil
	axis(&g.X, cmp.Or(p.XLabel, f.XLabel), text.XCenter, text.YTop)
	axis(&g.Y, "", text.XRight, text.YCenter) // its label is drawn by tiles: gonum/plot makes room above the panel for it
	f.scale(p, g)
	lines := plotter.NewGrid()
	lines.Vertical = line(grid, 0.5)
	lines.Horizontal = lines.Vertical
	if len(p.Bars) > 0 {
		lines.Vertical.Color = nil
		g.X.Tick.Label = turned(textSize-1.5, text.XRight, text.YCenter)
		g.X.Tick.LineStyle.Color, g.X.Tick.Length = color.White, 8 // room for names, which the plot places too high
	}
	g.Add(lines)
	if p.HasRule {
		level := plotter.NewFunction(func(float64) float64 { return p.Rule })
		level.LineStyle, level.Samples = line(rule, 1), 2
		g.Add(level)
	}
	if p.Here.Name != "" {
		g.Add(vertical(p.Here))
	}
	for _, l := range p.Lines {
		if len(l.Low) > 0 {
			g.Add(band{p.drawn(f, l), len(p.YNames) > 0})
		}
	}
	for i, l := range p.Lines {
		g.Add(curve{p.drawn(f, l), i, len(p.Lines), !f.single() && p.marked(l)})
	}
	return g
}

// marked reports whether a line has marks: dots, bands and the strokes of dashed lines stand in place of them.
func (p *Panel) marked(l Line) bool {
	dots := slices.ContainsFunc(p.Lines, func(d Line) bool { return d.Dots && d.Series == l.Series })
	return l.Stroke == Solid && !dots && len(l.Low) == 0
}

// drawn returns a line of the panel with the place of its series among colours and markers.
func (p *Panel) drawn(f *Figure, l Line) Line {
	if f.single() {
		l.Series = int(l.Stroke)
	}
	l.Series = f.mark(l.Series)
	return l
}

// axis sets the label, the ticks and the strokes of an axis; x and y say where the numbers of its ticks stand.
func axis(a *plot.Axis, label string, x text.XAlignment, y text.YAlignment) {
	a.Label.Text = label
	a.Label.TextStyle = aligned(textSize, text.XCenter, text.YBottom)
	a.Label.Padding = 3
	a.Tick.Label = aligned(textSize-1, x, y)
	a.Tick.Length = 4
	a.Padding = 0
	a.LineStyle, a.Tick.LineStyle = frame, frame
}

// span is the range of an axis.
type span struct{ lo, hi float64 }

// with returns the span with a value, unless that is not finite.
func (s span) with(v float64) span {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return s
	}
	return span{min(s.lo, v), max(s.hi, v)}
}

// hasDecades reports whether values are positive and span more than a decade.
func (s span) hasDecades() bool { return s.lo > 0 && s.hi > 10*s.lo }

// fromZero returns where a linear axis for the span begins: at zero, or at its lower end if zero would leave two fifths of
// the axis empty.
func (s span) fromZero() float64 {
	if s.lo > 0.4*s.hi {
		return s.lo
	}
	return min(0, s.lo)
}

// axes are the ranges of both axes, and which are logarithmic.
type axes struct {
	x, y       span
	logX, logY bool
	yTicks     plot.Ticker
}

// isLog reports whether the vertical axis is logarithmic for a range of values.
func (p *Panel) isLog(y span) bool { return y.lo > 0 && (p.Log || p.MayLog && y.hasDecades()) }

// extent returns the range of the points that are drawn.
func (p *Panel) extent() (x, y span) {
	x, y = span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	for _, l := range p.Lines {
		for i, v := range l.X {
			if w := l.Y[i]; !math.IsNaN(w) {
				x, y = x.with(v), y.with(w)
			}
		}
		across := &y
		if len(p.YNames) > 0 {
			across = &x
		}
		for _, v := range slices.Concat(l.Low, l.High) {
			*across = across.with(v)
		}
	}
	for _, t := range p.Tiles {
		x, y = x.with(t.X0).with(t.X1), y.with(t.Y0).with(t.Y1)
	}
	if x.lo > x.hi {
		return span{0, 1}, span{0, 1}
	}
	return x, y
}

// height returns the range of the vertical axis for what is drawn.
func (p *Panel) height() span {
	_, y := p.extent()
	switch {
	case p.HasRule && p.isLog(y) && p.Rule > 0:
		room := math.Pow(max(y.hi/y.lo, 1.1), 1.0/50) // the same, as a factor
		y = span{min(y.lo, p.Rule/room), max(y.hi, p.Rule*room)}
	case p.HasRule:
		room := max(y.hi-y.lo, math.Abs(p.Rule)/10) / 50 // or the rule would coincide with the frame
		y = span{min(y.lo, p.Rule-room), max(y.hi, p.Rule+room)}
	}
	if p.FromZero && !p.MayLog {
		y.lo = min(0, y.lo)
	}
	return y
}

// farApart bounds the common range of panels: it may be so many times as long as the range of a single panel. Ranges of
// logarithmic axes are compared in powers of ten.
const farApart = 2.5

// heights returns the common range of the panels of one size that draw the same quantity. A panel has a range of its own if its
// curves were flat on the common one.
func (f *Figure) heights(p *Panel) span {
	own := p.height()
	if f.leads() || len(p.YNames) > 0 {
		return own
	}
	log := p.isLog(own)
	length := func(y span) float64 {
		if log {
			return math.Log10(y.hi / y.lo)
		}
		return y.hi - y.lo
	}
	all, least := own, length(own)
	for i := range f.Panels {
		if q := &f.Panels[i]; q.YLabel == p.YLabel && q.MayLog == p.MayLog && q.Log == p.Log && len(q.YNames) == 0 &&
			len(q.Lines)+len(q.Tiles) > 0 {
			one := q.height()
			log = log && q.isLog(one)
			all, least = all.with(one.lo).with(one.hi), min(least, length(one))
		}
	}
	if length(all) <= farApart*least {
		return all
	}
	return own
}

// axes chooses the ranges of a panel: what is drawn, widened to labelled values.
func (f *Figure) axes(p *Panel) axes {
	x, _ := p.extent()
	y := f.heights(p)
	var a axes
	switch a.logX = p.MayLogX && x.hasDecades(); {
	case len(p.Bars) > 0:
		a.x = span{-.5, float64(len(p.Bars)) - .5}
	case len(p.Tiles) > 0:
		return axes{x: x, y: y}
	case len(p.XNames) > 0:
		a.x = x
	case a.logX:
		a.x.lo, a.x.hi = logRange(x.lo, x.hi)
	default:
		a.x.lo, a.x.hi = niceRange(x.fromZero(), x.hi, xParts)
	}
	if len(p.YNames) > 0 { // categories, with half the room between them at both ends
		a.y = span{y.lo - .5, y.hi + .5}
		return a
	}
	if a.logY = p.isLog(y); a.logY {
		a.y, a.yTicks = logHeight(y)
		return a
	}
	if p.FromZero {
		y.lo = min(0, y.lo)
	}
	a.y.lo, a.y.hi = niceRange(y.lo, y.hi, yParts)
	return a
}

// The most parts that the ticks of a linear axis make.
const (
	xParts = 5
	yParts = 6
)

// scale sets the ranges of both axes and their ticks.
func (f *Figure) scale(p *Panel, g *plot.Plot) {
	a := f.axes(p)
	g.X.Min, g.X.Max, g.Y.Min, g.Y.Max = a.x.lo, a.x.hi, a.y.lo, a.y.hi
	g.X.Tick.Marker, g.Y.Tick.Marker = linearTicks{xParts}, linearTicks{yParts}
	if a.logX {
		g.X.Scale, g.X.Tick.Marker = plot.LogScale{}, sparse(a.x.lo, a.x.hi)
	}
	if a.logY {
		g.Y.Scale, g.Y.Tick.Marker = plot.LogScale{}, a.yTicks
	}
	if f.width > 0 {
		g.X.Tick.Marker = linearTicks{2 * xParts}
	}
	named(&g.X, p.XNames)
	names := p.YNames
	if len(p.Tiles) > 0 {
		height := float64(cmp.Or(f.height, panelHeight) - axisHeight)
		names = spaced(names, (a.y.hi-a.y.lo)*float64(textSize)/height)
	}
	named(&g.Y, names)
}

// spaced returns the names of places on an axis without names whose texts would overlap: they are nearer than least, in the
// unit of the axis, to a name before them.
func spaced(names []Named, least float64) (some []Named) {
	for _, n := range names {
		if !slices.ContainsFunc(some, func(m Named) bool { return math.Abs(m.At-n.At) < least }) {
			some = append(some, n)
		}
	}
	return some
}

// named shows names at places of an axis, if there are any.
func named(a *plot.Axis, names []Named) {
	if len(names) == 0 {
		return
	}
	var ticks plot.ConstantTicks
	for _, n := range names {
		ticks = append(ticks, plot.Tick{Value: n.At, Label: n.Name})
	}
	a.Tick.Marker = ticks
}

// pieces returns places on a canvas for the values of a line that exist, in pieces without gaps.
func (l Line) pieces(exists func(i int) bool, at func(i int) vg.Point) (all [][]vg.Point) {
	ends := true // the last piece
	for i := range l.X {
		if !exists(i) {
			ends = true
			continue
		}
		if ends {
			all, ends = append(all, nil), false
		}
		last := &all[len(all)-1]
		*last = append(*last, at(i))
	}
	return all
}

// band draws the intervals of the values of a line: a light area, or strokes where the values are not joined.
type band struct {
	Line
	across bool // the intervals are those of X
}

// Plot draws the band; it makes band a plot.Plotter.
func (l band) Plot(c draw.Canvas, g *plot.Plot) {
	trX, trY := g.Transforms(&c)
	known := func(i int) bool { return words.Finite(l.Y[i] + l.High[i] - l.Low[i]) }
	edge := func(ends Values) [][]vg.Point {
		return l.pieces(known, func(i int) vg.Point {
			if l.across {
				return point(trX(ends[i]), trY(l.Y[i]))
			}
			return point(trX(l.X[i]), trY(ends[i]))
		})
	}
	high := edge(l.High)
	for k, low := range edge(l.Low) {
		switch {
		case l.Dots:
			for i := range low {
				c.StrokeLines(stroke(l.Series, Solid), []vg.Point{low[i], high[k][i]})
			}
		case len(low) > 1:
			for _, edge := range [][]vg.Point{low, high[k]} { // or bands that overlap would be one
				c.StrokeLines(bandEdge(l.Series), c.ClipLinesXY(edge)...)
			}
			slices.Reverse(high[k])
			c.FillPolygon(light(l.Series), c.ClipPolygonXY(append(low, high[k]...)))
		}
	}
}

// curve draws a line, interrupted where it has no value, with a few markers that those of the other lines do not cover.
type curve struct {
	Line
	index, of int // of the panel's lines
	marked    bool
}

const markersPerLine = 7

// Plot draws the curve; it makes curve a plot.Plotter.
func (l curve) Plot(c draw.Canvas, g *plot.Plot) {
	trX, trY := g.Transforms(&c)
	if l.Limit > g.X.Min && l.Limit < g.X.Max {
		x := trX(l.Limit)
		c.StrokeLine2(limit(l.Series), x, c.Min.Y, x, c.Max.Y)
	}
	pieces := l.pieces(func(i int) bool { return !math.IsNaN(l.Y[i]) },
		func(i int) vg.Point { return point(trX(l.X[i]), trY(l.Y[i])) })
	points := slices.Concat(pieces...)
	step, first, mark := max(1, len(points)/markersPerLine), 0, glyph(l.Series)
	if l.Dots {
		step = 1
		if len(l.Low) == 0 {
			mark = dot(l.Series)
		}
	} else {
		for _, piece := range pieces {
			if len(piece) > 1 {
				c.StrokeLines(stroke(l.Series, l.Stroke), c.ClipLinesXY(piece)...)
			}
		}
		if !l.marked && len(points) > 1 {
			return
		}
		first = l.index * step / l.of % step
	}
	for i := first; i < len(points); i += step {
		c.DrawGlyph(mark, points[i])
	}
}

// vertical is a line from bottom to top, with a name.
type vertical Named

// Plot draws the line; it makes vertical a plot.Plotter.
func (v vertical) Plot(c draw.Canvas, g *plot.Plot) {
	if v.At < g.X.Min || v.At > g.X.Max {
		return
	}
	trX, _ := g.Transforms(&c)
	x, name, gap := trX(v.At), aligned(textSize-1, text.XLeft, text.YTop), vg.Length(3)
	if x > (c.Min.X+c.Max.X)/2 {
		name.XAlign, gap = text.XRight, -gap
	}
	c.StrokeLine2(line(rule, 1), x, c.Min.Y, x, c.Max.Y)
	c.FillText(name, point(x+gap, c.Max.Y), v.Name)
}
