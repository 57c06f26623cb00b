// Package laplace inverts Laplace transforms of functions of time that are known at complex points, with a bound of what
// that costs in accuracy, and solves the small complex systems that such transforms come from.

package markov
