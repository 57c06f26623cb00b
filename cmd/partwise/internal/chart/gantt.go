package chart

import (
	"fmt"
	"image/color"
	"strconv"

	"gonum.org/v1/plot/vg"

	"github.com/partwise/partwise/validate/machine"
)

// Schedule is what happened on the nodes of one machine.
type Schedule struct {
	Name  string
	Nodes int
	*machine.Recorder
}

const (
	ganttWidth  = 8 * vg.Inch
	queueHeight = 0.42 * vg.Inch
	queueGap    = 0.07 * vg.Inch
	axisHeight  = 3.4 * textSize
)

// Gantt returns a figure of who had which node when, one schedule under the other over the times between two moments. The
// figure has the title, the label of the horizontal axis and the notes of f.
func Gantt(f Figure, from, to float64, schedules []Schedule) *Figure {
	f.Columns, f.width, f.height = 1, ganttWidth, 0
	f.entries = []entry{
		{name: "working (number: job, by arrival)", tile: &Tile{}},
		{name: "stopped for a repartition", tile: &Tile{stopped: true}},
		{name: "idle", tile: &Tile{fill: idle}},
		{name: "jobs in the queue", tile: &Tile{fill: queued}},
	}
	most := 0 // jobs in a queue
	for _, s := range schedules {
		for _, q := range s.Queue {
			most = max(most, q.Waiting)
		}
	}
	for i := range schedules {
		p, height := schedules[i].panel(from, to, most)
		f.Panels, f.height = append(f.Panels, p), max(f.height, height)
	}
	return &f
}

// panel returns the panel of a schedule and its height. Node i, from 1, has the row from i − 1 to i of an axis that points down.
// Below the nodes is the queue of up to most jobs, if there is any.
func (s *Schedule) panel(from, to float64, most int) (p Panel, height vg.Length) {
	row := max(2, min(15, 2.2*vg.Inch/vg.Length(s.Nodes))) // thick where there are few
	p = Panel{Title: s.Name, YLabel: "node"}
	add := func(t Tile) {
		t.X0, t.X1 = max(t.X0, from), min(t.X1, to)
		if t.X0 <= t.X1 {
			p.Tiles = append(p.Tiles, t)
		}
	}
	floor := -float64(s.Nodes)
	add(Tile{X0: from, X1: to, Y0: floor, fill: idle})
	for i := range s.Pieces {
		b := &s.Pieces[i]
		for _, block := range b.Blocks() {
			t := Tile{X0: b.From, X1: b.To, Y0: -float64(block[1]), Y1: -float64(block[0]), Job: b.Number,
				stopped: b.Paused, Tip: tipOf(b, block)}
			if !b.Paused {
				t.Text = strconv.Itoa(b.Number + 1)
			}
			add(t)
		}
	}
	for i := range s.Nodes {
		p.YNames = append(p.YNames, Named{-float64(i) - .5, strconv.Itoa(i + 1)})
	}
	height = axisHeight + vg.Length(s.Nodes)*row
	if most == 0 {
		return p, height
	}
	top := floor - float64(queueGap/row)
	bottom := top - float64(queueHeight/row)
	add(Tile{X0: from, X1: to, Y0: bottom, Y1: floor, fill: color.White})
	for i, q := range s.Queue {
		end := to
		if i+1 < len(s.Queue) {
			end = s.Queue[i+1].At
		}
		add(Tile{X0: q.At, X1: end, Y0: bottom, Y1: bottom + float64(q.Waiting)/float64(most)*(top-bottom), fill: queued})
	}
	p.YLabel = "queue | node"
	p.YNames = append(p.YNames, Named{bottom, "0"}, Named{top, strconv.Itoa(most)})
	return p, height + queueGap + queueHeight
}

// tipOf says which job has a block of nodes when.
func tipOf(p *machine.Piece, block [2]int) string {
	what := "job " + strconv.Itoa(p.Number+1)
	if p.Paused {
		what += ", stopped for a repartition"
	}
	nodes := fmt.Sprintf("node %d", block[0]+1)
	if block[1]-block[0] > 1 {
		nodes = fmt.Sprintf("nodes %d–%d", block[0]+1, block[1])
	}
	return fmt.Sprintf("%s: %s, %.6g to %.6g", what, nodes, p.From, p.To)
}
