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
	sampleGap   = vg.Length(5)
	entryGap    = 0.22 * vg.Inch
	rowHeight   = 1.55 * textSize
)

// legend is the strip beside the panels: a column of entries.
type legend []entry

// entry is a name behind a sample of what it stands for.
type entry struct {
	name   string
	stroke draw.LineStyle  // without width: none
	glyph  draw.GlyphStyle // without a shape: none
	tile   *Tile
	heads  bool // the name heads the entries below it
}

// draw draws the sample to the right of a point, in a width, and the name behind it.
func (e *entry) draw(page page, x, y, width, gap vg.Length) {
	if e.tile != nil {
		page.tile(e.tile, x, y-textSize/2, x+width, y+textSize/2)
	}
	if e.stroke.Width > 0 {
		page.StrokeLine2(e.stroke, x, y, x+width, y)
	}
	if e.glyph.Shape != nil {
		page.DrawGlyph(e.glyph, point(x+width/2, y))
	}
	sty := aligned(textSize, text.XLeft, text.YCenter)
	if e.heads {
		sty.Font.Weight, x = weight.WeightBold, x-width-gap
	}
	page.text(sty, x+width+gap, y, e.name)
}

// nameWidth returns the room that a name needs, in points: fonts of other systems may be wider than the font of the figure.
func (e *entry) nameWidth() vg.Length { return otherFonts * style(textSize, false).Width(e.name) }

// names returns the names that a reader must be told: those of the series, then what solid and dashed lines stand for.
func (f *Figure) names() []string {
	all := append(slices.Clone(f.Series), f.Strokes...)
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// legend returns the entries of series and strokes by their names, and the entries of tiles.
func (f *Figure) legend(names []string) (l legend) {
	add := func(e entry) {
		if slices.Contains(names, e.name) {
			l = append(l, e)
		}
	}
	for i, name := range f.Series {
		switch {
		case f.single():
		case f.dotted(i):
			add(entry{name: name, glyph: dot(f.mark(i))})
		default:
			add(entry{name: name, stroke: stroke(f.mark(i), Solid), glyph: glyph(f.mark(i))})
		}
	}
	for i, name := range f.Strokes {
		s := stroke(f.mark(i), Stroke(i))
		if !f.single() {
			s = stroke(0, Stroke(i))
			s.Color = rule
		}
		add(entry{name: name, stroke: s})
	}
	return slices.Concat(l, f.entries, f.partEntries())
}

// height returns the height of the legend: a row for each entry.
func (l legend) height() vg.Length { return vg.Length(len(l)) * rowHeight }

// width returns the width of the legend: that of its widest entry, 0 without entries.
func (l legend) width() (width vg.Length) {
	for _, e := range l {
		width = max(width, sampleWidth+entryGap+e.nameWidth()+sampleGap)
	}
	return width
}

// draw draws the strip with its upper left corner at a point.
func (l legend) draw(page page, corner vg.Point) {
	for i, e := range l {
		e.draw(page, corner.X, corner.Y-(vg.Length(i)+0.5)*rowHeight, sampleWidth, sampleGap)
	}
}
