package phasetype

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// manyEvents are the probabilities of a chain after up to 2^18 Poisson events, which all times share. It continues
// [firstEvents] in blocks of B = 2^k events. With the distribution v over the phases at the start of a block, the block
// takes two products:
//
//	v·L,   L = (leave, P·leave, …, P^(B−1)·leave), n×B:  absorption by each event of the block,
//	v·P^B:                                               the start of the next block.
//
// So an event takes 2n + 2n²/B operations, not 2n². P^B is made by squaring, and the columns of L are doubled by products
// with the same powers. A time with a events then takes some 17·√a terms of a sum.
//
// The first events are walked one by one. If P has many zeros, these are the events of all times that [Law.at] would walk
// event by event anyway, so that one such value takes no powers of P. 100 values of 300 phases, at up to 54,000 events, take
// 22 ms of CPU time. Powers of exp(T·δ) that are made row by row take nine times as long. Beyond n³/12 events, the list
// itself takes longer than those powers. With fewer than 48 phases, a law that needs the list and the powers takes longer
// than with the powers alone.
//
// All terms are nonnegative. Each block scales its probabilities so that they sum to that of its start, which keeps
// roundings from accumulating. Sums leave out terms below 2^-56 of the result. The relative error of a result at a events is
// below (a + n)·2^-52, from the roundings of the events; measured: 4e-14 at 1,700 events.
type manyEvents struct {
	first  *firstEvents
	singly int // number of events, a multiple of spanEvents, that are added one by one

	spans  []eventSpan    // one after the other, from event 0 on
	power  *power         // P^B, or a lower power as long as it is not made
	leaves blas64.General // L, of as many columns as power has events
	p      *point         // the start of the next block, nil before the first
	died   float64        // probability of absorption before it

	weights []float64 // scratch
}

// eventSpan is a part of the list from the event number first on; see [afterEvents].
type eventSpan struct {
	first               int
	alive, died, leaves []float64
}

const (
	manyFrom     = 48  // number of phases from which the list is made; measured
	spanEvents   = 32  // number of events that are added together while they are added one by one
	leastBlock   = 128 // number of events in a block, or half the number of phases if that is more
	blocksAtOnce = 4   // number of blocks that share a product with L

	// The survival probability at which the list ends, near e^keepsDigits. Probabilities of phases that matter until then do
	// not underflow.
	leastAlive = 1e-260
)

// newManyEvents returns the continuation of a list, which grows when it is needed.
func newManyEvents(first *firstEvents) *manyEvents {
	singly := max(3*strideEvents, first.walk.singleEvents())
	return &manyEvents{first: first, singly: (singly + spanEvents - 1) / spanEvents * spanEvents}
}

// serves reports whether the list may have all terms of a time with so many expected events, and takes less time than
// powers of exp(T·δ): these take about n³ operations for each doubling of the time.
func (m *manyEvents) serves(events float64) bool {
	return m != nil && events+15*math.Sqrt(events) < float64(m.most())
}

// most returns the number of events at which the list ends.
func (m *manyEvents) most() int {
	n := len(m.first.v)
	return min(n*n*n/12, 1<<18)
}

// length returns the number of events in the list.
func (m *manyEvents) length() int {
	if len(m.spans) == 0 {
		return 0
	}
	last := &m.spans[len(m.spans)-1]
	return last.first + len(last.alive)
}

// newSpan returns a span that continues the list by so many events.
func (m *manyEvents) newSpan(count int) eventSpan {
	buf := make([]float64, 3*count)
	return eventSpan{m.length(), buf[:count:count], buf[count : 2*count : 2*count], buf[2*count:]}
}

// span returns span i. ok is false if the list ends before, or if ctx does.
func (m *manyEvents) span(ctx context.Context, i int) (s *eventSpan, ok bool) {
	for i >= len(m.spans) {
		switch {
		case ctx.Err() != nil || m.length() > m.most():
			return nil, false
		case m.absorbed():
			m.spans = append(m.spans, m.spanAfterAbsorption())
		case m.length() < m.singly:
			s := m.newSpan(spanEvents)
			if !m.first.copyTo(s) {
				return nil, false
			}
			m.spans = append(m.spans, s)
		case m.p.alive < leastAlive || !m.addGroup(ctx):
			return nil, false
		}
	}
	return &m.spans[i], true
}

// absorbed reports whether absorption is certain within the list, as it is after n events if no phase can be reached again.
func (m *manyEvents) absorbed() bool {
	if len(m.spans) == 0 {
		return false
	}
	alive := m.spans[len(m.spans)-1].alive
	return alive[len(alive)-1] == 0
}

// spanAfterAbsorption returns a span of events at which the chain is absorbed already.
func (m *manyEvents) spanAfterAbsorption() eventSpan {
	last := m.spans[len(m.spans)-1].died
	s := m.newSpan(min(m.length(), blocksAtOnce*leastBlock))
	for i := range s.died {
		s.died[i] = last[len(last)-1]
	}
	return s
}

// begin sets the start of the first block, where the phases have the probabilities v.
func (m *manyEvents) begin(v []float64, now afterEvents) {
	m.p, m.died = newPoint(len(v)), now.died
	m.p.survival = survival{log: math.Log(now.alive), alive: now.alive}
	floats.ScaleTo(m.p.v, 1/max(now.alive, math.SmallestNonzeroFloat64), v)
}

// addGroup appends a group of blocks to the list. It returns false if ctx ends.
func (m *manyEvents) addGroup(ctx context.Context) bool {
	if !m.prepare(ctx) {
		return false
	}
	n := len(m.p.v)
	var gone, alive [blocksAtOnce]float64
	starts := general(make([]float64, blocksAtOnce*n), blocksAtOnce, n)
	for i := range blocksAtOnce {
		copy(starts.Data[i*n:], m.p.v)
		before := m.p.alive
		a, g := m.power.apply(m.p)
		gone[i], alive[i] = before*(g/(a+g)), m.p.alive
	}
	count := m.leaves.Cols
	shares := general(make([]float64, blocksAtOnce*count), blocksAtOnce, count)
	product(context.Background(), starts, m.leaves, shares) // must not end now that p has moved
	span := m.newSpan(blocksAtOnce * count)
	for i := range blocksAtOnce {
		from, to := i*count, (i+1)*count
		m.setBlock(span.part(from, to), shares.Data[from:to], gone[i], alive[i])
	}
	m.spans = append(m.spans, span)
	return true
}

// part returns the events from number i to number j−1 of a span.
func (s *eventSpan) part(i, j int) eventSpan {
	return eventSpan{s.first + i, s.alive[i:j], s.died[i:j], s.leaves[i:j]}
}

// setBlock sets the probabilities of a block. The chain is absorbed within it with probability gone, by its events in
// proportion to shares, and survives it with probability alive.
func (m *manyEvents) setBlock(s eventSpan, shares []float64, gone, alive float64) {
	if sum := floats.Sum(shares); sum > 0 {
		floats.ScaleTo(s.leaves, gone/sum, shares)
	}
	for i, leaves := range s.leaves {
		s.died[i] = m.died
		m.died += leaves
	}
	for i := len(s.leaves) - 1; i >= 0; i-- {
		alive += s.leaves[i]
		s.alive[i] = alive
	}
}

// prepare makes P^B and L. It returns false if ctx ends.
func (m *manyEvents) prepare(ctx context.Context) bool {
	if m.power == nil {
		walk := m.first.walk
		m.power, m.leaves = eventPower(walk), general(walk.leave, len(walk.leave), 1)
	}
	for m.leaves.Cols < max(leastBlock, len(m.p.v)/2) {
		leaves := m.power.doubled(ctx, m.leaves)
		power := m.power.squared(ctx)
		if power == nil {
			return false
		}
		m.power, m.leaves = power, leaves
	}
	return true
}

// doubled returns (L, P^B·L) for the columns L of a block and e = P^B.
func (e *power) doubled(ctx context.Context, leaves blas64.General) blas64.General {
	n, count := e.n, leaves.Cols
	both := general(make([]float64, 2*n*count), n, 2*count)
	later := blas64.General{Rows: n, Cols: count, Stride: both.Stride, Data: both.Data[count:]}
	product(ctx, general(e.phases, n, n), leaves, later)
	for i := range n {
		row := both.Data[2*i*count : 2*(i+1)*count]
		copy(row, leaves.Data[i*count:(i+1)*count])
		floats.Scale(e.survival[i], row[count:])
	}
	return both
}

// eventPower returns P as a power.
func eventPower(walk *uniformized) *power {
	n := len(walk.stay)
	e := emptyPower(n)
	copy(e.phases, walk.dense)
	if walk.dense == nil {
		for i, p := range walk.stay {
			e.phases[i*n+i] = p
		}
		for _, m := range walk.jumps {
			e.phases[m.from*n+m.to] = m.p
		}
	}
	for i := range n {
		s, total := survival{alive: 1}, floats.Sum(e.phases[i*n:(i+1)*n])
		s.step(total, walk.leave[i], 0)
		e.setRow(i, s, total)
	}
	return e
}

// at returns the probabilities at a time with so many expected events, more than a stride. The sums begin at the largest
// weight and go on in both directions, span by span:
//
//	Σ_k w_k·x_k / Σ_k w_k,   w_(k+1) = w_k·a/(k+1).
//
// No x_k is above one. So the weights that are left out bound the terms that are left out. ok is false if the list does
// not go that far, or if ctx ends.
func (m *manyEvents) at(ctx context.Context, events float64) (sum afterEvents, ok bool) {
	if !m.serves(events) {
		return sum, false
	}
	m.first.mu.Lock()
	defer m.first.mu.Unlock()
	mode := int(events)
	at, ok := m.find(ctx, mode)
	if !ok {
		return sum, false
	}
	total := m.addEarlier(&sum, events, mode, at)
	later, ok := m.addLater(ctx, &sum, events, mode, at)
	if !ok {
		return sum, false
	}
	total += later
	sum = afterEvents{sum.alive / total, sum.died / total, sum.leaves / total}
	return sum, sum.alive >= leastAlive
}

// find returns the number of the span that holds event k.
func (m *manyEvents) find(ctx context.Context, k int) (i int, ok bool) {
	for m.length() <= k {
		if _, ok := m.span(ctx, len(m.spans)); !ok {
			return 0, false
		}
	}
	i, exact := slices.BinarySearchFunc(m.spans, k, func(s eventSpan, k int) int { return s.first - k })
	if !exact {
		i--
	}
	return i, true
}

// negligible is the relative size of terms that are left out.
const negligible = 0x1p-56

// addLater adds the terms from k on, where span i holds event k. It returns the sum of their weights. The later weights
// fall faster than the powers of a/(k+1).
func (m *manyEvents) addLater(ctx context.Context, sum *afterEvents, events float64, k, i int) (total float64, ok bool) {
	weight := 1.0
	for ; ; i++ {
		s, ok := m.span(ctx, i)
		if !ok {
			return 0, false
		}
		w := m.room(s.first + len(s.alive) - k)
		for j := range w {
			w[j] = weight
			k++
			weight *= events / float64(k)
		}
		total += floats.Sum(w)
		sum.addTerms(w, s.part(len(s.alive)-len(w), len(s.alive)))
		if next := float64(k + 1); weight == 0 || weight*next <= negligible*min(sum.died, sum.leaves)*(next-events) {
			return total, true
		}
	}
}

// addEarlier adds the terms before k, where span i holds event k. It returns the sum of their weights. The earlier weights
// fall faster than the powers of k/a.
func (m *manyEvents) addEarlier(sum *afterEvents, events float64, k, i int) (total float64) {
	weight := 1.0
	for ; i >= 0; i-- {
		s := &m.spans[i]
		w := m.room(k - s.first)
		for j := len(w) - 1; j >= 0; j-- {
			weight *= float64(k) / events
			k--
			w[j] = weight
		}
		total += floats.Sum(w)
		sum.addTerms(w, s.part(0, len(w)))
		if first := float64(k); weight*first <= negligible*min(sum.alive, sum.leaves)*(events-first) {
			break
		}
	}
	return total
}

// room returns scratch for so many weights.
func (m *manyEvents) room(count int) []float64 {
	if count > len(m.weights) {
		m.weights = make([]float64, count)
	}
	return m.weights[:count]
}

// addTerms adds the sums of the weights times the probabilities of a span.
func (a *afterEvents) addTerms(weights []float64, s eventSpan) {
	a.alive += floats.Dot(weights, s.alive)
	a.died += floats.Dot(weights, s.died)
	a.leaves += floats.Dot(weights, s.leaves)
}
