// Package markov solves the Markov chains of queues: finite chains, quasi-birth-and-death processes with boundary
// levels of differing sizes, and the multiserver queue whose structure dynamic and static partitioning share.
//
// A chain is described by its blocks ([QBD]) or by its ingredients ([Multiserver]); Solve returns a [Solution], which
// carries probabilities of levels, moments, tails and the decay rate without any need to hold the matrices of all
// levels, and [Diagnostics], which say how it was obtained and what its residual is.
//
// Vectors are rows. A generator has nonnegative rates off its diagonal; the diagonal is always recomputed as the
// negated sum of the rest of the row, so that no digits are lost to what a file rounds.
package markov
