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
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Delay is the distribution of a time X with a matrix-exponential tail, P(X > t) = p·e^{Θt}·1. P(X = 0) is 1 − p·1.
//
// For the waiting time of a first come, first served MAP/PH/c queue, let a_0 be the flow of arrivals that find exactly c
// jobs, by class and occupancy. A job that finds c+k jobs waits for k+1 departures. With R^k = (F⊗I)·T^{k−1}·X,
//
//	P(W > t) = (1/λ)·a_0·(I−T)⁻¹·e^{Θt}·1,   Θ = I⊗L + T·(I⊗V).
//
// L and V are the transitions of c busy servers without and with a departure. The order of Θ is r·K, however long the
// queue is.
//
// Reference: B. Sengupta, Markov processes whose steady state distribution is matrix-exponential with an application to
// the GI/PH/1 queue, Adv. Appl. Probab. 21 (1989) 159–180.
type Delay struct {
	p     []float64
	theta block.Matrix
	step  float64        // length h of the first interval, 1/‖Θ‖
	power []block.Matrix // power[k] = e^{Θ·h·2^k}

	memory *markov.Memory // limit on the memory of the powers
}

var errNoSolution = errors.New("there is no solution; Solve makes one")

// Delays returns the distributions of the waiting time and of the response time. Neither is safe for concurrent use. The
// error is ErrMethod if the queue has switch-overs or its service depends on the level. It is a *[markov.MemoryError] if
// the distributions need more memory than the solve was allowed, and the error of ctx if ctx ends.
func (sol *Solution) Delays(ctx context.Context) (waiting, response *Delay, err error) {
	waiting, response, err = sol.delays(ctx)
	if ctx.Err() != nil {
		return nil, nil, statespace.Prefixed(ctx.Err())
	}
	return waiting, response, statespace.Prefixed(err)
}

func (sol *Solution) delays(ctx context.Context) (waiting, response *Delay, err error) {
	if sol == nil || sol.sys == nil {
		return nil, nil, errNoSolution
	}
	s := sol.sys
	for l := 1; l <= s.c; l++ {
		if s.up[l].phases > 0 || (l < s.c && s.down[l].phases > 0) || !s.sameService(l) {
			return nil, nil, fmt.Errorf("delays need one service distribution and no switch-overs: %w",
				markov.ErrMethod)
		}
	}
	if waiting, err = sol.waiting(ctx); err != nil {
		return nil, nil, err
	}
	return waiting, waiting.plus(s.alpha[s.c-1], s.t[s.c-1], s.exit[s.c-1]), nil
}

// waiting returns the waiting time. If the solution has no matrix T, T comes from eigenvectors. Where these have lost the
// digits of T, a reduction gives it.
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
	if err := s.memory.Check(s.repeatingBytes(attempt{method: markov.CyclicReduction})); err != nil {
		return nil, err
	}
	b, err := s.saturatedByMatrices(ctx, markov.CyclicReduction)
	if err != nil {
		return nil, err
	}
	return sol.waitingBy(ctx, b.t)
}

// waitingBy returns the waiting time, given T. The initial vector is p = x·(F⊗I)/λ with x the sum of the states in
// service of all levels from c on. It equals a_0·(I−T)⁻¹/λ. The mean is checked against the mean number of waiting jobs
// by Little's law.
func (sol *Solution) waitingBy(ctx context.Context, t block.Matrix) (*Delay, error) {
	s, b := sol.sys, sol.repeating
	waiting := &Delay{p: b.arrivalsOf(sol.x[0]), theta: block.New(t.Rows, t.Rows), memory: s.memory}
	floats.Scale(1/s.ar.Rate, waiting.p)
	b.refill.MulKronRight(ctx, waiting.theta, t, s.ar.Classes)
	local := s.index.Local(s.c, s.t[s.c-1], nil)
	local.AddKron(waiting.theta, 1, s.ar.Classes)
	out := local.RowSums()
	floats.Add(out, b.departures)
	for i := range waiting.theta.Rows {
		waiting.theta.Data[i*waiting.theta.Cols+i] -= out[i%b.k]
	}
	if mean := waiting.mean(ctx) * s.ar.Rate; !(math.Abs(mean-sol.MeanWaiting()) <= delayTol*(1+sol.MeanWaiting())) {
		return nil, fmt.Errorf("waiting time has mean %g, queue length says %g: %w",
			mean/s.ar.Rate, sol.MeanWaiting()/s.ar.Rate, markov.ErrInaccurate)
	}
	return waiting, nil
}

// delayTol is the largest relative difference of the mean waiting time found in two ways. Each way has the digits of a
// solve whose condition is 1/(1−η). Eight digits are more than any percentile needs.
const delayTol = 1e-8

// sameService reports whether service at level l is the same as at level c.
func (s *system) sameService(l int) bool {
	return s.speeds[l] == nil && floats.Equal(s.alpha[l-1], s.alpha[s.c-1]) && floats.Equal(s.exit[l-1], s.exit[s.c-1]) &&
		floats.Equal(s.t[l-1].Data, s.t[s.c-1].Data)
}

// Plus returns the distribution of X + Y, where X has the distribution d, and Y is an independent phase-type time that is
// never zero. If X is the waiting time of jobs and Y their service time, X + Y is their response time.
func (d *Delay) Plus(ctx context.Context, time Phases) (*Delay, error) {
	if d == nil {
		return nil, statespace.Prefixed(errNoSolution)
	}
	t, exit, err := checkedPhases(ctx, 0, "time that is added", time)
	if err != nil {
		return nil, statespace.Prefixed(err)
	}
	if sum := block.Sum(time.Alpha); !markov.SumsToOne(sum) {
		return nil, statespace.Prefixed(fmt.Errorf("time that is added: initial probabilities sum to %g, not to 1", sum))
	}
	return d.plus(time.Alpha, t, exit), nil
}

// plus returns the distribution of the sum with an independent phase-type time PH(α, T). When Θ ends, the phases of the
// added time begin:
//
//	p' = (p, (1 − p·1)·α),   Θ' = (Θ, −Θ·1·α; 0, T).
func (d *Delay) plus(alpha []float64, t block.Matrix, exit []float64) *Delay {
	n, m := d.theta.Rows, t.Rows
	sum := &Delay{p: slices.Clone(d.p), theta: block.New(n+m, n+m), memory: d.memory}
	none := 1 - block.Sum(d.p)
	for _, a := range alpha {
		sum.p = append(sum.p, none*a)
	}
	for i := range n {
		row := sum.theta.Row(i)
		copy(row, d.theta.Row(i))
		floats.AddScaled(row[n:], -block.Sum(d.theta.Row(i)), alpha)
	}
	for i := range m {
		row := sum.theta.Row(n + i)
		copy(row[n:], t.Row(i))
		row[n+i] = -(block.Sum(t.Row(i)) + exit[i])
	}
	return sum
}

// Mean returns E[X] = p·(−Θ)⁻¹·1. The error is that of ctx.
func (d *Delay) Mean(ctx context.Context) (float64, error) {
	if d == nil {
		return 0, statespace.Prefixed(errNoSolution)
	}
	mean := d.mean(ctx)
	return mean, statespace.Prefixed(ctx.Err())
}

func (d *Delay) mean(ctx context.Context) float64 {
	x := slices.Clone(d.p)
	w := d.theta.Clone()
	floats.Scale(-1, w.Data)
	block.FactorLU(ctx, w).SolveLeft(x)
	return block.Sum(x)
}

// Survival returns P(X > t). The time t is written as a sum of intervals h·2^k and a rest, for which the powers of e^{Θh}
// are multiplied. The first call computes the powers and takes longest. The error is that of ctx, or one for missing
// memory.
func (d *Delay) Survival(ctx context.Context, t float64) (float64, error) {
	switch {
	case d == nil:
		return 0, statespace.Prefixed(errNoSolution)
	case math.IsNaN(t):
		return t, statespace.Prefixed(errors.New("the time is not a number"))
	case t < 0:
		return 1, nil
	case math.IsInf(t, 1):
		return 0, nil
	}
	if err := d.start(ctx); err != nil {
		return 0, statespace.Prefixed(err)
	}
	// All powers with h·2^k ≤ t are needed. Beyond h·2^maxDoublings the probability counts as 0.
	for math.Ldexp(d.step, len(d.power)) <= t {
		if len(d.power) == maxDoublings {
			return 0, nil
		}
		if err := d.double(ctx); err != nil {
			return 0, statespace.Prefixed(err)
		}
	}
	x := slices.Clone(d.p)
	for k, power := range slices.Backward(d.power) {
		if length := math.Ldexp(d.step, k); t >= length {
			x = block.VecMul(x, power)
			t -= length
		}
	}
	return min(1, max(0, block.Sum(d.move(x, t)))), nil
}

// start computes the first power e^{Θh}, h = 1/‖Θ‖_∞.
func (d *Delay) start(ctx context.Context) error {
	if d.power != nil {
		return nil
	}
	d.step = 1 / d.theta.NormInf()
	first := block.Identity(d.theta.Rows)
	for i := range first.Rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(first.Row(i), d.move(first.Row(i), d.step))
	}
	d.power = append(d.power, first)
	return nil
}

// double appends the square of the last power.
func (d *Delay) double(ctx context.Context) error {
	n := float64(d.theta.Rows)
	if err := d.memory.Check(8 * n * n * float64(len(d.power)+2)); err != nil {
		return fmt.Errorf("%d powers of a matrix of order %v: %w", len(d.power)+1, n, err)
	}
	last := d.power[len(d.power)-1]
	next := block.Mul(ctx, last, last)
	if err := ctx.Err(); err != nil {
		return err
	}
	d.power = append(d.power, next)
	return nil
}

// move returns x·e^{Θt} for t ≤ h by its Taylor series. As ‖Θt‖ ≤ 1, the remainder after 20 terms is below ‖x‖/20!.
func (d *Delay) move(x []float64, t float64) []float64 {
	sum := slices.Clone(x)
	term := sum
	for k := 1; k <= 20; k++ {
		term = block.VecMul(term, d.theta)
		floats.Scale(t/float64(k), term)
		if floats.Norm(term, 1) == 0 {
			break
		}
		next := slices.Clone(sum)
		floats.Add(next, term)
		sum = next
	}
	return sum
}

// maxDoublings limits times to 2^200·h. No distribution with a finite mean has a quantile so large.
const maxDoublings = 200

// Quantile returns the smallest t with P(X ≤ t) ≥ p, 0 < p < 1. The search is binary: it tries the intervals h·2^k from
// the longest down, and multiplies each power at most once. The error is one for another p or for missing memory, or that
// of ctx.
func (d *Delay) Quantile(ctx context.Context, p float64) (float64, error) {
	switch {
	case d == nil:
		return 0, statespace.Prefixed(errNoSolution)
	case !(p > 0 && p < 1):
		return math.NaN(), statespace.Prefixed(fmt.Errorf("%v is not a probability between 0 and 1", p))
	}
	// The quantile is the t at which P(X > t) = p·e^{Θt}·1 has fallen to 1 − p.
	rest := 1 - p
	if block.Sum(d.p) <= rest {
		return 0, nil
	}
	if err := d.start(ctx); err != nil {
		return 0, statespace.Prefixed(err)
	}
	// Double the interval until P(X > h·2^k) ≤ 1 − p.
	for k := 0; block.Sum(block.VecMul(d.p, d.power[k])) > rest; k++ {
		if k == maxDoublings {
			return 0, statespace.Prefixed(fmt.Errorf("multiserver: %w after %d doublings", markov.ErrNoConvergence, k))
		}
		if k+1 == len(d.power) {
			if err := d.double(ctx); err != nil {
				return 0, statespace.Prefixed(err)
			}
		}
	}
	x := slices.Clone(d.p)
	t := 0.0
	for k, power := range slices.Backward(d.power) {
		if y := block.VecMul(x, power); block.Sum(y) > rest {
			x = y
			t += math.Ldexp(d.step, k)
		}
	}
	return t + d.within(x, rest), nil
}

// within returns by bisection the t ≤ h at which x·e^{Θt}·1 has fallen to rest.
func (d *Delay) within(x []float64, rest float64) float64 {
	lo, hi := 0.0, d.step
	for range 52 {
		mid := (lo + hi) / 2
		if block.Sum(d.move(x, mid)) > rest {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
