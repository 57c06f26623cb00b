package markov

import (
	"context"
	"runtime/debug"

	"golang.org/x/sync/semaphore"

	"github.com/partwise/partwise/markov/parallel"
)

// Memory limits the bytes that several solves take together. Each solve reserves an estimate of its memory before it
// allocates, and waits while others that share the limit hold too much. So it does not depend on the number of concurrent
// solves which of them are refused. Garbage that is not collected yet is not counted, but large reservations begin with a
// collection. The memory of a solution is not counted either.
//
// A nil *Memory limits each solve by itself to [parallel.DefaultMemory]. Memory is safe for concurrent use.
type Memory struct {
	limit    int64
	reserved *semaphore.Weighted // serves callers in the order in which they came
}

// NewMemory returns a limit of so many bytes, or [parallel.DefaultMemory] if bytes is not positive.
func NewMemory(bytes int64) *Memory {
	if bytes <= 0 {
		bytes = parallel.DefaultMemory
	}
	return &Memory{bytes, semaphore.NewWeighted(bytes)}
}

// Limit returns the limit in bytes.
func (m *Memory) Limit() float64 {
	if m == nil || m.reserved == nil {
		return parallel.DefaultMemory
	}
	return float64(m.limit)
}

// Check returns a *[parallel.LimitError] that wraps [ErrTooLarge] if so many bytes are more than the limit, otherwise
// nil.
func (m *Memory) Check(bytes float64) error {
	if limit := m.Limit(); !(bytes <= limit) {
		return &parallel.LimitError{Resource: parallel.Memory, Takes: bytes, Limit: limit, Kind: ErrTooLarge}
	}
	return nil
}

// Reserve waits until so many bytes are free, and returns the function that releases them. A caller that holds a
// reservation must not ask for another: two such callers could wait for each other. The error comes from [Memory.Check]
// if bytes exceeds the limit, or from ctx.
func (m *Memory) Reserve(ctx context.Context, bytes float64) (release func(), err error) {
	if err := m.Check(bytes); err != nil {
		return nil, err
	}
	if m == nil || m.reserved == nil {
		return func() {}, nil
	}
	if err := m.reserved.Acquire(ctx, int64(bytes)); err != nil {
		return nil, err
	}
	if bytes > m.Limit()/collected {
		debug.FreeOSMemory() // collects the garbage of earlier solves; a solve of this size takes seconds itself
	}
	return func() { m.reserved.Release(int64(bytes)) }, nil
}

// collected is the divisor of the limit above which a reservation begins with a garbage collection.
const collected = 8
