package markov

import (
	"context"
	"math"
	"sync"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/resolvent"
)

// Chain is a finite Markov chain in continuous time with a sparse generator: states 0 to n−1, rates between them, and
// rates of leaving the chain. A chain that can be left has transient solutions, but no stationary one. Chain is safe for
// concurrent use.
type Chain struct {
	start []int32 // the transitions of state i are start[i]..start[i+1]−1
	to    []int32
	rate  []float64
	out   []float64 // total rate out of each state, leaving the chain included
	leave []float64 // rate of leaving the chain

	listed  sync.Once
	classes *resolvent.Classes // the same chain, for Resolvent; set by listed
}

// Explore returns the chain that is reachable from the start states, and its states in the order in which they are
// found. moves is called once for each state, in this order, and adds the transitions out of the state and the rate of
// leaving the chain. The error wraps [ErrTooLarge] if there are more than most states, is a *[BlockError] for a rate
// that is not valid, or is the error of ctx.
func Explore[S comparable](ctx context.Context, start []S, most int,
	moves func(s S, add func(to S, rate float64), leave func(rate float64))) (*Chain, []S, error) {
	if moves == nil {
		return nil, nil, prefixed(blockError(0, "rates", -1, -1, "are missing"))
	}
	b := newChainBuilder(0)
	index := map[S]int{}
	var states []S
	meet := func(s S) int {
		i, seen := index[s]
		if !seen {
			i = len(states)
			index[s] = i
			states = append(states, s)
		}
		return i
	}
	for _, s := range start {
		if err := ctx.Err(); err != nil {
			return nil, nil, prefixed(err)
		}
		meet(s)
	}
	// Breadth-first search: moves may append states while the loop runs.
	for i := 0; i < len(states); i++ {
		if len(states) > most {
			return nil, nil, prefixed(takesTooLong("more than %d states", most))
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, prefixed(err)
		}
		moves(states[i],
			func(to S, rate float64) { b.add(i, meet(to), rate) },
			func(rate float64) { b.add(i, outside, rate) })
		if err := b.endState(i); err != nil {
			return nil, nil, prefixed(err)
		}
	}
	return b.chain, states, nil
}

// outside is the target of transitions that leave the chain.
const outside = -1

// chainBuilder adds the transitions of a chain, state by state.
type chainBuilder struct {
	chain *Chain
	place []int32 // by target: one plus the index of its transition in the present row, if it has one
	leave float64
	wrong error
}

// newChainBuilder returns a builder for a chain of n states, to which transitions are added state by state. n may be
// zero where the number of states is not known yet.
func newChainBuilder(n int) *chainBuilder {
	chain := &Chain{start: make([]int32, 1, n+1), out: make([]float64, 0, n)}
	return &chainBuilder{chain: chain, place: make([]int32, n)}
}

// add adds a transition of state i to another state, or out of the chain if to is outside. Rates to the same state are
// summed. A rate that is not valid becomes the error of endState.
func (b *chainBuilder) add(i, to int, rate float64) {
	c := b.chain
	switch {
	case !(rate >= 0) || math.IsInf(rate, 1):
		if b.wrong == nil {
			b.wrong = blockError(0, "rates", i, to, "%v is not a nonnegative rate", rate)
		}
		return
	case to == i || rate == 0:
		return
	case to == outside:
		b.leave += rate
		return
	}
	for to >= len(b.place) {
		b.place = append(b.place, 0)
	}
	// place[to] is 1 + the index of the last transition to state to. If that transition belongs to state i, add the
	// rates.
	if p := b.place[to]; p > c.start[i] {
		c.rate[p-1] += rate
		return
	}
	c.to, c.rate = append(c.to, int32(to)), append(c.rate, rate)
	b.place[to] = int32(len(c.to))
}

// endState ends the transitions of state i, and returns the error of the first rate that was not valid.
func (b *chainBuilder) endState(i int) error {
	c := b.chain
	if len(c.to) >= math.MaxInt32 {
		return takesTooLong("more than %d transitions", math.MaxInt32)
	}
	c.out = append(c.out, b.leave+block.Sum(c.rate[c.start[i]:]))
	c.leave = append(c.leave, b.leave)
	c.start = append(c.start, int32(len(c.to)))
	b.leave = 0
	return b.wrong
}

// States returns the number of states.
func (c *Chain) States() int { return len(c.out) }

// Transitions returns the number of different transitions between states.
func (c *Chain) Transitions() int { return len(c.to) }

// row returns the states to which state i leads, and the rates.
func (c *Chain) row(i int) (to []int32, rates []float64) {
	return c.to[c.start[i]:c.start[i+1]], c.rate[c.start[i]:c.start[i+1]]
}
