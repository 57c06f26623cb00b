// Package markov solves the Markov chains of queues: quasi-birth-and-death processes with boundary levels of differing
// sizes, infinite ([QBD]) or finite and level-dependent ([FiniteQBD]); the multiserver queue whose structure dynamic
// and static partitioning share ([Multiserver]); and finite chains, dense ([Stationary]) or sparse ([Chain]), in the
// long run or at a time.
//
// A chain is described by its blocks, its transitions or, for the queue, its ingredients; Solve returns a [Solution],
// which carries probabilities of levels, moments, tails and the decay rate without any need to hold the matrices of all
// levels, and [Diagnostics], which say how it was obtained, what its residual is and how many digits are right. Queues
// are solved by one of several [Methods]; the automatic choice takes the fastest that can certify its result.
//
// Vectors are rows. A generator has nonnegative rates off its diagonal; the diagonal is always recomputed as the
// negated sum of the rest of the row, so that no digits are lost to what a file rounds.
package markov
