package chart

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sheet is a figure with the place of everything on it.
type sheet struct {
	f             *Figure
	title         string
	notes         []string  // below the panels
	blocks        []block   // the large panel, if there is one, and the panels of one size
	legend        legend    // to the right of the panels
	width, height vg.Length // of the panels with their margins
	tips          []tip     // of the tiles that were drawn
}

// sheet returns the figure with its panels in rows, and the heading of each row above it.
func (f *Figure) sheet() *sheet {
	f = f.stacked()
	rows, cols := f.grid()
	labels, others := f.labels()
	s := &sheet{f: f, title: f.Title, notes: f.Notes, legend: f.legend(others)}
	all := block{f: f, labels: labels, rows: rows, cols: cols, width: f.panelWidth(), height: cmp.Or(f.height, panelHeight)}
	if len(f.Rows) > 0 {
		all.above = 2 * textSize
	}
	if f.leads() {
		lead := all
		all.first, all.labels = 1, labels[1:]
		if rows > 1 {
			all.height = besideLead
		}
		_, height := all.size()
		lead.labels, lead.rows, lead.width, lead.height = labels[:1], 1, leadWidth, height-panelTitle
		s.blocks = append(s.blocks, lead)
	}
	s.blocks = append(s.blocks, all)
	for i := range s.blocks {
		w, h := s.blocks[i].size()
		s.width, s.height = s.width+w, h
	}
	s.width, s.height = s.width+2*margin, s.height+2*margin
	return s
}

// stacked returns the figure with tiles in place of bars.
func (f *Figure) stacked() *Figure {
	g := *f
	g.Panels = slices.Clone(f.Panels)
	for i := range g.Panels {
		g.Panels[i].stack()
	}
	return &g
}

// indent is where titles begin.
const indent = 2 * margin

// size returns the width and height of the picture in points: panels beside the legend, below the title and above the notes.
func (s *sheet) size() (w, h vg.Length) {
	titleWidth, titleHeight := s.titleRoom()
	w = max(s.width+s.legend.width(), titleWidth)
	return w, max(s.height, s.legend.height()+2*margin) + titleHeight + vg.Length(len(s.noteLines(w)))*noteHeight
}

const noteHeight = 1.35 * textSize

// noteLines returns the notes in lines that fit a width.
func (s *sheet) noteLines(width vg.Length) (lines []string) {
	fits := func(line string) bool { return otherFonts*style(textSize, false).Width(line) <= width-indent-margin }
	for _, note := range s.notes {
		lines = append(lines, output.WrapIf(note, fits)...)
	}
	return lines
}

// titleRoom returns how wide the picture must be for its title, and how much higher the title makes it.
func (s *sheet) titleRoom() (w, h vg.Length) {
	if s.title == "" {
		return 0, 0
	}
	return indent + otherFonts*heading(titleSize).Width(s.title) + margin, 2 * titleSize
}

// draw draws the title, and below it the panels beside the legend, and the notes.
func (s *sheet) draw(c vg.CanvasSizer) {
	w, h := c.Size()
	p := page{draw.New(c), &s.tips}
	p.fill(color.White, 0, 0, w, h)
	if s.title != "" {
		p.text(heading(titleSize), indent, h-margin, s.title)
	}
	_, titleHeight := s.titleRoom()
	top := h - margin - titleHeight
	left := margin
	for i := range s.blocks {
		s.blocks[i].draw(p, left, top)
		width, _ := s.blocks[i].size()
		left += width
	}
	for i, name := range s.f.Rows {
		p.text(heading(textSize+1), indent, top-vg.Length(i)*s.blocks[0].pitch(), name)
	}
	s.legend.draw(p, point(s.width-margin, top))
	notes := s.noteLines(w)
	for i, note := range notes {
		p.text(aligned(textSize, text.XLeft, text.YBottom), indent, margin+vg.Length(len(notes)-1-i)*noteHeight, note)
	}
}

// page is a canvas with the strokes and words that all pictures have.
type page struct {
	draw.Canvas
	tips *[]tip // of the tiles that were drawn
}

// text writes words at a point; the style says on which side of the point they stand.
func (p page) text(sty text.Style, x, y vg.Length, words string) {
	p.FillText(sty, point(x, y), words)
}

// fill fills the rectangle with the corners (x0, y0) and (x1, y1).
func (p page) fill(c color.Color, x0, y0, x1, y1 vg.Length) {
	p.FillPolygon(c, rectangle(x0, y0, x1, y1))
}

// outline draws the edges of the rectangle with the corners (x0, y0) and (x1, y1).
func (p page) outline(sty draw.LineStyle, x0, y0, x1, y1 vg.Length) {
	p.StrokeLines(sty, append(rectangle(x0, y0, x1, y1), point(x0, y0)))
}

// rectangle returns the four corners of a rectangle, in turn.
func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{point(x0, y0), point(x1, y0), point(x1, y1), point(x0, y1)}
}

// point returns the point (x, y).
func point(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }

// line returns the style of a line of so many points, with dashes and the gaps between them if it has some.
func line(c color.Color, width vg.Length, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width, Dashes: dashes}
}

var frame, edge = line(ink, 0.7), line(color.White, 0.6)

// heading returns the style of words in bold below a point.
func heading(size vg.Length) text.Style {
	sty := style(size, true)
	sty.YAlign = text.YTop
	return sty
}

// aligned returns the style of text of a size that stands beside a point as x and y say.
func aligned(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	sty := style(size, false)
	sty.XAlign, sty.YAlign = x, y
	return sty
}

// turned returns the style of text that runs upwards, such as the label of a vertical axis.
func turned(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	sty := aligned(size, x, y)
	sty.Rotation = math.Pi / 2
	return sty
}
