package statespace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// KilledChain is a time X whose distribution is the weight of an absorbing chain: P(X > t) = s·e^{Qt}·g. The vectors
// are s ≥ 0 and g > 0, with an entry for each state. The rows of the generator Q sum to −κ, κ ≥ 0. Q is stored as its
// nonnegative entries off the diagonal and κ. So all functions are sums of nonnegative numbers, however far apart the
// rates are. A KilledChain stores powers, or the weights of a series of events, when they are first needed. It is not safe
// for concurrent use.
type KilledChain struct {
	Start         []float64    // s
	Rates         block.Matrix // Q off the diagonal; the diagonal is zero
	Killed        []float64    // κ
	Weight        []float64    // g
	RelativeError float64      // relative error of the solution and of Q

	Budget *Budget // of powers and events, shared with chains that are held at the same time
	powers transitionPowers
	events *eventSeries // replaces the powers where it is cheaper; nil until it is needed
	taken  float64      // bytes of powers and events, taken from Budget
	most   float64      // roundings of the powers and events that were forgotten
}

// transitionPowers holds the transition probabilities of the chain of a [KilledChain] over the intervals h·2^k.
type transitionPowers struct {
	step float64       // h = firstEvents/fastest; fastest is the largest rate out of a state
	left block.Matrix  // column k: weight g that is left after k events of the uniformized chain, by first state
	over []transitions // over[k]: transitions over the interval h·2^k
}

// transitions holds the transition probabilities of the chain of a [KilledChain] over an interval of length u. Each row
// of moves and its entry of killed sum to one.
type transitions struct {
	moves  block.Matrix // e^{Qu}
	killed []float64    // probability, by first state, that the chain is absorbed within u
}

// newTransitions returns transitions between n states, all zero. They lie in one piece of storage.
func newTransitions(n int) transitions {
	all := block.New(n+1, n)
	return transitions{all.RowRange(0, n), all.Row(n)}
}

// NewKilledChain returns a chain of n states whose numbers are all zero. They lie in one piece of storage.
func NewKilledChain(n int) KilledChain {
	all := block.New(n+3, n)
	return KilledChain{Rates: all.RowRange(0, n), Start: all.Row(n), Killed: all.Row(n + 1), Weight: all.Row(n + 2)}
}

// maxDoublings limits the intervals to 2^200·h. No time of a queue is nearly so long.
const maxDoublings = 200

// Mean returns the mean time E[X] of the chain, in the unit of time of the rates: s·(−Q)⁻¹·g with start s, generator Q
// and weights g. Each call solves for it by an elimination without subtractions, in copies of the matrices; the chain
// is not changed. With an error the result is 0. The error, without the prefix of the package, comes from ctx, or is
// ErrReducible if the chain is never absorbed from some state.
func (d *KilledChain) Mean(ctx context.Context) (float64, error) {
	n := d.Rates.Rows
	room := block.NewRaw(n+2, n)
	defer room.Release()
	rates, killed, x := room.RowRange(0, n), room.Row(n), room.Row(n+1)
	copy(rates.Data, d.Rates.Data)
	copy(killed, d.Killed)
	copy(x, d.Start)
	f, err := block.FactorGTH(ctx, rates, killed)
	if err != nil {
		return 0, err
	}
	f.SolveLeft(x)
	return floats.Dot(x, d.Weight), nil
}

// rarestTime is the smallest sum of s by which [KilledChain.Plus] divides. Below, the quotient can exceed the range of a
// number.
const rarestTime = 1e-200

// Plus returns the chain of the sum of X, the time of the chain d, and an independent phase-type time Y. alpha holds the
// m initial probabilities of Y, which sum to one. t holds the rates between its phases, m×m, and exit the m rates of
// absorption. The diagonal of t is not read. The arguments and d stay unchanged. The result is new, with the relative
// error and the budget of d. The phases of Y come first, because then nothing is subtracted. With α and T for
// the phases of Y, s̄ = s·1 and the scale σ = s̄,
//
//	P(X + Y > t) = P(Y > t) + ∫ P(X > t−u) dP(Y ≤ u):
//	s' = (σ·α, 0),   Q' = (T, exit·s/σ; 0, Q),   κ' = (exit·(1 − s̄/σ), κ),   g' = (1/σ, g).
//
// If X is hardly ever positive, s̄ below rarestTime, 10⁻²⁰⁰, σ is 1.
func (d *KilledChain) Plus(alpha []float64, t block.Matrix, exit []float64) KilledChain {
	m, n := t.Rows, d.Rates.Rows
	scale, gone := block.Sum(d.Start), 0.0 // σ, and 1 − s̄/σ
	if scale < rarestTime {
		scale, gone = 1, 1-scale
	}
	sum := NewKilledChain(m + n)
	sum.RelativeError, sum.Budget = d.RelativeError, d.Budget
	floats.ScaleTo(sum.Start[:m], scale, alpha)
	floats.ScaleTo(sum.Killed[:m], gone, exit)
	copy(sum.Killed[m:], d.Killed)
	copy(sum.Weight[m:], d.Weight)
	for i := range m {
		sum.Weight[i] = 1 / scale
		row := sum.Rates.Row(i)
		copy(row, t.Row(i))
		row[i] = 0
		floats.ScaleTo(row[m:], exit[i]/scale, d.Start)
	}
	for i := range n {
		copy(sum.Rates.Row(m + i)[m:], d.Rates.Row(i))
	}
	return sum
}

// ErrorBound returns the bound e on the relative errors of times and probabilities. The true P(X > t) lies between
// (1−e)·S((1+e)·t) and (1+e)·S((1−e)·t), with S the function [KilledChain.Survival]. The bound includes RelativeError,
// and a few roundings of 2⁻⁵³ for each state and each transition matrix computed so far, or for each event. So it can grow
// with calls of Survival and Quantile.
func (d *KilledChain) ErrorBound() float64 {
	return d.RelativeError + block.UnitRoundoff*max(d.most, d.roundings())
}

// roundings returns the number of roundings of the powers and events that the chain stores.
func (d *KilledChain) roundings() float64 {
	sum := float64((d.Rates.Rows + firstTerms) * (len(d.powers.over) + 1))
	if d.events != nil {
		sum += d.events.roundings()
	}
	return sum
}

// Forget drops the stored powers and events and gives their memory back to the budget. Later calls compute them anew. The
// error bound stays.
func (d *KilledChain) Forget() {
	d.most = max(d.most, d.roundings())
	d.powers, d.events = transitionPowers{}, nil
	d.Budget.give(d.taken)
	d.taken = 0
}

// take takes bytes of the budget for what the chain stores. The error wraps [markov.ErrTooLarge].
func (d *KilledChain) take(bytes float64) error {
	err := d.Budget.take(bytes)
	if err == nil {
		d.taken += bytes
	}
	return err
}

// Survival returns P(X > t), at most 1, for t in the unit of time of the rates: 1 for negative t, and 0 for infinite t.
// It is found event by event or by powers, which the chain stores. ctx is looked at only where a call needs more of them.
//
// The result is NaN with an error if t is NaN. With every other error the result is 0. The error comes from ctx, wraps
// [markov.ErrTooLarge] if the matrices need too much memory, or wraps ErrNoConvergence. ErrNoConvergence means that t
// is longer than all intervals together, and that the probability left after them is not zero.
func (d *KilledChain) Survival(ctx context.Context, t float64) (float64, error) {
	switch {
	case math.IsNaN(t):
		return t, Prefixed(errors.New("the time is not a number"))
	case t < 0:
		return 1, nil
	case math.IsInf(t, 1):
		return 0, nil
	}
	if d.mayCountEvents() {
		if fastest, _ := d.size(); d.eventsPay(fastest * t) {
			p, err := d.survivalByEvents(ctx, t)
			return p, Prefixed(err)
		}
	}
	p, err := d.survivalByPowers(ctx, t)
	return p, Prefixed(err)
}

// survivalByPowers returns P(X > t) ≤ 1 for a finite t ≥ 0. The time t is written as a sum of intervals h·2^k, k ≤
// maxDoublings, and a rest below h. For the intervals, transition matrices e^{Q·h·2^k} of the generator Q are multiplied. The
// chain stores them, so only a call with a longer t than before computes new matrices. The errors are those of
// [KilledChain.Survival], without the prefix.
func (d *KilledChain) survivalByPowers(ctx context.Context, t float64) (float64, error) {
	if err := d.startPowers(ctx); err != nil {
		return 0, err
	}
	// All powers with h·2^k ≤ t are needed, for k up to maxDoublings.
	for len(d.powers.over) <= maxDoublings && math.Ldexp(d.powers.step, len(d.powers.over)) <= t {
		if err := d.doublePowers(ctx); err != nil {
			return 0, err
		}
	}
	n := len(d.Start)
	room := block.NewRaw(1, 2*n+firstTerms+1)
	defer room.Release()
	x, y, left := room.Data[:n], room.Data[n:2*n], room.Data[2*n:]
	copy(x, d.Start)
	for k, over := range slices.Backward(d.powers.over) {
		if length := math.Ldexp(d.powers.step, k); t >= length {
			clear(y)
			block.VecMulAdd(y, x, over.moves)
			x, y = y, x
			t -= length
		}
	}
	if t >= d.powers.step { // longer than all intervals together
		if rest := d.weightOf(x); rest > 0 {
			longest := math.Ldexp(d.powers.step, maxDoublings+1)
			return 0, fmt.Errorf("times are limited to %.2g, at which P(X > t) is still %.2g: %w", longest, rest,
				markov.ErrNoConvergence)
		}
		return 0, nil
	}
	clear(left)
	block.VecMulAdd(left, x, d.powers.left)
	return min(1, d.weightAfter(left, t)), nil
}

// weightOf returns state·g = Σ_i state_i·g_i, with the weights g of the states. It is P(X > t) if state is s·e^{Qt},
// the start s after a time t in the chain with generator Q.
func (d *KilledChain) weightOf(state []float64) float64 { return floats.Dot(state, d.Weight) }

// startPowers sets d.powers to its first matrix, the transition probabilities e^{Qh} over one interval h. It also sets
// h, the probabilities of absorption within h, and the weights left after each event. It does nothing if d.powers is
// set already. Q is the generator. The matrix is the series of the uniformized chain, with h = firstEvents/(largest
// rate out of a state). The error comes from ctx; nothing is set then.
func (d *KilledChain) startPowers(ctx context.Context) error {
	if d.powers.over != nil {
		return nil
	}
	n := d.Rates.Rows
	if err := d.takePower(); err != nil {
		return err
	}
	series := roomOfSeries * squareBytes(n) // until the first power is made
	if err := d.Budget.take(series); err != nil {
		return fmt.Errorf("the first power of a matrix of order %d: %w", n, err)
	}
	defer d.Budget.give(series)
	room := block.NewRaw(n+4, n)
	defer room.Release()
	event, killed := room.RowRange(0, n), room.Row(n)
	fastest := d.setEvent(event, killed, room.Row(n+1))
	left := d.weightsLeft(event, room.Row(n+2), room.Row(n+3))
	shortest := newTransitions(n)
	setSeriesOfEvents(ctx, shortest, event, killed)
	if err := ctx.Err(); err != nil {
		return err
	}
	shortest.normaliseRows()
	const usual = 8 // powers for the times that are usually asked for
	d.powers = transitionPowers{step: firstEvents / fastest, left: left, over: append(make([]transitions, 0, usual), shortest)}
	return nil
}

// setEvent sets event to the transition probabilities of an event of the uniformized chain, and killed to the
// probabilities that the event ends it. It returns the rate of events: the largest rate out of a state. The vector out,
// with an entry for each state, is overwritten.
func (d *KilledChain) setEvent(event block.Matrix, killed, out []float64) (fastest float64) {
	for i := range out {
		out[i] = block.Sum(d.Rates.Row(i)) + d.Killed[i]
	}
	fastest = floats.Max(out)
	floats.ScaleTo(event.Data, 1/fastest, d.Rates.Data)
	floats.ScaleTo(killed, 1/fastest, d.Killed)
	for i, rate := range out {
		event.Row(i)[i] = (fastest - rate) / fastest
	}
	return fastest
}

// weightsLeft returns the weights that are left after 0 to firstTerms events of the uniformized chain: a row for each
// first state, and a column for each number of events. event holds the transition probabilities of an event. weights and
// next, with an entry for each state, are overwritten.
func (d *KilledChain) weightsLeft(event block.Matrix, weights, next []float64) block.Matrix {
	left := block.New(len(weights), firstTerms+1)
	copy(weights, d.Weight)
	for k := range left.Cols {
		for i, v := range weights {
			left.Row(i)[k] = v
		}
		block.SetMulVec(next, event, weights)
		weights, next = next, weights
	}
	return left
}

// normaliseRows scales each row of moves and the same entry of killed, in place, so that together they sum to one. Both
// are proportional to the probabilities before, with the same factor. Without this scaling the rounding errors of the sums
// would double with every squaring.
func (p transitions) normaliseRows() {
	for i := range p.killed {
		row := p.moves.Row(i)
		scale := 1 / (block.Sum(row) + p.killed[i])
		floats.Scale(scale, row)
		p.killed[i] *= scale
	}
}

// doublePowers appends to d.powers the transition probabilities over an interval twice as long as the last. They are
// the square of the last matrix, with the probabilities of absorption in the first or the second half of the interval.
// [KilledChain.startPowers] must have been called before. The error comes from ctx, or wraps [markov.ErrTooLarge] if
// the powers exceed the budget. Nothing is appended then.
func (d *KilledChain) doublePowers(ctx context.Context) error {
	k := len(d.powers.over)
	if err := d.takePower(); err != nil {
		return err
	}
	last, next := d.powers.over[k-1], newTransitions(d.Rates.Rows)
	block.MulAdd(ctx, next.moves, last.moves, last.moves)
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, p := range last.killed {
		next.killed[i] = p + floats.Dot(last.moves.Row(i), last.killed)
	}
	next.normaliseRows()
	d.powers.over = append(d.powers.over, next)
	return nil
}

// takePower takes the memory of the next power from the budget. The error wraps [markov.ErrTooLarge].
func (d *KilledChain) takePower() error {
	if err := d.take(squareBytes(d.Rates.Rows)); err != nil {
		return fmt.Errorf("%d powers of a matrix of order %d: %w", len(d.powers.over)+1, d.Rates.Rows, err)
	}
	return nil
}

// squareBytes returns the bytes of a square matrix of order n.
func squareBytes(n int) float64 { return 8 * float64(n) * float64(n) }

// weightAfter returns the weight that is left after a time t, 0 ≤ t ≤ h, which is state·e^{Qt}·g for a state of the chain.
// Q is the generator, g holds the weights, and h is the shortest interval, firstEvents/(largest rate out of a state).
// left[k] is the weight that is left after k events of the uniformized chain: the product of the state and the matrix left
// of [transitionPowers]. The sum of the series takes one multiplication for each term. [KilledChain.startPowers] must have
// been called before.
func (d *KilledChain) weightAfter(left []float64, t float64) float64 {
	events := t / d.powers.step * firstEvents
	weight := math.Exp(-events)
	sum := 0.0
	for k, rest := range left {
		sum += weight * rest
		weight *= events / float64(k+1)
	}
	return sum
}

// Quantile returns the smallest t with P(X ≤ t) ≥ p, 0 < p < 1, in the unit of time of the rates. The search is binary:
// it tries the intervals h·2^k from the longest down, and multiplies the transition matrix of each at most once. New
// matrices are stored for later calls. The result is 0 if P(X = 0) ≥ p.
//
// The result is NaN with an error if p is outside its range. With every other error the result is 0. The error wraps
// ErrNoConvergence if t exceeds 2^maxDoublings·h, wraps [markov.ErrTooLarge] if the matrices need too much memory, or
// comes from ctx.
func (d *KilledChain) Quantile(ctx context.Context, p float64) (float64, error) {
	if !(p > 0 && p < 1) {
		return math.NaN(), Prefixed(fmt.Errorf("%v is not a probability between 0 and 1", p))
	}
	rest := 1 - p // the quantile is the t at which P(X > t) has fallen to rest
	if d.weightOf(d.Start) <= rest {
		return 0, nil
	}
	if d.mayCountEvents() && d.eventsPay(d.eventsUntil(rest)) {
		t, err := d.quantileByEvents(ctx, rest)
		return t, Prefixed(err)
	}
	if err := d.startPowers(ctx); err != nil {
		return 0, Prefixed(err)
	}
	// Double the interval until P(X > h·2^k) ≤ rest.
	for k := 0; d.weightOf(block.VecMul(d.Start, d.powers.over[k].moves)) > rest; k++ {
		if k == maxDoublings {
			return 0, Prefixed(fmt.Errorf("%w after %d doublings of the interval", markov.ErrNoConvergence, k))
		}
		if k+1 == len(d.powers.over) {
			if err := d.doublePowers(ctx); err != nil {
				return 0, Prefixed(err)
			}
		}
	}
	x, t := d.Start, 0.0
	for k, over := range slices.Backward(d.powers.over) {
		if y := block.VecMul(x, over.moves); d.weightOf(y) > rest {
			x = y
			t += math.Ldexp(d.powers.step, k)
		}
	}
	return t + d.fallTime(x, rest), nil
}

// fallTime returns the time between 0 and h after which the weight of state has fallen to the given level; see
// [KilledChain.weightAfter]. h is the shortest interval, and [KilledChain.startPowers] must have been called. 52
// bisections find the time to h·2⁻⁵³. If the weight stays above the level for all of this time, the result is h up to
// this error. If it is at most the level at time 0, the result is 0 up to this error. [KilledChain.Quantile] uses it
// for the rest of a quantile below h.
func (d *KilledChain) fallTime(state []float64, level float64) float64 {
	left := block.VecMul(state, d.powers.left)
	lo, hi := 0.0, d.powers.step
	for range 52 {
		mid := (lo + hi) / 2
		if d.weightAfter(left, mid) > level {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
