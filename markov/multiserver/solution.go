package multiserver

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/sensitivity"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Solution is the stationary distribution of a [Queue].
type Solution struct {
	sys       *system
	boundary  *boundary
	repeating *repeatingPart
	flows     *boundaryFlows
	levelC    []float64 // x_0: probabilities of the states in service of level c, (a, i)
	entry     []float64 // rates of the entries of level c, (q, i)

	// x[p] is Σ_{k≥0} k(k−1)…(k−p+1)·x_k, with x_k the states in service of level c+k. u[p] is the same sum of u_k. These are
	// the rates of arrivals to level c+k that find the switch-over of level c unfinished, by class and switch-over phase.
	x [3][]float64
	u [3][]float64

	unfinishedSums block.Matrix // (I − J)⁻¹, J being next of the switch-over of level c

	mean, variance, decay float64
	gap                   float64                // 1 − η, η being the decay rate of the queue without switch-overs
	sensitivity           *sensitivity.Responses // of the measures; nil unless the levels are known by modes
	others                *otherMethods          // for levels so far out that modes lose their digits
	sequence              levelSequence
	diagnostics           markov.Diagnostics
}

// substituteBack sets the flows of one or more solutions through the levels below c, by back substitution from the
// departures of level c. The solutions belong to one queue and share the eliminated levels. levelC and boundary must be
// set. All flows have the same unknown factor as levelC, and each level has an exponent of two. If some levels are left
// to [passes], each solution has its own pending departures, and is substituted by itself. The error comes from
// [boundary.backSubstitution].
func substituteBack(ctx context.Context, sols ...*Solution) error {
	all := make([]*boundaryFlows, len(sols))
	for i, sol := range sols {
		s, last := sol.sys, sol.sys.c-1
		store := s.store
		if store == nil {
			store = block.NewArena((2*s.ar.N + s.ar.Classes) * s.index.SizeBelow(s.c))
		}
		if sol.flows == nil {
			sol.flows = new(boundaryFlows)
		}
		sol.flows.prepare(s.c, store)
		all[i] = sol.flows
		all[i].departures[last] = store.Clone(sol.boundary.departing(sol.levelC))
	}
	if b := sols[0].boundary; b.pendingSize() == 0 {
		return b.backSubstitution(ctx, all...)
	}
	for i, sol := range sols {
		if err := sol.boundary.backSubstitution(ctx, all[i]); err != nil {
			return err
		}
	}
	return nil
}

// sumLevels sums the levels from c on. It sets sol.x[p] to Σ_{k≥0} k(k−1)…(k−p+1)·x_k, by arrival phase and occupancy,
// for p = 0, 1, 2. x_k are the states in service of level c+k. Moments of the level follow from these sums. The
// repeating part, levelC and entry must be set. With a switch-over at level c it also sets u and unfinishedSums; see
// [Solution.sumSwitchOvers].
//
// With modes, the sums add modes and corrected levels. With matrices, R of [repeatingPart] leads from the states in
// service of a level to the states in service of the next. Ω leads from the arrivals u_k to level c+k that find the
// switch-over of level c unfinished to states in service. The generating function X(z) = Σ z^k·x_k solves X(z)·(I −
// z·R) = x_0 + Σ_{k≥1} z^k·u_k·Ω. Its p-th derivative at z = 1 is x[p] and follows from the derivative before:
//
//	x[p]·(I − R) = p·x[p−1]·R + Σ_{k≥1} k(k−1)…(k−p+1)·u_k·Ω     p = 1, 2.
//
// The error is ErrReducible if the switch-over never ends, or the error of ctx.
func (sol *Solution) sumLevels(ctx context.Context) error {
	rp, g := sol.repeating, sol.repeating.switchOver
	var extra [3][]float64
	if g.Phases > 0 {
		var err error
		if extra, err = sol.sumSwitchOvers(ctx); err != nil {
			return err
		}
	}
	if rp.Modes != nil {
		sol.x = rp.vectors.SumsFromC(rp.sys.store, rp.corrected)
		return nil
	}
	x0 := rp.sys.scratch.Clone(sol.levelC)
	if g.Phases > 0 {
		floats.Add(x0, extra[0])
	}
	sol.x[0] = rp.sumR(x0)
	for p := 1; p <= 2; p++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		v := rp.timesR(sol.x[p-1])
		floats.Scale(float64(p), v)
		if g.Phases > 0 {
			floats.Add(v, extra[p])
		}
		sol.x[p] = rp.sumR(v)
	}
	return nil
}

// sumSwitchOvers sets sol.u[p] to Σ_{k≥0} k(k−1)…(k−p+1)·u_k for p = 0, 1, 2, by class of the arrival and switch-over
// phase. u_k holds the rates of arrivals to level c+k that find the switch-over of level c unfinished, and u_0 its
// starts. It sets unfinishedSums to (I−J)⁻¹. J is the matrix next of the switch-over, from one arrival to the next.
// Level c must have a switch-over, and entry must be set.
//
// It returns what the u_k add to the states in service: extra[p] = Σ_{k≥1} k(k−1)…(k−p+1)·u_k·Ω, by arrival phase and
// occupancy, or nil for modes. Ω of [repeatingPart] holds the mean times in service after such an arrival. With u_k =
// u_0·J^k,
//
//	Σ_{k≥1} u_k = u_0·J·(I−J)⁻¹,   Σ k·u_k = u_0·J·(I−J)⁻²,   Σ k(k−1)·u_k = 2·u_0·J²·(I−J)⁻³.
//
// The error comes from ctx, or is ErrReducible if the switch-over never ends.
func (sol *Solution) sumSwitchOvers(ctx context.Context) (extra [3][]float64, err error) {
	rp, g, k := sol.repeating, sol.repeating.switchOver, sol.repeating.k
	inv, err := block.FactorGTH(ctx, g.Next.Clone(), g.Ending.RowSums())
	if err != nil {
		return extra, err
	}
	geo := block.Identity(g.Next.Rows)
	inv.Solve(ctx, geo)
	step := block.Mul(ctx, g.Next, geo)
	sol.unfinishedSums = geo

	u0 := sol.startedAtLevelC()
	w := u0
	for p := range extra {
		next := make([]float64, len(w))
		switch p {
		case 0, 2: // times J·(I−J)⁻¹
			statespace.KronVec(next, w, step, k)
		default: // times (I−J)⁻¹
			statespace.KronVec(next, w, geo, k)
		}
		if p == 2 {
			floats.Scale(2, next)
		}
		w = next
		if rp.unfinishedSojourns.Data != nil {
			extra[p] = block.VecMul(w, rp.unfinishedSojourns)
		}
		sol.u[p] = statespace.Collapse(w, k)
	}
	floats.Add(sol.u[0], statespace.Collapse(u0, k))
	return extra, ctx.Err()
}

// startedAtLevelC returns the rates at which entries of level c, arrivals from below, start its switch-over: r·s·K
// numbers by class, switch-over phase and occupancy. Without a switch-over at level c the result is empty. entry must
// be set, and the rates have its unit.
func (sol *Solution) startedAtLevelC() []float64 { return sol.repeating.switchOversStarted(sol.entry) }

// normalise divides all probabilities and rates of the solution, in place, by the sum of the probabilities of all
// levels. It sets the mean and the variance of the level. [substituteBack] and [Solution.sumLevels] must have been
// called. The numbers of each level are still to be multiplied by a power of two, see [Solution.applyExponents].
// normalise makes the exponents relative to the largest of them.
func (sol *Solution) normalise() {
	e := sol.flows.exponents
	for l, largest := len(e)-1, slices.Max(e); l >= 0; l-- {
		e[l] -= largest
	}
	mass, first, _ := sol.momentsAbout(0)
	sol.scaleVectors(1 / mass)
	sol.mean = first / mass
	_, _, sol.variance = sol.momentsAbout(sol.mean)
}

// momentsAbout returns the sums of P(i), of (i − a)·P(i) and of (i − a)²·P(i) over all levels i. It must be called
// before [Solution.applyExponents], with the flows and the sums over the levels set. For levels c+k, with d = c − a and
// the sums m_p = Σ_k k(k−1)…(k−p+1)·P(c+k),
//
//	Σ (d+k)²·P(c+k) = d²·m_0 + (2d+1)·m_1 + m_2.
//
// The variance is summed about the mean: a difference of moments about zero would lose digits.
func (sol *Solution) momentsAbout(a float64) (mass, first, second float64) {
	c, e := sol.sys.c, sol.flows.exponents
	for l := c - 1; l >= 0; l-- {
		p, d := math.Ldexp(sol.boundaryMass(l), e[l]), float64(l)-a
		mass += p
		first += d * p
		second += d * d * p
	}
	m0, m1, m2 := sol.repeatingMass(0), sol.repeatingMass(1), sol.repeatingMass(2)
	m0, m1, m2 = math.Ldexp(m0, e[c]), math.Ldexp(m1, e[c]), math.Ldexp(m2, e[c])
	d := float64(c) - a
	return mass + m0, first + d*m0 + m1, second + d*d*m0 + (2*d+1)*m1 + m2
}

// eachFromLevelC calls change for each vector of levels c and above. All of them are multiplied when the scale of the
// solution changes. The vectors are the sums x and u over the levels, levelC, entry, the corrected levels above c, and
// the sums of modes that are read later. The first corrected level is levelC itself and is visited once. change may
// change its argument in place.
func (sol *Solution) eachFromLevelC(change func(x []float64)) {
	near, v := sol.repeating.corrected, &sol.repeating.vectors
	for _, list := range [...][][]float64{
		sol.x[:], sol.u[:], near[min(1, len(near)):], v.Levels[min(len(near), len(v.Levels)):], v.Fourfold, {v.Masses, v.Tails},
	} {
		for _, x := range list {
			change(x)
		}
	}
	change(sol.levelC)
	change(sol.entry)
}

// scaleVectors multiplies all vectors of the solution and the coefficients of the modes by the factor f, in place: the
// flows of the boundary and the vectors of [Solution.eachFromLevelC]. Means, variance and diagnostics stay unchanged.
func (sol *Solution) scaleVectors(f float64) {
	for _, list := range [][][]float64{sol.flows.inService, sol.flows.departures, sol.flows.arrivals} {
		for _, v := range list {
			floats.Scale(f, v)
		}
	}
	sol.eachFromLevelC(func(x []float64) { floats.Scale(f, x) })
	for _, sums := range [][]float64{sol.flows.inServiceSums, sol.flows.departureSums, sol.flows.arrivalSums} {
		floats.Scale(f, sums)
	}
	cmplxs.Scale(complex(f, 0), sol.repeating.b)
}

// applyExponents multiplies the vectors of each level by their power of two, in place, so that they hold probabilities
// and rates. Level c, the levels above it and the coefficients of the modes have the exponent of level c. Numbers that
// are too small become zero. The exponents are then dropped, so it is called once. Residuals are computed before, with
// an exponent for each level.
func (sol *Solution) applyExponents() {
	v := sol.flows
	for l, e := range v.exponents[:sol.sys.c] {
		if e == 0 {
			continue
		}
		for _, x := range [][]float64{v.inService[l], v.departures[l], v.arrivals[l]} {
			block.Unscale(x, e)
		}
		for _, sums := range [][]float64{v.inServiceSums, v.departureSums, v.arrivalSums} {
			sums[l] = math.Ldexp(sums[l], e)
		}
	}
	if e := v.exponents[sol.sys.c]; e != 0 {
		sol.eachFromLevelC(func(x []float64) { block.Unscale(x, e) })
		for j, b := range sol.repeating.b {
			sol.repeating.b[j] = complex(math.Ldexp(real(b), e), math.Ldexp(imag(b), e))
		}
	}
	v.exponents = v.exponents[:0]
}

// boundaryMass returns P(level = l) for a level l < c, states in service and in a switch-over together. Before
// [Solution.applyExponents] the number is still to be multiplied by 2 to the exponent of the level.
func (sol *Solution) boundaryMass(level int) float64 {
	return sol.flows.inServiceSums[level] + sol.boundarySwitching(level)
}

// boundarySwitching returns P(level = l and switching over) for a level l < c: the rate at which each switch-over of
// the level starts times its mean time. It is 0 for level 0. Before [Solution.applyExponents] the number is still to be
// multiplied by 2 to the exponent of the level.
func (sol *Solution) boundarySwitching(level int) float64 {
	s := sol.sys
	if level == 0 || s.up[level].Phases == 0 && s.down[level].Phases == 0 {
		return 0
	}
	k := s.index.Size(level)
	p := floats.Dot(statespace.Collapse(sol.flows.departures[level], k), s.down[level].Time)
	return p + floats.Dot(statespace.Collapse(sol.flows.arrivals[level], k), block.MulVec(s.ar.A, s.up[level].Time))
}

// repeatingMass returns Σ_{k≥0} k(k−1)…(k−p+1)·P(level = c+k) for p = 0, 1, 2, switch-overs included. It is P(level ≥
// c) for p = 0. For p = 1 and 2 it is the p-th factorial moment of the number of waiting jobs. Before
// [Solution.applyExponents] the number is still to be multiplied by 2 to the exponent of level c.
func (sol *Solution) repeatingMass(p int) float64 {
	mass := block.Sum(sol.x[p])
	if sol.repeating.switchOver.Phases > 0 {
		mass += floats.Dot(sol.u[p], sol.repeating.switchOver.Stay)
	}
	return mass
}

// states returns the number of states of levels 0 to c, for the diagnostics. Level 0 has a state for each arrival
// phase. A higher level has a state for each arrival phase and occupancy in service. It also has a state for each
// arrival phase, occupancy and phase of its switch-overs.
func (sol *Solution) states() int {
	s := sol.sys
	n := s.ar.N
	for l := 1; l <= s.c; l++ {
		phases := 1 + s.up[l].Phases
		if l < s.c {
			phases += s.down[l].Phases
		}
		n += s.ar.N * s.index.Size(l) * phases
	}
	return n
}
