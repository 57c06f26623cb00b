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
//	Σ_j seen[j]·log g(t_j) + (beyond[j] − late[j])·log P(X > t_j) + below[j]·log P(X ≤ t_j)
//
// over the nodes t_j, with g the density or, if values are rounded, P(t_j < X ≤ t_j + r), and for each interval (a, b]
// that holds the weight w, w·log(P(X > a) − P(X > b)), where P(X > a) is interpolated between nodes.
type quadrature struct {
	unit      float64
	level     []int     // of the step that ends at node j
	length    []float64 // of the same step
	observed  []float64
	censored  []float64
	truncated []float64 // weight of what was observed from the node on
	below     []float64
	intervals []intervalTerm
	total     float64 // sum of the weights of the data

	rounded         bool
	resolutionLevel int // level of the resolution r
	low, high       int // smallest and largest level that occurs
}

// spanTerm is the observation of weight w that the time lay between two ends.
type intervalTerm struct {
	w      float64
	lo, hi stencil
}

// split is the binary logarithm of the number of nodes between t and 2t; more phases make densities that bend on a
// finer scale, about 1/√phases on the logarithmic axis.
func splitFor(phases int) int {
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
func (p *problem) logGrid(split int) *quadrature {
	points := p.points
	if len(points) > 4*scoringNodes && split < scoringSplit && p.r == 0 && len(p.truncations) == 0 {
		points = p.condensed()
	}
	g := p.gridNodes(split)
	g.addData(p, points)
	return g.quad
}

// fill adds the data.
func (g *gridBuilder) addData(p *problem, points []point) {
	m := g.quad
	m.allocate(len(g.times))
	for _, pt := range points {
		if pt.observed != 0 {
			g.addValue(pt.x, pt.observed)
		}
		if pt.censored != 0 {
			g.addBound(m.censored, pt.x, pt.censored)
		}
	}
	for _, pt := range p.truncations {
		g.addBound(m.truncated, pt.x, pt.observed)
	}
	for _, s := range p.intervals {
		m.intervals = append(m.intervals, intervalTerm{s.w, g.survival(s.lo), g.survival(s.hi)})
	}
}

// room makes room for what is observed at n nodes.
func (m *quadrature) allocate(n int) {
	m.observed, m.censored, m.truncated, m.below = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
}

// fineNodes is about how many nodes the mesh for scoring has.
const scoringNodes = 2500

// condensed returns the nodes of the mesh for scoring as points with their weights. A coarser grid made from them is
// that of the data, as far as it tells polynomials apart.
func (p *problem) condensed() []point {
	if p.scoringQuad == nil {
		p.scoringQuad = p.scoringQuadrature()
	}
	var out []point
	at := 0.0
	for j, length := range p.scoringQuad.length {
		at += length
		if pt := (point{at, p.scoringQuad.observed[j], p.scoringQuad.censored[j]}); pt.observed != 0 || pt.censored != 0 {
			out = append(out, pt)
		}
	}
	return out
}

// laid returns a grid without weights.
func (p *problem) gridNodes(split int) *gridBuilder {
	g := &gridBuilder{quad: &quadrature{rounded: p.r > 0, total: p.total}, half: p.r / 2}
	base := gridBase * p.first
	if split >= scoringSplit { // the same nodes for whatever data, so that a sketch can lay them in advance
		_, e := math.Frexp(p.first)
		base = math.Ldexp(1, e-2)
	}
	g.placeNodes(base, p.last, split, p.octaveShares())
	g.quad.finish()
	return g
}

// octaves returns the share of the weight in each octave of the grid.
func (p *problem) octaveShares() []float64 {
	base := gridBase * p.first
	if p.r > 0 {
		base = p.r
	}
	var share []float64
	for _, pt := range p.points {
		k := max(0, int(math.Floor(math.Log2(pt.x/base))))
		if pt.x < base {
			k = 0
		}
		for len(share) <= k {
			share = append(share, 0)
		}
		share[k] += (pt.observed + pt.censored) / p.total
	}
	if len(p.intervals)+len(p.truncations) > 0 { // their nodes are wherever their ends are
		return nil
	}
	return share
}

// gridBase is where a grid begins, relative to the smallest value.
const gridBase = 0.8

type gridBuilder struct {
	quad    *quadrature
	half    float64   // half the resolution
	times   []float64 // of the nodes
	ends    []float64 // the value whose interval begins at the node: time + half
	logs    []float64 // of the times
	endLogs []float64 // of the readings
}

// lay sets the nodes: from four below the smallest value, or from 0 in steps of a fraction of the resolution, to three
// above the largest. The error of interpolation is divided by 64 when the distance of the nodes is halved, so that an
// octave with a small share of the weight needs fewer nodes.
func (g *gridBuilder) placeNodes(base, last float64, split int, share []float64) {
	m := g.quad
	level, left, least := 0, 1<<split, 6
	octave := 0
	if m.rounded {
		m.unit, m.resolutionLevel = math.Ldexp(2*g.half, -split), split
		g.times, m.level = []float64{m.unit}, []int{0}
		left = 2<<split - 1
		least = left + 1
	} else {
		m.unit = math.Ldexp(base, -split)
		g.times, m.level = []float64{base}, []int{split}
	}
	coarser := 0
	if !m.rounded {
		coarser = coarsening(share, octave, split)
		level, left = coarser, 1<<(split-coarser)
	}
	for after := 0; after < 3 || len(g.times) < least; left-- {
		if left == 0 {
			octave++
			coarser = coarsening(share, octave, split)
			level, left = octave+coarser, 1<<(split-coarser)
		}
		t := g.times[len(g.times)-1] + math.Ldexp(m.unit, level)
		g.times = append(g.times, t)
		m.level = append(m.level, level)
		if t > last {
			after++
		}
	}
	g.ends, g.logs = make([]float64, len(g.times)), make([]float64, len(g.times))
	g.endLogs = g.logs
	if g.half > 0 {
		g.endLogs = make([]float64, len(g.times))
	}
	for j, t := range g.times {
		g.ends[j] = t + g.half
		g.logs[j], g.endLogs[j] = math.Log(t), math.Log(t+g.half)
	}
}

// thinner returns how often the nodes of an octave can be halved in number.
func coarsening(share []float64, octave, split int) int {
	w := 0.0
	if share == nil {
		return 0
	}
	for k := max(0, octave-1); k <= octave+1 && k < len(share); k++ { // values near the edge look across it
		w = max(w, share[k])
	}
	switch {
	case split >= scoringSplit || split < 3:
		return 0
	case w < 1./4096:
		return 2
	case w < 1./64:
		return 1
	}
	return 0
}

// see adds a value that was seen. Of a rounded one, the interval is (x−r/2, x+r/2], or (0, x+r/2] when x ≤ r/2.
func (g *gridBuilder) addValue(x, w float64) {
	m := g.quad
	if m.rounded && x <= g.half {
		g.spread(m.below, x+g.half, g.times, g.logs, w)
		return
	}
	g.spread(m.observed, x, g.ends, g.endLogs, w)
}

// bound adds a weight of P(X > x), which near 0 is 1 − O(x).
func (g *gridBuilder) addBound(to []float64, x, w float64) {
	if x < g.times[0] {
		to[0] += w * x / g.times[0]
		return
	}
	g.spread(to, x, g.times, g.logs, w)
}

// spread adds the weight w of position x to the nodes around it.
func (g *gridBuilder) spread(to []float64, x float64, at, logs []float64, w float64) {
	st := interpolate(x, at, logs)
	for k, c := range st.c[:st.n] {
		to[st.at+k] += w * c
	}
}

// stencil is a linear combination of what is at n nodes from at on, plus one times what is at time 0.
type stencil struct {
	at, n int
	one   float64
	c     [6]float64
}

// interpolate returns the polynomial of degree five, in the logarithm, through the nodes around x.
func interpolate(x float64, at, logs []float64) stencil {
	near := sort.SearchFloat64s(at, x)
	if at[near] == x {
		return stencil{at: near, n: 1, c: [6]float64{1}}
	}
	st := stencil{at: min(max(near-3, 0), len(at)-6), n: 6}
	u := math.Log(x)
	nodes := (*[6]float64)(logs[st.at:])
	var from [6]float64
	for k, v := range nodes {
		from[k] = u - v
	}
	for k, v := range nodes {
		over, under := 1.0, 1.0
		for l, o := range nodes {
			if l != k {
				over *= from[l]
				under *= v - o
			}
		}
		st.c[k] = over / under
	}
	return st
}

// survival returns the stencil of P(X > x), which is linear near 0.
func (g *gridBuilder) survival(x float64) stencil {
	if first := g.times[0]; x < first {
		return stencil{at: 0, n: 1, one: 1 - x/first, c: [6]float64{x / first}}
	}
	return interpolate(x, g.times, g.logs)
}

// chain returns a mesh whose observed nodes are the data themselves, each to a relative accuracy of 2^-digits, with
// steps of falling powers of two in between: exact, all weights positive, and slower than a grid.
func (p *problem) exactQuadrature(points []point, digits int) *quadrature {
	m := &quadrature{unit: 1, rounded: p.r > 0, total: p.total}
	if m.rounded {
		m.unit, m.resolutionLevel = p.r, 0
	}
	c := &exactBuilder{quad: m, digits: digits, maxLevel: math.MaxInt}
	// The chance to last one long step must be a number: tiny·e^−537 is the least. Values far beyond the mean take more
	// steps, and so do late beginnings, among which the mean may be far from that of all times: with intervals up to ten
	// times as long as they begin, and nine tenths of that unobserved, fifty times.
	step, most := 256.0, 0x1p12 // most: steps
	hidden := len(p.intervals)+len(p.truncations) > 0
	if hidden {
		step, most = 8, 0x1p14
	}
	if (hidden || m.rounded) && p.last+p.r < most*step {
		c.limitStep(step)
	}
	type event struct {
		t    float64
		kind int
		w    float64
	}
	const seen, beyond, late, below, edge = 0, 1, 2, 3, 4
	var events []event
	for _, pt := range points {
		if pt.censored > 0 {
			events = append(events, event{pt.x, beyond, pt.censored})
		}
		switch {
		case pt.observed == 0:
		case pt.x <= p.r/2 && p.r > 0:
			events = append(events, event{pt.x + p.r/2, below, pt.observed})
		default:
			events = append(events, event{pt.x - p.r/2, seen, pt.observed})
		}
	}
	for _, pt := range p.truncations {
		events = append(events, event{pt.x, late, pt.observed})
	}
	for _, s := range p.intervals {
		events = append(events, event{s.lo, edge, 0}, event{s.hi, edge, 0})
	}
	sort.SliceStable(events, func(i, j int) bool { return events[i].t < events[j].t })
	node := map[float64]int{}
	for _, e := range events {
		if e.t == 0 { // everything lies beyond
			continue
		}
		j := c.stepTo(e.t / m.unit)
		switch e.kind {
		case seen:
			m.observed[j] += e.w
		case beyond:
			m.censored[j] += e.w
		case late:
			m.truncated[j] += e.w
		case below:
			m.below[j] += e.w
		case edge:
			node[e.t] = j
		}
	}
	at := func(t float64) stencil {
		if t == 0 {
			return stencil{one: 1}
		}
		return stencil{at: node[t], n: 1, c: [6]float64{1}}
	}
	for _, s := range p.intervals {
		m.intervals = append(m.intervals, intervalTerm{s.w, at(s.lo), at(s.hi)})
	}
	m.finish()
	return m
}

type exactBuilder struct {
	quad     *quadrature
	digits   int
	maxLevel int     // level
	at       float64 // time of the last node in units
}

// advance adds steps to time t and returns the node there.
func (c *exactBuilder) stepTo(t float64) int {
	_, exp := math.Frexp(t)
	finest := exp - c.digits
	for {
		_, e := math.Frexp(t - c.at)
		if t <= c.at || e-1 < finest {
			break
		}
		c.step(min(e-1, c.maxLevel))
	}
	if len(c.quad.level) == 0 { // a value below the finest step cannot be: t > 0 has a leading bit
		c.step(finest)
	}
	return len(c.quad.level) - 1
}

// limit bounds the length of steps.
func (c *exactBuilder) limitStep(length float64) {
	_, e := math.Frexp(length / c.quad.unit)
	c.maxLevel = e - 1
}

func (c *exactBuilder) step(level int) {
	m := c.quad
	m.level = append(m.level, level)
	m.observed = append(m.observed, 0)
	m.censored = append(m.censored, 0)
	m.truncated = append(m.truncated, 0)
	m.below = append(m.below, 0)
	c.at += math.Ldexp(1, level)
}

// finish finds the lengths of the steps and the range of levels.
func (m *quadrature) finish() {
	m.low, m.high = m.level[0], m.level[0]
	m.length = make([]float64, len(m.level))
	for j, l := range m.level {
		m.low, m.high = min(m.low, l), max(m.high, l)
		m.length[j] = math.Ldexp(m.unit, l)
	}
	if m.rounded {
		m.low, m.high = min(m.low, m.resolutionLevel), max(m.high, m.resolutionLevel)
	}
}

// hides reports whether intervals or late beginnings are among what was observed.
func (m *quadrature) incomplete() bool { return len(m.intervals) > 0 || lastNonzero(m.truncated) >= 0 }

// lastSpan returns the last node at which an interval is observed, −1 if there is none.
func (m *quadrature) lastInterval() int {
	last := -1
	for i := range m.intervals {
		for _, st := range []*stencil{&m.intervals[i].lo, &m.intervals[i].hi} {
			if st.n > 0 {
				last = max(last, st.at+st.n-1)
			}
		}
	}
	return last
}

// lastOf returns the last node at which there is something, −1 if there is none.
func lastNonzero(observed []float64) int {
	for j := len(observed) - 1; j >= 0; j-- {
		if observed[j] != 0 {
			return j
		}
	}
	return -1
}
