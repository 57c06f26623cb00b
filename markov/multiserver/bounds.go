package multiserver

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
)

// sensitivity holds, for each measure of a solution by modes, how much larger the relative error of the measure is than the
// relative error of a number of the modes. Modes cancel: at level c a little, far out or where waiting is rare a lot. So each
// measure has a bound of its own.
//
// The sensitivity is measured, not derived. Every number of the modes is changed by a random relative amount, the coefficients
// are corrected to first order, all measures are computed again from the changed modes, and the differences are compared with
// the amount. The coefficients are factored already, so that this takes a few products with vectors. What is left out of balance by the
// coefficients, numbers of 53 bits, counts as a change as well: of rare states it is a large share.
//
// Reference: C. S. Kenney, A. J. Laub, Small-sample statistical condition estimates for general matrix functions, SIAM J. Sci.
// Comput. 15 (1994) 36–61.
type sensitivity struct {
	unit    float64   // the relative error of a number of the modes times margin
	moments float64   // the largest of the means, rates and probabilities of levels up to c, and half that of the variance
	levels  []float64 // of levels up to c + 4^i and of the tails from there on
}

// change is the relative amount by which modes are changed: large beside roundings, small enough for what follows to be linear.
const change = 1.0 / (1 << 30)

// A difference is a normal variable, and may be near zero by accident. So the differences of vectors over the states are compared
// as well, by their norms, which are near zero only if many variables are: these exceed the differences of their sums. The
// sensitivity is margin times the largest difference.
const margin = 16

// The sensitivity is measured of the levels c + 4^i for i up to farthest, by their states for i up to nearby: higher levels follow
// few slow modes, the roots of which change by their full share.
const (
	nearby   = 3
	farthest = 7
)

// measureSensitivity finds the sensitivities of a solution by modes.
func (sol *Solution) measureSensitivity(ctx context.Context) error {
	before := sol.read()
	v := &sensitivity{
		unit:   margin * sol.numberError(),
		levels: make([]float64, farthest+1),
	}
	after, err := sol.changed(ctx, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		return err
	}
	for i, m := range before.moments {
		v.moments = max(v.moments, relativeChange(m, after.moments[i]-m))
	}
	for p, x := range before.sums {
		whole := block.Sum(x)
		if p == 2 {
			whole = 2 * sol.variance // x_2 is a share of the variance, whose bound is twice that of the others
		}
		v.moments = max(v.moments, relativeChange(whole, floats.Distance(x, after.sums[p], 1)))
	}
	for i := range v.levels {
		v.levels[i] = max(v.levels[max(0, i-1)], relativeChange(before.masses[i], after.masses[i]-before.masses[i]),
			relativeChange(before.tails[i], after.tails[i]-before.tails[i]))
		if i <= nearby {
			x := before.levels[i]
			v.levels[i] = max(v.levels[i], relativeChange(block.Sum(x), floats.Distance(x, after.levels[i], 1)))
		}
	}
	sol.sensitivity = v
	return nil
}

// numberError returns the relative error of a number of the modes: ψ is a product of c factors, of which few are different.
func (sol *Solution) numberError() float64 { return float64(4+sol.sys.c) * block.UnitRoundoff }

// noDigits is the size of numbers so near the smallest that there is that they have few digits.
const noDigits = 1e-290

// relativeChange returns by how many times change a difference is of a number; a measure without digits has no error.
func relativeChange(of, difference float64) float64 {
	if math.Abs(of) < noDigits {
		return 0
	}
	off := math.Abs(difference/of) / change
	if math.IsNaN(off) {
		return math.Inf(1)
	}
	return off
}

// reading is what sensitivities are found from.
type reading struct {
	moments       []float64    // means, rates and probabilities, with the variance replaced by its root
	sums          [3][]float64 // Σ k(k−1)…·x_{c+k}
	levels        [][]float64  // x_{c+4^i} nearby
	masses, tails []float64    // of all these levels, and of the levels from there on
}

func (sol *Solution) read() (r reading) {
	up, down, cut := sol.SwitchRates()
	r.moments = []float64{
		sol.mean, math.Sqrt(sol.variance), sol.MeanWaiting(), sol.ArrivalWaits(), sol.Throughput(), sol.MeanInService(),
		sol.boundaryMass(0), block.Sum(sol.levelC), sol.Switching(), up, down, cut,
	}
	if sol.sys.speed != nil {
		r.moments = append(r.moments, sol.MeanInPhases()...)
	}
	r.sums = sol.x
	rp := sol.repeating
	r.masses, r.tails = make([]float64, farthest+1), make([]float64, farthest+1)
	o := rp.Order()
	far := make([]complex128, o*len(rp.List)*(farthest+1)) // coefficients at each of the levels
	at := func(i, j int) []complex128 { return far[(i*len(rp.List)+j)*o:][:o:o] }
	levels, sum := make([][]complex128, farthest+1), make([]complex128, o)
	power := make([]complex128, o*o)
	for j := range rp.List {
		for i := range levels {
			levels[i] = at(i, j)
		}
		rp.Fourfold(j, rp.b[j*o:(j+1)*o], levels, power)
		for i, w := range levels {
			r.masses[i] += real(rp.Mass(j, w))
			copy(sum, w)
			rp.Sum(j, sum)
			r.tails[i] += real(rp.Mass(j, sum))
		}
	}
	for i := range r.masses {
		k := 1 << (2 * i)
		if k < len(rp.near) {
			r.masses[i], r.tails[i] = block.Sum(rp.near[k]), rp.tailByModes(k)
		}
		r.masses[i] += sol.unfinished(k)
		r.tails[i] += sol.unfinishedFrom(k)
	}
	weights := make([]spectrum.Weight, nearby+1)
	for i := range weights {
		weights[i] = func(j int, w []complex128) { copy(w, at(i, j)) }
	}
	r.levels = rp.vectors(weights...)
	for i := range r.levels {
		if k := 1 << (2 * i); k < len(rp.near) {
			r.levels[i] = rp.near[k]
		}
	}
	return r
}

// changed returns what is read from the solution with changed modes, whose storage is given back.
func (sol *Solution) changed(ctx context.Context, r *rand.Rand) (changed reading, err error) {
	part := *sol.repeating.saturated
	part.Modes = sol.repeating.Modes.Changed(r, change)
	defer part.Modes.Psi.Release()
	rp := *sol.repeating
	rp.saturated = &part
	q := *sol.repeating.balance
	q.Modes = part.Modes
	off, _ := q.off(q.b)
	imbalance := sol.repeating.balance.imbalance
	floats.AddScaled(off, change/sol.numberError(), imbalance)
	const share = 0.05 // of the correction that may be missing
	b := q.correct(ctx, off, share)
	floats.Add(b, q.b)
	rp.b = q.positive(b)
	below := *sol.boundary
	if below.pendingSize() > 0 {
		below.startFrom(below.departing(q.inService(b)), b[q.own():])
		below.started = true
	}
	other := &Solution{sys: sol.sys, repeating: &rp}
	if other.entry, err = rp.sweep(ctx, &below, rp.nearLevels(ctx)); err != nil {
		return changed, err
	}
	other.levelC = rp.near[0]
	for k, d := range sol.repeating.step {
		floats.AddScaled(rp.near[k], change/sol.numberError(), d)
	}
	if err := other.solveBoundary(ctx, &below); err != nil {
		return changed, err
	}
	if err := other.sumLevels(ctx); err != nil {
		return changed, err
	}
	other.normalise()
	other.unscale()
	return other.read(), ctx.Err()
}

// ofMoments returns the error of the means, rates and probabilities of levels up to c.
func (s *sensitivity) ofMoments() float64 { return s.unit * s.moments }

// ofLevel returns the error of the probability of level c+k, k > 0, and of the tail from there on. One slow mode makes all states of
// levels far out, so that their difference is a single normal variable, of which no norm is taken: the margin counts twice.
func (s *sensitivity) ofLevel(k int) float64 {
	i := (bits.Len(uint(k-1)) + 1) / 2 // the least with k ≤ 4^i
	if i > farthest {
		return s.unit * margin * s.levels[farthest] * math.Ldexp(float64(k), -2*farthest)
	}
	if i > nearby {
		return s.unit * margin * s.levels[i]
	}
	return s.unit * s.levels[i]
}

// methodError estimates the relative error of the moments that the method causes: the residual, at least a few roundings, times
// the condition of the sum over the levels. Modes are summed in closed form: their error is the largest of the residual of
// levels c and c+1, of the error of the throughput, and of the sensitivities; flows that take many passes through levels add
// roundings of their own.
func (sol *Solution) methodError() float64 {
	if sol.repeating.Modes != nil {
		off := math.Abs(sol.Throughput()/sol.sys.ar.Rate - 1)
		return max(sol.diagnostics.Residual, off, sol.sensitivity.ofMoments(), sol.boundary.roundings)
	}
	return (sol.diagnostics.Residual + fewRoundings + sol.repeating.off) / sol.gap
}

// fewRoundings are in every sum of probabilities.
const fewRoundings = 8 * block.UnitRoundoff

// errorBound adds to the error of the method the error of the distance from saturation, which is a difference of rounded rates
// for every method, and what the levels up to c are out of balance, as each follows from the level above it. Where rates are more
// than eight decades apart, more roundings have been seen.
func (sol *Solution) errorBound() float64 {
	bound := sol.methodError() + fewRoundings/sol.gap + max(fewRoundings, sol.diagnostics.Residual)*float64(sol.sys.c+len(sol.repeating.near))
	if sol.sys.decades > manyDecades {
		bound *= 4
	}
	return bound
}

// lost is the error from which on nothing comes from modes, a level far out not if there is another method.
const lost = 1e-6

// errorPerLevel returns by how much the error bound grows from level to level. It covers what modes lose far out, up to lost.
func (sol *Solution) errorPerLevel() float64 {
	each := sol.diagnostics.Residual + fewRoundings + sol.repeating.off
	if sol.others == nil {
		return each
	}
	bound, first := sol.errorBound(), 1 // the first of the levels above c that have the error
	for i := range sol.sensitivity.levels {
		off := sol.sensitivity.ofLevel(first)
		if off > lost && sol.others.left > 0 {
			break
		}
		each = max(each, (off-bound)/float64(first))
		first = 1<<(2*i) + 1
	}
	return each
}
