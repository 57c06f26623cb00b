package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// markers are drawn by chart.js as well.
var markers = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
	draw.CrossGlyph{}, draw.PlusGlyph{},
}

// hue is the colour of a series.
func hue(series int) color.RGBA { return palette[series%len(palette)] }

// stroke returns the line style of a series. Dashes tell series apart whose colours are the same, and the kinds of lines of
// a series.
func stroke(series int, how Stroke) draw.LineStyle {
	s := line(hue(series), 1.3)
	switch {
	case how == Dashed:
		s.Dashes = []vg.Length{4, 2.5}
	case how == Dotted:
		s.Dashes = []vg.Length{1.3, 1.8}
	case series >= len(palette): // its colour is that of another series
		s.Dashes = []vg.Length{7, 1.5, 1.5, 1.5}
	}
	return s
}

// limit is the stroke of the vertical line at which a series ends.
func limit(series int) draw.LineStyle { return line(hue(series), 0.8, 1, 2.5) }

// glyph returns the marker of a series on its curve, in its colour.
func glyph(series int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: hue(series), Radius: 2.4, Shape: markers[series%len(markers)]}
}

// dot returns the marker of a series of points that are not joined.
func dot(series int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: hue(series), Radius: 2, Shape: draw.CircleGlyph{}}
}

// light is the colour of the band of a series.
func light(series int) color.Color {
	c := color.NRGBA(hue(series)) // which hides what is below it
	c.A = 0x26
	return c
}

// bandEdge is the stroke at the edges of the band of a series.
func bandEdge(series int) draw.LineStyle { return line(hue(series), 0.6, 1.5, 1.5) }
