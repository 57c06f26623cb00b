package chart

import (
	"slices"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	sampleWidth = 0.34 * vg.Inch
	entryGap    = 0.22 * vg.Inch
	rowHeight   = 1.55 * textSize
)

// legend is the strip beside the panels: a column of entries.
type legend struct {
	entries []entry
	width   vg.Length
}

type entry struct {
	name   string
	stroke draw.LineStyle // without width: only points are drawn
	mark   bool
	glyph  draw.GlyphStyle
	tile   *Tile
	heads  bool // the name heads the entries below it
}

// names are those of the series, then what solid and dashed lines stand for.
func (f *Figure) names() []string {
	all := append(slices.Clone(f.Series), f.Solid, f.Dashed)
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// legend returns the entries of series and strokes by their names, and the entries of tiles.
func (f *Figure) legend(names []string) legend {
	var l legend
	if !f.single() {
		for i, name := range f.Series {
			if f.dotted(i) {
				l.entries = append(l.entries, entry{name: name, mark: true, glyph: dot(f.mark(i))})
				continue
			}
			l.entries = append(l.entries, entry{name: name, stroke: stroke(f.mark(i), false), mark: true, glyph: glyph(f.mark(i))})
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
	l.entries = slices.DeleteFunc(l.entries, func(e entry) bool { return !slices.Contains(names, e.name) })
	l.entries = slices.Concat(l.entries, f.entries, f.partEntries())
	sty := style(textSize, false)
	for _, e := range l.entries {
		l.width = max(l.width, sampleWidth+entryGap+otherFonts*sty.Width(e.name)+5)
	}
	return l
}

func (l legend) height() vg.Length { return vg.Length(len(l.entries)) * rowHeight }

// draw draws the strip with its upper left corner at a point.
func (l legend) draw(page page, corner vg.Point) {
	for i, e := range l.entries {
		x, y := corner.X, corner.Y-(vg.Length(i)+0.5)*rowHeight
		if e.tile != nil {
			page.tile(e.tile, x, y-textSize/2, x+sampleWidth, y+textSize/2)
		}
		if e.stroke.Width > 0 {
			page.StrokeLine2(e.stroke, x, y, x+sampleWidth, y)
		}
		if e.mark {
			page.DrawGlyph(e.glyph, vg.Point{X: x + sampleWidth/2, Y: y})
		}
		sty := aligned(textSize, text.XLeft, text.YCenter)
		if e.heads {
			sty.Font.Weight, x = weight.WeightBold, x-sampleWidth-5
		}
		page.text(sty, x+sampleWidth+5, y, e.name)
	}
}
