package markov

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/semaphore"
)

// DefaultMemory is how many bytes solves take at most where no other limit is set: 4 GiB.
const DefaultMemory = 4 << 30

// Memory is a limit of the bytes that solves take together. Each reserves what it needs, by an estimate from the sizes of
// its blocks, before it allocates any of it, and waits while others that share the limit hold too much. So what is
// refused does not depend on how many solves run at a time. What the garbage collector leaves lying about is not counted,
// but large reservations begin with a collection; nor is what remains in a solution.
//
// A nil *Memory is a limit of [DefaultMemory] for each solve by itself. It is safe for concurrent use.
type Memory struct {
	limit    int64
	reserved *semaphore.Weighted // lets in who has waited longest first
}

// NewMemory returns a limit of so many bytes, [DefaultMemory] if that is not positive.
func NewMemory(bytes int64) *Memory {
	if bytes <= 0 {
		bytes = DefaultMemory
	}
	return &Memory{bytes, semaphore.NewWeighted(bytes)}
}

// Limit returns the limit in bytes.
func (m *Memory) Limit() float64 {
	if m == nil || m.reserved == nil {
		return DefaultMemory
	}
	return float64(m.limit)
}

// MemoryError says that something needs more memory than it may take. It is [ErrTooLarge] by errors.Is.
type MemoryError struct {
	Bytes, Limit float64
	Seconds      float64 // that it would take on one core with AVX2, 0 if that is not known
}

func (e *MemoryError) Error() string {
	takes := size(e.Bytes) + " of memory"
	if e.Seconds > 0 {
		takes += " and " + duration(e.Seconds)
	}
	return fmt.Sprintf("it takes some %s, the limit is %s: %v", takes, size(e.Limit), ErrTooLarge)
}

// duration writes seconds in a unit of which it is at least one.
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

// size writes a number of bytes in a unit in which it is at least one.
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

// Reserve waits until so many bytes are free, and returns what gives them back. Whoever holds a reservation asks for no
// other: two that do would wait for each other. It returns a *[MemoryError] for more than the limit, and the error of ctx
// if that ends.
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
		debug.FreeOSMemory() // what earlier solves left; such a solve takes seconds
	}
	return func() { m.reserved.Release(int64(bytes)) }, nil
}

// collected: a reservation of more than this part of the limit begins with a garbage collection.
const collected = 8
