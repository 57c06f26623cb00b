package multiserver

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// residual returns the largest relative imbalance of the balance equations of a level, at least fewRoundings, 8·2⁻⁵³. A
// smaller imbalance is what computing it leaves, and shows nothing of the solution. It is called after
// [Solution.normalise] and before [Solution.applyExponents]. For each level l, let z_l be its entries (arrivals from
// below) and y_l the departures to it. x_l are its states in service, and f_l the arrivals out of it. With the matrices
// of the package comment, the two imbalances of a level are
//
//	entries:     ‖f_{l−1}·(I⊗U) − z_l‖₁ / ‖z_l‖₁                                              l = 1..c
//	in service:  ‖y_l·(end⊗I) + z_l·(A·end⊗I) − x_l·T‖₁ / Σ_i x_{l,i}·T_ii                     l = 1..c−1
//
// The states in service of levels c and c+1 follow in [Solution.residualRepeating]. A level without flow has no
// imbalance; if it has one, the result is +Inf. If ctx ends, the number is meaningless.
func (sol *Solution) residual(ctx context.Context) float64 {
	worst := fewRoundings
	note := func(diff []float64, flow float64) {
		if flow > 0 {
			worst = max(worst, floats.Norm(diff, 1)/flow)
		} else if floats.Norm(diff, 1) > 0 {
			worst = math.Inf(1)
		}
	}
	sol.residualBelow(ctx, note)
	sol.residualRepeating(note)
	return worst
}

// residualBelow calls note for the entries of each level from 1 to c, and for the states in service of each level from 1
// to c−1: with the imbalance, and the flow through them, as [Solution.residual] says.
func (sol *Solution) residualBelow(ctx context.Context, note func(diff []float64, flow float64)) {
	s, b := sol.sys, sol.boundary
	widest := s.index.Size(s.c)
	room := block.NewRaw(1, (2*s.ar.Classes+s.ar.N)*widest)
	defer room.Release()
	classes, diffs := room.Data[:s.ar.Classes*widest], room.Data[s.ar.Classes*widest:]
	flow := sol.arrivalsOutOf(0, classes) // f of level l−1, before the phase of the new job is drawn
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
		s.down[l].AddEnded(inflow, sol.flows.departures[l], lev.k)
		statespace.KronVec(inflow, z, lev.ends, lev.k)
		note(lev.moves.imbalance(sol.flows.inService[l], inflow))
		flow, arrival = sol.arrivalsOutOf(l, classes), lev.arrival
	}
}

// arrivalsOutOf returns the rates of arrivals out of a level below c, r·K_l numbers by class and occupancy. They come
// during service, and during the switch-overs after a departure and after an arrival. The result lies at the beginning
// of room, which must be large enough and is overwritten. It has the unit of the flows of the level.
func (sol *Solution) arrivalsOutOf(level int, room []float64) []float64 {
	s, v := sol.sys, sol.flows
	k := s.index.Size(level)
	flow := room[:s.ar.Classes*k]
	clear(flow)
	if level == 0 { // no switch-overs
		statespace.KronVec(flow, v.inService[0], s.ar.F, k)
	} else {
		sol.boundary.addArrivals(flow, level, v.departures[level], v.inService[level], v.arrivals[level])
	}
	return flow
}

// residualRepeating calls note twice, for levels c and c+1. diff is the imbalance of the states in service, n·K numbers
// by arrival phase and occupancy, and flow the total flow out of these states. x_k are the states in service of level
// c+k, and T is the matrix of level c. V holds the departures after which the first waiting job starts, F the rates of
// arrivals and A the phases after them. u_1 are the arrivals to level c+1 that find the switch-over unfinished; ending
// leads from them to its end. The imbalances are
//
//	level c:    flows by which service begins + x_1·(I⊗V) − x_0·T
//	level c+1:  x_0·(F·A⊗I) + u_1·(ending⊗I) + x_2·(I⊗V) − x_1·T
func (sol *Solution) residualRepeating(note func(diff []float64, flow float64)) {
	s, rp := sol.sys, sol.repeating
	x := sol.levelC
	inflow := s.scratch.Vector(len(x))
	rp.addServiceStarts(inflow, sol.entry)
	u0 := sol.startedAtLevelC()
	unfinished := [2][]float64{s.scratch.Vector(len(u0)), s.scratch.Vector(len(u0))} // u_1 and u_2
	rp.setNextUnfinished(unfinished[0], u0)
	rp.setNextUnfinished(unfinished[1], unfinished[0])
	for _, next := range sol.levelsAbove(unfinished) {
		rp.refill.KronLeft(inflow, next, s.ar.N)
		note(rp.moves.imbalance(x, inflow))
		inflow = s.scratch.Vector(len(x))
		rp.addServiceStartsAbove(inflow, x, unfinished[0])
		x = next
	}
}

// levelsAbove returns the states in service of levels c+1 and c+2, by arrival phase and occupancy, as the method gives
// them. The matrix method multiplies by R: x_{k+1} = x_k·R, from level c on. With a switch-over it adds
// unfinished[k]·Ω. A row of Ω holds the mean times in service that follow such an arrival. unfinished[k] holds the
// arrivals to level c+1+k that find the switch-over of level c unfinished, by class, switch-over phase and occupancy.
// Only this term reads unfinished. With modes, they are corrected levels or sums of modes, and share the storage of the
// solution or of the field vectors.
func (sol *Solution) levelsAbove(unfinished [2][]float64) (levels [2][]float64) {
	rp := sol.repeating
	if rp.Modes != nil {
		copy(levels[:], rp.vectors.Levels[1:])
		return levels
	}
	x := sol.levelC
	for k := range levels {
		x = rp.timesR(x)
		if rp.switchOver.Phases > 0 {
			block.VecMulAdd(x, unfinished[k], rp.unfinishedSojourns)
		}
		levels[k] = x
	}
	return levels
}
