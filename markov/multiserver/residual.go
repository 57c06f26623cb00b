package multiserver

import (
	"context"
	"math"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
	"gonum.org/v1/gonum/floats"
)

// residual returns the largest imbalance of a level: ‖(πQ)_l‖₁ relative to the flow through the level, for the states
// in service and the entries of levels 0 to c+1, before they are unscaled.
func (sol *Solution) residual(ctx context.Context) float64 {
	s, b := sol.sys, sol.boundary
	worst := 0.0
	note := func(diff []float64, flow float64) {
		if flow > 0 {
			worst = max(worst, floats.Norm(diff, 1)/flow)
		} else if floats.Norm(diff, 1) > 0 {
			worst = math.Inf(1)
		}
	}
	widest := s.index.Size(s.c)
	room := block.NewRaw(1, (2*s.ar.Classes+s.ar.N)*widest)
	defer room.Release()
	classes, diffs := room.Data[:s.ar.Classes*widest], room.Data[s.ar.Classes*widest:]
	flow := sol.arrivalsOutOf(0, classes) // from level l−1, before the phase of the new job is drawn
	arrival := s.arrivalTransitions(ctx, 0)
	for l := 1; l <= s.c; l++ {
		z := sol.entry
		if l < s.c {
			z = sol.flows.arrivals[l]
		}
		diff := diffs[:len(z)]
		clear(diff)
		arrival.KronLeft(diff, flow, s.ar.Classes)
		block.Unscale(diff, sol.flows.exponents[l-1]-sol.flows.exponents[l])
		floats.Sub(diff, z)
		note(diff, block.Sum(z))
		if l == s.c {
			break
		}
		lev := &b.levels[l]
		inflow := diffs[:s.ar.N*lev.k]
		clear(inflow)
		statespace.KronVec(inflow, sol.flows.departures[l], s.down[l].end, lev.k)
		statespace.KronVec(inflow, z, lev.ends, lev.k)
		note(lev.moves.imbalance(sol.flows.inService[l], inflow))
		flow, arrival = sol.arrivalsOutOf(l, classes), lev.arrival
	}
	sol.residualRepeating(note)
	return worst
}

// arrivalsOutOf returns the flow of arrivals out of level l < c by class, in room.
func (sol *Solution) arrivalsOutOf(l int, room []float64) []float64 {
	s := sol.sys
	k := s.index.Size(l)
	flow := room[:s.ar.Classes*k]
	clear(flow)
	statespace.KronVec(flow, sol.flows.inService[l], s.ar.F, k)
	if l > 0 {
		statespace.KronVec(flow, sol.flows.departures[l], s.down[l].cut, k)
		statespace.KronVec(flow, sol.flows.arrivals[l], sol.boundary.levels[l].cut, k)
	}
	return flow
}

// residualRepeating checks the states in service of levels c and c+1.
func (sol *Solution) residualRepeating(note func(diff []float64, flow float64)) {
	s, rp := sol.sys, sol.repeating
	g, k, n := rp.switchOver, rp.k, s.ar.N
	if rp.Modes != nil {
		sol.residualOfModes(note)
		return
	}
	x := sol.levelC
	ends := make([]float64, len(x)) // flow of switch-overs that end at level c
	statespace.KronVec(ends, sol.entry, s.ar.A, k)
	var u []float64
	if g.phases > 0 {
		floats.Scale(g.atom, ends)
		u = sol.startedAtLevelC()
		statespace.KronVec(ends, u, g.ending, k)
	}
	var arrivals []float64
	for level := range 2 {
		next := rp.timesR(x)
		nextEnds := make([]float64, len(x))
		if g.phases > 0 {
			step := make([]float64, len(u))
			statespace.KronVec(step, u, g.next, k)
			u = step
			floats.Add(next, block.VecMul(u, rp.after))
			statespace.KronVec(nextEnds, u, g.ending, k)
		}
		inflow := append([]float64(nil), ends...)
		if level > 0 {
			statespace.KronVec(inflow, arrivals, s.ar.A, k)
		}
		rp.refill.KronLeft(inflow, next, n)
		note(rp.moves.imbalance(x, inflow))
		arrivals, x, ends = rp.arrivalsOf(x), next, nextEnds
	}
}

// residualOfModes checks the states in service of levels c and c+1.
func (sol *Solution) residualOfModes(note func(diff []float64, flow float64)) {
	s, rp := sol.sys, sol.repeating
	x := sol.levelC
	inflow := make([]float64, len(x))
	rp.beginning(inflow, sol.entry)
	for _, next := range rp.vectors(rp.AtLevel(1), rp.AtLevel(2)) {
		rp.refill.KronLeft(inflow, next, s.ar.N)
		note(rp.moves.imbalance(x, inflow))
		inflow = make([]float64, len(x))
		statespace.KronVec(inflow, rp.arrivalsOf(x), s.ar.A, rp.k)
		if g := rp.switchOver; g.phases > 0 {
			u := sol.startedAtLevelC()
			unfinished := make([]float64, len(u))
			statespace.KronVec(unfinished, u, g.next, rp.k)
			statespace.KronVec(inflow, unfinished, g.ending, rp.k)
		}
		x = next
	}
}
