package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Tile is a filled rectangle over the axes of a panel, such as the nodes that a job holds for a time.
type Tile struct {
	X0, X1, Y0, Y1 float64
	Job            int    // whose colour the tile has, counted from 0
	Text           string // written on the tile where there is room
	Tip            string // what a page says of the tile under the pointer

	fill    color.Color // in place of the colour of the job
	stopped bool        // hatched: the job stands still
}

// tip is what a page says of a rectangle of a picture. Ordinates point down.
type tip struct {
	X, Y, Width, Height float64
	Words               string
}

// tiles draws the tiles of a panel and notes what a page says of them.
func (p *Panel) tiles(page page, data draw.Canvas, g *plot.Plot) {
	trX, trY := g.Transforms(&data)
	for _, t := range p.Tiles {
		x0, x1, y0, y1 := trX(t.X0), trX(t.X1), trY(t.Y0), trY(t.Y1)
		page.tile(&t, x0, y0, x1, y1)
		if t.Tip != "" {
			*page.tips = append(*page.tips, tip{x0.Points(), (page.Max.Y - y1).Points(), (x1 - x0).Points(), (y1 - y0).Points(), t.Tip})
		}
	}
	page.outline(frame, data.Min.X, data.Min.Y, data.Max.X, data.Max.Y)
}

// tile draws a tile on a rectangle. The tile of a job has a white edge unless the edge would be all there is.
func (p page) tile(t *Tile, x0, y0, x1, y1 vg.Length) {
	switch {
	case t.stopped:
		p.hatch(x0, y0, x1, y1)
	case t.fill != nil:
		p.fill(t.fill, x0, y0, x1, y1)
		return
	default:
		p.fill(jobColour(t.Job), x0, y0, x1, y1)
	}
	if min(x1-x0, y1-y0) > 1.5 {
		p.outline(edge, x0, y0, x1, y1)
	}
	label := aligned(textSize-1.5, text.XCenter, text.YCenter)
	if label.Width(t.Text)+2 < x1-x0 && y1-y0 > textSize-2 {
		p.text(label, (x0+x1)/2, (y0+y1)/2, t.Text)
	}
}

// hatch draws strokes at 45 degrees on grey, which pass through the same points whatever the rectangle.
func (p page) hatch(x0, y0, x1, y1 vg.Length) {
	const pitch = 3.2
	p.fill(color.Gray{0xc4}, x0, y0, x1, y1)
	var strokes vg.Path
	for c := math.Ceil(float64(x0-y1)/pitch) * pitch; c < float64(x1-y0); c += pitch { // x − y = c
		d := vg.Length(c)
		from, to := max(x0, y0+d), min(x1, y1+d)
		if from < to {
			strokes.Move(point(from, from-d))
			strokes.Line(point(to, to-d))
		}
	}
	if len(strokes) > 0 {
		p.SetLineStyle(line(color.Gray{0x77}, 0.5))
		p.Stroke(strokes)
	}
}
