package markov

import (
	"context"
	"errors"
	"sync"
)

// Shared remembers solved parts of chains for other chains that have the same parts. Multiserver queues share a part if
// they have the same arrivals, servers and service with all servers busy. Shared is safe for concurrent use, and results
// do not depend on it. The zero value works. The seconds of a shared part are counted for the chain that came first.
type Shared struct {
	mu    sync.Mutex
	parts map[any]*sharedPart
}

// sharedPart is a part that is solved or being solved.
type sharedPart struct {
	done      chan struct{} // closed when the other fields are set
	value     any
	err       error
	abandoned bool // the context of the solve ended
}

// Do returns the result of solve for this key, and calls solve only if the result is not known. If several callers ask
// at the same time, one solves and the others wait. A solve whose context ended is not remembered. The error comes from
// solve or from ctx. A nil s remembers nothing. Packages use keys of types of their own.
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

// part returns the part of a key, and whether the caller has to solve it.
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

// solve sets a part, and forgets it if it is abandoned.
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
