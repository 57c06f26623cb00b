package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// plot returns the panel with its axes, grid, rule and lines; single if there is one series in the figure.
func (p *Panel) plot(xLabel string, single bool) *plot.Plot {
	if p.XLabel != "" {
		xLabel = p.XLabel
	}
	g := plot.New()
	g.Title.Text = p.Title
	g.Title.TextStyle = style(textSize, true)
	g.Title.TextStyle.XAlign = text.XCenter
	g.Title.TextStyle.YAlign = text.YTop
	g.Title.Padding = vg.Points(5)
	g.BackgroundColor = nil
	axis(&g.X, xLabel)
	axis(&g.Y, p.YLabel)
	g.Y.Tick.Label.XAlign = text.XRight
	g.Y.Tick.Label.YAlign = text.YCenter
	g.X.Tick.Label.XAlign = text.XCenter
	g.X.Tick.Label.YAlign = text.YTop
	p.scale(g)
	lines := plotter.NewGrid()
	lines.Vertical = draw.LineStyle{Color: grid, Width: vg.Points(0.5)}
	lines.Horizontal = lines.Vertical
	g.Add(lines)
	if p.HasRule {
		g.Add(horizontal(p.Rule))
	}
	for i, l := range p.Lines {
		if single && l.Dashed {
			l.Series = 1
		}
		g.Add(curve{l, i, len(p.Lines), !single && !l.Dashed})
	}
	return g
}

func axis(a *plot.Axis, label string) {
	a.Label.Text = label
	a.Label.TextStyle = style(textSize, false)
	a.Label.TextStyle.XAlign = text.XCenter
	a.Label.TextStyle.YAlign = text.YBottom
	a.Label.Padding = vg.Points(3)
	a.Tick.Label = style(textSize-1, false)
	a.Tick.Length = vg.Points(4)
	a.Padding = 0
	a.LineStyle = draw.LineStyle{Color: ink, Width: vg.Points(0.7)}
	a.Tick.LineStyle = a.LineStyle
}

// scale sets the ranges of both axes and their ticks.
func (p *Panel) scale(g *plot.Plot) {
	xlo, xhi := math.Inf(1), math.Inf(-1)
	ylo, yhi := math.Inf(1), math.Inf(-1)
	for _, l := range p.Lines {
		for i, x := range l.X {
			if y := l.Y[i]; !math.IsNaN(y) {
				xlo, xhi = math.Min(xlo, x), math.Max(xhi, x)
				ylo, yhi = math.Min(ylo, y), math.Max(yhi, y)
			}
		}
	}
	if xlo > xhi {
		xlo, xhi, ylo, yhi = 0, 1, 0, 1
	}
	if p.HasRule {
		room := math.Max(yhi-ylo, math.Abs(p.Rule)/10) / 50 // or the rule would coincide with the frame
		ylo, yhi = math.Min(ylo, p.Rule-room), math.Max(yhi, p.Rule+room)
	}
	g.X.Min, g.X.Max = niceRange(math.Min(0, xlo), xhi, 5)
	g.X.Tick.Marker = linearTicks{5}
	if p.MayLogX && xlo > 0 && xhi > 10*xlo {
		g.X.Min, g.X.Max = logRange(xlo, xhi)
		g.X.Scale = plot.LogScale{}
		g.X.Tick.Marker = sparse(g.X.Min, g.X.Max)
	}
	if p.MayLog && ylo > 0 && yhi > 10*ylo {
		g.Y.Min, g.Y.Max = logRange(ylo, yhi)
		g.Y.Scale = plot.LogScale{}
		g.Y.Tick.Marker = logTicks{}
		return
	}
	if p.FromZero {
		ylo = math.Min(0, ylo)
	}
	g.Y.Min, g.Y.Max = niceRange(ylo, yhi, 6)
	g.Y.Tick.Marker = linearTicks{6}
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
	var piece []vg.Point
	var points []vg.Point
	flush := func() {
		if len(piece) > 1 && !l.Dots {
			c.StrokeLines(stroke(l.Series, l.Dashed), c.ClipLinesXY(piece)...)
		}
		points = append(points, piece...)
		piece = nil
	}
	for i, x := range l.X {
		if math.IsNaN(l.Y[i]) {
			flush()
			continue
		}
		piece = append(piece, vg.Point{X: trX(x), Y: trY(l.Y[i])})
	}
	flush()
	if l.Dots {
		for _, p := range points {
			c.DrawGlyph(dot(l.Series), p)
		}
		return
	}
	if !l.marked && len(points) > 1 {
		return
	}
	step := max(1, len(points)/markersPerLine)
	for i := (l.index * step / max(1, l.of)) % step; i < len(points); i += step {
		c.DrawGlyph(glyph(l.Series), points[i])
	}
}

// horizontal is a line across the panel, at a height.
type horizontal float64

// Plot draws the line; it makes horizontal a plot.Plotter.
func (y horizontal) Plot(c draw.Canvas, g *plot.Plot) {
	_, trY := g.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: rule, Width: vg.Points(1)}, c.Min.X, trY(float64(y)), c.Max.X, trY(float64(y)))
}
