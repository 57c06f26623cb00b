// Package markov solves the Markov chains of queues: quasi-birth-and-death processes with boundary levels of differing
// sizes ([QBD], [Regimes]) and finite chains, dense ([Stationary]) or sparse ([Chain]). It finds stationary
// distributions, and distributions at a time t ([QBD.Transient], [Chain.Transient]). Package multiserver, below this
// package, solves the queue that dynamic and static partitioning share.
//
// Data flows in one direction, and each step makes a complete value:
//
//	levels of blocks, checked ─► reduction of the repeating part ─► boundary levels ─► Solution, Diagnostics
//	levels of blocks, checked ─► Chain of the lowest levels ─► TransientSolution
//	transitions ─► Chain ─► Stationary | Transient
//
// A chain is described by its blocks or its transitions. Solve returns a [Solution] with probabilities of levels,
// moments, tails and the decay rate. The solution does not hold the matrices of all levels. Its [Diagnostics] tell how it
// was found, its residual, and how many digits are correct. The repeating part is solved by one of several [Methods].
//
// Vectors are rows. A generator has nonnegative rates off its diagonal. The diagonal is always recomputed as minus the
// sum of the rest of the row, so that the rounding of numbers in a file costs no digits.
//
// # Laplace transforms
//
// The package also inverts Laplace transforms of functions of time that are known at complex points, with an estimate of
// the error. It solves the small complex linear systems from which such transforms come.
package markov
