package multiserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Solve returns the stationary distribution of the queue. It can take gigabytes and minutes; [Queue.CheckSize]
// estimates both. Solve does not change the queue, and several calls may run at the same time if PhaseMap and Speed
// allow it. The error is
//
//   - a *[markov.BlockError] if the queue is invalid,
//   - ErrUnstable if the traffic intensity λ·E[B_c]/c is 1 or more, or as close to 1 as roundings bring it,
//   - a *[parallel.LimitError] if the solution needs more memory than st.Memory,
//   - ErrMethod if st.Method cannot solve the queue,
//   - ErrNoConvergence or ErrReducible if the method fails,
//   - ErrInaccurate if no method reaches its error bound,
//   - ErrInaccurate, with the solution, if its residual is above the tolerance, its error bound is 1 or more, or it is
//     no distribution,
//   - ErrIllConditioned, with the solution, if the error bound of every method is 1 or more,
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
	s, rho, err := q.checkStable(ctx, st.Memory)
	if err != nil {
		return nil, err
	}
	if attempts == nil {
		if attempts, err = s.attempts(ctx, st); err != nil {
			return nil, err
		}
	}
	compared := s.comparesResult(attempts)
	fit, release, err := s.reserve(ctx, st.Memory, attempts, compared)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.allocate(); err != nil {
		return nil, err
	}
	defer s.scratch.Return() // after dropStore
	defer s.dropStore()
	t := &trials{system: s, queue: q, settings: st}
	defer t.release()
	sol, err := t.solveInTurn(ctx, fit)
	if err != nil {
		return nil, s.withRemedy(err, st.Memory, attempts, fit)
	}
	d := &sol.diagnostics
	d.Drift = s.ar.Rate * (1/rho - 1)
	d.ErrorBound, d.ErrorPerLevel = sol.errorBound(), sol.errorPerLevel()
	if compared {
		if err := sol.compare(ctx, t.boundary, st); err != nil {
			return nil, err
		}
	}
	d.Seconds = time.Since(began).Seconds()
	return sol, sol.accept(st)
}

// withRemedy returns err, the error of the last of the attempts made, with what may help. If the settings named spectral
// expansion, these are the methods that solve every queue. Otherwise it is memory for the attempts that were left out, as
// [system.withLeftOut] says; all are the attempts made and those left out.
func (s *system) withRemedy(err error, memory *markov.Memory, all, made []attempt) error {
	if last := all[len(all)-1]; last.Name == SpectralExpansion && !errors.Is(err, markov.ErrMethod) {
		err = fmt.Errorf("%w; use %s or %s", err, markov.CyclicReduction, markov.SubtractionFree)
	}
	return s.withLeftOut(err, memory, all, made)
}

// trials are the attempts to solve one queue. They share the levels below c, which the first attempt eliminates.
type trials struct {
	*system
	queue     *Queue
	settings  markov.Settings
	boundary  *boundary       // nil before the first attempt
	saturated saturatedResult // of the latest attempt
}

// release gives the storage of the boundary and of the basis of the modes back.
func (t *trials) release() {
	t.saturated.releaseBasis()
	if t.boundary != nil {
		t.boundary.release()
	}
}

// solveInTurn makes the given attempts in turn and returns the first solution whose error is small enough, as
// [trials.certified] says. Its diagnostics name the methods that were rejected before. If all attempts fail, the error
// comes from the last; otherwise it comes from ctx.
func (t *trials) solveInTurn(ctx context.Context, attempts []attempt) (*Solution, error) {
	var err error
	rejected := ""
	for i, try := range attempts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		untried := attempts[i+1:]
		var sol *Solution
		if sol, err = t.certified(ctx, try, untried); err == nil {
			sol.diagnostics.Method += rejected
			return sol, nil
		}
		if len(untried) > 0 && untried[0].Name != try.Name {
			rejected = fmt.Sprintf(" (%s rejected: %v)", try.Name, err)
		}
	}
	return nil, err
}

// certified returns the solution by one attempt, if [Solution.certify] accepts its error. The last attempt is accepted
// without it, unless it is by modes. Levels far out can exceed the error bound of modes: their probabilities come from
// the untried attempts, which stay with the solution. The error comes from [trials.solve] or from certify.
func (t *trials) certified(ctx context.Context, try attempt, untried []attempt) (*Solution, error) {
	sol, err := t.solve(ctx, try)
	if err != nil {
		return nil, err
	}
	last := len(untried) == 0
	if !last || try.Modes {
		if err := sol.certify(last); err != nil {
			return nil, err
		}
	}
	if try.Modes {
		sol.others = t.queue.otherMethods(t.settings, methodsFarOut(untried))
	}
	return sol, nil
}

// otherMethods returns the solution of the queue by the given attempts, which is found when it is needed. It keeps nothing
// of the solve so far, whose levels take most of the memory.
func (q *Queue) otherMethods(st markov.Settings, attempts []attempt) *otherMethods {
	return &otherMethods{untried: len(attempts), solveQueue: func(ctx context.Context) (*Solution, error) {
		return q.solveBy(ctx, st, attempts)
	}}
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

// solve returns the solution by the method of one attempt. The first attempt eliminates the levels below c and stores
// them in boundary; later attempts use them again. Each attempt stores level c with all servers busy in saturated, or the
// error if it cannot be solved. It releases the factors of the attempt before. If the elimination below c fails, boundary
// stays nil. The errors are the same as for [Queue.Solve], without a prefix.
func (t *trials) solve(ctx context.Context, try attempt) (*Solution, error) {
	t.saturated.releaseBasis()
	if t.boundary != nil {
		t.saturated = t.saturatedOrError(ctx, try, t.settings)
		return t.solutionFrom(ctx, try, t.boundary, t.saturated)
	}
	eliminated, saturated, err := t.boundaryAndSaturated(ctx, try, t.settings)
	if err != nil {
		return nil, err
	}
	t.boundary, t.saturated = eliminated, saturated
	return t.solutionFrom(ctx, try, eliminated, saturated)
}
