package multiserver

import (
	"context"
	"math/rand/v2"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/sensitivity"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
)

// saturatedResult is the saturated level as one method finds it, or the error of that method.
type saturatedResult struct {
	*saturated
	err   error
	basis spectrum.LeftSolver // factors of E, the entries of the modes, if coefficients are found by iteration
}

// releaseBasis gives the storage of the factored basis of the modes back, and sets basis to nil. The basis is needed
// only until the coefficients of the modes are known. Without a basis it does nothing.
func (r *saturatedResult) releaseBasis() {
	if r.basis != nil {
		r.basis.Release()
		r.basis = nil
	}
}

// saturatedOrError returns level c with all servers busy, which repeats above, solved by the method of an attempt.
// Queues can share it through st.Shared. For modes it adds the modes of a switch-over at level c. An error, also of
// ctx, is part of the result, because the next attempt may succeed. The basis of the result is not set.
func (s *system) saturatedOrError(ctx context.Context, try attempt, st markov.Settings) (r saturatedResult) {
	r.saturated, r.err = s.sharedSaturated(ctx, st.Shared, try)
	if r.err == nil && try.Modes {
		r.saturated, r.err = s.duringSwitchOver(ctx, r.saturated)
	}
	return r
}

// boundaryAndSaturated first eliminates the levels below c, the boundary b. Then it solves level c with all servers
// busy by the method of attempt try, and returns it in r. If the elimination fails, err is its error and level c is not
// solved. An error of level c stands in r instead, because another attempt may succeed. The caller releases b and the
// basis of r.
//
// If the coefficients of modes are found by iteration, the highest levels may stay without elimination, see
// [system.eliminateBoundary]. r.basis then gets the factors of the matrix from coefficients to entries of level c.
func (s *system) boundaryAndSaturated(ctx context.Context, try attempt, st markov.Settings) (
	b *boundary, r saturatedResult, err error) {
	if b, err = s.eliminateBoundary(ctx, try.Modes && s.coefficientsByIteration()); err != nil {
		return b, r, err
	}
	if r = s.saturatedOrError(ctx, try, st); r.err == nil && try.Modes && s.coefficientsByIteration() {
		r.basis = r.FactorEntries(ctx)
	}
	return b, r, nil
}

// levelC returns two vectors of level c. entry holds its entries, which are arrivals from below: r·K rates by class and
// occupancy. inService holds its states in service: n·K probabilities by arrival phase and occupancy. Both have the
// same unknown factor, which [Solution.normalise] removes. They balance what the levels below c, the boundary b, and
// the levels above exchange. The errors come from [repeatingPart.levelCByModes] or [repeatingPart.levelCByMatrices].
func (rp *repeatingPart) levelC(ctx context.Context, b *boundary) (entry, inService []float64, err error) {
	if rp.Modes != nil {
		return rp.levelCByModes(ctx, b)
	}
	return rp.levelCByMatrices(ctx, b)
}

// solutionFrom returns the solution, given the boundary b and the saturated level by one method, or the error that the
// saturated level holds. It balances the flow at level c, substitutes back, sums the levels and measures the residual.
// For modes it measures the sensitivity as well, and corrects levels whose error is too large. b may get further levels
// eliminated. The error bounds of the diagnostics are not set. The errors are the same as for [Queue.Solve]; a solution
// that is returned with an error is incomplete.
func (s *system) solutionFrom(ctx context.Context, try attempt, b *boundary, result saturatedResult) (*Solution, error) {
	saturated, err := result.saturated, result.err
	if err != nil {
		return nil, err
	}
	rp, err := s.newRepeatingPart(ctx, saturated)
	if err != nil {
		return nil, err
	}
	rp.basis = result.basis
	sol := &Solution{sys: s, repeating: rp, boundary: b}
	if sol.entry, sol.levelC, err = rp.levelC(ctx, b); err != nil {
		return nil, err
	}
	if rp.Modes == nil {
		if err := substituteBack(ctx, sol); err != nil {
			return nil, err
		}
		return sol, sol.finish(ctx, try)
	}
	defer rp.dropScratch()
	if err := sol.finishWithSensitivity(ctx, try); err != nil {
		return sol, err
	}
	return sol, sol.improve(ctx, b, try)
}

// finish sums the levels from c on, normalises the solution, and sets decay, gap and the diagnostics with the residual.
// decay is the decay rate of the level, and gap is 1 minus the decay rate of the queue without switch-overs. The flows
// of the boundary, levelC and entry must be set. The diagnostics get neither the error bounds nor the drift and the
// seconds. The order matters: the residual needs each level at its own exponent, before [Solution.applyExponents]. The
// error comes from [Solution.sumLevels], or from ctx.
func (sol *Solution) finish(ctx context.Context, try attempt) error {
	if err := sol.sumLevels(ctx); err != nil {
		return err
	}
	s, rp := sol.sys, sol.repeating
	sol.normalise()
	residual := sol.residual(ctx)
	sol.applyExponents()
	if rp.Modes == nil && rp.switchOver.Phases == 0 {
		s.station.EstimateDecay(block.Sum(sol.levelC), sol.repeatingMass(0), sol.repeatingMass(1), sol.repeatingMass(2))
	}
	sol.decay = s.decay(ctx)
	_, _, sol.gap = s.station.Caudal(ctx)
	sol.diagnostics = markov.Diagnostics{
		Method:     try.Name,
		Iterations: rp.iterations,
		Residual:   residual,
		Phases:     s.ar.N * rp.k * (1 + rp.switchOver.Phases),
		States:     sol.states(),
	}
	return ctx.Err()
}

// finishWithSensitivity finishes a solution by modes whose levelC is known: it sets the flows below c and what
// [Solution.finish] sets. It also sets sensitivity, the responses of the measures to errors of the modes, as
// [sensitivity.Responses] defines them. The numbers of the modes change at random, and all measures are computed again. A
// response is the largest of [Solution.changes] draws, whose seed is fixed, and of one more draw where [Solution.rarelyIdle]
// holds. Back substitution of the solution goes together with the first change.
//
// The factors of the equations for the coefficients must not be released yet. The error comes from changes, from
// [Solution.measuresAfterChange], from finish, or from ctx.
func (sol *Solution) finishWithSensitivity(ctx context.Context, try attempt) error {
	// The random changes have a fixed seed: the bounds of a queue must be the same in every run.
	random := rand.New(rand.NewPCG(1, 0))
	changes, missing, err := sol.changes(ctx)
	if err != nil {
		return err
	}
	v := new(sensitivity.Responses)
	var before sensitivity.Reading
	unfinished := []*Solution{sol}
	for i := 0; i < changes; i++ {
		after, err := sol.measuresAfterChange(ctx, random, missing, unfinished...)
		if err != nil {
			return err
		}
		if i == 0 {
			if err := sol.finish(ctx, try); err != nil {
				return err
			}
			before, unfinished = sol.readMeasures(), nil
			if sol.rarelyIdle() {
				missing, changes = min(missing, missingRare), changes+1
			}
		}
		v.Observe(&before, &after, sol.variance)
	}
	sol.sensitivity = v
	return ctx.Err()
}

// measuresAfterChange returns the measures of the solution after its modes have changed, as [Solution.afterChange] says;
// random and missing are its arguments. It also sets the flows below c of the other solutions, by back substitution
// together with the changed solution. The error comes from afterChange, back substitution or the sums over the levels.
func (sol *Solution) measuresAfterChange(ctx context.Context, random *rand.Rand, missing float64,
	others ...*Solution) (r sensitivity.Reading, err error) {
	changed, err := sol.afterChange(ctx, random, missing)
	if err != nil {
		return r, err
	}
	defer changed.release()
	if err := substituteBack(ctx, append(others, &changed.Solution)...); err != nil {
		return r, err
	}
	if err := changed.sumLevels(ctx); err != nil {
		return r, err
	}
	changed.normalise()
	changed.applyExponents()
	return changed.readMeasures(), nil
}

// The automatic choice accepts a solution if the relative error of its measures is at most certified (ten digits). The
// limit is fewDigits for the last method. It is also fewDigits for modes in queues of more than crossCheckTo phases,
// where another method takes hundreds of times as long.
const (
	certified = 1e-10
	fewDigits = 1e-9
)

// acceptedError returns the largest relative error of the measures with which the automatic choice makes no further
// attempt. It is certified, 10⁻¹⁰. If level c has more than crossCheckTo, 1000, states, phases of its switch-over
// included, a further attempt would take long, and it is fewDigits, 10⁻⁹. The diagnostics must be set.
func (sol *Solution) acceptedError() float64 {
	if sol.diagnostics.Phases > crossCheckTo {
		return fewDigits
	}
	return certified
}

// correctable is the error bound up to which [Solution.improve] is tried. It takes two to three decimal digits off an
// error, so a larger error would stay above certified.
const correctable = 3e-8

// improve corrects the states in service of levels c to c+fewNear, 5, by sweeps of the balance equations. The arrivals to
// the level after them give new coefficients of the modes. It computes all numbers of the solution anew, in place. It does
// so where the error of the method is above [Solution.acceptedError], but at most correctable, 3·10⁻⁸. Otherwise it does
// nothing, also with modulated arrivals, a switch-over at level c, if several levels are corrected already, or if some
// root is too small. It eliminates all levels of the boundary b.
//
// Modes nearly cancel at level c, but hardly some levels above. The sweeps of [repeatingPart.correctLevels] derive the
// lower levels from the level after them, and [spectrum.Continuation] derives that level from them. A sweep takes some
// ten multiplications for each state of these levels, and 3·K² for K modes. All sweeps, including the sweeps for the
// sensitivity, cost less than one product of two matrices over the occupancies from some 300 occupancies on. The matrix T,
// which is tried otherwise, takes some thirty products. The errors come from the elimination, the sweeps and ctx.
func (sol *Solution) improve(ctx context.Context, b *boundary, try attempt) (err error) {
	rp := sol.repeating
	if off := sol.methodError(); off <= sol.acceptedError() || !(off <= correctable) || len(rp.corrected) > 1 ||
		rp.sys.ar.Classes > 1 || !rp.CanContinue(fewNear+1) {
		return nil
	}
	if err := b.eliminateAll(ctx); err != nil { // each sweep would repeat the passes
		return err
	}
	if rp.basis == nil {
		rp.basis = rp.FactorEntries(ctx)
		defer rp.basis.Release()
	}
	rp.balance.dropPending()
	rp.improved = true
	rp.b = rp.balance.normalisedCoefficients(nil, rp.balance.b)
	if sol.entry, err = rp.correctLevels(ctx, b, rp.levelsByModes(ctx)); err != nil {
		return err
	}
	sol.levelC = rp.corrected[0]
	return sol.finishWithSensitivity(ctx, try)
}
