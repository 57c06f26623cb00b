package multiserver

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Mean returns the mean number of jobs.
func (sol *Solution) Mean() float64 { return sol.mean }

// Variance returns the variance of the number of jobs.
func (sol *Solution) Variance() float64 { return sol.variance }

// DecayRate returns the limit of P(level = i+1)/P(level = i).
func (sol *Solution) DecayRate() float64 { return sol.decay }

// Diagnostics says how the solution was found and how good it is.
func (sol *Solution) Diagnostics() markov.Diagnostics { return sol.diagnostics }

// MeanWaiting returns E[(level − c)⁺].
func (sol *Solution) MeanWaiting() float64 { return sol.repeatingMass(1) }

// MeanInService returns the mean number of jobs in service; there is none during a switch-over.
func (sol *Solution) MeanInService() float64 {
	total := float64(sol.sys.c) * block.Sum(sol.x[0])
	for l, x := range sol.flows.inService {
		total += float64(l) * block.Sum(x)
	}
	return total
}

// Serving returns P(level ≥ 1 and no switch-over).
func (sol *Solution) Serving() float64 {
	total := block.Sum(sol.x[0])
	for l, x := range sol.flows.inService {
		if l > 0 {
			total += block.Sum(x)
		}
	}
	return total
}

// Throughput returns the rate of departures.
func (sol *Solution) Throughput() float64 {
	s := sol.sys
	total := floats.Dot(collapseBy(sol.x[0], s.ar.N), sol.repeating.departures)
	for _, y := range sol.flows.departures[:s.c-1] { // what departs from level c is in x[0]
		total += block.Sum(y)
	}
	return total
}

// collapseBy adds up n runs of equal length.
func collapseBy(x []float64, n int) []float64 {
	y := append([]float64(nil), x[:len(x)/n]...)
	for a := 1; a < n; a++ {
		floats.Add(y, x[a*len(y):(a+1)*len(y)])
	}
	return y
}

// ArrivalWaits returns the probability that an arriving job finds c or more jobs. It is weighted by arrivals, not by
// time, which differs unless they are Poisson.
func (sol *Solution) ArrivalWaits() float64 {
	rate := block.Sum(sol.repeating.arrivalsOf(sol.x[0]))
	if sol.repeating.switchOver.phases > 0 {
		rate += floats.Dot(sol.u[0], sol.repeating.switchOver.next.RowSums())
	}
	return rate / sol.sys.ar.Rate
}

// ArrivalRate returns the rate of the arrival process.
func (sol *Solution) ArrivalRate() float64 { return sol.sys.ar.Rate }

// Switching returns P(a switch-over is under way).
func (sol *Solution) Switching() float64 {
	total := 0.0
	for l := range sol.flows.inService {
		total += sol.boundarySwitching(l)
	}
	if sol.repeating.switchOver.phases > 0 {
		total += floats.Dot(sol.u[0], sol.repeating.switchOver.stay)
	}
	return total
}

// SwitchRates returns the rates at which switch-overs that take time are started by arrivals and by departures, and at
// which arrivals cut one short.
func (sol *Solution) SwitchRates() (byArrival, byDeparture, cut float64) {
	s := sol.sys
	for l := 1; l < s.c; l++ {
		k := s.index.Size(l)
		z, y := sol.flows.arrivals[l], sol.flows.departures[l]
		byArrival += block.Sum(z) * (1 - s.up[l].atom)
		byDeparture += block.Sum(y) * (1 - s.down[l].atom)
		cut += floats.Dot(collapse(z, k), sol.boundary.levels[l].cut.RowSums())
		cut += floats.Dot(collapse(y, k), s.down[l].cut.RowSums())
	}
	byArrival += block.Sum(sol.entry) * (1 - s.up[s.c].atom)
	return byArrival, byDeparture, cut
}

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

// SwitchStarts returns the rates at which arrivals that make l jobs and departures that leave l jobs begin the
// switch-overs of level l, 1 ≤ l ≤ c, those that take no time included; no departure begins one of level c.
func (sol *Solution) SwitchStarts(l int) (byArrival, byDeparture float64) {
	switch {
	case l < 1 || l > sol.sys.c:
		return 0, 0
	case l == sol.sys.c:
		return block.Sum(sol.entry), 0
	}
	return block.Sum(sol.flows.arrivals[l]), block.Sum(sol.flows.departures[l])
}
