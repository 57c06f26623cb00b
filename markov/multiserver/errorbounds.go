package multiserver

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/sensitivity"
)

// The modes are changed once, unless a single variable can decide about all changes of the measures.
//
// Slowly modulated arrivals have states that exchange little. All changes then act through one variable, the share of
// these states, and all measures differ by its multiples. So the modes are changed several times if arrivals remember
// their phase for more than longMemory arrivals: mostChanges times, or fewer times if there are more than manyModes.
// Many modes average over more numbers. All modes are changed as often if one of their numbers has more than
// unevenRoundings rounding errors: then a few numbers decide, too.
//
// Where the share of the jobs or arrivals that visit some phase is below rarePhase, few entries of level c carry the
// influence of the phase. All measures then differ by multiples of one variable. In 3 of 100 queues, its draw is below
// a twentieth of the typical size, and errors can exceed the bounds. So the modes are changed at least rareChanges
// times: all three draws are so small in 3 of 100,000 queues. Above the share rarePhase one change was enough in 18,000
// drawn queues, whose errors were at most 0.44 of their bounds.
const (
	mostChanges = 5
	manyModes   = 100
	longMemory  = 64

	unevenRoundings = 1000

	rarePhase   = 1.0 / 20
	rareChanges = 3
)

// mostMissing is the share of an imbalance that may be left of it when the modes are changed. The share is divided by
// the number of arrivals after which their phase is forgotten. A correction takes three to five steps then. Where
// the states of slow modulation exchange little, a tiny part of the imbalance has a large effect, and rare phases have
// most of the imbalance. Modulated arrivals whose modes are changed several times are corrected to correction, 10⁻¹⁰.
//
// With a switch-over at level c, the share is at most missingDivided, 10⁻⁴. A queue is rarely idle if P(level = 0) is below
// rarelyIdle, 10⁻⁸. P(level = 0) then depends on the rarest occupancies of level c, which a correction reaches last. So the
// modes are changed once more, and later changes are corrected to missingRare, 10⁻⁸, which takes twice as long.
//
// The bounds of drawn queues were compared with their bounds for a share of 10⁻⁸. Of 2,759 queues that are not rarely idle, 28
// have less than .97 of these for 10⁻⁴. The least has .53, and an error of .07 of its bound. For a share of .05 the least of
// 121 queues has .75. Of queues that are rarely idle, bounds can be .27 for 10⁻⁴.
const (
	mostMissing    = 0.05
	missingDivided = 1e-4
	missingRare    = 1e-8

	rarelyIdle = 1e-8
)

// changes returns how often the modes are changed at random to measure sensitivities: once, unless a few numbers
// decide. For arrivals that remember their phase for more than longMemory, 64, arrivals, n is 500 over the number of
// modes, at least 2 and at most mostChanges, 5. The same holds if a number has more than unevenRoundings, 1000,
// rounding errors. If a phase is rarer than rarePhase, 1/20, n is at least rareChanges, 3. missing is the share of an
// imbalance that its correction may leave, see mostMissing. The solution must have modes. The error comes from ctx.
func (sol *Solution) changes(ctx context.Context) (n int, missing float64, err error) {
	remembered, err := sol.sys.ar.ForgottenAfter(ctx)
	if err != nil {
		return 0, 0, err
	}
	n, missing = 1, mostMissing/remembered
	if remembered > longMemory || sol.repeating.MostRoundings() > unevenRoundings {
		n = max(2, min(mostChanges, mostChanges*manyModes/sol.repeating.Psi.Rows))
	}
	rarest, err := sol.sys.station.RarestPhase(ctx)
	if rarest < rarePhase {
		n = max(n, rareChanges)
	}
	if n > 1 && sol.sys.ar.Classes > 1 {
		missing = correction
	}
	if sol.repeating.SwitchOver != nil {
		missing = min(missing, missingDivided)
	}
	return n, missing, err
}

// rarelyIdle reports whether P(level = 0) is below rarelyIdle, 10⁻⁸, and changes of the modes leave a share of their imbalance
// that matters then: with a switch-over at level c, unless the factors of [balance.factorChain] correct them. The solution
// must be finished.
func (sol *Solution) rarelyIdle() bool {
	rp := sol.repeating
	return rp.SwitchOver != nil && rp.balance.chain == nil && sol.boundaryMass(0) < rarelyIdle
}

// numberError returns the relative error of a number of the modes, (c+4)·2⁻⁵³ with c servers. An eigenvector is a
// product of c factors, most of them equal; each multiplication adds a rounding error. Modes are changed at random by
// multiples of this number, to measure sensitivities.
func (sol *Solution) numberError() float64 { return float64(4+sol.sys.c) * block.UnitRoundoff }

// readMeasures returns the measures of a normalised solution by modes whose sensitivities to errors are wanted:
//
//   - Moments: mean and standard deviation of the level, mean numbers of waiting jobs and of jobs in service;
//   - Moments, too: P(an arrival waits), P(level = 0), P(level = c and in service), throughput, the share of time of
//     switch-overs, and the rates at which they start and are cut short;
//   - InPhases, of a queue with speeds only: the mean number of jobs in each service phase;
//   - Sums: the states in service summed over the levels, with weights 1, k and k(k−1) for level c+k;
//   - Masses and Tails: P(level = l) and P(level ≥ l) for l = c + 4^i, 0 ≤ i ≤ [sensitivity.Farthest];
//   - Levels: the states in service of these levels for i ≤ [sensitivity.Nearby];
//   - Measured: how many of these levels to compare, all up to the first whose probability has no digits.
//
// The levels c + 4^i come from the field vectors of [repeatingPart]. They have the unit farUnit^(4^i), so that their
// changes are known where the probabilities underflow. Where levels were corrected, their probabilities replace the
// sums of the modes. [Solution.applyExponents] must be called before. Parts of the result share the storage of the
// solution, others lie in the scratch of the system; so it is valid until the solve ends.
func (sol *Solution) readMeasures() (r sensitivity.Reading) {
	up, down, cut := sol.SwitchRates()
	r.Moments = [...]float64{
		sol.mean, math.Sqrt(sol.variance), sol.MeanWaiting(), sol.ArrivalWaits(), sol.Throughput(), sol.MeanInService(),
		sol.boundaryMass(0), block.Sum(sol.levelC), sol.Switching(), up, down, cut,
	}
	if sol.sys.speed != nil {
		r.InPhases = sol.MeanInPhases()
	}
	r.Sums = sol.x
	rp := sol.repeating
	scratch := sol.sys.scratch
	r.Masses, r.Tails = scratch.Clone(rp.vectors.Masses), scratch.Clone(rp.vectors.Tails)
	copy(r.Levels[:], rp.vectors.Fourfold)
	// Sweeps may have corrected levels near c. The modes hold the states in service only: add the states of unfinished
	// switch-overs.
	for i := range r.Masses {
		k := 1 << (2 * i)
		if k < len(rp.corrected) {
			r.Masses[i], r.Tails[i] = block.Sum(rp.corrected[k]), rp.tailByModes(k)
		}
		r.Masses[i] += sol.switchOverMass(k)
		r.Tails[i] += sol.switchOverTail(k)
	}
	unit := rp.farUnit // of the level before the next to be measured: farUnit^k
	for r.Measured = 1; r.Measured <= sensitivity.Farthest; r.Measured++ {
		k := 1 << (2 * (r.Measured - 1))
		if k >= len(rp.corrected) && r.Masses[r.Measured-1]*unit < sensitivity.NoDigits {
			break
		}
		unit *= unit
		unit *= unit
	}
	for i := range r.Levels {
		if k := 1 << (2 * i); k < len(rp.corrected) {
			r.Levels[i] = rp.corrected[k]
		}
	}
	return r
}

// afterChange returns the solution, up to the vectors of level c, after its modes have changed. All their numbers
// change at random by the relative amount [Solution.numberError], times the condition of the mode. The solution itself
// stays as it is. The coefficients b of the modes are corrected for the change. Let r(b) be their imbalance with the
// changed modes, and r_0 their imbalance with the unchanged modes. With the matrices E', Φ' and flow of [balance] for
// the changed modes, the correction d solves, up to a share missing of the right side,
//
//	d·(E' − Φ'·flow) = r(b) + r_0.
//
// A difference is later multiplied by margin. So r_0 enters the bound with the factor margin, as far as it exceeds
// roundings, see [balance.beyondRoundings]. The last change of each level by [repeatingPart.correctLevels] is an error
// of the same kind and has the same weight. Each call draws other numbers from random. The vectors of the changed
// solution lie in the scratch of the system, so it is valid until the solve ends. It is borrowed, and the caller gives
// it back by [changedSolution.release]. The balance with its imbalance, and lastChange of the corrected levels, must be
// set. The error comes from correctLevels, or from ctx.
func (sol *Solution) afterChange(ctx context.Context, random *rand.Rand, missing float64) (changed *changedSolution, err error) {
	changed = changedSolutions.Get().(*changedSolution)
	sys, part, rp, below, q := &changed.dropped, &changed.part, &changed.levels, &changed.below, &changed.equations
	*sys, *part, *rp, *below, *q = *sol.sys, *sol.repeating.saturated, *sol.repeating, *sol.boundary, *sol.repeating.balance
	sys.store = sys.scratch
	part.Modes = sol.repeating.Modes.Changed(sys.store, random, sol.numberError())
	rp.saturated, rp.sys, rp.changed, below.sys = part, sys, true, sys
	q.Modes, q.below = part.Modes, below
	changed.Solution = Solution{sys: sys, repeating: rp, boundary: below, flows: &changed.room}
	off, _ := q.imbalanceOf(q.b)
	floats.Add(off, sol.repeating.balance.beyondRoundings())
	b := q.correctionFor(ctx, off, missing)
	floats.Add(b, q.b)
	rp.b = q.normalisedCoefficients(sys.store, b)
	if below.pendingSize() > 0 {
		below.keepPending(below.departing(q.inService(b)), b[q.ownUnknowns():])
		below.nearLimit = true
	}
	if changed.entry, err = rp.correctLevels(ctx, below, rp.levelsByModes(ctx)); err != nil {
		changed.release()
		return nil, err
	}
	changed.levelC = rp.corrected[0]
	for k, d := range sol.repeating.lastChange {
		floats.Add(rp.corrected[k], d)
	}
	return changed, nil
}

// changedSolution is a solution after its modes have changed, with its parts: one piece of storage, which later changes
// use again.
type changedSolution struct {
	Solution
	dropped   system // the system of the solution, but its vectors are dropped when the solve ends
	part      saturated
	levels    repeatingPart
	below     boundary
	equations balance
	room      boundaryFlows
}

// changedSolutions holds changed solutions that are no longer used.
var changedSolutions = sync.Pool{New: func() any { return new(changedSolution) }}

// release gives back the changed solution and its modes. Its vectors stay valid until the solve ends. The lists of its
// flows are kept for later changes.
func (c *changedSolution) release() {
	c.part.ReleaseChanged()
	*c = changedSolution{room: c.room}
	changedSolutions.Put(c)
}

// methodError estimates the relative error of the moments that the method causes. For matrices it is
//
//	(residual + 8 roundings + error of T)/(1 − η),
//
// because 1/(1 − η) is the condition of the sum over the levels, with η the decay rate. T takes arrivals from one level
// to the next; its error is known where it was improved by iteration, else 0. Modes are summed in closed form. Their
// error is the largest of four: the residual, |throughput/λ − 1| with the arrival rate λ, the bound
// [sensitivity.Responses.OfMoments], and the relative error of the flows through the boundary. [Solution.finish] must
// have set the residual and the gap 1 − η, and for modes [Solution.finishWithSensitivity] the responses.
func (sol *Solution) methodError() float64 {
	if sol.repeating.Modes != nil {
		off := math.Abs(sol.Throughput()/sol.sys.ar.Rate - 1)
		return max(sol.diagnostics.Residual, off, sol.sensitivity.OfMoments(), sol.boundary.roundings)
	}
	return (sol.diagnostics.Residual + fewRoundings + sol.repeating.entryError) / sol.gap
}

// fewRoundings is the relative error that every sum of probabilities may have.
const fewRoundings = 8 * block.UnitRoundoff

// errorBound returns the bound on the relative error of the measures, for the diagnostics. It is the sum of three
// terms:
//
//   - the error of the method;
//   - fewRoundings/(1 − η), because the distance from saturation is a difference of rounded rates for every method;
//   - the residual for each level up to c and each corrected level above, as errors pass from level to level.
//
// η is the decay rate, and fewRoundings is 8·2⁻⁵³. Where rates are more than manyDecades, 8, powers of ten apart the
// bound is four times the sum: tests have shown larger errors. What [Solution.methodError] needs must be set.
func (sol *Solution) errorBound() float64 {
	perLevel := sol.diagnostics.Residual * float64(sol.sys.c+len(sol.repeating.corrected))
	return sol.doubt() * (sol.methodError() + fewRoundings/sol.gap + perLevel)
}

// doubt returns the factor of the error bound: 4 where rates are more than manyDecades apart, otherwise 1.
func (sol *Solution) doubt() float64 {
	if sol.sys.decades > manyDecades {
		return 4
	}
	return 1
}

// leastBound returns the error bound of a solution by matrices without a residual, which no method by matrices improves.
func (sol *Solution) leastBound() float64 { return sol.doubt() * 2 * fewRoundings / sol.gap }

// lost is the bound on the error from which levels far out are taken from another method, if there is one, instead of
// from modes.
const lost = 1e-6

// errorPerLevel returns the growth g of the error bound from level to level, for the diagnostics: the relative error of
// P(level = c+k) is at most errorBound + k·g. For matrices g is the sum of the residual, 8 roundings and the error of
// T. For modes, let b_i be the bound [sensitivity.Responses.OfLevel] of the levels c+k with 4^(i−1) < k ≤ 4^i. The
// first of them has k = 4^(i−1) + 1, for i = 0 k = 1. Then g is at least (b_i − errorBound)/k for all i up to
// [sensitivity.Farthest]. If another method was not tried, i ends before the first b_i above lost, 10⁻⁶: that method
// computes these levels. sol.others must be set before, and what [Solution.methodError] needs.
func (sol *Solution) errorPerLevel() float64 {
	each := sol.diagnostics.Residual + fewRoundings + sol.repeating.entryError
	if sol.others == nil {
		return each
	}
	bound, first := sol.errorBound(), 1 // the first of the levels above c that have the error
	for i := range sensitivity.Farthest + 1 {
		off := sol.sensitivity.OfLevel(first)
		if off > lost && sol.others.untried > 0 {
			break
		}
		// Rounded up: the bound of the first level must not be below off.
		each = max(each, (off-bound)/float64(first)*(1+fewRoundings))
		first = 1<<(2*i) + 1
	}
	return each
}
