package statespace

import (
	"sync"

	"github.com/partwise/partwise/markov"
)

// Budget is the memory that chains of times share: of waiting times, and of the response times that are made from them.
// It counts what they hold at the same time, together with what their caller holds. A nil Budget limits each request by
// itself to [parallel.DefaultMemory]. A Budget is safe for concurrent use.
type Budget struct {
	memory *markov.Memory
	mu     sync.Mutex
	held   float64 // bytes
}

// NewBudget returns the budget of chains whose caller holds so many bytes. memory limits the sum.
func NewBudget(memory *markov.Memory, held float64) *Budget {
	return &Budget{memory: memory, held: held}
}

// take adds bytes to what is held. The error wraps [markov.ErrTooLarge] if the sum exceeds the limit; it names the sum.
// Nothing is added then.
func (b *Budget) take(bytes float64) error {
	if b == nil {
		return (*markov.Memory)(nil).Check(bytes)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.memory.Check(b.held + bytes); err != nil {
		return err
	}
	b.held += bytes
	return nil
}

// give subtracts bytes that were taken.
func (b *Budget) give(bytes float64) {
	if b != nil {
		b.mu.Lock()
		b.held -= bytes
		b.mu.Unlock()
	}
}
