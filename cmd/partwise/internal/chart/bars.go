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

// Bars shows sums as stacked bars, a panel for each group of them.
type Bars struct {
	Title  string
	Parts  []string // what the parts of a bar stand for, from the bottom
	Panels []BarPanel
}

// BarPanel is a group of bars over one axis, which begins at 0.
type BarPanel struct {
	Title, YLabel string
	Top           float64 // of the axis; higher bars are cut, with their height written on them; 0: that of the highest
	Bars          []StackedBar
}

// StackedBar is a bar of parts, which are not negative.
type StackedBar struct {
	Name  string
	Parts []float64
	Note  string // written on a bar that is cut, in front of its height
}

func (b *StackedBar) height() (sum float64) {
	for _, v := range b.Parts {
		sum += v
	}
	return sum
}

const (
	barColumns   = 2
	barHeight    = 1.9 * vg.Inch
	barNames     = 0.52 * vg.Inch // beneath the axis, turned
	barLeft      = 0.55 * vg.Inch
	barShare     = .72 // of the room of a bar
	barTicks     = 4
	barCutMargin = 1.02
)

// barColour is light, as for jobs, and grey for what comes last where there are many parts, such as idling.
func barColour(part, parts int) color.Color {
	if part == parts-1 && parts > 5 {
		return color.Gray{0xd8}
	}
	return jobColours[part%len(jobColours)]
}

// Write draws the bars as svg, png, pdf or as a page (html). The same bars give the same bytes.
func (b *Bars) Write(w io.Writer, format string) error { return write(w, b, format) }

func (b *Bars) name() string { return b.Title }

// Fragment returns the picture as part of a page.
func (b *Bars) Fragment() (template.HTML, error) {
	untitled := *b // the page has the title
	untitled.Title = ""
	return staticPicture(&untitled)
}

func (b *Bars) grid() (rows, columns int) {
	return gridOf(len(b.Panels), barColumns)
}

// cell returns the size of a panel, which is wider if it has many bars.
func (b *Bars) cell() (w, h vg.Length) {
	most := 0
	for i := range b.Panels {
		most = max(most, len(b.Panels[i].Bars))
	}
	w = max(panelWidth, barLeft+ganttRight+vg.Length(most)*1.6*textSize)
	return w, nameHeight + barHeight + barNames + gutter/2
}

func (b *Bars) size() (w, h vg.Length) {
	rows, columns := b.grid()
	cw, ch := b.cell()
	w = vg.Length(columns)*cw + 2*margin
	return w, vg.Length(rows)*ch + titleHeight(b.Title) + b.legend(w-2*margin).height() + 2*margin
}

// legend names the parts.
func (b *Bars) legend(width vg.Length) legend {
	f := Figure{Series: b.Parts}
	l := f.legend(width)
	for k := range l.entries {
		l.entries[k].stroke = draw.LineStyle{Color: barColour(k, len(b.Parts)), Width: textSize * .8}
		l.entries[k].mark = false
	}
	return l
}

func (b *Bars) draw(c vg.CanvasSizer) {
	w, h := c.Size()
	page := draw.New(c)
	page.FillPolygon(color.White, rectangle(0, 0, w, h))
	if b.Title != "" {
		title := style(titleSize, true)
		title.YAlign = text.YTop
		page.FillText(title, vg.Point{X: 2 * margin, Y: h - margin}, b.Title)
	}
	_, columns := b.grid()
	cw, ch := b.cell()
	for i := range b.Panels {
		p := &b.Panels[i]
		left := margin + vg.Length(i%columns)*cw
		top := h - margin - titleHeight(b.Title) - vg.Length(i/columns)*ch
		p.draw(page, left+barLeft, left+cw-ganttRight, top, len(b.Parts))
	}
	l := b.legend(w - 2*margin)
	l.draw(page, vg.Point{X: margin, Y: margin + l.height()})
}

// top returns the height of the axis.
func (p *BarPanel) top() float64 {
	if p.Top > 0 {
		return p.Top
	}
	most := 0.
	for i := range p.Bars {
		most = math.Max(most, p.Bars[i].height())
	}
	_, top := niceRange(0, most, barTicks)
	return top
}

// draw draws a panel between two abscissas, from its upper edge downwards.
func (p *BarPanel) draw(page draw.Canvas, x0, x1, upper vg.Length, parts int) {
	y1 := upper - nameHeight
	y0 := y1 - barHeight
	top := p.top()
	y := func(v float64) vg.Length { return y0 + vg.Length(math.Min(v, top)/top)*(y1-y0) }
	label := style(textSize, true)
	label.YAlign = text.YTop
	page.FillText(label, vg.Point{X: x0, Y: upper}, p.Title)
	p.axis(page, x0, x1, y0, y)
	room := (x1 - x0) / vg.Length(max(len(p.Bars), 1))
	for i := range p.Bars {
		b := &p.Bars[i]
		middle := x0 + (vg.Length(i)+.5)*room
		half := barShare * room / 2
		sum := 0.
		for k, v := range b.Parts {
			if y(sum+v) > y(sum) {
				page.FillPolygon(barColour(k, parts), rectangle(middle-half, y(sum), middle+half, y(sum+v)))
			}
			sum += v
		}
		page.StrokeLines(draw.LineStyle{Color: ink, Width: vg.Points(0.5)},
			append(rectangle(middle-half, y0, middle+half, y(sum)), vg.Point{X: middle - half, Y: y0}))
		turned := style(textSize-1.5, false)
		turned.XAlign, turned.YAlign, turned.Rotation = text.XRight, text.YCenter, math.Pi/2
		page.FillText(turned, vg.Point{X: middle, Y: y0 - vg.Points(4)}, b.Name)
		if sum > top*barCutMargin {
			page.FillText(turned, vg.Point{X: middle, Y: y1 - vg.Points(3)}, b.Note+strconv.FormatFloat(sum, 'g', 3, 64))
		}
	}
	frame := draw.LineStyle{Color: ink, Width: vg.Points(0.7)}
	page.StrokeLine2(frame, x0, y0, x1, y0)
	page.StrokeLine2(frame, x0, y0, x0, y1)
}

// axis draws the heights.
func (p *BarPanel) axis(page draw.Canvas, x0, x1, y0 vg.Length, y func(float64) vg.Length) {
	label := style(textSize-1, false)
	label.XAlign, label.YAlign = text.XRight, text.YCenter
	for _, tick := range (linearTicks{barTicks}).Ticks(0, p.top()) {
		if tick.Label == "" {
			continue
		}
		page.StrokeLine2(draw.LineStyle{Color: grid, Width: vg.Points(0.6)}, x0, y(tick.Value), x1, y(tick.Value))
		page.FillText(label, vg.Point{X: x0 - vg.Points(4), Y: y(tick.Value)}, tick.Label)
	}
	side := style(textSize, false)
	side.XAlign, side.YAlign, side.Rotation = text.XCenter, text.YBottom, math.Pi/2
	page.FillText(side, vg.Point{X: x0 - 0.36*vg.Inch, Y: y0 + barHeight/2}, p.YLabel)
}
