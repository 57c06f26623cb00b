package multiserver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/solvesize"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Delay is the distribution of a waiting or response time X in the unit of time of the queue. It follows from the
// weight of an absorbing chain,
//
//	P(X > t) = s·e^{Qt}·g,   P(X = 0) = 1 − s·g,
//
// with s ≥ 0, g > 0 and a generator Q whose rows sum to −κ, κ ≥ 0. Q is stored as its nonnegative entries off the
// diagonal and κ. So all functions are sums of nonnegative numbers, however far apart the rates are.
//
// In a first come, first served MAP/PH/c queue, let a_0 be the flow of arrivals that find exactly c jobs, by class and
// occupancy. λ is the arrival rate. A job that finds c+k jobs waits for k+1 departures. With R^k = (F⊗I)·T^{k−1}·X of
// [saturated],
//
//	P(W > t) = p·e^{Θt}·1,   p = (1/λ)·a_0·(I−T)⁻¹,   Θ = I⊗L + T·(I⊗V).
//
// L and V are the transitions of c busy servers without and with a departure. The order of Θ is r·K, however long the
// queue is. Θ is no generator: its rows may sum to positive numbers. But Θ and T have the same eigenvectors. With w the
// positive one, T·w = η·w and Θ·w = −δ·w, the chain is
//
//	s = p·diag(w),   Q = diag(w)⁻¹·Θ·diag(w),   κ = δ·1,   g = diag(w)⁻¹·1.
//
// The decay rate δ in time is the root of a scalar equation and has all its digits. The diagonal of Q then follows from
// δ and the other entries. Beside fast rates, the diagonal of Θ itself has no digits of δ.
//
// References: B. Sengupta, Markov processes whose steady state distribution is matrix-exponential with an application
// to the GI/PH/1 queue, Adv. Appl. Probab. 21 (1989) 159–180; J. Xue, Q. Ye, Computing exponentials of essentially
// non-negative matrices entrywise to high relative accuracy, Math. Comp. 82 (2013) 1577–1596.
type Delay struct{ chain statespace.KilledChain }

// errNoSolution is the error of a method of a nil solution or distribution.
var errNoSolution = errors.New("there is no solution; Solve makes one")

// Delays returns the distributions of the waiting time, from arrival to the start of service, and of the response time,
// from arrival to departure. Each is for one goroutine at a time. A nil solution is an error. The error is ErrMethod if
// the queue has switch-overs or its service depends on the level. It is ErrInaccurate if digits are lost, and
// ErrNoConvergence or ErrReducible if a reduction fails. It is a *[parallel.LimitError] if the distributions need more
// memory than the solve was allowed, and the error of ctx if ctx ends.
func (sol *Solution) Delays(ctx context.Context) (waiting, response *Delay, err error) {
	waiting, response, err = sol.delays(ctx)
	if ctx.Err() != nil {
		return nil, nil, statespace.Prefixed(ctx.Err())
	}
	return waiting, response, statespace.Prefixed(err)
}

// delays returns the distributions of [Solution.Delays], the waiting time and the response time, with errors that have
// no prefix. If ctx ends, an error can have another cause than ctx; the caller checks ctx.
func (sol *Solution) delays(ctx context.Context) (waiting, response *Delay, err error) {
	if sol == nil || sol.sys == nil {
		return nil, nil, errNoSolution
	}
	s := sol.sys
	for l := 1; l <= s.c; l++ {
		if s.up[l].Phases > 0 || (l < s.c && s.down[l].Phases > 0) || !s.sameService(l) {
			return nil, nil, fmt.Errorf("delays need one service distribution and no switch-overs: %w",
				markov.ErrMethod)
		}
	}
	if err := sol.checkDelays(); err != nil {
		return nil, nil, err
	}
	if waiting, err = sol.waiting(ctx); err != nil {
		return nil, nil, err
	}
	return waiting, &Delay{waiting.chain.Plus(s.alpha[s.c-1], s.t[s.c-1], s.exit[s.c-1])}, nil
}

// checkDelays returns an error if the chains of the waiting time and of the response time need more memory than the solve
// was allowed, together with the solution. The error wraps a *[parallel.LimitError].
func (sol *Solution) checkDelays() error {
	s := sol.sys
	if err := s.memory.Check(sol.held()); err != nil {
		size := solvesize.Dimensions{Servers: s.c, ServicePhases: s.m, ArrivalPhases: s.ar.N}
		return fmt.Errorf("waiting and response times of %v: %w", size, err)
	}
	return nil
}

// held estimates the bytes of the solution and of the chains of its delays, without the powers and events that the chains
// store later.
func (sol *Solution) held() float64 {
	s, square := sol.sys, func(n int) float64 { return 8 * float64(n) * float64(n) }
	wait := s.ar.Classes * sol.repeating.k
	stored := 0.0
	if sol.repeating.Modes == nil {
		stored = 8*float64(len(sol.repeating.x.Data)) + 2*square(wait) // X, T and the factors of I − T
	}
	return s.dimensions().BoundaryBytes() + stored + square(wait) + square(wait+s.m)
}

// waiting returns the distribution of the waiting time, for queues that [Solution.Delays] accepts. It needs the matrix
// T that takes arrivals, by class and occupancy, from one level to the next. If the solution has modes instead, T comes
// from eigenvectors. If [Solution.waitingBy] rejects this matrix, or arrivals have several classes, T comes from cyclic
// reduction, for which memory is checked first. The errors are the same as for [Solution.Delays], without the prefix.
func (sol *Solution) waiting(ctx context.Context) (*Delay, error) {
	s, rp := sol.sys, sol.repeating
	if rp.Modes == nil {
		return sol.waitingBy(ctx, rp.t)
	}
	if s.ar.Classes == 1 {
		if waiting, err := sol.waitingBy(ctx, rp.MatrixT(ctx)); err == nil {
			return waiting, nil
		}
	}
	if err := s.memory.Check(sol.held() + s.dimensions().RepeatingBytes(solvesize.Method{Name: markov.CyclicReduction})); err != nil {
		return nil, err
	}
	b, err := s.saturatedByMatrices(ctx, markov.CyclicReduction)
	if err != nil {
		return nil, err
	}
	return sol.waitingBy(ctx, b.t)
}

// waitingBy returns the distribution of the waiting time, given T, which takes arrivals from one level to the next. T
// has the order r·K for r classes of arrivals and K occupancies. Its negative entries, which are rounding errors, are
// overwritten with zero. The error bound of sol must be set. The error wraps ErrInaccurate if an entry of the eigenvector
// w of T is not positive. Otherwise it comes from [Solution.boundByLittle], or from ctx.
func (sol *Solution) waitingBy(ctx context.Context, t block.Matrix) (*Delay, error) {
	for i, v := range t.Data { // entries from eigenvectors may be negative by rounding
		if v < 0 {
			t.Data[i] = 0
		}
	}
	w := block.PerronVector(ctx, t)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !(slices.Min(w) > 0) {
		return nil, fmt.Errorf("waiting times of some states are out of range: %w", markov.ErrInaccurate)
	}
	delay := &Delay{sol.waitingChain(ctx, t, w)}
	if err := sol.boundByLittle(ctx, &delay.chain); err != nil {
		return nil, err
	}
	return delay, nil
}

// waitingChain returns the chain of the waiting time, whose symbols [Delay] defines, without an error bound. w is the
// positive eigenvector of T, and r·K its order. The initial vector is p = x·(F⊗I)/λ with x the sum of the states in
// service of all levels from c on. It equals a_0·(I−T)⁻¹/λ. The chain is incomplete if ctx ends.
func (sol *Solution) waitingChain(ctx context.Context, t block.Matrix, w []float64) statespace.KilledChain {
	s, rp := sol.sys, sol.repeating
	waiting := statespace.NewKilledChain(t.Rows)
	waiting.Budget = statespace.NewBudget(s.memory, sol.held())
	statespace.KronVec(waiting.Start, sol.x[0], s.ar.F, rp.k) // arrivals out of the states of levels c, c+1, …
	theta := waiting.Rates
	rp.refill.MulKronRight(ctx, theta, t, s.ar.Classes)
	s.index.Local(s.c, s.t[s.c-1], nil).AddKron(theta, 1, s.ar.Classes)
	decay, _, _ := s.station.Caudal(ctx)
	for i := range w {
		waiting.Start[i] *= w[i] / s.ar.Rate
		waiting.Killed[i] = decay
		waiting.Weight[i] = 1 / w[i]
		row := theta.Row(i)
		row[i] = 0
		for j := range row {
			row[j] *= w[j] / w[i]
		}
	}
	return waiting
}

// boundByLittle sets the error bound of the chain of the waiting time. By Little's law the mean times the arrival rate is
// compared with the mean number of waiting jobs. Their difference counts relative to this number plus littleShare, 10⁻⁶.
// The bound is that of the solution plus littleMargin, 8, times the difference.
//
// The error wraps ErrInaccurate if the difference exceeds delayTol, 10⁻⁸, plus twice the error bound of the solution. It
// is ErrReducible if some state is never left, or the error of ctx.
func (sol *Solution) boundByLittle(ctx context.Context, waiting *statespace.KilledChain) error {
	rate, bound := sol.sys.ar.Rate, sol.diagnostics.ErrorBound
	mean, err := waiting.Mean(ctx)
	if err != nil {
		return err
	}
	off := math.Abs(mean*rate-sol.MeanWaiting()) / (littleShare + sol.MeanWaiting())
	if !(off <= delayTol+2*bound) {
		return fmt.Errorf("waiting time has mean %g, queue length says %g: %w", mean, sol.MeanWaiting()/rate, markov.ErrInaccurate)
	}
	waiting.RelativeError = bound + littleMargin*off
	return nil
}

// The mean waiting time is found in two ways. Each way has the digits of a solve whose condition is 1/(1−η).
const (
	delayTol     = 1e-8 // largest relative difference far from saturation: no percentile needs eight digits
	littleShare  = 1e-6 // mean number of waiting jobs below which their time matters to no percentile
	littleMargin = 8    // quantiles may be off by more than the mean
)

// sameService reports whether service at a level, 1 to c, is exactly the same as at level c: initial probabilities,
// rates between phases and exit rates, without speeds of the level. Only then can a job's service be followed without
// regard to the jobs around it, and delays are known.
func (s *system) sameService(level int) bool {
	return s.speeds[level] == nil && floats.Equal(s.alpha[level-1], s.alpha[s.c-1]) && floats.Equal(s.exit[level-1], s.exit[s.c-1]) &&
		floats.Equal(s.t[level-1].Data, s.t[s.c-1].Data)
}

// Plus returns the distribution of X + Y, where X has the distribution d, and Y is an independent phase-type time that
// is never zero. Rates of Y are in the unit of time of the queue. If X is the waiting time of jobs and Y their service
// time, X + Y is their response time. d stays unchanged. The error says which number of Y is wrong; for the rates and
// probabilities of phases it is a *[markov.BlockError]. A nil Delay is an error, too. If ctx has ended, the error comes
// from ctx.
func (d *Delay) Plus(ctx context.Context, time Phases) (*Delay, error) {
	if d == nil {
		return nil, statespace.Prefixed(errNoSolution)
	}
	t, exit, err := statespace.PhaseType(time).Checked(ctx, 0, "time that is added")
	if err != nil {
		return nil, statespace.Prefixed(err)
	}
	if sum := block.Sum(time.Alpha); !markov.SumsToOne(sum) {
		return nil, statespace.Prefixed(fmt.Errorf("time that is added: initial probabilities sum to %g, not to 1", sum))
	}
	return &Delay{d.chain.Plus(time.Alpha, t, exit)}, nil
}

// Mean returns the mean E[X] of the delay, in the unit of time of the queue; 0 for an empty Delay. A nil Delay is an
// error. Otherwise the error is ErrReducible if some state is never left, or the error of ctx.
func (d *Delay) Mean(ctx context.Context) (float64, error) {
	if d == nil {
		return 0, statespace.Prefixed(errNoSolution)
	}
	mean, err := d.chain.Mean(ctx)
	return mean, statespace.Prefixed(err)
}

// ErrorBound returns the bound e on the relative errors of times and probabilities. The true P(X > t) lies between
// (1−e)·S((1+e)·t) and (1+e)·S((1−e)·t), with S the function [Delay.Survival]. The bound includes the error of the
// solution, and some roundings for each matrix power that Survival and Quantile have computed so far. The longer the
// times of their calls, the more powers they need, so the bound can grow. It is NaN for a nil Delay.
func (d *Delay) ErrorBound() float64 {
	if d == nil {
		return math.NaN()
	}
	return d.chain.ErrorBound()
}

// Forget drops the matrix powers that Survival and Quantile have stored. Later calls compute them anew. The waiting time
// and the response time of a solution share the memory that the solve was allowed: who has finished with the waiting time
// leaves more of the memory to the response time. A nil Delay is ignored.
func (d *Delay) Forget() {
	if d != nil {
		d.chain.Forget()
	}
}

// Survival returns P(X > t), for t in the unit of time of the queue: 1 for negative t, and 0 for infinite t. The first
// call computes powers of a matrix and takes longest. The error says that d is nil or empty or t is NaN, comes from
// ctx, or is a *[parallel.LimitError]. It wraps ErrNoConvergence if t exceeds some 10⁵⁹ times the shortest mean time in
// a state, unless P(X > t) is zero by then.
func (d *Delay) Survival(ctx context.Context, t float64) (float64, error) {
	if d == nil || d.chain.Rates.Rows == 0 {
		return 0, statespace.Prefixed(errNoSolution)
	}
	return d.chain.Survival(ctx, t)
}

// Quantile returns the smallest t with P(X ≤ t) ≥ p, 0 < p < 1, in the unit of time of the queue. It is 0 if P(X = 0) ≥
// p, and for an empty Delay. The error says that d is nil or p is outside this range, is a *[parallel.LimitError], or
// is the error of ctx. It wraps ErrNoConvergence if t exceeds some 10⁵⁹ times the shortest mean time in a state.
func (d *Delay) Quantile(ctx context.Context, p float64) (float64, error) {
	if d == nil {
		return 0, statespace.Prefixed(errNoSolution)
	}
	return d.chain.Quantile(ctx, p)
}
