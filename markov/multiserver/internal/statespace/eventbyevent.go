// This file finds P(X > t) of a [KilledChain] event by event, without powers of its matrix.
//
// Method: the chain is observed at the events of a Poisson process, whose rate Λ is the largest rate out of a state. Its
// transition probabilities are P = I + Q/Λ. With the Poisson probabilities w_k of mean Λt,
//
//	P(X > t) = Σ_k w_k·a_k,   a_k = s·P^k·g.
//
// The weights a_k are stored: they serve all times and all probabilities. All numbers are nonnegative.
//
// Cost: a time t takes Λt products of a vector and P. A product takes a multiplication for each nonzero entry of P. The
// powers take 6 + log₂(2Λt) products of matrices of order n, with n³ multiplications each.
//
// When it pays: if P is sparse, or if Λt is small. One server with Erlang service of 1,000 phases has three entries in a row.
// Percentiles then take a hundredth of the time of powers, and a fortieth of the memory.
//
// Reference: A. Jensen, Markoff chains as an aid in the study of Markoff processes, Skand. Aktuarietidskr. 36 (1953)
// 87–91.

package statespace

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/poisson"
)

// eventSeries holds the weights a_k of a [KilledChain] for k = 0, 1, … as far as they were needed.
type eventSeries struct {
	rate   float64 // Λ
	weight []float64
	left   []float64 // a_k = s·P^k·g

	// into[first[j]:first[j+1]] are the entries of column j of P: the transitions into state j.
	into  []transitionFrom
	first []int
	most  int // largest number of entries of a column

	state, next []float64 // s·P^k for the last k, and room for the next vector
}

// transitionFrom is a transition with probability p from a state.
type transitionFrom struct {
	p     float64
	state int32
}

// Bytes of the storage of a series: of a transition, and of a weight while the list of weights grows.
const transitionBytes, weightBytes = 16, 16

// When a series pays. A chain of fewer states is solved by powers in any case, within a millisecond. An entry of a sparse
// matrix takes as long as sparseCost multiplications of a product of matrices.
const (
	fewStates  = 100
	sparseCost = 10
)

// eventsUntil estimates the number of events until P(X > t) has fallen to rest. P(X > t) falls like e^{−δt} in the end,
// with the smallest positive rate of absorption δ. The result is +Inf if the chain is never absorbed.
func (d *KilledChain) eventsUntil(rest float64) float64 {
	decay := math.Inf(1)
	for _, v := range d.Killed {
		if v > 0 {
			decay = min(decay, v)
		}
	}
	if math.IsInf(decay, 1) {
		return decay
	}
	fastest, _ := d.size()
	return fastest / decay * math.Log(1/rest)
}

// size returns the largest rate out of a state, and the number of nonzero entries of P.
func (d *KilledChain) size() (fastest float64, entries int) {
	for i, killed := range d.Killed {
		row := d.Rates.Row(i)
		fastest = max(fastest, block.Sum(row)+killed)
		entries++
		for _, v := range row {
			if v > 0 {
				entries++
			}
		}
	}
	return fastest, entries
}

// mayCountEvents reports whether events can take less time than powers: the chain is large, and there are no powers yet. It
// spares small chains a look at all their rates in each call.
func (d *KilledChain) mayCountEvents() bool { return d.Rates.Rows >= fewStates && d.powers.over == nil }

// eventsPay reports whether so many events take less time than powers, for a chain that [KilledChain.mayCountEvents].
func (d *KilledChain) eventsPay(events float64) bool {
	n := float64(d.Rates.Rows)
	_, entries := d.size()
	products := firstProducts + max(0, math.Log2(events/firstEvents))
	return sparseCost*events*float64(entries) <= products*n*n*n
}

// startEvents sets d.events to a series without weights. It does nothing if d.events is set already. The error wraps
// [markov.ErrTooLarge] if the transitions exceed the budget.
func (d *KilledChain) startEvents() error {
	if d.events != nil {
		return nil
	}
	n := d.Rates.Rows
	rate, entries := d.size()
	if err := d.take(transitionBytes * float64(entries)); err != nil {
		return fmt.Errorf("%d transitions of a chain of %d states: %w", entries, n, err)
	}
	e := &eventSeries{rate: rate, weight: d.Weight, into: make([]transitionFrom, entries), first: make([]int, n+1),
		state: append([]float64(nil), d.Start...), next: make([]float64, n)}
	each := func(f func(from, to int, p float64)) {
		for i, killed := range d.Killed {
			row := d.Rates.Row(i)
			f(i, i, (rate-(block.Sum(row)+killed))/rate)
			for j, v := range row {
				if v > 0 {
					f(i, j, v/rate)
				}
			}
		}
	}
	each(func(_, to int, _ float64) { e.first[to+1]++ })
	for j, count := range e.first[1:] {
		e.most = max(e.most, count)
		e.first[j+1] += e.first[j]
	}
	place := append([]int(nil), e.first...)
	each(func(from, to int, p float64) {
		e.into[place[to]] = transitionFrom{p, int32(from)}
		place[to]++
	})
	e.left = []float64{floats.Dot(e.state, e.weight)}
	d.events = e
	return nil
}

// extend finds weights up to a_last. The error comes from ctx, or wraps [markov.ErrTooLarge] if the weights exceed the
// budget.
func (d *KilledChain) extend(ctx context.Context, last int) error {
	e := d.events
	if more := last + 1 - len(e.left); more > 0 {
		if err := d.take(weightBytes * float64(more)); err != nil {
			return fmt.Errorf("%d events of a chain of %d states: %w", last, len(e.state), err)
		}
	}
	for len(e.left) <= last {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := range e.next {
			e.next[j] = inflow(e.state, e.into[e.first[j]:e.first[j+1]])
		}
		e.state, e.next = e.next, e.state
		e.left = append(e.left, floats.Dot(e.state, e.weight))
	}
	return nil
}

// inflow returns Σ x_i·p over the transitions from states i with probabilities p. Both halves of a long sum are found by
// themselves, so that a term takes part in few additions, see [eventSeries.roundings].
func inflow(x []float64, into []transitionFrom) (sum float64) {
	if n := len(into); n > shortSum {
		return inflow(x, into[:n/2]) + inflow(x, into[n/2:])
	}
	for _, t := range into {
		sum += x[t.state] * t.p
	}
	return sum
}

// shortSum is the number of terms up to which a sum is not halved.
const shortSum = 4

// roundings returns the number of roundings of 2⁻⁵³ that a weight a_k takes part in, up to the last weight. For each event
// these are the additions of [inflow], a product, and the roundings of the entry of P. The Poisson probabilities add fewer.
func (e *eventSeries) roundings() float64 {
	additions := shortSum - 1 + math.Log2(max(1, float64(e.most)/shortSum))
	return (additions + 6) * float64(len(e.left))
}

// survivalByEvents returns P(X > t) ≤ 1 for a finite t ≥ 0. The error comes from ctx, or wraps [markov.ErrTooLarge].
func (d *KilledChain) survivalByEvents(ctx context.Context, t float64) (float64, error) {
	if err := d.startEvents(); err != nil {
		return 0, err
	}
	events := d.events.rate * t
	w := poisson.New(events)
	if err := d.extend(ctx, w.Last); err != nil {
		return 0, err
	}
	sum := 0.0
	for k := w.Last; k >= w.First; k-- {
		sum += w.At(k) * d.events.left[k]
	}
	// Fewer events are too rare to matter beside the others. But far out, hardly any weight may be left after the others.
	probability := w.At(w.First)
	for k := w.First; k > 0 && probability > 0; k-- {
		probability *= float64(k) / events
		sum += probability * d.events.left[k-1]
	}
	return min(1, sum), nil
}

// quantileByEvents returns the time at which P(X > t) has fallen to rest, below P(X > 0). It first looks for the event
// after which the weight is at most rest, then for a time about as late at which P(X > t) is, and bisects. The error comes
// from ctx, or wraps [markov.ErrTooLarge].
func (d *KilledChain) quantileByEvents(ctx context.Context, rest float64) (float64, error) {
	if err := d.startEvents(); err != nil {
		return 0, err
	}
	k := 0
	for ; d.events.left[k] > rest; k++ {
		if err := d.extend(ctx, k+1); err != nil {
			return 0, err
		}
	}
	// The number of events in a time with k expected events has the standard deviation √k.
	step := (math.Sqrt(float64(k)) + 1) / d.events.rate
	lo, hi := 0.0, float64(k)/d.events.rate
	above := func(t float64) (bool, error) {
		p, err := d.survivalByEvents(ctx, t)
		return p > rest, err
	}
	for {
		stays, err := above(hi)
		if err != nil {
			return 0, err
		}
		if !stays {
			break
		}
		lo, hi = hi, hi+step
	}
	return bisected(lo, hi, above)
}

// bisected returns the time from lo to hi at which above becomes false, up to (hi − lo)·2⁻⁵³. The error comes from above.
func bisected(lo, hi float64, above func(t float64) (bool, error)) (float64, error) {
	for range 52 {
		mid := (lo + hi) / 2
		stays, err := above(mid)
		switch {
		case err != nil:
			return 0, err
		case stays:
			lo = mid
		default:
			hi = mid
		}
	}
	return (lo + hi) / 2, nil
}
