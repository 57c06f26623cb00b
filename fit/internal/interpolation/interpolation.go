// Package interpolation interpolates between nodes by polynomials in the logarithm of the position.
package interpolation

import (
	"math"
	"sort"
)

// Stencil is a linear combination Σ_k C[k]·(value at node At+k), of N terms.
type Stencil struct {
	At, N int
	C     [6]float64
}

// Interpolator interpolates by polynomials of degree five in log x through six nodes. Most values come in ascending
// order, many between the same two nodes. So it keeps what depends on the nodes alone; a value then takes a logarithm
// and some twenty products. It is for one goroutine.
type Interpolator struct {
	nodes, logs []float64  // ascending positions of at least six nodes, and their logarithms v_k
	near        int        // the node at or above the last value
	first       int        // of the six nodes around the last value; −1 before the first value
	inverse     [6]float64 // 1/Π_{l≠k} (v_k − v_l) over these nodes
}

// New returns an interpolator between the given nodes, which ascend and are at least six.
func New(nodes []float64) Interpolator {
	logs := make([]float64, len(nodes))
	for i, x := range nodes {
		logs[i] = math.Log(x)
	}
	return Interpolator{nodes: nodes, logs: logs, first: -1}
}

// Spread adds the weight w of position x to the list to at the nodes around x, each with the coefficient of
// [Interpolator.Stencil]. to has one number for each node.
func (p *Interpolator) Spread(to []float64, x, w float64) {
	st := p.Stencil(x)
	for k, c := range st.C[:st.N] {
		to[st.At+k] += w * c
	}
}

// Stencil returns the stencil of the polynomial through six nodes around x: the coefficients with which values at these
// nodes give the value at x. If x is a node, it is the value there. Near the ends of the list the six nodes are the
// first or last. x must not be above the last node; below the first node the polynomial is extrapolated. With u = log
// x, the coefficients are the Lagrange polynomials
//
//	c_k = Π_{l≠k} (u − v_l)/(v_k − v_l).
func (p *Interpolator) Stencil(x float64) Stencil {
	if p.near == 0 || !(p.nodes[p.near-1] < x && x <= p.nodes[p.near]) {
		p.near = sort.SearchFloat64s(p.nodes, x)
	}
	if p.nodes[p.near] == x {
		return Stencil{At: p.near, N: 1, C: [6]float64{1}}
	}
	p.choose(min(max(p.near-3, 0), len(p.nodes)-6))
	st := Stencil{At: p.first, N: 6}
	u := math.Log(x)
	var from [6]float64
	left := 1.0 // product of the factors of the nodes before
	for k, v := range (*[6]float64)(p.logs[p.first:]) {
		from[k] = u - v
		st.C[k] = left * p.inverse[k]
		left *= from[k]
	}
	right := 1.0 // product of the factors of the nodes behind
	for k := 5; k >= 0; k-- {
		st.C[k] *= right
		right *= from[k]
	}
	return st
}

// choose sets p.first, the first of the six nodes of a polynomial, and p.inverse for these nodes.
func (p *Interpolator) choose(first int) {
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
