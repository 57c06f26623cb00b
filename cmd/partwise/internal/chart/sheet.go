package chart

import (
	"image/color"
	"math"
	"strconv"
	"strings"

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
	notes         []string // below the body, such as what names mean
	// live, if it is not nil, returns the part of a page that responds to a pointer, of the picture without its title.
	live func(picture string) (HTML, error)
}

func (s *sheet) size() (w, h vg.Length) {
	w = max(s.width+s.legend.width, s.titleWidth())
	return w, max(s.height, s.legend.height()+2*margin) + s.titleHeight() + vg.Length(len(s.noteLines(w)))*noteHeight
}

const noteHeight = 1.35 * textSize

// noteLines returns the notes in lines that fit a width.
func (s *sheet) noteLines(width vg.Length) (lines []string) {
	sty := style(textSize, false)
	for _, note := range s.notes {
		line := ""
		for _, word := range strings.Fields(note) {
			if longer := line + " " + word; line == "" || otherFonts*sty.Width(longer) <= width-s.indent-margin {
				line = strings.TrimSpace(longer)
				continue
			}
			lines, line = append(lines, line), word
		}
		lines = append(lines, line)
	}
	return lines
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
	notes := s.noteLines(w)
	for i, note := range notes {
		p.text(aligned(textSize, text.XLeft, text.YBottom), s.indent, margin+vg.Length(len(notes)-1-i)*noteHeight, note)
	}
}

// Fragment returns the drawing as part of a page, without its title, which the page has. Notes are text of the page.
func Fragment(d Drawing) (HTML, error) {
	s := d.sheet()
	below, err := filled("notes", s.notes)
	if err != nil {
		return "", err
	}
	s.notes = nil
	picture, err := s.inlineSVG()
	if err != nil {
		return "", err
	}
	part := func(picture string) (HTML, error) { return filled("picture", picture) }
	if s.live != nil {
		part = s.live
	}
	body, err := part(picture)
	return body + below, err
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
	p.fill(jobColour(colour), x0, y0, x1, y1)
	if edged {
		p.outline(edge, x0, y0, x1, y1)
	}
	label := aligned(textSize-1.5, text.XCenter, text.YCenter)
	word := strconv.Itoa(job)
	if label.Width(word)+2 < x1-x0 && y1-y0 > textSize-2 {
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
