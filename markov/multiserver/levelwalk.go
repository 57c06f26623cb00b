package multiserver

import (
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// levelWalk finds the probabilities of the levels from c on one after the other, as far as anyone asks.
type levelWalk struct {
	mu     sync.Mutex
	levels []float64 // P(level = c+k)
	a      []float64 // x_k·(F⊗I)
	u      []float64 // switch-overs that arrivals at level c+k see

	exec   []float64    // X·1
	gateA  block.Matrix // Ω·(F⊗I)
	gateEx []float64    // Ω·1
}

// Probability returns P(level = i). It is safe for concurrent use.
func (sol *Solution) Probability(i int) float64 {
	switch c := sol.sys.c; {
	case i < 0:
		return 0
	case i < c:
		return sol.massBelow(i)
	case sol.ab.modes != nil && i == c:
		return floats.Sum(sol.top)
	case sol.ab.modes != nil:
		return sol.ab.mass(i-c, func(m mode) complex128 { return 1 })
	default:
		w := &sol.walk
		w.mu.Lock()
		defer w.mu.Unlock()
		for len(w.levels) <= i-c {
			sol.step()
		}
		return w.levels[i-c]
	}
}

// step appends the next level.
func (sol *Solution) step() {
	w, ab := &sol.walk, sol.ab
	g, k := ab.gate, ab.k
	if w.levels == nil {
		sol.startWalk()
		return
	}
	mass := floats.Dot(w.a, w.exec)
	a := block.VecMul(w.a, ab.t)
	if g.s > 0 {
		u := make([]float64, len(w.u))
		kronVec(u, w.u, g.next, k)
		w.u = u
		mass += floats.Dot(u, w.gateEx) + floats.Dot(collapse(u, k), g.stay)
		block.VecMulAdd(a, u, w.gateA)
	}
	w.a = a
	w.levels = append(w.levels, mass)
}

func (sol *Solution) startWalk() {
	w, ab := &sol.walk, sol.ab
	g, k := ab.gate, ab.k
	w.a = ab.arrivalsOf(sol.top)
	w.exec = ab.x.RowSums()
	mass := floats.Sum(sol.top)
	if g.s > 0 {
		w.u = sol.firstSeen()
		w.gateA = block.New(ab.after.Rows, len(w.a))
		kronColsAdd(w.gateA, ab.after, sol.sys.ar.f, k)
		w.gateEx = ab.after.RowSums()
		mass += floats.Dot(collapse(w.u, k), g.stay)
	}
	w.levels = []float64{mass}
}

// Tail returns P(level ≥ i) as a sum of nonnegative terms, so that small tails keep their digits.
func (sol *Solution) Tail(i int) float64 {
	c := sol.sys.c
	if i <= c {
		total := sol.massAbove(0)
		for l := max(i, 0); l < c; l++ {
			total += sol.massBelow(l)
		}
		return min(1, total)
	}
	if sol.ab.modes != nil {
		return sol.ab.mass(i-c, func(m mode) complex128 { return 1 / m.gap })
	}
	sol.Probability(c) // sets the walk up
	w, ab := &sol.walk, sol.ab
	g, k := ab.gate, ab.k
	a := ab.arrivalsOf(sol.top)
	var u, rest []float64 // of level i, and summed from there on
	if g.s > 0 {
		u = sol.firstSeen()
	}
	for l := c + 1; ; l++ {
		if g.s > 0 {
			next := make([]float64, len(u))
			kronVec(next, u, g.next, k)
			u = next
		}
		if l == i {
			break
		}
		a = block.VecMul(a, ab.t)
		if g.s > 0 {
			block.VecMulAdd(a, u, w.gateA)
		}
	}
	total := 0.0
	if g.s > 0 {
		rest = make([]float64, len(u))
		kronVec(rest, u, sol.geo, k)
		block.VecMulAdd(a, rest, w.gateA)
		total = floats.Dot(rest, w.gateEx) + floats.Dot(collapse(rest, k), g.stay)
	}
	ab.sumT.SolveLeft(a)
	return total + floats.Dot(a, w.exec)
}
