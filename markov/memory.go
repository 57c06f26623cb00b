package markov

import (
	"context"
	"fmt"
	"github.com/partwise/partwise/markov/parallel"
	"runtime/debug"

	"golang.org/x/sync/semaphore"
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

// MemoryError tells that a solve needs more memory than its limit. It wraps [ErrTooLarge].
type MemoryError struct {
	Bytes, Limit float64
	Seconds      float64 // estimated time on one core with AVX2; 0 if it is not known
}

// Error names the bytes that are needed and the limit, and the estimated time if it is known.
func (e *MemoryError) Error() string {
	takes := size(e.Bytes) + " of memory"
	if e.Seconds > 0 {
		takes += " and " + duration(e.Seconds)
	}
	return fmt.Sprintf("it takes some %s, the limit is %s: %v", takes, size(e.Limit), ErrTooLarge)
}

// duration formats a number of seconds in a suitable unit.
func duration(seconds float64) string {
	switch {
	case seconds < 1.5:
		return "a second"
	case seconds < 100:
		return fmt.Sprintf("%.0f seconds", seconds)
	case seconds < 6000:
		return fmt.Sprintf("%.0f minutes", seconds/60)
	}
	return fmt.Sprintf("%.2g hours", seconds/3600)
}

// size formats a number of bytes in MiB or GiB.
func size(bytes float64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%.3g MiB", bytes/(1<<20))
	}
	return fmt.Sprintf("%.3g GiB", bytes/(1<<30))
}

// Unwrap returns [ErrTooLarge].
func (e *MemoryError) Unwrap() error { return ErrTooLarge }

// Check returns a *[MemoryError] if so many bytes are more than the limit.
func (m *Memory) Check(bytes float64) error {
	if limit := m.Limit(); !(bytes <= limit) {
		return &MemoryError{Bytes: bytes, Limit: limit}
	}
	return nil
}

// Reserve waits until so many bytes are free, and returns the function that releases them. A caller that holds a
// reservation must not ask for another: two such callers could wait for each other. The error is a *[MemoryError] if
// bytes exceeds the limit, or that of ctx.
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
