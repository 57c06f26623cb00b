package chart

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// StackedBar is a bar of parts, which are not negative.
type StackedBar struct {
	Name  string
	Parts []float64
	Note  string // written on the bar, in front of its height
}

// height returns the height of a bar: the sum of its parts.
func (b *StackedBar) height() (sum float64) {
	for _, v := range b.Parts {
		sum += v
	}
	return sum
}

// sum returns the height of a bar as text, with the parts that add up to it: 5 = 2 + 3.
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

// barShare is the share of its place on the axis that a bar is wide, and barRoom the least width of that place.
const (
	barShare = .72
	barRoom  = 1.6 * textSize
)

// stack makes tiles of the bars of a panel, each at a whole number of the horizontal axis. A bar that is higher than Top is cut.
func (p *Panel) stack() {
	top := math.Inf(1)
	if p.Top > 0 {
		_, top = niceRange(0, p.Top, yParts)
	}
	for i, b := range p.Bars {
		p.XNames = append(p.XNames, Named{float64(i), b.Name})
		from, to, sum := float64(i)-barShare/2, float64(i)+barShare/2, 0.
		for k, v := range b.Parts {
			p.Tiles = append(p.Tiles, Tile{X0: from, X1: to, Y0: min(sum, top), Y1: min(sum+v, top), fill: p.partColour(k)})
			sum += v
		}
	}
}

// barCutMargin is how much higher than its axis a bar may be without a sign that it is cut.
const barCutMargin = 1.02

// barNotes marks the bars that are cut, and writes the notes of bars and the heights of those that are cut.
func (p *Panel) barNotes(page page, data draw.Canvas, g *plot.Plot) {
	trX, trY := g.Transforms(&data)
	sty := turned(textSize-1.5, text.XRight, text.YCenter)
	for i, b := range p.Bars {
		x, from, to := trX(float64(i)), trX(float64(i)-barShare/2), trX(float64(i)+barShare/2)
		switch sum := b.height(); {
		case sum > g.Y.Max*barCutMargin:
			for k := range 2 {
				at := data.Max.Y - vg.Length(4+3*k)
				page.StrokeLine2(line(color.White, 1.5), from-1, at-2, to+1, at+2)
			}
			page.text(sty, x, data.Max.Y-12, b.Note+b.sum())
		case b.Note != "":
			page.text(sty, x, trY(sum)-3, b.Note+strconv.FormatFloat(sum, 'g', 3, 64))
		}
	}
}

// partEntries returns the entries of a legend for the parts of bars that are seen, below what the panels with these parts show.
func (f *Figure) partEntries() (all []entry) {
	for i := range f.Panels {
		p := &f.Panels[i]
		alike := func(q Panel) bool { return q.YLabel == p.YLabel }
		if len(p.Bars) == 0 || slices.IndexFunc(f.Panels, alike) < i {
			continue
		}
		const leastSeen = 1. / 300 // of the axis, which is some 150 points high
		least := f.axes(p).y.hi * leastSeen
		all = append(all, entry{name: p.YLabel, heads: true})
		for k, part := range slices.Backward(p.Parts) { // as they lie on each other
			if slices.ContainsFunc(f.Panels, func(q Panel) bool {
				return alike(q) && slices.ContainsFunc(q.Bars, func(b StackedBar) bool { return b.Parts[k] > least })
			}) {
				all = append(all, entry{name: part, tile: &Tile{fill: p.partColour(k)}})
			}
		}
	}
	return all
}
