package phasetype

import (
	"context"
	"math"
	"math/bits"
	"sync"
)

// horizon is the logarithm of the survival probability at which the table ends. From there the hazard rate counts as
// constant. Phases in series with one rate come nearest to their last rate as 1/time: beyond the horizon the error is
// below the rounding of the logarithm, for up to a thousand phases.
const horizon = -1e18

// powerTable is the table of exp(T·δ·2^k), k = 0, 1, …, grown on demand. Its entries are of the type *[power], or
// *[extendedPower] where the probabilities of a power would underflow.
type powerTable[E tableEntry[E]] struct {
	delta  float64                     // δ, a power of two with at most half an event of the uniformized chain
	first  func(ctx context.Context) E // returns exp(T·δ), nil if ctx ends
	mu     sync.Mutex
	powers []E
}

// tableEntry is a power exp(T·t) for a [powerTable].
type tableEntry[E any] interface {
	comparable
	// squared returns exp(T·2t), nil if ctx ends.
	squared(ctx context.Context) E
	// beyondHorizon reports whether P(X > t) is below the horizon from every phase. Then the table ends.
	beyondHorizon() bool
}

// split returns the parts of a time x ≥ 0: count steps of length δ, a rest shorter than a step, and the time later, in
// this order. later is zero unless x has more than 2¹⁰⁰⁰ steps. Before later begins, the survival probability is below
// the horizon; see the limits of a [Dist].
func (t *powerTable[E]) split(x float64) (count, rest, later float64) {
	count = min(math.Floor(x/t.delta), 0x1p1000)
	rest = x - count*t.delta
	if rest < t.delta {
		return count, rest, 0
	}
	return count, 0, rest
}

// factors calls apply with the powers whose product is exp(T·δ·count), one for each binary digit of count that is one.
// Where the table ends before a power, apply gets the last power of the table. beyond is the sum of the times by which
// the last power is too short; there the hazard rate is constant. If ctx ends, powers are missing in the calls.
func (t *powerTable[E]) factors(ctx context.Context, count float64, apply func(e E)) (beyond float64) {
	var none E
	fraction, exponent := math.Frexp(count)
	for digits := uint64(math.Ldexp(fraction, 53)); digits != 0; digits &= digits - 1 {
		k := exponent - 53 + bits.TrailingZeros64(digits)
		e, last := t.at(ctx, k)
		if e == none {
			break
		}
		apply(e)
		if last < k {
			beyond += math.Ldexp(t.delta, k) - math.Ldexp(t.delta, last)
		}
	}
	return beyond
}

// at returns exp(T·δ·2^k) and k. If the table ends before this power, it returns the last power of the table and the k of
// the last power. It returns nil and 0 if ctx has ended. Missing powers are added to the table.
func (t *powerTable[E]) at(ctx context.Context, k int) (e E, last int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none E
	for len(t.powers) <= k {
		n := len(t.powers)
		next := none
		switch {
		case n == 0:
			next = t.first(ctx)
		case t.powers[n-1].beyondHorizon():
			return t.powers[n-1], n - 1
		default:
			next = t.powers[n-1].squared(ctx)
		}
		if next == none {
			return none, 0
		}
		t.powers = append(t.powers, next)
	}
	return t.powers[k], k
}
