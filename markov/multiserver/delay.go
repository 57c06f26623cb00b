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

// Delay is the distribution of a time with matrix-exponential tail, P(X > t) = p·e^{Θt}·1; what p·1 lacks to one is
// P(X = 0).
//
// For the waiting time of a first come, first served MAP/PH/c queue, with a_0 the flow of arrivals that find exactly c
// jobs and T as in R^k = (F⊗I)·T^{k−1}·…, the job that finds k more waits for k+1 departures, and
//
//	P(W > t) = (1/λ)·a_0·(I−T)⁻¹·e^{Θt}·1,   Θ = I⊗L + T·(I⊗V),
//
// L and V being the moves of c servers with a job each without and with a departure: order r·K, however long the queue.
//
// Reference: B. Sengupta, Markov processes whose steady state distribution is matrix-exponential with an application to
// the GI/PH/1 queue, Adv. Appl. Probab. 21 (1989) 159–180.
type Delay struct {
	p     []float64
	theta block.Matrix
	step  float64        // length of the first power
	power []block.Matrix // e^{Θ·step·2^k}

	memory *markov.Memory // what the powers may take
}

var errNoSolution = errors.New("there is no solution; Solve makes one")

// Delays returns the distributions of the waiting and the response time. Neither is safe for concurrent use. The error is
// ErrMethod if the queue has switch-overs or its service depends on the level, a *[markov.MemoryError] if the distributions
// need more memory than the solve was allowed, and that of ctx if it ends.
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

// waiting returns the waiting time. If the solution has no T, it comes from eigenvectors or, where they have lost its digits, by
// reduction.
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

// waitingBy returns the waiting time from T, checked against the mean number waiting. The sum a_0·(I−T)⁻¹ holds the arrivals that
// find all servers taken.
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

// delayTol: the mean waiting time found in two ways, each with the digits of a solve whose condition is 1/(1−η); eight
// digits are more than any percentile is asked for.
const delayTol = 1e-8

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
	if sum := block.Sum(time.Alpha); math.Abs(1-sum) > probabilityTol {
		return nil, statespace.Prefixed(fmt.Errorf("time that is added: initial probabilities sum to %g, not to 1", sum))
	}
	return d.plus(time.Alpha, t, exit), nil
}

// plus returns the distribution of the sum with an independent phase-type time: when Θ ends, its phases begin.
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

// Mean returns E[X] = p·(−Θ)⁻¹·1, or the error of ctx if that ends.
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

// Survival returns P(X > t), or the error of ctx if that ends. The first call takes longest: it makes the powers.
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

// start makes the first power.
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

// double makes the next power.
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

// move returns x·e^{Θt} for t up to the first power's length, by its series: ‖Θt‖ ≤ 1, so that 20 terms leave 1/20! of
// it.
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

// maxDoublings bounds the search for a quantile to 2^200 mean sojourns of a phase: no distribution with a finite mean
// gets there.
const maxDoublings = 200

// Quantile returns the smallest t with P(X ≤ t) ≥ p, 0 < p < 1; an error for other p, and that of ctx if that ends. The
// powers of e^Θ are tried from the longest down, as in a binary search that never evaluates anything twice.
func (d *Delay) Quantile(ctx context.Context, p float64) (float64, error) {
	switch {
	case d == nil:
		return 0, statespace.Prefixed(errNoSolution)
	case !(p > 0 && p < 1):
		return math.NaN(), statespace.Prefixed(fmt.Errorf("%v is not a probability between 0 and 1", p))
	}
	rest := 1 - p
	if block.Sum(d.p) <= rest {
		return 0, nil
	}
	if err := d.start(ctx); err != nil {
		return 0, statespace.Prefixed(err)
	}
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

// within returns the t ≤ step at which x·e^{Θt}·1 has fallen to rest, by bisection.
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
