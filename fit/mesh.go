package fit

import (
	"math"
	"sort"
)

// mesh is a chain of steps from time 0 through increasing nodes at which the likelihood is observed. Every step has a
// length unit·2^level, so that one matrix exponential per level serves all steps: a few dozen matrices, found by
// repeated squaring, instead of one for each value.
//
// The log-likelihood of the data is
//
//	Σ_j seen[j]·log g(t_j) + beyond[j]·log P(X > t_j) + below[j]·log P(X ≤ t_j)
//
// over the nodes t_j, with g the density or, if values are rounded, P(t_j < X ≤ t_j + r).
type mesh struct {
	unit   float64
	level  []int // of the step that ends at node j
	seen   []float64
	beyond []float64
	below  []float64
	total  float64 // sum of the weights of the data

	interval  bool
	width     int // level of the resolution r
	low, high int // smallest and largest level that occurs
}

// split is the binary logarithm of the number of nodes between t and 2t; more phases make densities that bend on a
// finer scale, about 1/√phases on the logarithmic axis.
func split(phases int) int {
	switch {
	case phases <= 12:
		return 4
	case phases <= 48:
		return 5
	}
	return 6
}

// grid returns a mesh with 2^split nodes in each octave. The weight of a value is spread over the six nodes around it
// such that polynomials of degree five in its logarithm are summed exactly: log g is smooth on that scale, so the mesh
// gives the log-likelihood of any number of values, to about 1e-9 of its mean, at the cost of a few hundred. Some node
// weights are negative; an algorithm that needs weights takes a chain.
func (p *problem) grid(split int) *mesh {
	g := &grid{mesh: &mesh{interval: p.r > 0, total: p.total}, half: p.r / 2}
	g.lay(p.points[0].x, p.points[len(p.points)-1].x, split)
	n := len(g.times)
	m := g.mesh
	m.seen, m.beyond, m.below = make([]float64, n), make([]float64, n), make([]float64, n)
	for _, pt := range p.points {
		if pt.seen > 0 {
			g.see(pt.x, pt.seen)
		}
		if pt.beyond > 0 {
			g.bound(pt.x, pt.beyond)
		}
	}
	m.finish()
	return m
}

type grid struct {
	mesh     *mesh
	half     float64   // half the resolution
	times    []float64 // of the nodes
	readings []float64 // the value whose interval begins at the node: time + half
}

// lay sets the nodes: from four below the smallest value, or from 0 in steps of a fraction of the resolution, to three
// above the largest.
func (g *grid) lay(first, last float64, split int) {
	m := g.mesh
	level, left, least := 0, 1<<split, 6
	if m.interval {
		m.unit, m.width = math.Ldexp(2*g.half, -split), split
		g.times, m.level = []float64{m.unit}, []int{0}
		left = 2<<split - 1
		least = left + 1
	} else {
		base := 0.8 * first
		m.unit = math.Ldexp(base, -split)
		g.times, m.level = []float64{base}, []int{split}
	}
	for after := 0; after < 3 || len(g.times) < least; left-- {
		if left == 0 {
			level, left = level+1, 1<<split
		}
		t := g.times[len(g.times)-1] + math.Ldexp(m.unit, level)
		g.times = append(g.times, t)
		m.level = append(m.level, level)
		if t > last {
			after++
		}
	}
	g.readings = make([]float64, len(g.times))
	for j, t := range g.times {
		g.readings[j] = t + g.half
	}
}

// see adds a value that was seen. Of a rounded one, the interval is (x−r/2, x+r/2], or (0, x+r/2] when x ≤ r/2.
func (g *grid) see(x, w float64) {
	m := g.mesh
	if m.interval && x <= g.half {
		g.spread(m.below, x+g.half, g.times, w)
		return
	}
	g.spread(m.seen, x, g.readings, w)
}

// bound adds a lower bound; near 0, P(X > x) = 1 − O(x).
func (g *grid) bound(x, w float64) {
	if x < g.times[0] {
		g.mesh.beyond[0] += w * x / g.times[0]
		return
	}
	g.spread(g.mesh.beyond, x, g.times, w)
}

// spread adds the weight w of position x to the nodes around it.
func (g *grid) spread(to []float64, x float64, at []float64, w float64) {
	near := sort.SearchFloat64s(at, x)
	if at[near] == x {
		to[near] += w
		return
	}
	lo := min(max(near-3, 0), len(at)-6)
	u := math.Log(x)
	var nodes [6]float64
	for k := range nodes {
		nodes[k] = math.Log(at[lo+k])
	}
	for k := range nodes {
		c := w
		for l := range nodes {
			if l != k {
				c *= (u - nodes[l]) / (nodes[k] - nodes[l])
			}
		}
		to[lo+k] += c
	}
}

// chain returns a mesh whose observed nodes are the data themselves, each to a relative accuracy of 2^-digits, with
// steps of falling powers of two in between: exact, all weights positive, and slower than a grid.
func (p *problem) chain(points []point, digits int) *mesh {
	m := &mesh{unit: 1, interval: p.r > 0, total: p.total}
	if m.interval {
		m.unit, m.width = p.r, 0
	}
	c := &chain{mesh: m, digits: digits}
	type event struct {
		t    float64
		kind int
		w    float64
	}
	const seen, beyond, below = 0, 1, 2
	var events []event
	for _, pt := range points {
		if pt.beyond > 0 {
			events = append(events, event{pt.x, beyond, pt.beyond})
		}
		switch {
		case pt.seen == 0:
		case pt.x <= p.r/2 && p.r > 0:
			events = append(events, event{pt.x + p.r/2, below, pt.seen})
		default:
			events = append(events, event{pt.x - p.r/2, seen, pt.seen})
		}
	}
	sort.SliceStable(events, func(i, j int) bool { return events[i].t < events[j].t })
	for _, e := range events {
		j := c.advance(e.t / m.unit)
		switch e.kind {
		case seen:
			m.seen[j] += e.w
		case beyond:
			m.beyond[j] += e.w
		case below:
			m.below[j] += e.w
		}
	}
	m.finish()
	return m
}

type chain struct {
	mesh   *mesh
	digits int
	at     float64 // time of the last node in units
}

// advance adds steps to time t and returns the node there.
func (c *chain) advance(t float64) int {
	_, exp := math.Frexp(t)
	finest := exp - c.digits
	for {
		_, e := math.Frexp(t - c.at)
		if t <= c.at || e-1 < finest {
			break
		}
		c.step(e - 1)
	}
	if len(c.mesh.level) == 0 { // a value below the finest step cannot be: t > 0 has a leading bit
		c.step(finest)
	}
	return len(c.mesh.level) - 1
}

func (c *chain) step(level int) {
	m := c.mesh
	m.level = append(m.level, level)
	m.seen = append(m.seen, 0)
	m.beyond = append(m.beyond, 0)
	m.below = append(m.below, 0)
	c.at += math.Ldexp(1, level)
}

// finish finds the range of levels.
func (m *mesh) finish() {
	m.low, m.high = m.level[0], m.level[0]
	for _, l := range m.level {
		m.low, m.high = min(m.low, l), max(m.high, l)
	}
	if m.interval {
		m.low, m.high = min(m.low, m.width), max(m.high, m.width)
	}
}
