package chart

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/partwise/partwise/validate/machine"
)

// live returns the picture with what is known of each bar under the pointer.
func (g *Gantt) live(picture string) (template.HTML, error) {
	end := strings.LastIndex(picture, "</svg>")
	if end < 0 {
		return "", fmt.Errorf("chart: the picture has no end")
	}
	var b strings.Builder
	b.WriteString("<div class=\"gantt static\">" + picture[:end] + "<g fill=\"transparent\">\n")
	time, top := g.scale(ganttWidth), vg.Length(margin)
	for i := range g.Schedules {
		s := &g.Schedules[i]
		for k := range s.Pieces {
			hover(&b, &s.Pieces[k], time, top+nameHeight, s.rowHeight())
		}
		top += s.height() + gutter/2
	}
	b.WriteString("</g>\n</svg></div>\n<p class=\"hint\">Point at a bar for its job, its nodes and its times.</p>\n")
	return template.HTML(b.String()), nil
}

// hover covers a bar with invisible rectangles that know what to say. Here the ordinates point down.
func hover(b *strings.Builder, bar *machine.Piece, time scale, top, row vg.Length) {
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
		fmt.Fprintf(b, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f"><title>%s: %s, %.6g to %.6g</title></rect>`+"\n",
			x0.Points(), (top + vg.Length(block[0])*row).Points(), (x1 - x0).Points(),
			(vg.Length(block[1]-block[0]) * row).Points(), what, nodes, bar.From, bar.To)
	}
}
