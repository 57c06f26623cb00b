package fit

import (
	"math"
	"sort"
)

// interpolator interpolates by polynomials of degree five in log x through six nodes. Most values come in ascending
// order, many between the same two nodes. So it keeps what depends on the nodes alone; a value then takes a logarithm
// and some twenty products. It is for one goroutine.
type interpolator struct {
	nodes, logs []float64  // ascending positions of at least six nodes, and their logarithms v_k
	near        int        // the node at or above the last value
	first       int        // of the six nodes around the last value; −1 before the first value
	inverse     [6]float64 // 1/Π_{l≠k} (v_k − v_l) over these nodes
}

// newInterpolator returns an interpolator between the given nodes, which ascend and are at least six.
func newInterpolator(nodes []float64) interpolator {
	return interpolator{nodes: nodes, logs: logsOf(nodes), first: -1}
}

// spread adds the weight w of position x to the list to at the nodes around x, each with the coefficient of
// [interpolator.stencil]. to has one number for each node.
func (p *interpolator) spread(to []float64, x, w float64) {
	st := p.stencil(x)
	for k, c := range st.c[:st.n] {
		to[st.at+k] += w * c
	}
}

// stencil returns the stencil of the polynomial through six nodes around x: the coefficients with which values at these
// nodes give the value at x. If x is a node, it is the value there. Near the ends of the list the six nodes are the
// first or last. x must not be above the last node; below the first node the polynomial is extrapolated. With u = log
// x, the coefficients are the Lagrange polynomials
//
//	c_k = Π_{l≠k} (u − v_l)/(v_k − v_l).
func (p *interpolator) stencil(x float64) stencil {
	if p.near == 0 || !(p.nodes[p.near-1] < x && x <= p.nodes[p.near]) {
		p.near = sort.SearchFloat64s(p.nodes, x)
	}
	if p.nodes[p.near] == x {
		return stencil{at: p.near, n: 1, c: [6]float64{1}}
	}
	p.choose(min(max(p.near-3, 0), len(p.nodes)-6))
	st := stencil{at: p.first, n: 6}
	u := math.Log(x)
	var from [6]float64
	left := 1.0 // product of the factors of the nodes before
	for k, v := range (*[6]float64)(p.logs[p.first:]) {
		from[k] = u - v
		st.c[k] = left * p.inverse[k]
		left *= from[k]
	}
	right := 1.0 // product of the factors of the nodes behind
	for k := 5; k >= 0; k-- {
		st.c[k] *= right
		right *= from[k]
	}
	return st
}

// choose sets p.first, the first of the six nodes of a polynomial, and p.inverse for these nodes.
func (p *interpolator) choose(first int) {
	if first == p.first {
		return
	}
	p.first = first
	nodes := (*[6]float64)(p.logs[first:])
	for k, v := range nodes {
		distances := 1.0
		for l, o := range nodes {
			if l != k {
				distances *= v - o
			}
		}
		p.inverse[k] = 1 / distances
	}
}
