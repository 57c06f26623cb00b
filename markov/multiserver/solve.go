package multiserver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/sensitivity"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Solve returns the stationary distribution of the queue. It can take gigabytes and minutes; [Queue.CheckSize]
// estimates both. Solve does not change the queue, and several calls may run at the same time if PhaseMap and Speed
// allow it. The error is
//
//   - a *[markov.BlockError] if the queue is invalid,
//   - ErrUnstable if the traffic intensity λ·E[B_c]/c is 1 or more,
//   - a *[parallel.LimitError] if the solution needs more memory than st.Memory,
//   - ErrMethod if st.Method cannot solve the queue,
//   - ErrNoConvergence or ErrReducible if the method fails,
//   - ErrInaccurate if no method reaches its error bound,
//   - ErrInaccurate, with the solution, if its residual is above the tolerance, its error bound is 1 or more, or it is
//     no distribution,
//   - the error of ctx if ctx ends.
//
// λ is the arrival rate, and E[B_c] the mean service time while all c servers are busy.
func (q *Queue) Solve(ctx context.Context, st markov.Settings) (*Solution, error) {
	sol, err := q.solveBy(ctx, st, nil)
	return statespace.Finished(ctx, sol, err)
}

// solveBy solves the queue by the given attempts in turn, until the error bound of a solution is small enough. If
// attempts is nil, the settings determine the attempts. The memory of the solve is reserved first and released at the
// end; attempts that do not fit are left out. Where rates are far apart, [Solution.compare] compares the solution with
// one without subtractions.
//
// The diagnostics name the methods that were rejected before. Attempts that were not needed stay with a solution by
// modes, for levels far out. The errors are the same as for [Queue.Solve], without a prefix; only the error of
// [Solution.accept] comes with a solution. If all attempts fail, the error comes from the last.
func (q *Queue) solveBy(ctx context.Context, st markov.Settings, attempts []attempt) (*Solution, error) {
	began := time.Now()
	s, err := q.check(ctx, st.Memory)
	if err != nil {
		return nil, err
	}
	rho, err := s.stableIntensity(ctx)
	if err != nil {
		return nil, err
	}
	if attempts == nil {
		if attempts, err = s.attempts(ctx, st); err != nil {
			return nil, err
		}
	}
	checked, all := s.comparesResult(attempts), attempts
	attempts, release, err := s.reserve(ctx, st.Memory, all, checked)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.allocate(); err != nil {
		return nil, err
	}
	defer s.scratch.Return() // after dropStore
	defer s.dropStore()
	var boundary *boundary
	var result saturatedResult
	defer func() {
		result.releaseBasis()
		if boundary != nil {
			boundary.release()
		}
	}()
	var sol *Solution
	rejected := ""
	for i, try := range attempts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sol, err = s.solveByAttempt(ctx, try, &boundary, &result, st)
		last := i+1 == len(attempts)
		if err == nil && (!last || try.Modes) {
			err = sol.certify(last)
		}
		if err == nil {
			if try.Modes {
				// Levels far out can exceed the error bound of modes. Their probabilities come from the methods that were
				// not tried.
				rest := methodsFarOut(attempts[i+1:])
				sol.others = &otherMethods{untried: len(rest), solveQueue: func(ctx context.Context) (*Solution, error) {
					return q.solveBy(ctx, st, rest)
				}}
			}
			break
		}
		if !last && attempts[i+1].Name != try.Name {
			rejected = fmt.Sprintf(" (%s rejected: %v)", try.Name, err)
		}
	}
	if err != nil {
		if last := all[len(all)-1]; last.Name == SpectralExpansion && !errors.Is(err, markov.ErrMethod) {
			err = fmt.Errorf("%w; use %s or %s", err, markov.CyclicReduction, markov.SubtractionFree)
		}
		return nil, s.withLeftOut(err, st.Memory, all, attempts)
	}
	d := &sol.diagnostics
	d.Method += rejected
	d.Drift = s.ar.Rate * (1/rho - 1)
	d.ErrorBound, d.ErrorPerLevel = sol.errorBound(), sol.errorPerLevel()
	if checked {
		if err := sol.compare(ctx, boundary, st); err != nil {
			return nil, err
		}
	}
	d.Seconds = time.Since(began).Seconds()
	return sol, sol.accept(st)
}

// methodsFarOut returns the attempts that give levels far out after modes were accepted: the untried attempts. If
// matrices from eigenvectors would be the last, cyclic reduction follows them. Matrices from eigenvectors can fail to
// settle where modes lose digits. But the error bound of these levels relies on an attempt that succeeds. untried stays
// unchanged.
func methodsFarOut(untried []attempt) []attempt {
	if n := len(untried); n == 0 || untried[n-1].Name != SpectralExpansion {
		return untried
	}
	return append(slices.Clone(untried), attempt{Name: markov.CyclicReduction})
}

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

// solveByAttempt returns the solution by the method of one attempt. In the first attempt *b is nil: it eliminates the
// levels below c and stores them in *b. Later attempts use them again. Each attempt stores level c with all servers
// busy in *result, or the error if it cannot be solved. It releases the factors of the attempt before. If the
// elimination below c fails, *b stays nil and *result stays unchanged. The caller releases *b and *result. The errors
// are the same as for [Queue.Solve], without a prefix.
func (s *system) solveByAttempt(ctx context.Context, try attempt, b **boundary, result *saturatedResult, st markov.Settings) (
	*Solution, error) {
	if result.releaseBasis(); *b != nil {
		*result = s.saturatedOrError(ctx, try, st)
		return s.solutionFrom(ctx, try, *b, *result)
	}
	eliminated, saturated, err := s.boundaryAndSaturated(ctx, try, st)
	if err != nil {
		return nil, err
	}
	*b, *result = eliminated, saturated
	return s.solutionFrom(ctx, try, eliminated, saturated)
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

// certify returns an error that wraps ErrInaccurate if the error of the method, [Solution.methodError], exceeds a limit
// or is NaN, otherwise nil. After an error the next attempt is made. The limit is fewDigits, 10⁻⁹, for the last
// attempt, and [Solution.acceptedError] for the others.
func (sol *Solution) certify(last bool) error {
	most := sol.acceptedError()
	if last {
		most = fewDigits
	}
	if off := sol.methodError(); !(off <= most) {
		return fmt.Errorf("error of the moments up to %.1g: %w", off, markov.ErrInaccurate)
	}
	return nil
}

// accept returns an error that wraps ErrInaccurate in three cases: the solution is no distribution, its residual is
// above the tolerance of the settings, or its error bound is 1 or more. No distribution means a residual or decay rate
// that is NaN, or a mean or variance that is negative or NaN. Otherwise it returns nil, and may add a warning about the
// accuracy to the diagnostics.
func (sol *Solution) accept(st markov.Settings) error {
	d := &sol.diagnostics
	if math.IsNaN(d.Residual) || math.IsNaN(sol.decay) || !(sol.mean >= 0) || !(sol.variance >= 0) {
		return fmt.Errorf("%s gave no distribution: %w", d.Method, markov.ErrInaccurate)
	}
	return d.Check(st.Tolerance)
}

// compare solves the queue by the method without subtractions as well, with the same boundary b. It compares mean and
// variance of the level, the mean number of waiting jobs, P(level = 0) and the share of time of switch-overs.
// Differences are relative to the other solution. If one exceeds the error bound, the bound in the diagnostics becomes
// twice the difference: +Inf if the other value is 0. A difference of the variance counts half.
//
// Where rates are far apart, a solution can be wrong although its residual is small. The bound must be set before. The
// error comes from the other solution, or from ctx.
func (sol *Solution) compare(ctx context.Context, b *boundary, st markov.Settings) error {
	other, err := sol.sys.solutionFrom(ctx, crossCheck, b, sol.sys.saturatedOrError(ctx, crossCheck, st))
	if err != nil {
		return fmt.Errorf("cross-check: %w", err)
	}
	for _, m := range []struct{ is, other, share float64 }{
		{sol.mean, other.mean, 1}, {sol.variance, other.variance, 0.5}, {sol.MeanWaiting(), other.MeanWaiting(), 1},
		{sol.Probability(0), other.Probability(0), 1}, {sol.Switching(), other.Switching(), 1},
	} {
		if off := math.Abs(m.is-m.other) * m.share; off > sol.diagnostics.ErrorBound*m.other {
			sol.diagnostics.ErrorBound = 2 * off / m.other
		}
	}
	return nil
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
