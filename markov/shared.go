package markov

import "sync"

// Shared remembers parts of chains that were solved, for chains that have them in common, as multiserver queues with the
// same arrivals, servers and service once all servers are taken do. It is safe for concurrent use, and results do not
// depend on whether it is given. Its zero value works. The seconds of a part that is shared are those of the chain that
// came first.
type Shared struct {
	mu    sync.Mutex
	parts map[any]*sharedPart
}

type sharedPart struct {
	once  sync.Once
	value any
	err   error
}

// Do returns what solve returned when it was called for this key; if it was not, it calls it. A nil s remembers nothing.
// Keys of different packages differ by their type.
func (s *Shared) Do(key any, solve func() (any, error)) (any, error) {
	if s == nil {
		return solve()
	}
	s.mu.Lock()
	if s.parts == nil {
		s.parts = map[any]*sharedPart{}
	}
	part, ok := s.parts[key]
	if !ok {
		part = &sharedPart{}
		s.parts[key] = part
	}
	s.mu.Unlock()
	part.once.Do(func() { part.value, part.err = solve() })
	return part.value, part.err
}
