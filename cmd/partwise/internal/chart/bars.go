package chart

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars shows sums as stacked bars, a panel for each group of them.
type Bars struct {
	Title   string
	Panels  []BarPanel
	Columns int      // of panels
	Notes   []string // below the panels, such as what the names of bars mean
}

// BarPanel is a group of bars over one axis, which begins at 0.
type BarPanel struct {
	Title, YLabel string
	Parts         []string // what the parts of a bar stand for, from the bottom
	// Top is that of the axis; 0: that of the highest bar of all panels of this YLabel. A higher bar is cut: its height is written
	// on it as the sum of its parts.
	Top  float64
	Bars []StackedBar
}

// StackedBar is a bar of parts, which are not negative.
type StackedBar struct {
	Name  string
	Parts []float64
	Note  string // written on the bar, in front of its height
}

func (b *StackedBar) height() (sum float64) {
	for _, v := range b.Parts {
		sum += v
	}
	return sum
}

// sum writes the height of a bar with the parts that it is the sum of.
func (b *StackedBar) sum() string {
	var parts []string
	for _, v := range b.Parts {
		if v > 0 {
			parts = append(parts, strconv.FormatFloat(v, 'g', 3, 64))
		}
	}
	text := strconv.FormatFloat(b.height(), 'g', 3, 64)
	if len(parts) > 1 {
		text += " = " + strings.Join(parts, " + ")
	}
	return text
}

const (
	barHeight    = 1.9 * vg.Inch
	barNames     = 0.52 * vg.Inch // beneath the axis, turned
	barLeft      = 0.55 * vg.Inch
	barShare     = .72 // of the room of a bar
	barTicks     = 4
	barCutMargin = 1.02
)

// sheet returns the picture. Its panels are wider if one of them has many bars.
func (b *Bars) sheet() *sheet {
	most := 0
	for i := range b.Panels {
		most = max(most, len(b.Panels[i].Bars))
	}
	w := max(panelWidth, barLeft+ganttRight+vg.Length(most)*1.6*textSize)
	s := inCells(b.Title, len(b.Panels), max(1, b.Columns), w, nameHeight+barHeight+barNames+gutter/2,
		func(p page, i int, left, top vg.Length) {
			b.Panels[i].draw(p, left+barLeft, left+w-ganttRight, top, b.top(&b.Panels[i]))
		})
	s.notes, s.legend = b.Notes, b.legend()
	return s
}

// legend returns the names of the parts that are seen, below what the panels with these parts show.
func (b *Bars) legend() (l legend) {
	for i := range b.Panels {
		p := &b.Panels[i]
		alike := func(q BarPanel) bool { return q.YLabel == p.YLabel }
		if slices.IndexFunc(b.Panels, alike) < i {
			continue
		}
		l.entries = append(l.entries, entry{name: p.YLabel, heads: true})
		for k := len(p.Parts) - 1; k >= 0; k-- { // as they lie on each other
			if slices.ContainsFunc(b.Panels, func(q BarPanel) bool { return alike(q) && q.shows(k, b.top(p)/leastSeen) }) {
				l.entries = append(l.entries, entry{name: p.Parts[k], stroke: draw.LineStyle{
					Color: partColour(p.Parts[k], k, len(p.Parts)), Width: textSize * .8}})
			}
		}
	}
	l.fit()
	return l
}

// leastSeen is the axis over the smallest part that is seen: the axis is 137 points high.
const leastSeen = 300

// shows reports whether a bar has more than so much of a part.
func (p *BarPanel) shows(part int, least float64) bool {
	return slices.ContainsFunc(p.Bars, func(b StackedBar) bool { return b.Parts[part] > least })
}

// top returns the height of the axis of a panel.
func (b *Bars) top(p *BarPanel) float64 {
	if p.Top > 0 {
		return p.Top
	}
	most := 0.
	for i := range b.Panels {
		for j := range b.Panels[i].Bars {
			if b.Panels[i].YLabel == p.YLabel {
				most = math.Max(most, b.Panels[i].Bars[j].height())
			}
		}
	}
	_, top := niceRange(0, most, barTicks)
	return top
}

// draw draws a panel between two abscissas, from its upper edge downwards.
func (p *BarPanel) draw(page page, x0, x1, upper vg.Length, top float64) {
	y1 := upper - nameHeight
	y0 := y1 - barHeight
	y := func(v float64) vg.Length { return y0 + vg.Length(math.Min(v, top)/top)*(y1-y0) }
	page.text(heading(textSize), x0, upper, p.Title)
	for _, tick := range (linearTicks{barTicks}).Ticks(0, top) {
		if tick.Label != "" {
			page.StrokeLine2(line(grid, 0.6), x0, y(tick.Value), x1, y(tick.Value))
			page.text(aligned(textSize-1, text.XRight, text.YCenter), x0-4, y(tick.Value), tick.Label)
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
				page.fill(partColour(p.Parts[k], k, len(p.Parts)), middle-half, y(sum), middle+half, y(sum+v))
			}
			sum += v
		}
		page.outline(line(ink, 0.5), middle-half, y0, middle+half, y(sum))
		name := turned(textSize-1.5, text.XRight, text.YCenter)
		page.text(name, middle, y0-4, b.Name)
		broken := sum > top*barCutMargin
		for k := 0; broken && k < 2; k++ {
			at := y1 - vg.Length(4+3*k)
			page.StrokeLine2(line(color.White, 1.5), middle-half-1, at-2, middle+half+1, at+2)
		}
		switch {
		case broken:
			page.text(name, middle, y1-12, b.Note+b.sum())
		case b.Note != "":
			page.text(name, middle, y(sum)-3, b.Note+strconv.FormatFloat(sum, 'g', 3, 64))
		}
	}
	page.StrokeLine2(frame, x0, y0, x1, y0)
	page.StrokeLine2(frame, x0, y0, x0, y1)
}
