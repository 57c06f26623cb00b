package chart

import (
	"image/color"
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
	Notes  []string // below the panels, such as what the names of bars mean
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

// barColour returns the light colour of a part. The last of many parts, such as idling, is grey.
func barColour(part, parts int) color.Color {
	if part == parts-1 && parts > 5 {
		return color.Gray{0xd8}
	}
	return jobColours[part%len(jobColours)]
}

// sheet returns the picture. Its panels are wider if one of them has many bars.
func (b *Bars) sheet() *sheet {
	most := 0
	for i := range b.Panels {
		most = max(most, len(b.Panels[i].Bars))
	}
	w := max(panelWidth, barLeft+ganttRight+vg.Length(most)*1.6*textSize)
	s := inCells(b.Title, len(b.Panels), barColumns, w, nameHeight+barHeight+barNames+gutter/2,
		func(p page, i int, left, top vg.Length) {
			b.Panels[i].draw(p, left+barLeft, left+w-ganttRight, top, len(b.Parts))
		})
	s.notes = b.Notes
	s.legend = (&Figure{Series: b.Parts}).legend(b.Parts)
	for k := range s.legend.entries {
		s.legend.entries[k].stroke = draw.LineStyle{Color: barColour(k, len(b.Parts)), Width: textSize * .8}
		s.legend.entries[k].mark = false
	}
	return s
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
func (p *BarPanel) draw(page page, x0, x1, upper vg.Length, parts int) {
	y1 := upper - nameHeight
	y0 := y1 - barHeight
	top := p.top()
	y := func(v float64) vg.Length { return y0 + vg.Length(math.Min(v, top)/top)*(y1-y0) }
	page.text(heading(textSize), x0, upper, p.Title)
	for _, tick := range (linearTicks{barTicks}).Ticks(0, top) {
		if tick.Label != "" {
			page.StrokeLine2(line(grid, 0.6), x0, y(tick.Value), x1, y(tick.Value))
			page.text(aligned(textSize-1, text.XRight, text.YCenter), x0-vg.Points(4), y(tick.Value), tick.Label)
		}
	}
	page.sideways(x0-0.36*vg.Inch, y0+barHeight/2, p.YLabel)
	room := (x1 - x0) / vg.Length(max(len(p.Bars), 1))
	for i := range p.Bars {
		b := &p.Bars[i]
		middle := x0 + (vg.Length(i)+.5)*room
		half := barShare * room / 2
		sum := 0.
		for k, v := range b.Parts {
			if y(sum+v) > y(sum) {
				page.fill(barColour(k, parts), middle-half, y(sum), middle+half, y(sum+v))
			}
			sum += v
		}
		page.outline(line(ink, 0.5), middle-half, y0, middle+half, y(sum))
		name := turned(textSize-1.5, text.XRight, text.YCenter)
		page.text(name, middle, y0-vg.Points(4), b.Name)
		if sum > top*barCutMargin {
			page.text(name, middle, y1-vg.Points(3), b.Note+strconv.FormatFloat(sum, 'g', 3, 64))
		}
	}
	page.StrokeLine2(frame, x0, y0, x1, y0)
	page.StrokeLine2(frame, x0, y0, x0, y1)
}
