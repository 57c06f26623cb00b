package markov

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
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
	limit float64

	mu      sync.Mutex
	used    float64
	waiting []*claim // in the order in which they came
}

// claim is a reservation that waits for its turn.
type claim struct {
	bytes   float64
	granted chan struct{}
}

// NewMemory returns a limit of so many bytes, [DefaultMemory] if that is not positive.
func NewMemory(bytes int64) *Memory {
	if bytes <= 0 {
		bytes = DefaultMemory
	}
	return &Memory{limit: float64(bytes)}
}

// Limit returns the limit in bytes.
func (m *Memory) Limit() float64 {
	if m == nil || m.limit == 0 {
		return DefaultMemory
	}
	return m.limit
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
	if m == nil {
		return func() {}, nil
	}
	m.mu.Lock()
	c := &claim{bytes, make(chan struct{})}
	m.waiting = append(m.waiting, c)
	m.grant()
	m.mu.Unlock()
	select {
	case <-c.granted:
		if bytes > m.Limit()/collected {
			debug.FreeOSMemory() // what earlier solves left; such a solve takes seconds
		}
		return func() { m.release(c) }, nil
	case <-ctx.Done():
		m.withdraw(c)
		return nil, ctx.Err()
	}
}

// collected: a reservation of more than this part of the limit begins with a garbage collection.
const collected = 8

// grant lets those in who have waited longest, as far as there is room.
func (m *Memory) grant() {
	for len(m.waiting) > 0 && m.used+m.waiting[0].bytes <= m.Limit() {
		c := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.used += c.bytes
		close(c.granted)
	}
}

func (m *Memory) release(c *claim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used -= c.bytes; m.used < 1 { // sums of large and small numbers leave fractions of a byte
		m.used = 0
	}
	m.grant()
}

// withdraw takes a claim back, granted or not.
func (m *Memory) withdraw(c *claim) {
	m.mu.Lock()
	for i, other := range m.waiting {
		if other == c {
			m.waiting = append(m.waiting[:i:i], m.waiting[i+1:]...)
			m.grant()
			m.mu.Unlock()
			return
		}
	}
	m.mu.Unlock()
	m.release(c)
}
