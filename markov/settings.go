package markov

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
