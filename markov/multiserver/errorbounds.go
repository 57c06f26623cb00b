package multiserver

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// sensitivity holds, for each measure of a solution by modes, how much the measure differs if every number of the modes
// has an error. Terms of different modes cancel. At level c they cancel little. Far out, or where waiting is rare, they
// cancel much. So each measure has its own response.
//
// The responses are measured, not derived:
//
//   - Every number of the modes is changed by its rounding errors, up or down at random.
//   - The coefficients are corrected to first order. Their equations are factored already, so this takes a few products
//     with vectors.
//   - All measures are computed again.
//   - The response of measure f is |f' − f|/|f|. Its error bound is margin times the largest response.
//
// A change is as large as the errors are. Modes can nearly coincide, and arrivals can change their rate slowly. Changes
// that exceed the differences between such modes have no proportional response. A difference that is divided by them
// is then too small. The rounding errors of the second computation are part of the response, as they are part of the
// error.
//
// The coefficients leave an imbalance in their equations, because they are numbers of 53 bits. For rare states the
// imbalance is a large share of the balance. It is therefore treated as one more change.
//
// Reference: C. S. Kenney, A. J. Laub, Small-sample statistical condition estimates for general matrix functions, SIAM
// J. Sci. Comput. 15 (1994) 36–61.
type sensitivity struct {
	moments float64   // largest response of means, rates and P(level = l), l ≤ c; half the response of the variance
	levels  []float64 // levels[i]: largest response of P(level = l) and P(level ≥ l) for l = c + 4^j, j ≤ i
}

// mostResponse is the largest response of a measure that has an error bound. With a larger response, margin times the
// response exceeds the measure, and no digit of the measure is certain.
const mostResponse = 1.0 / margin

// margin multiplies the largest observed difference. A single difference is a normal variable, which can be near zero
// by accident. So vectors of differences over the states are compared as well: their norms are near zero only if many
// variables are. A norm exceeds the absolute value of the sum of the differences.
//
// Slowly modulated arrivals have states that exchange little. All changes then act through one variable, the share of
// these states, and all measures differ by its multiples. So the modes of modulated arrivals are changed several times:
// mostChanges times, or fewer times if there are more than manyModes. Many modes average over more numbers. Modes of
// renewal arrivals are changed as often if one of their numbers has more than unevenRoundings rounding errors: then a
// few numbers decide, too.
//
// Where the share of the jobs or arrivals that visit some phase is below rarePhase, few entries of level c carry the
// influence of the phase. All measures then differ by multiples of one variable. In 3 of 100 queues, its draw is below
// a twentieth of the typical size, and errors can exceed the bounds. So the modes are changed at least rareChanges
// times: all three draws are so small in 3 of 100,000 queues. Above the share rarePhase one change was enough in 18,000
// drawn queues, whose errors were at most 0.44 of their bounds.
const (
	margin      = 16
	mostChanges = 5
	manyModes   = 100

	unevenRoundings = 1000

	rarePhase   = 1.0 / 20
	rareChanges = 3
)

// Sensitivities are measured at the levels c + 4^i for i up to farthest. For i up to nearby, the states of a level are
// compared, too. Higher levels consist of few slow modes, whose roots change by the full amount.
const (
	nearby   = 3
	farthest = 7
)

// changes returns how often the modes are changed at random to measure sensitivities: once, unless a few numbers
// decide. For arrivals of several classes, the result is 500 over the number of modes, at least 2 and at most
// mostChanges, 5. The same holds if a number has more than unevenRoundings, 1000, rounding errors. If a phase is rarer
// than rarePhase, 1/20, the result is at least rareChanges, 3. The solution must have modes. The error comes from ctx.
func (sol *Solution) changes(ctx context.Context) (n int, err error) {
	n = 1
	if sol.sys.ar.Classes > 1 || sol.repeating.MostRoundings() > unevenRoundings {
		n = max(2, min(mostChanges, mostChanges*manyModes/sol.repeating.Psi.Rows))
	}
	rarest, err := sol.sys.station.RarestPhase(ctx)
	if rarest < rarePhase {
		n = max(n, rareChanges)
	}
	return n, err
}

// observe raises the responses s.moments and s.levels, in place, by one draw of changed modes. Each becomes the largest
// relative change of its measures so far, from before to after. Vectors over the states change by the 1-norm of their
// difference, relative to their sum. For the vector of the second moments, sums[2], twice the given variance of the
// level replaces the sum. The response of a level is at least the response of each lower level. A change that leaves no
// digit makes the response infinite, see [relativeChange]. s.levels must have an entry for each level of a [reading].
func (s *sensitivity) observe(before, after *reading, variance float64) {
	for i, m := range before.moments {
		s.moments = max(s.moments, relativeChange(m, after.moments[i]-m))
	}
	for j, m := range before.inPhases {
		s.moments = max(s.moments, relativeChange(m, after.inPhases[j]-m))
	}
	for p, x := range before.sums {
		whole := block.Sum(x)
		if p == 2 {
			whole = 2 * variance // x_2 is a share of the variance, which has twice the bound of the others
		}
		s.moments = max(s.moments, relativeChange(whole, floats.Distance(x, after.sums[p], 1)))
	}
	// The response of a level is at least the response of every lower level. So a level between two measured levels has a
	// bound.
	for i := range s.levels {
		s.levels[i] = max(s.levels[i], s.levels[max(0, i-1)])
		if i >= before.measured {
			continue
		}
		s.levels[i] = max(s.levels[i], relativeChange(before.masses[i], after.masses[i]-before.masses[i]),
			relativeChange(before.tails[i], after.tails[i]-before.tails[i]))
		if i <= nearby {
			x := before.levels[i]
			s.levels[i] = max(s.levels[i], relativeChange(block.Sum(x), floats.Distance(x, after.levels[i], 1)))
		}
	}
}

// numberError returns the relative error of a number of the modes, (c+4)·2⁻⁵³ with c servers. An eigenvector is a
// product of c factors, most of them equal; each multiplication adds a rounding error. Modes are changed at random by
// multiples of this number, to measure sensitivities.
func (sol *Solution) numberError() float64 { return float64(4+sol.sys.c) * block.UnitRoundoff }

// noDigits is the size below which numbers are too near the smallest positive number to have all their digits.
const noDigits = 1e-290

// relativeChange returns |difference/of|, the relative change of a measure with the value of. It returns 0 if |of| is
// below noDigits, where the measure has no digits to lose. It returns +Inf if |difference/of| is above mostResponse,
// 1/16, or not a number.
func relativeChange(of, difference float64) float64 {
	if math.Abs(of) < noDigits {
		return 0
	}
	response := math.Abs(difference / of)
	if !(response <= mostResponse) {
		return math.Inf(1)
	}
	return response
}

// reading holds the measures whose sensitivities are measured.
type reading struct {
	moments       [12]float64           // means, rates and probabilities; the standard deviation for the variance
	inPhases      []float64             // mean number of jobs in each phase of service, if the queue has speeds
	sums          [3][]float64          // sums[p] = Σ_k k(k−1)…(k−p+1)·x_k
	levels        [nearby + 1][]float64 // states in service of level c + 4^i
	masses, tails []float64             // P(level = c+4^i) and P(level ≥ c+4^i), i ≤ farthest, in a unit of each level
	measured      int                   // how many of these levels to compare: the level before each has a probability with digits
}

// readMeasures returns the measures of a normalised solution by modes whose sensitivities to errors are wanted:
//
//   - moments: mean and standard deviation of the level, mean numbers of waiting jobs and of jobs in service;
//   - moments, too: P(an arrival waits), P(level = 0), P(level = c and in service), throughput, the share of time of
//     switch-overs, and the rates at which they start and are cut short;
//   - inPhases, of a queue with speeds only: the mean number of jobs in each service phase;
//   - sums: the states in service summed over the levels, with weights 1, k and k(k−1) for level c+k;
//   - masses and tails: P(level = l) and P(level ≥ l) for l = c + 4^i, 0 ≤ i ≤ farthest;
//   - levels: the states in service of these levels for i ≤ nearby; measured: how many of these levels to compare, all
//     up to the first whose probability has no digits.
//
// The coefficients of each mode at the levels c + 4^i follow by raising the mode to the fourth power again and again.
// They have the unit farUnit^(4^i), so that their changes are known where the probabilities underflow. Where levels
// were corrected, their probabilities replace the sums of the modes. [Solution.applyExponents] must be called before,
// and farUnit must be set. Parts of the result share the storage of the solution, others lie in the scratch of the
// system; so it is valid until the solve ends.
func (sol *Solution) readMeasures() (r reading) {
	up, down, cut := sol.SwitchRates()
	r.moments = [...]float64{
		sol.mean, math.Sqrt(sol.variance), sol.MeanWaiting(), sol.ArrivalWaits(), sol.Throughput(), sol.MeanInService(),
		sol.boundaryMass(0), block.Sum(sol.levelC), sol.Switching(), up, down, cut,
	}
	if sol.sys.speed != nil {
		r.inPhases = sol.MeanInPhases()
	}
	r.sums = sol.x
	rp := sol.repeating
	scratch := sol.sys.scratch
	r.masses, r.tails = scratch.Vector(farthest+1), scratch.Vector(farthest+1)
	o := rp.Order()
	far, near := scratch.ComplexVector(o*(farthest+1)), o*(nearby+1) // coefficients of a mode at these levels
	nearLevels := scratch.ComplexVector(near * len(rp.List))         // of all modes, at the levels i ≤ nearby
	power := scratch.ComplexVector(o * o)
	for j := range rp.List {
		rp.Fourfold(j, rp.b[j*o:(j+1)*o], far, power, rp.farUnit)
		copy(nearLevels[j*near:], far[:near])
		rp.AddMassesAndTails(r.masses, r.tails, j, far)
	}
	// Sweeps may have corrected levels near c. The modes hold the states in service only: add the states of unfinished
	// switch-overs.
	for i := range r.masses {
		k := 1 << (2 * i)
		if k < len(rp.corrected) {
			r.masses[i], r.tails[i] = block.Sum(rp.corrected[k]), rp.tailByModes(k)
		}
		r.masses[i] += sol.switchOverMass(k)
		r.tails[i] += sol.switchOverTail(k)
	}
	unit := rp.farUnit // of the level before the next to be measured: farUnit^k
	for r.measured = 1; r.measured <= farthest; r.measured++ {
		k := 1 << (2 * (r.measured - 1))
		if k >= len(rp.corrected) && r.masses[r.measured-1]*unit < noDigits {
			break
		}
		unit *= unit
		unit *= unit
	}
	rp.setVectors(r.levels[:], scratch, func(i, j int, w []complex128) { copy(w, nearLevels[j*near+i*o:]) })
	for i := range r.levels {
		if k := 1 << (2 * i); k < len(rp.corrected) {
			r.levels[i] = rp.corrected[k]
		}
	}
	return r
}

// afterChange returns the solution, up to the vectors of level c, after its modes have changed. All their numbers
// change at random by the relative amount [Solution.numberError], times the condition of the mode. The solution itself
// stays as it is. The coefficients b of the modes are corrected for the change. Let r(b) be their imbalance with the
// changed modes, and r_0 their imbalance with the unchanged modes. With the matrices E', Φ' and flow of [balance] for
// the changed modes, the correction d solves
//
//	d·(E' − Φ'·flow) = r(b) + r_0.
//
// A difference is later multiplied by margin. So r_0 enters the bound with the factor margin. The last change of each
// level by [repeatingPart.correctLevels] is an error of the same kind and has the same weight. Each call draws other
// numbers from random. The changed solution belongs to sys, the system of the solution with its scratch as store; so
// the result is valid until the solve ends. Its modes are borrowed, and the caller releases them by
// [spectrum.Modes.ReleaseChanged]. The balance with its imbalance, and lastChange of the corrected levels, must be set.
// The error comes from correctLevels, or from ctx.
func (sol *Solution) afterChange(ctx context.Context, sys *system, random *rand.Rand) (changed *Solution, err error) {
	parts := struct { // of the changed solution
		Solution
		saturated
		repeatingPart
		boundary
	}{saturated: *sol.repeating.saturated, repeatingPart: *sol.repeating, boundary: *sol.boundary}
	part, rp, below := &parts.saturated, &parts.repeatingPart, &parts.boundary
	part.Modes = sol.repeating.Modes.Changed(sys.store, random, sol.numberError())
	rp.saturated, rp.sys, below.sys = part, sys, sys
	q := *sol.repeating.balance
	q.Modes, q.from = part.Modes, below
	off, _ := q.imbalanceOf(q.b)
	floats.Add(off, sol.repeating.balance.imbalance)
	share := 0.05 // share of the correction that may be missing
	if sol.sys.ar.Classes > 1 {
		share = correction // where the states of slow modulation exchange little, their share is a small part of off
	}
	b := q.correctionFor(ctx, off, share)
	floats.Add(b, q.b)
	rp.b = q.normalisedCoefficients(b)
	if below.pendingSize() > 0 {
		_, inService := q.levelC(b)
		below.keepPending(below.departing(inService), b[q.ownUnknowns():])
		below.nearLimit = true
	}
	changed = &parts.Solution
	*changed = Solution{sys: sys, repeating: rp, boundary: below}
	if changed.entry, err = rp.correctLevels(ctx, below, rp.levelsToCorrect(ctx)); err != nil {
		part.ReleaseChanged()
		return nil, err
	}
	changed.levelC = rp.corrected[0]
	for k, d := range sol.repeating.lastChange {
		floats.Add(rp.corrected[k], d)
	}
	return changed, nil
}

// ofMoments returns the bound on the relative error of means, rates and probabilities of levels up to c that rounding
// of the modes causes: margin times the largest response of these measures.
func (s *sensitivity) ofMoments() float64 { return margin * s.moments }

// ofLevel returns the bound on the relative error of P(level = c+k) and P(level ≥ c+k), k > 0, that rounding of the
// modes causes. It is margin times s.levels[i], the response measured at level c + 4^i. 4^i is the least power of four
// that is not below k.
//
// For i above nearby, 3, one slow mode makes all states of a level. The change is then a single normal variable, and
// the bound has the safety factor margin once more. Beyond the farthest level measured, c + 4⁷, the bound grows in
// proportion to k, as the error of the power of a root does.
func (s *sensitivity) ofLevel(k int) float64 {
	i := (bits.Len(uint(k-1)) + 1) / 2 // the least with k ≤ 4^i
	if i > farthest {
		return margin * margin * s.levels[farthest] * math.Ldexp(float64(k), -2*farthest)
	}
	if i > nearby {
		return margin * margin * s.levels[i]
	}
	return margin * s.levels[i]
}

// methodError estimates the relative error of the moments that the method causes. For matrices it is
//
//	(residual + 8 roundings + error of T)/(1 − η),
//
// because 1/(1 − η) is the condition of the sum over the levels, with η the decay rate. T takes arrivals from one level
// to the next; its error is known where it was improved by iteration, else 0. Modes are summed in closed form. Their
// error is the largest of four: the residual, |throughput/λ − 1| with the arrival rate λ, the bound
// [sensitivity.ofMoments], and the relative error of the flows through the boundary. [Solution.finish] must have set
// the residual and the gap 1 − η, and for modes [Solution.finishWithSensitivity] the responses.
func (sol *Solution) methodError() float64 {
	if sol.repeating.Modes != nil {
		off := math.Abs(sol.Throughput()/sol.sys.ar.Rate - 1)
		return max(sol.diagnostics.Residual, off, sol.sensitivity.ofMoments(), sol.boundary.roundings)
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
//   - the residual, at least fewRoundings, for each level up to c and each corrected level above, as errors pass from
//     level to level.
//
// η is the decay rate, and fewRoundings is 8·2⁻⁵³. Where rates are more than manyDecades, 8, powers of ten apart the
// bound is four times the sum: tests have shown larger errors. What [Solution.methodError] needs must be set.
func (sol *Solution) errorBound() float64 {
	bound := sol.methodError() + fewRoundings/sol.gap + max(fewRoundings, sol.diagnostics.Residual)*float64(sol.sys.c+len(sol.repeating.corrected))
	if sol.sys.decades > manyDecades {
		bound *= 4
	}
	return bound
}

// lost is the bound on the error from which levels far out are taken from another method, if there is one, instead of
// from modes.
const lost = 1e-6

// errorPerLevel returns the growth g of the error bound from level to level, for the diagnostics: the relative error of
// P(level = c+k) is at most errorBound + k·g. For matrices g is the sum of the residual, 8 roundings and the error of
// T. For modes, let b_i be the bound [sensitivity.ofLevel] of the levels c+k with 4^(i−1) < k ≤ 4^i. The first of them
// has k = 4^(i−1) + 1, for i = 0 k = 1. Then g is at least (b_i − errorBound)/k for all i up to farthest. If another
// method was not tried, i ends before the first b_i above lost, 10⁻⁶: that method computes these levels. sol.others
// must be set before, and what [Solution.methodError] needs.
func (sol *Solution) errorPerLevel() float64 {
	each := sol.diagnostics.Residual + fewRoundings + sol.repeating.entryError
	if sol.others == nil {
		return each
	}
	bound, first := sol.errorBound(), 1 // the first of the levels above c that have the error
	for i := range sol.sensitivity.levels {
		off := sol.sensitivity.ofLevel(first)
		if off > lost && sol.others.untried > 0 {
			break
		}
		// Rounded up: the bound of the first level must not be below off.
		each = max(each, (off-bound)/float64(first)*(1+fewRoundings))
		first = 1<<(2*i) + 1
	}
	return each
}
