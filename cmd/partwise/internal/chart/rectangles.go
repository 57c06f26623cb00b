package chart

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Rectangles shows how rectangles are divided among jobs, side by side.
type Rectangles struct {
	Title          string
	XLabel, YLabel string
	All            []Rectangle
	Notes          []string // below the rectangles, such as what their names mean
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

func (r *Rectangles) sheet() *sheet {
	s := inCells(r.Title, len(r.All), rectangleColumns, panelWidth, nameHeight+rectangleHeight+axisHeight+gutter/2, r.one)
	s.notes = r.Notes
	return s
}

// one draws a rectangle whose cell has its upper left corner at a point. Of marks that lie too close together the upper
// ones have no label.
func (r *Rectangles) one(p page, i int, left, top vg.Length) {
	of := &r.All[i]
	x0, x1 := left+rectangleLeft, left+panelWidth-ganttRight
	y1 := top - nameHeight
	y0 := y1 - rectangleHeight
	x := func(v float64) vg.Length { return x0 + vg.Length(v/float64(of.Width))*(x1-x0) }
	y := func(v float64) vg.Length { return y0 + vg.Length(v)*(y1-y0) }
	p.text(heading(textSize), x0, top, of.Name)
	for _, t := range of.Tiles {
		edged := min(x(t.X1)-x(t.X0), y(t.Y1)-y(t.Y0)) > 1.5
		p.job(t.Job, t.Job, edged, x(t.X0), y(t.Y0), x(t.X1), y(t.Y1))
	}
	p.outline(frame, x0, y0, x1, y1)
	for _, tick := range (linearTicks{4}).Ticks(0, float64(of.Width)) {
		p.StrokeLine2(frame, x(tick.Value), y0, x(tick.Value), y0-3)
		p.text(aligned(textSize-1, text.XCenter, text.YTop), x(tick.Value), y0-5, tick.Label)
	}
	p.text(aligned(textSize, text.XCenter, text.YTop), (x0+x1)/2, y0-5-1.3*textSize, r.XLabel)
	last := y0 - textSize
	for _, m := range of.Marks {
		p.StrokeLine2(frame, x0, y(m.At), x0-3, y(m.At))
		if y(m.At)-last >= textSize {
			p.text(aligned(textSize-1, text.XRight, text.YCenter), x0-5, y(m.At), m.Label)
			last = y(m.At)
		}
	}
	p.sideways(x0-0.34*vg.Inch, (y(0)+y(1))/2, r.YLabel)
}
