package markov

import (
	"context"
	"errors"
	"sync"
)

// Shared remembers parts of chains that were solved, for chains that have them in common, as multiserver queues with
// the same arrivals, servers and service once all servers are taken do. It is safe for concurrent use, and results do
// not depend on whether it is given. Its zero value works. The seconds of a part that is shared are those of the chain
// that came first.
type Shared struct {
	mu    sync.Mutex
	parts map[any]*sharedPart
}

type sharedPart struct {
	done      chan struct{} // closed when the others are set
	value     any
	err       error
	abandoned bool // it was abandoned: the context of its solve ended
}

// Do returns what solve returned when it was called for this key; if it was not, it calls it. When several ask at the
// same time, one solves and the others wait. What was abandoned because ctx ended is not remembered. It returns the
// error of ctx if that ends. A nil s remembers nothing. Keys of different packages differ by their type.
func (s *Shared) Do(ctx context.Context, key any, solve func() (any, error)) (any, error) {
	if solve == nil {
		return nil, errors.New("markov: there is nothing to solve")
	}
	if s == nil {
		return solve()
	}
	for {
		part, mine := s.part(key)
		if mine {
			return s.solve(ctx, key, part, solve)
		}
		select {
		case <-part.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !part.abandoned {
			return part.value, part.err
		}
	}
}

// part returns the part of a key, and whether the caller is to solve it.
func (s *Shared) part(key any) (part *sharedPart, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if part, known := s.parts[key]; known {
		return part, false
	}
	if s.parts == nil {
		s.parts = map[any]*sharedPart{}
	}
	part = &sharedPart{done: make(chan struct{}), abandoned: true}
	s.parts[key] = part
	return part, true
}

// solve sets a part, or forgets it if it is abandoned.
func (s *Shared) solve(ctx context.Context, key any, part *sharedPart, solve func() (any, error)) (any, error) {
	defer close(part.done)
	defer func() {
		if part.abandoned {
			s.mu.Lock()
			delete(s.parts, key)
			s.mu.Unlock()
		}
	}()
	part.value, part.err = solve()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	part.abandoned = false
	return part.value, part.err
}
