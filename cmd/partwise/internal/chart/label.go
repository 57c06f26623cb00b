package chart

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// endLabel is the name of a line, written at its end.
type endLabel struct {
	entry
	line Line
}

// otherFonts is how much wider a line may become in a viewer that lacks the fonts that the picture names.
const otherFonts = 1.2

const (
	labelSample = vg.Length(12) // the piece of the line in front of a name
	labelGap    = vg.Length(4)
	labelHeight = 1.25 * textSize
	mostLabels  = 10 // of a panel
)

// shares reports whether panels beside each other show the same series, for which there is one legend.
func (f *Figure) shares() bool {
	if _, cols := f.grid(); f.leads() || cols < 2 || len(f.names()) < 2 {
		return false
	}
	panels := make([]int, len(f.Series)) // that show a series
	for i := range f.Panels {
		p := &f.Panels[i]
		if len(p.YNames) > 0 {
			return false
		}
		for s := range panels {
			if slices.ContainsFunc(p.Lines, func(l Line) bool { return l.Series == s }) {
				panels[s]++
			}
		}
	}
	return len(panels) > 0 && slices.Min(panels) > 1
}

// labels returns the names at the curves of each panel: a series is named in each panel that shows it or, if there is a large
// panel, once, and so is a stroke. The others are names for a legend: those of points that are not joined, and all names
// where panels share them, or where a panel has more than there is room for.
func (f *Figure) labels() (all [][]endLabel, others []string) {
	all = make([][]endLabel, len(f.Panels))
	if f.shares() {
		return all, f.names()
	}
	named, told := map[string]bool{}, map[string]bool{} // in the panel, in the figure
	for i := range f.Panels {
		p := &f.Panels[i]
		if !f.leads() {
			clear(named)
		}
		several := slices.ContainsFunc(p.Lines, func(l Line) bool { return l.Stroke != Solid })
		for _, l := range p.Lines {
			name := f.nameOf(p, l, several, named)
			if name == "" || named[name] {
				continue
			}
			switch {
			case len(all[i]) == mostLabels:
				return make([][]endLabel, len(f.Panels)), f.names()
			case l.Dots && len(p.YNames) == 0:
				others = append(others, name)
			case !l.Dots:
				named[name], told[name] = true, true
				line := p.drawn(f, l)
				label := endLabel{entry{name: name, stroke: stroke(line.Series, line.Stroke)}, line}
				if p.marked(l) {
					label.glyph = glyph(line.Series)
				}
				all[i] = append(all[i], label)
			}
		}
	}
	return all, slices.DeleteFunc(others, func(name string) bool { return told[name] })
}

// nameOf returns the name of a line of a panel, "" for none; several says that the panel has lines that are not solid.
func (f *Figure) nameOf(p *Panel, l Line, several bool, named map[string]bool) string {
	meaning := f.strokeName(l.Stroke)
	switch {
	case f.single() && several:
		return meaning
	case f.single() || len(f.Series) < 2 && l.Stroke == Solid:
		return ""
	case l.Stroke != Solid && !named[f.Series[l.Series]] &&
		!slices.ContainsFunc(p.Lines, func(m Line) bool { return m.Series == l.Series && m.Stroke == Solid }):
		return f.Series[l.Series] + ", " + meaning
	case l.Stroke != Solid:
		return l.Stroke.String() + ": " + meaning
	case several && meaning != "" && named[f.Series[l.Series]] && !named[Dashed.String()+": "+f.strokeName(Dashed)]:
		return Solid.String() + ": " + meaning
	}
	return f.Series[l.Series]
}

// end returns the last point of a line, and false if it has none.
func (l *Line) end(trX, trY func(float64) vg.Length) (vg.Point, bool) {
	for i, y := range slices.Backward(l.Y) {
		if !math.IsNaN(y) {
			return point(trX(l.X[i]), trY(y)), true
		}
	}
	return vg.Point{}, false
}

// farthest is the share of a panel's width across which a label is joined to the end of its curve. Strokes from farther
// ends would cross other curves.
const farthest = 0.25

// name writes labels beside the panel, at the height of the ends of their curves or as near as their neighbours permit.
// A thin stroke joins a label to the end of its curve, unless the two are far apart.
func (p *Panel) name(page page, data draw.Canvas, g *plot.Plot, labels []endLabel) {
	trX, trY := g.Transforms(&data)
	type placed struct {
		endLabel
		end vg.Point
		y   vg.Length
	}
	var all []placed
	for _, l := range labels {
		if end, ok := l.line.end(trX, trY); ok {
			all = append(all, placed{l, end, end.Y})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.y, b.y) })
	bottom := data.Min.Y + labelHeight/2
	for i := range all {
		all[i].y = max(all[i].y, bottom)
		bottom = all[i].y + labelHeight
	}
	top := data.Max.Y
	for i := len(all) - 1; i >= 0; i-- {
		all[i].y = min(all[i].y, top)
		top = all[i].y - labelHeight
	}
	for _, l := range all {
		x := data.Max.X + labelGap
		if data.Max.X-l.end.X <= farthest*(data.Max.X-data.Min.X) {
			page.StrokeLine2(line(l.stroke.Color, 0.7, 0.7, 2), l.end.X, l.end.Y, x, l.y)
		}
		l.draw(page, x, l.y, labelSample, labelGap)
	}
}
