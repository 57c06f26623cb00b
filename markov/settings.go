package markov

import "fmt"

// Settings control a solver. The zero value works.
type Settings struct {
	// Method is the name of the algorithm; "" and "auto" mean the automatic choice. See [Methods].
	Method string
	// Tolerance is the largest normalised residual of πQ = 0 that is accepted; 0 means 1e-10.
	Tolerance float64
	// Memory limits the memory of the solve, together with other solves that have the same limit. nil means [parallel.DefaultMemory].
	// A solve that needs more returns a *[parallel.LimitError] before it begins.
	Memory *Memory
	// Shared, if not nil, lets chains find a part that they have in common once, such as the repeating part of queues.
	Shared *Shared
}

// tolerance returns the tolerance or its default. It returns an error if the tolerance is negative or not a number.
func (s Settings) tolerance() (float64, error) {
	if s.Tolerance == 0 {
		return defaultTolerance, nil
	}
	if !(s.Tolerance > 0) {
		return 0, fmt.Errorf("tolerance %v is not positive", s.Tolerance)
	}
	return s.Tolerance, nil
}
