package chart

import (
	"html/template"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Drawing is what the package draws: a [Figure], [Bars], [Rectangles] or a [Gantt].
type Drawing interface{ sheet() *sheet }

// sheet is a picture of a certain size: a title, what is below it, and a legend.
type sheet struct {
	name          string // of a page that shows nothing else
	title         string
	indent        vg.Length // of the title
	width, height vg.Length // without title and legend
	legend        legend    // to the right of the body
	body          func(p page, top vg.Length)
	// live, if it is not nil, returns the part of a page that responds to a pointer, of the picture without its title.
	live func(picture string) (template.HTML, error)
}

func (s *sheet) size() (w, h vg.Length) {
	return max(s.width+s.legend.width, s.titleWidth()), max(s.height, s.legend.height()+2*margin) + s.titleHeight()
}

func (s *sheet) titleHeight() vg.Length {
	if s.title == "" {
		return 0
	}
	return 2 * titleSize
}

// titleWidth returns how wide the picture must be for its title.
func (s *sheet) titleWidth() vg.Length {
	if s.title == "" {
		return 0
	}
	return s.indent + otherFonts*heading(titleSize).Width(s.title) + margin
}

// draw draws the title, and below it the body and the legend.
func (s *sheet) draw(c vg.CanvasSizer) {
	w, h := c.Size()
	p := page{draw.New(c)}
	p.fill(color.White, 0, 0, w, h)
	if s.title != "" {
		p.text(heading(titleSize), s.indent, h-margin, s.title)
	}
	s.body(p, h-margin-s.titleHeight())
	s.legend.draw(p, vg.Point{X: s.width - margin, Y: h - margin - s.titleHeight()})
}

// Fragment returns the drawing as part of a page, without its title, which the page has.
func Fragment(d Drawing) (template.HTML, error) {
	s := d.sheet()
	picture, err := s.inlineSVG()
	if err != nil || s.live == nil {
		return template.HTML("<div class=\"gantt static\">" + picture + "</div>\n"), err
	}
	return s.live(picture)
}

// inCells returns a sheet of n panels of one size, at most so many side by side, each drawn from its upper left corner.
func inCells(title string, n, most int, w, h vg.Length, one func(p page, i int, left, top vg.Length)) *sheet {
	columns := max(1, min(most, n))
	rows := (n + columns - 1) / columns
	return &sheet{name: title, title: title, indent: 2 * margin, width: vg.Length(columns)*w + 2*margin,
		height: vg.Length(rows)*h + 2*margin, body: func(p page, top vg.Length) {
			for i := range n {
				one(p, i, margin+vg.Length(i%columns)*w, top-vg.Length(i/columns)*h)
			}
		}}
}

// page is a canvas with the strokes and words that all pictures have.
type page struct{ draw.Canvas }

func (p page) text(sty text.Style, x, y vg.Length, words string) {
	p.FillText(sty, vg.Point{X: x, Y: y}, words)
}

func (p page) fill(c color.Color, x0, y0, x1, y1 vg.Length) {
	p.FillPolygon(c, rectangle(x0, y0, x1, y1))
}

func (p page) outline(sty draw.LineStyle, x0, y0, x1, y1 vg.Length) {
	p.StrokeLines(sty, append(rectangle(x0, y0, x1, y1), vg.Point{X: x0, Y: y0}))
}

// job draws a tile of a job of a colour, counted from 0, with an edge unless that would be all there is, and with the
// number of the job where there is room.
func (p page) job(colour, job int, edged bool, x0, y0, x1, y1 vg.Length) {
	p.fill(jobColours[colour%len(jobColours)], x0, y0, x1, y1)
	if edged {
		p.outline(edge, x0, y0, x1, y1)
	}
	label := aligned(textSize-1.5, text.XCenter, text.YCenter)
	word := strconv.Itoa(job)
	if label.Width(word)+vg.Points(2) < x1-x0 && y1-y0 > textSize-vg.Points(2) {
		p.text(label, (x0+x1)/2, (y0+y1)/2, word)
	}
}

// sideways writes a word along a vertical axis.
func (p page) sideways(x, y vg.Length, word string) {
	p.text(turned(textSize, text.XCenter, text.YBottom), x, y, word)
}

func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}

// line returns a solid style of so many points.
func line(c color.Color, width float64) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(width)}
}

var frame, edge = line(ink, 0.7), line(color.White, 0.6)

// heading returns the style of words in bold below a point.
func heading(size vg.Length) text.Style {
	sty := style(size, true)
	sty.YAlign = text.YTop
	return sty
}

func aligned(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	sty := style(size, false)
	sty.XAlign, sty.YAlign = x, y
	return sty
}

func turned(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	sty := aligned(size, x, y)
	sty.Rotation = math.Pi / 2
	return sty
}
