package markov

// Settings steer a solver; the zero value works.
type Settings struct {
	// Method names the algorithm, "" or "auto" for the automatic choice. See [Methods].
	Method string
	// Tolerance is the largest normalised residual of πQ = 0 that is accepted, 0 for 1e-10.
	Tolerance float64
	// MaxIter bounds the iterations of a method, 0 for its own default.
	MaxIter int
	// Shared, if not nil, lets queues with the same repeating part solve it once.
	Shared *Shared
}

// Diagnostics says how a solution was obtained and how far it can be trusted.
type Diagnostics struct {
	Method     string
	Iterations int
	// Residual is the largest imbalance of a level, ‖(πQ)_l‖₁ relative to the probability flow through that level, so that
	// levels of small probability count as much as others.
	Residual float64
	// Drift is the mean drift of the repeating part, mean down rate minus mean up rate; positive when the chain is stable.
	Drift    float64
	Phases   int // of a repeating level
	States   int // below and at the first repeating level
	Seconds  float64
	Warnings []error
}
