package chart

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	sampleWidth = 0.34 * vg.Inch
	entryGap    = 0.22 * vg.Inch
	rowHeight   = 1.55 * textSize
)

// legend is the strip under the panels: entries in columns of one width.
type legend struct {
	entries []entry
	columns int
	width   vg.Length // of a column
}

type entry struct {
	name   string
	stroke draw.LineStyle // without width: only points are drawn
	mark   bool
	glyph  draw.GlyphStyle
}

// legend lays out the entries in a width: the series, then what solid and dashed lines stand for.
func (f *Figure) legend(width vg.Length) legend {
	var l legend
	if !f.single() {
		for i, name := range f.Series {
			if f.dotted(i) {
				l.entries = append(l.entries, entry{name: name, mark: true, glyph: dot(f.mark(i))})
				continue
			}
			l.entries = append(l.entries, entry{name, stroke(f.mark(i), false), true, glyph(f.mark(i))})
		}
	}
	for i, name := range []string{f.Solid, f.Dashed} {
		s := stroke(f.mark(i), i == 1)
		if !f.single() {
			s = stroke(0, i == 1)
			s.Color = rule
		}
		if name != "" {
			l.entries = append(l.entries, entry{name: name, stroke: s})
		}
	}
	sty := style(textSize, false)
	for _, e := range l.entries {
		l.width = max(l.width, sampleWidth+entryGap+otherFonts*sty.Width(e.name)+vg.Points(5))
	}
	if len(l.entries) == 0 {
		return l
	}
	l.columns = max(1, min(len(l.entries), int(width/l.width)))
	rows := l.rows()
	l.columns = (len(l.entries) + rows - 1) / rows
	return l
}

func (l legend) rows() int {
	if len(l.entries) == 0 {
		return 0
	}
	return (len(l.entries) + l.columns - 1) / l.columns
}

func (l legend) height() vg.Length { return vg.Length(l.rows()) * rowHeight }

// draw draws the strip with its upper left corner at a point.
func (l legend) draw(page page, corner vg.Point) {
	left := corner.X + (page.Max.X-2*corner.X-vg.Length(l.columns)*l.width+entryGap)/2
	for i, e := range l.entries {
		row, col := i/l.columns, i%l.columns
		x := left + vg.Length(col)*l.width
		y := corner.Y - (vg.Length(row)+0.5)*rowHeight
		if e.stroke.Width > 0 {
			page.StrokeLine2(e.stroke, x, y, x+sampleWidth, y)
		}
		if e.mark {
			page.DrawGlyph(e.glyph, vg.Point{X: x + sampleWidth/2, Y: y})
		}
		page.text(aligned(textSize, text.XLeft, text.YCenter), x+sampleWidth+vg.Points(5), y, e.name)
	}
}
