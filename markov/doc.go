// Package markov solves the Markov chains of queues: quasi-birth-and-death processes with boundary levels of differing
// sizes ([QBD]), and finite chains, dense ([Stationary]) or sparse ([Chain]), in the long run or at a time ([QBD.Transient], [Chain.Transient]). Package multiserver beneath it
// solves the queue whose structure dynamic and static partitioning share.
//
// Data flow one way, and each step makes a whole value:
//
//	levels of blocks, checked ─► reduction of the repeating part ─► boundary levels ─► Solution, Diagnostics
//	levels of blocks, checked ─► Chain of the lowest levels ─► TransientSolution
//	transitions ─► Chain ─► Stationary | Transient
//
// A chain is described by its blocks or its transitions; Solve returns a [Solution], which carries probabilities of
// levels, moments, tails and the decay rate without any need to hold the matrices of all levels, and [Diagnostics],
// which say how it was obtained, what its residual is and how many digits are right. The repeating part is solved by
// one of several [Methods].
//
// Vectors are rows. A generator has nonnegative rates off its diagonal; the diagonal is always recomputed as the
// negated sum of the rest of the row, so that no digits are lost to what a file rounds.
//
// # Laplace transforms
//
// The package also inverts Laplace transforms of functions of time that are known at complex points, with a bound of what
// that costs in accuracy, and solves the small complex systems that such transforms come from.
package markov
