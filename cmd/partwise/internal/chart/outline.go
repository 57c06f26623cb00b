package chart

import (
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// outlined draws text as the outlines of its glyphs. A PDF made so needs no fonts and knows every character and weight,
// where vgpdf knows those of one code page in regular weight.
type outlined struct{ *vgpdf.Canvas }

// FillString makes outlined a vg.Canvas.
func (c outlined) FillString(face font.Face, at vg.Point, text string) {
	var buf sfnt.Buffer
	const resolution = 64 // pixels an em, of which glyph coordinates are 64ths
	scale := face.Font.Size / (resolution * 64)
	for _, r := range text {
		glyph, err := face.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		segments, err := face.Face.LoadGlyph(&buf, glyph, fixed.I(resolution), nil)
		if err == nil && len(segments) > 0 {
			c.Fill(outline(segments, at, scale))
		}
		advance, err := face.Face.GlyphAdvance(&buf, glyph, fixed.I(resolution), 0)
		if err == nil {
			at.X += vg.Length(advance) * scale
		}
	}
}

// outline returns the path of a glyph at a point. The segments of the glyph are in 64ths of a pixel, with ordinates that
// point down; scale is the length of such a 64th.
func outline(segments sfnt.Segments, at vg.Point, scale vg.Length) vg.Path {
	place := func(p fixed.Point26_6) vg.Point {
		return point(at.X+vg.Length(p.X)*scale, at.Y-vg.Length(p.Y)*scale)
	}
	var path vg.Path
	for i, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			path.Move(place(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(place(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(place(s.Args[0]), place(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(place(s.Args[0]), place(s.Args[1]), place(s.Args[2]))
		}
	}
	path.Close()
	return path
}
