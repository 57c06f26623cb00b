package chart

import (
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/partwise/partwise/validate/machine"
)

// hover is an invisible rectangle over a bar that knows what to say. Ordinates point down.
type hover struct {
	X, Y, Width, Height float64
	Words               string
}

// live returns the picture with what is known of each bar under the pointer.
func (g *Gantt) live(picture string) (HTML, error) {
	picture, _, ok := strings.Cut(picture, "</svg>")
	if !ok {
		return "", fmt.Errorf("chart: the picture has no end")
	}
	var bars []hover
	time, top := g.scale(ganttWidth), vg.Length(margin)
	for i := range g.Schedules {
		s := &g.Schedules[i]
		for k := range s.Pieces {
			bars = append(bars, hovers(&s.Pieces[k], time, top+nameHeight, s.rowHeight())...)
		}
		top += s.height() + gutter/2
	}
	return filled("gantt", map[string]any{"Picture": picture, "Bars": bars})
}

// hovers covers a bar.
func hovers(bar *machine.Piece, time scale, top, row vg.Length) (all []hover) {
	what := "job " + strconv.Itoa(bar.Number+1)
	if bar.Paused {
		what += ", stopped for a repartition"
	}
	x0, x1 := time.x(bar.From), time.x(bar.To)
	for _, block := range bar.Blocks() {
		nodes := fmt.Sprintf("node %d", block[0]+1)
		if block[1]-block[0] > 1 {
			nodes = fmt.Sprintf("nodes %d–%d", block[0]+1, block[1])
		}
		all = append(all, hover{x0.Points(), (top + vg.Length(block[0])*row).Points(), (x1 - x0).Points(),
			(vg.Length(block[1]-block[0]) * row).Points(), fmt.Sprintf("%s: %s, %.6g to %.6g", what, nodes, bar.From, bar.To)})
	}
	return all
}
