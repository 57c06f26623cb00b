package chart

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/partwise/partwise/validate/machine"
)

// Gantt shows who had which node when, one schedule under the other over one axis of time.
type Gantt struct {
	Title, XLabel string
	From, To      float64
	Schedules     []Schedule
}

// Schedule is what happened on the nodes of one machine.
type Schedule struct {
	Name  string
	Nodes int
	*machine.Recorder
}

const (
	ganttWidth  = 9 * vg.Inch
	ganttLeft   = 0.75 * vg.Inch
	ganttRight  = 0.15 * vg.Inch
	queueHeight = 0.42 * vg.Inch
	queueGap    = 0.07 * vg.Inch
	nameHeight  = 1.7 * textSize
	axisHeight  = 3.4 * textSize
)

// jobColours are light enough to be written on, and neighbours in time differ.
var jobColours = []color.Color{
	color.RGBA{0x7f, 0xb8, 0xdd, 0xff}, color.RGBA{0xf2, 0xa9, 0x7e, 0xff}, color.RGBA{0x7f, 0xcf, 0xb5, 0xff},
	color.RGBA{0xe3, 0xb5, 0xd0, 0xff}, color.RGBA{0xf5, 0xd2, 0x80, 0xff}, color.RGBA{0xb4, 0xa7, 0xd6, 0xff},
	color.RGBA{0xc9, 0xd8, 0x8b, 0xff}, color.RGBA{0xd6, 0xb4, 0x9a, 0xff}, color.RGBA{0x9f, 0xd9, 0xe6, 0xff},
}

// rowHeightOf returns the height of a node's row: thick where there are few.
func (s *Schedule) rowHeight() vg.Length {
	return max(vg.Points(2), min(vg.Points(15), 2.2*vg.Inch/vg.Length(s.Nodes)))
}

func (s *Schedule) height() vg.Length {
	return nameHeight + vg.Length(s.Nodes)*s.rowHeight() + queueGap + queueHeight
}

func (g *Gantt) size() (w, h vg.Length) {
	h = 2*margin + axisHeight + g.titleHeight() + 1.5*rowHeight
	for i := range g.Schedules {
		h += g.Schedules[i].height() + gutter/2
	}
	return ganttWidth, h
}

func (g *Gantt) name() string { return g.Title }

func (g *Gantt) titleHeight() vg.Length { return titleHeight(g.Title) }

// Write draws the chart as svg, png or pdf, or as a page that tells of each job under the pointer (html). The
// same chart gives the same bytes.
func (g *Gantt) Write(w io.Writer, format string) error { return write(w, g, format) }

func (g *Gantt) draw(c vg.CanvasSizer) {
	w, h := c.Size()
	p := g.page(w)
	p.Canvas = draw.New(c)
	p.FillPolygon(color.White, rectangle(0, 0, w, h))
	if g.Title != "" {
		title := style(titleSize, true)
		title.YAlign = text.YTop
		p.FillText(title, vg.Point{X: margin, Y: h - margin}, g.Title)
	}
	top := h - margin - g.titleHeight()
	for i := range g.Schedules {
		p.schedule(&g.Schedules[i], top)
		top -= g.Schedules[i].height() + gutter/2
	}
	p.axis(top + gutter/2)
	p.legend(margin + rowHeight/2)
}

// ganttPage is a page with the scale of time.
type ganttPage struct {
	draw.Canvas
	g           *Gantt
	left, right vg.Length
}

func (g *Gantt) page(width vg.Length) *ganttPage {
	return &ganttPage{g: g, left: ganttLeft, right: width - ganttRight}
}

func (p *ganttPage) x(t float64) vg.Length {
	share := (t - p.g.From) / (p.g.To - p.g.From)
	return p.left + vg.Length(math.Min(1, math.Max(0, share)))*(p.right-p.left)
}

func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}

func (p *ganttPage) schedule(s *Schedule, top vg.Length) {
	name := style(textSize, true)
	name.YAlign = text.YTop
	p.FillText(name, vg.Point{X: p.left, Y: top}, s.Name)
	top -= nameHeight
	row := s.rowHeight()
	bottom := top - vg.Length(s.Nodes)*row
	p.FillPolygon(color.Gray{0xf6}, rectangle(p.left, bottom, p.right, top))
	for i := range s.Pieces {
		p.bar(&s.Pieces[i], top, row)
	}
	frame := draw.LineStyle{Color: ink, Width: vg.Points(0.7)}
	p.StrokeLines(frame, append(rectangle(p.left, bottom, p.right, top), vg.Point{X: p.left, Y: bottom}))
	p.nodeLabels(s, top, row)
	p.queue(s, bottom-queueGap-queueHeight)
}

// nodeLabels numbers the rows, or some of them if they are thin.
func (p *ganttPage) nodeLabels(s *Schedule, top, row vg.Length) {
	label := style(textSize-1.5, false)
	label.XAlign, label.YAlign = text.XRight, text.YCenter
	step := 1
	for vg.Length(step)*row < textSize {
		step *= 2
	}
	for i := 0; i < s.Nodes; i += step {
		p.FillText(label, vg.Point{X: p.left - vg.Points(4), Y: top - (vg.Length(i)+0.5)*row}, strconv.Itoa(i+1))
	}
	p.sideways("node", top-vg.Length(s.Nodes)*row/2)
}

func (p *ganttPage) sideways(word string, y vg.Length) {
	side := style(textSize, false)
	side.XAlign, side.YAlign, side.Rotation = text.XCenter, text.YBottom, math.Pi/2
	p.FillText(side, vg.Point{X: p.left - 0.36*vg.Inch, Y: y}, word)
}

// bar draws a job on its rows, those that lie together as one block, with its number where there is room.
func (p *ganttPage) bar(b *machine.Piece, top, row vg.Length) {
	x0, x1 := p.x(b.From), p.x(b.To)
	fill := jobColours[b.Number%len(jobColours)]
	for _, block := range b.Blocks() {
		y1 := top - vg.Length(block[0])*row
		y0 := top - vg.Length(block[1])*row
		if b.Paused {
			p.FillPolygon(color.Gray{0xd0}, rectangle(x0, y0, x1, y1))
			p.hatch(x0, y0, x1, y1)
		} else {
			p.FillPolygon(fill, rectangle(x0, y0, x1, y1))
		}
		if x1-x0 > vg.Points(2) { // or the edge would be all there is
			edge := draw.LineStyle{Color: color.White, Width: vg.Points(0.6)}
			p.StrokeLines(edge, append(rectangle(x0, y0, x1, y1), vg.Point{X: x0, Y: y0}))
		}
		if !b.Paused {
			p.number(b.Number+1, x0, y0, x1, y1)
		}
	}
}

func (p *ganttPage) number(job int, x0, y0, x1, y1 vg.Length) {
	label := style(textSize-1.5, false)
	label.XAlign, label.YAlign = text.XCenter, text.YCenter
	word := strconv.Itoa(job)
	if label.Width(word)+vg.Points(2) < x1-x0 && y1-y0 > textSize-vg.Points(2) {
		p.FillText(label, vg.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}, word)
	}
}

// hatch draws strokes at 45 degrees, which pass through the same points whatever the rectangle.
func (p *ganttPage) hatch(x0, y0, x1, y1 vg.Length) {
	const pitch = 3.2
	var strokes vg.Path
	for c := math.Ceil(float64(x0-y1)/pitch) * pitch; c < float64(x1-y0); c += pitch { // x − y = c
		d := vg.Length(c)
		from, to := max(x0, y0+d), min(x1, y1+d)
		if from < to {
			strokes.Move(vg.Point{X: from, Y: from - d})
			strokes.Line(vg.Point{X: to, Y: to - d})
		}
	}
	if len(strokes) > 0 {
		p.SetLineStyle(draw.LineStyle{Color: color.Gray{0x77}, Width: vg.Points(0.5)})
		p.Stroke(strokes)
	}
}

// queue draws the number of those who wait as a flight of steps.
func (p *ganttPage) queue(s *Schedule, bottom vg.Length) {
	most := 1
	for _, q := range s.Queue {
		most = max(most, q.Waiting)
	}
	y := func(n int) vg.Length { return bottom + vg.Length(n)/vg.Length(most)*queueHeight }
	for i, q := range s.Queue {
		end := p.g.To
		if i+1 < len(s.Queue) {
			end = s.Queue[i+1].At
		}
		if q.Waiting > 0 {
			p.FillPolygon(color.Gray{0x8a}, rectangle(p.x(q.At), bottom, p.x(end), y(q.Waiting)))
		}
	}
	axis := draw.LineStyle{Color: ink, Width: vg.Points(0.7)}
	p.StrokeLine2(axis, p.left, bottom, p.right, bottom)
	p.StrokeLine2(axis, p.left, bottom, p.left, bottom+queueHeight)
	label := style(textSize-1.5, false)
	label.XAlign, label.YAlign = text.XRight, text.YCenter
	p.FillText(label, vg.Point{X: p.left - vg.Points(4), Y: bottom}, "0")
	p.FillText(label, vg.Point{X: p.left - vg.Points(4), Y: y(most)}, fmt.Sprint(most))
	p.sideways("queue", bottom+queueHeight/2)
}

func (p *ganttPage) axis(y vg.Length) {
	label := style(textSize-1, false)
	label.XAlign, label.YAlign = text.XCenter, text.YTop
	for _, tick := range (linearTicks{10}).Ticks(p.g.From, p.g.To) {
		x := p.x(tick.Value)
		p.StrokeLine2(draw.LineStyle{Color: ink, Width: vg.Points(0.7)}, x, y, x, y-vg.Points(4))
		p.FillText(label, vg.Point{X: x, Y: y - vg.Points(6)}, tick.Label)
	}
	label.Font.Size = textSize
	p.FillText(label, vg.Point{X: (p.left + p.right) / 2, Y: y - vg.Points(6) - 1.4*textSize}, p.g.XLabel)
}

// otherFonts is how much wider a line may become in a viewer that lacks the fonts that the picture names.
const otherFonts = 1.2

// legend says what the fillings mean, on one line.
func (p *ganttPage) legend(y vg.Length) {
	sty := style(textSize, false)
	sty.YAlign = text.YCenter
	x := p.left
	box := 0.26 * vg.Inch
	half := textSize / 2
	for i, word := range []string{"working (number: job, by arrival)", "stopped for a repartition", "idle"} {
		switch i {
		case 0:
			for k := range 3 {
				p.FillPolygon(jobColours[k], rectangle(x+vg.Length(k)*box/3, y-half, x+vg.Length(k+1)*box/3, y+half))
			}
		case 1:
			p.FillPolygon(color.Gray{0xd0}, rectangle(x, y-half, x+box, y+half))
			p.hatch(x, y-half, x+box, y+half)
		default:
			p.FillPolygon(color.Gray{0xf6}, rectangle(x, y-half, x+box, y+half))
			p.StrokeLines(draw.LineStyle{Color: rule, Width: vg.Points(0.5)},
				append(rectangle(x, y-half, x+box, y+half), vg.Point{X: x, Y: y - half}))
		}
		p.FillText(sty, vg.Point{X: x + box + vg.Points(5), Y: y}, word)
		x += box + vg.Points(5) + otherFonts*sty.Width(word) + entryGap
	}
}
