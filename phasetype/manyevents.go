package phasetype

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// manyEvents are lists of the probabilities of a chain at the events of a Poisson process of twice its largest rate. At an
// event, the chain moves with the probabilities Q = (I + P)/2. All times share the lists. List i holds every s-th event,
// s = 4^i. At a time with a expected events of P, the weights are w_k = e^(−2a)·(2a)^k/k!. A probability x_k after k events
// of Q has the mean
//
//	Σ_k w_k·x_k = s·Σ_j w_(js)·x_(js) + error,   |error| ≤ Σ_ω exp(−a·(1 − Re ω)),   ω^s = 1, ω ≠ 1.
//
// This is the trapezoidal rule. Its error has a term v·exp(−2a·(I − ω·Q))·1 for each ω, and the norm of this matrix is at
// most exp(−a·(1 − Re ω)). So s may grow with √a. A mean then takes some 100 terms, however many events there are.
//
// A list is made in blocks of B entries. With the distribution v over the phases at the start of a block, the block takes
// two products:
//
//	v·A,   A = (g, Q^s·g, …, Q^((B−1)s)·g), g = 1 − Q^s·1:  absorption until the next entry,
//	v·Q^(Bs):                                               the start of the next block.
//
// The powers are made by squaring. So times of up to a events take log2(B·s) products of matrices of order n, and some
// 20·√a/B products of a vector with a matrix. 100 values of 300 phases, at up to 54,000 events, take 15 ms of CPU time. The
// powers of exp(T·δ) take more than ten times as long: each value takes some ten products of a vector with a matrix, and the
// first power takes a product for each term of its series. With 20 phases, they take twice as long.
//
// All terms are nonnegative. Rows of powers are normalised at each squaring, and v in each block, which keeps roundings from
// accumulating. Sums leave out terms below 2^-56 of the result. The relative error of a result at a events is below
// (a + n)·2^-52, from the roundings of the events; measured: 1e-14 at 9,000 events.
//
// Reference: L. N. Trefethen, J. A. C. Weideman, The exponentially convergent trapezoidal rule, SIAM Rev. 56 (2014)
// 385–458.
type manyEvents struct {
	mu      sync.Mutex
	initial []float64
	powers  powerTable[*eventPower] // entry k is Q^(2^k)
	lists   []*spacedEvents         // nil before a list is needed
}

// spacedEvents is a list of every s-th event.
type spacedEvents struct {
	eventList
	power  *eventPower    // Q^(Bs)
	gone   blas64.General // A
	p      *point         // the start of the next block
	shares []float64      // scratch
}

const (
	manyFrom    = 20  // number of phases from which the lists are made; measured
	blockDigits = 5   // log2 B
	onesDigits  = 3   // log2 of the number of columns of A that are made one by one: fewer columns take longer as a matrix
	usualList   = 3   // see listFor
	mostEvents  = 1e6 // largest number of expected events of a time that the lists serve

	// Smaller probabilities of survival are not taken from a list: the phases that matter there may have underflowed.
	leastAlive = 1e-240
)

// newManyEvents returns the lists of a chain, which are made when they are needed.
func newManyEvents(walk *uniformized, initial []float64) *manyEvents {
	m := &manyEvents{initial: initial}
	m.powers.first = func(context.Context) *eventPower { return firstEventPower(walk) }
	return m
}

// at returns the probabilities at a time with so many expected events, more than a stride. ok is false if the lists do not
// have all digits of them, or if ctx ends.
func (m *manyEvents) at(ctx context.Context, events float64) (sum afterEvents, ok bool) {
	if m == nil || events > mostEvents {
		return sum, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := m.listFor(events); i >= 0; i-- {
		l := m.list(ctx, i)
		if l == nil {
			return sum, false
		}
		sum, ok = l.mean(2*events, func() bool {
			l.addBlock()
			return ctx.Err() == nil
		})
		if !ok || sum.alive < leastAlive {
			return sum, false
		}
		sum.leaves *= 2 // by an event of P, not of Q
		if spacingError(events, i) <= negligible*min(sum.alive, sum.died, sum.leaves) {
			return sum, true
		}
	}
	return sum, false
}

// listFor returns the last list whose means are exact enough unless they are small. Lists after usualList are used where
// they save more time than their squarings take.
func (m *manyEvents) listFor(events float64) int {
	i, blocks := 0, 2*events/(1<<blockDigits) // of list i
	for spacingError(events, i+1) <= negligible*0x1p-16 && (i < usualList || blocks > 2*float64(len(m.initial))) {
		i++
		blocks /= 4
	}
	return i
}

// spacingError returns a bound of the error of means from list i.
func spacingError(events float64, i int) float64 {
	if i == 0 {
		return 0
	}
	return 8 * math.Exp(-events*(1-math.Cos(2*math.Pi/float64(spacing(i)))))
}

// spacing returns s of list i.
func spacing(i int) int { return 1 << (2 * i) }

// list returns list i, nil if ctx ends before it is made.
func (m *manyEvents) list(ctx context.Context, i int) *spacedEvents {
	for len(m.lists) <= i {
		m.lists = append(m.lists, nil)
	}
	if m.lists[i] == nil {
		m.lists[i] = m.newList(ctx, i)
	}
	return m.lists[i]
}

// newList returns list i without entries, nil if ctx ends.
func (m *manyEvents) newList(ctx context.Context, i int) *spacedEvents {
	digits := 2 * i // log2 s
	last, _ := m.powers.at(ctx, digits+blockDigits)
	if last == nil {
		return nil
	}
	l := &spacedEvents{eventList: newEventList(spacing(i)), power: last, p: newPoint(last.n)}
	l.shares = make([]float64, 1<<blockDigits)
	copy(l.p.v, m.initial)
	l.p.survival = survival{alive: 1}
	l.gone = m.powers.powers[digits].columns(1 << onesDigits)
	for k := onesDigits; k < blockDigits; k++ {
		l.gone = m.powers.powers[digits+k].doubled(ctx, l.gone)
	}
	if ctx.Err() != nil {
		return nil
	}
	return l
}

// addBlock appends a block to the list. The chain is absorbed within the block with the probability gone, by its entries in
// proportion to the shares.
func (l *spacedEvents) addBlock() {
	timesColumns(l.shares, l.p.v, l.gone)
	died, alive := l.p.absorbed, l.p.alive
	gone := alive * l.power.apply(l.p)
	if sum := floats.Sum(l.shares); sum > 0 {
		floats.Scale(gone/sum, l.shares)
	}
	first, count := len(l.after), len(l.shares)
	l.after = slices.Grow(l.after, count)[:first+count]
	block := l.after[first:]
	for j, leaves := range l.shares {
		block[j] = afterEvents{died: died, leaves: leaves}
		died += leaves
	}
	alive = l.p.alive
	for j := count - 1; j >= 0; j-- {
		alive += block[j].leaves
		block[j].alive = alive
	}
}

// timesColumns overwrites dst with v·m.
func timesColumns(dst, v []float64, m blas64.General) {
	blas64.Gemv(blas.Trans, 1, m, blas64.Vector{N: len(v), Inc: 1, Data: v}, 0, blas64.Vector{N: len(dst), Inc: 1, Data: dst})
}
