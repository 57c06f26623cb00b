package chart

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/partwise/partwise/validate/machine"
)

// Gantt shows who had which node when, one schedule under the other over one axis of time.
type Gantt struct {
	Title, XLabel string
	From, To      float64
	Schedules     []Schedule
	Notes         []string // below the schedules, such as what their names mean
}

// Schedule is what happened on the nodes of one machine.
type Schedule struct {
	Name  string
	Nodes int
	*machine.Recorder
}

const (
	ganttWidth  = 9 * vg.Inch
	ganttLeft   = 0.75 * vg.Inch
	ganttRight  = 0.15 * vg.Inch
	queueHeight = 0.42 * vg.Inch
	queueGap    = 0.07 * vg.Inch
	nameHeight  = 1.7 * textSize
	axisHeight  = 3.4 * textSize
)

// rowHeight returns the height of a node's row: thick where there are few.
func (s *Schedule) rowHeight() vg.Length {
	return max(2, min(15, 2.2*vg.Inch/vg.Length(s.Nodes)))
}

func (s *Schedule) height() vg.Length {
	return nameHeight + vg.Length(s.Nodes)*s.rowHeight() + s.queueRoom()
}

// queueRoom returns the height of the queue below the nodes; nothing if nobody waits.
func (s *Schedule) queueRoom() vg.Length {
	for _, q := range s.Queue {
		if q.Waiting > 0 {
			return queueGap + queueHeight
		}
	}
	return 0
}

func (g *Gantt) sheet() *sheet {
	s := &sheet{name: g.Title, title: g.Title, indent: margin, width: ganttWidth, height: 2*margin + axisHeight + 1.5*rowHeight,
		live: g.live, notes: g.Notes}
	for i := range g.Schedules {
		s.height += g.Schedules[i].height() + gutter/2
	}
	s.body = func(page page, top vg.Length) {
		p := &ganttPage{page, g.scale(page.Max.X)}
		for i := range g.Schedules {
			p.schedule(&g.Schedules[i], top)
			top -= g.Schedules[i].height() + gutter/2
		}
		top += gutter / 2
		p.axis(top, g.XLabel)
		p.legend(top - axisHeight - rowHeight)
	}
	return s
}

// scale is that of time.
type scale struct {
	from, to    float64
	left, right vg.Length
}

func (g *Gantt) scale(width vg.Length) scale {
	return scale{g.From, g.To, ganttLeft, width - ganttRight}
}

func (s scale) x(t float64) vg.Length {
	share := (t - s.from) / (s.to - s.from)
	return s.left + vg.Length(math.Min(1, math.Max(0, share)))*(s.right-s.left)
}

// ganttPage is a page with the scale of time.
type ganttPage struct {
	page
	scale
}

func (p *ganttPage) schedule(s *Schedule, top vg.Length) {
	p.text(heading(textSize), p.left, top, s.Name)
	top -= nameHeight
	row := s.rowHeight()
	bottom := top - vg.Length(s.Nodes)*row
	p.fill(idle, p.left, bottom, p.right, top)
	for i := range s.Pieces {
		p.bar(&s.Pieces[i], top, row)
	}
	p.outline(frame, p.left, bottom, p.right, top)
	p.nodeLabels(s, top, row)
	if s.queueRoom() > 0 {
		p.queue(s, bottom-queueGap-queueHeight)
	}
}

// nodeLabels numbers the rows, or some of them if they are thin.
func (p *ganttPage) nodeLabels(s *Schedule, top, row vg.Length) {
	step := 1
	for vg.Length(step)*row < textSize {
		step *= 2
	}
	for i := 0; i < s.Nodes; i += step {
		p.beside(top-(vg.Length(i)+0.5)*row, strconv.Itoa(i+1))
	}
	p.sideways(p.left-0.36*vg.Inch, top-vg.Length(s.Nodes)*row/2, "node")
}

// beside labels a height.
func (p *ganttPage) beside(y vg.Length, words string) {
	p.text(aligned(textSize-1.5, text.XRight, text.YCenter), p.left-4, y, words)
}

// bar draws a job on its rows, those that lie together as one block, with its number where there is room.
func (p *ganttPage) bar(b *machine.Piece, top, row vg.Length) {
	x0, x1 := p.x(b.From), p.x(b.To)
	edged := x1-x0 > 2 // or the edge would be all there is
	for _, block := range b.Blocks() {
		y1 := top - vg.Length(block[0])*row
		y0 := top - vg.Length(block[1])*row
		if !b.Paused {
			p.job(b.Number, b.Number+1, edged, x0, y0, x1, y1)
			continue
		}
		p.stopped(x0, y0, x1, y1)
		if edged {
			p.outline(edge, x0, y0, x1, y1)
		}
	}
}

// stopped draws strokes at 45 degrees on grey, which pass through the same points whatever the rectangle.
func (p *ganttPage) stopped(x0, y0, x1, y1 vg.Length) {
	const pitch = 3.2
	p.fill(color.Gray{0xc4}, x0, y0, x1, y1)
	var strokes vg.Path
	for c := math.Ceil(float64(x0-y1)/pitch) * pitch; c < float64(x1-y0); c += pitch { // x − y = c
		d := vg.Length(c)
		from, to := max(x0, y0+d), min(x1, y1+d)
		if from < to {
			strokes.Move(vg.Point{X: from, Y: from - d})
			strokes.Line(vg.Point{X: to, Y: to - d})
		}
	}
	if len(strokes) > 0 {
		p.SetLineStyle(line(color.Gray{0x77}, 0.5))
		p.Stroke(strokes)
	}
}

// queue draws the number of those who wait as a flight of steps.
func (p *ganttPage) queue(s *Schedule, bottom vg.Length) {
	most := 1
	for _, q := range s.Queue {
		most = max(most, q.Waiting)
	}
	y := func(n int) vg.Length { return bottom + vg.Length(n)/vg.Length(most)*queueHeight }
	for i, q := range s.Queue {
		end := p.to
		if i+1 < len(s.Queue) {
			end = s.Queue[i+1].At
		}
		if q.Waiting > 0 {
			p.fill(queued, p.x(q.At), bottom, p.x(end), y(q.Waiting))
		}
	}
	p.StrokeLine2(frame, p.left, bottom, p.right, bottom)
	p.StrokeLine2(frame, p.left, bottom, p.left, bottom+queueHeight)
	p.beside(bottom, "0")
	p.beside(y(most), fmt.Sprint(most))
	p.sideways(p.left-0.36*vg.Inch, bottom+queueHeight/2, "queue")
}

func (p *ganttPage) axis(y vg.Length, name string) {
	for _, tick := range (linearTicks{10}).Ticks(p.from, p.to) {
		x := p.x(tick.Value)
		p.StrokeLine2(frame, x, y, x, y-4)
		p.text(aligned(textSize-1, text.XCenter, text.YTop), x, y-6, tick.Label)
	}
	p.text(aligned(textSize, text.XCenter, text.YTop), (p.left+p.right)/2, y-6-1.4*textSize, name)
}

// otherFonts is how much wider a line may become in a viewer that lacks the fonts that the picture names.
const otherFonts = 1.2

// legend says what the fillings mean, on one line.
func (p *ganttPage) legend(y vg.Length) {
	sty := aligned(textSize, text.XLeft, text.YCenter)
	x := p.left
	box := 0.26 * vg.Inch
	half := textSize / 2
	for i, word := range []string{"working (number: job, by arrival)", "stopped for a repartition", "idle", "jobs in the queue"} {
		switch i {
		case 0:
			for k := range 3 {
				p.fill(jobColour(k), x+vg.Length(k)*box/3, y-half, x+vg.Length(k+1)*box/3, y+half)
			}
		case 1:
			p.stopped(x, y-half, x+box, y+half)
		case 3:
			p.fill(queued, x, y-half, x+box, y+half)
		default:
			p.fill(idle, x, y-half, x+box, y+half)
			p.outline(line(rule, 0.5), x, y-half, x+box, y+half)
		}
		p.text(sty, x+box+5, y, word)
		x += box + 5 + otherFonts*sty.Width(word) + entryGap
	}
}
