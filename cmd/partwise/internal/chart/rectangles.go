package chart

import (
	"html/template"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rectangles shows how rectangles are divided among jobs, side by side.
type Rectangles struct {
	Title          string
	XLabel, YLabel string
	All            []Rectangle
}

// Rectangle is divided from 0 to Width and from 0, at the bottom, to 1.
type Rectangle struct {
	Name  string
	Width int
	Tiles []Tile
	Marks []Mark // of the vertical axis, ascending
}

// Tile is the part of a job.
type Tile struct {
	Job            int
	X0, X1, Y0, Y1 float64
}

// Mark labels a height.
type Mark struct {
	At    float64
	Label string
}

const (
	rectangleColumns = 3
	rectangleHeight  = 2.1 * vg.Inch
	rectangleLeft    = 0.5 * vg.Inch
)

// Write draws the rectangles as svg, png, pdf or as a page (html). The same rectangles give the same bytes.
func (r *Rectangles) Write(w io.Writer, format string) error { return write(w, r, format) }

func (r *Rectangles) name() string { return r.Title }

// Fragment returns the picture as part of a page.
func (r *Rectangles) Fragment() (template.HTML, error) {
	untitled := *r // the page has the title
	untitled.Title = ""
	return staticPicture(&untitled)
}

// staticPicture returns a picture as part of a page that does not respond to a pointer.
func staticPicture(d drawing) (template.HTML, error) {
	picture, err := inlineSVG(d)
	return template.HTML("<div class=\"gantt static\">" + picture + "</div>\n"), err
}

// gridOf returns the numbers of rows and columns of so many panels, at most so many side by side.
func gridOf(panels, most int) (rows, columns int) {
	columns = max(1, min(most, panels))
	return (panels + columns - 1) / columns, columns
}

// grid returns the numbers of rows and columns.
func (r *Rectangles) grid() (rows, columns int) {
	return gridOf(len(r.All), rectangleColumns)
}

func (r *Rectangles) cell() (w, h vg.Length) {
	return panelWidth, nameHeight + rectangleHeight + axisHeight + gutter/2
}

func (r *Rectangles) size() (w, h vg.Length) {
	rows, columns := r.grid()
	cw, ch := r.cell()
	return vg.Length(columns)*cw + 2*margin, vg.Length(rows)*ch + titleHeight(r.Title) + 2*margin
}

func (r *Rectangles) draw(c vg.CanvasSizer) {
	w, h := c.Size()
	page := &rectanglePage{draw.New(c), r}
	page.FillPolygon(color.White, rectangle(0, 0, w, h))
	if r.Title != "" {
		title := style(titleSize, true)
		title.YAlign = text.YTop
		page.FillText(title, vg.Point{X: 2 * margin, Y: h - margin}, r.Title)
	}
	_, columns := r.grid()
	cw, ch := r.cell()
	for i := range r.All {
		page.one(&r.All[i], margin+vg.Length(i%columns)*cw, h-margin-titleHeight(r.Title)-vg.Length(i/columns)*ch)
	}
}

// rectanglePage is the page that rectangles are drawn on.
type rectanglePage struct {
	draw.Canvas
	*Rectangles
}

// one draws a rectangle whose cell has its upper left corner at a point.
func (p *rectanglePage) one(r *Rectangle, left, top vg.Length) {
	x0, x1 := left+rectangleLeft, left+panelWidth-ganttRight
	y1 := top - nameHeight
	y0 := y1 - rectangleHeight
	x := func(v float64) vg.Length { return x0 + vg.Length(v/float64(r.Width))*(x1-x0) }
	y := func(v float64) vg.Length { return y0 + vg.Length(v)*(y1-y0) }
	name := style(textSize, true)
	name.YAlign = text.YTop
	p.FillText(name, vg.Point{X: x0, Y: top}, r.Name)
	for _, t := range r.Tiles {
		p.tile(t, x(t.X0), y(t.Y0), x(t.X1), y(t.Y1))
	}
	frame := draw.LineStyle{Color: ink, Width: vg.Points(0.7)}
	p.StrokeLines(frame, append(rectangle(x0, y0, x1, y1), vg.Point{X: x0, Y: y0}))
	p.axes(r, x0, y0, x1, x, y)
}

func (p *rectanglePage) tile(t Tile, x0, y0, x1, y1 vg.Length) {
	p.FillPolygon(jobColours[t.Job%len(jobColours)], rectangle(x0, y0, x1, y1))
	if x1-x0 > vg.Points(1.5) && y1-y0 > vg.Points(1.5) { // or the edge would be all there is
		p.StrokeLines(draw.LineStyle{Color: color.White, Width: vg.Points(0.6)},
			append(rectangle(x0, y0, x1, y1), vg.Point{X: x0, Y: y0}))
	}
	label := style(textSize-1.5, false)
	label.XAlign, label.YAlign = text.XCenter, text.YCenter
	word := strconv.Itoa(t.Job)
	if label.Width(word)+vg.Points(2) < x1-x0 && y1-y0 > textSize-vg.Points(2) {
		p.FillText(label, vg.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}, word)
	}
}

// axes draws ticks and labels; of marks that lie too close together the upper ones are left out.
func (p *rectanglePage) axes(r *Rectangle, x0, y0, x1 vg.Length, x, y func(float64) vg.Length) {
	line := draw.LineStyle{Color: ink, Width: vg.Points(0.7)}
	label := style(textSize-1, false)
	label.XAlign, label.YAlign = text.XCenter, text.YTop
	for _, tick := range (linearTicks{4}).Ticks(0, float64(r.Width)) {
		p.StrokeLine2(line, x(tick.Value), y0, x(tick.Value), y0-vg.Points(3))
		p.FillText(label, vg.Point{X: x(tick.Value), Y: y0 - vg.Points(5)}, tick.Label)
	}
	label.Font.Size = textSize
	p.FillText(label, vg.Point{X: (x0 + x1) / 2, Y: y0 - vg.Points(5) - 1.3*textSize}, p.XLabel)
	label.Font.Size, label.XAlign, label.YAlign = textSize-1, text.XRight, text.YCenter
	last := y0 - textSize
	for _, m := range r.Marks {
		p.StrokeLine2(line, x0, y(m.At), x0-vg.Points(3), y(m.At))
		if y(m.At)-last >= textSize {
			p.FillText(label, vg.Point{X: x0 - vg.Points(5), Y: y(m.At)}, m.Label)
			last = y(m.At)
		}
	}
	side := style(textSize, false)
	side.XAlign, side.YAlign, side.Rotation = text.XCenter, text.YBottom, math.Pi/2
	p.FillText(side, vg.Point{X: x0 - 0.34*vg.Inch, Y: (y(0) + y(1)) / 2}, p.YLabel)
}
