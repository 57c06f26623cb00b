// Package fit estimates phase-type distributions and Markovian arrival processes from numbers, by maximum likelihood.
//
// From data to a distribution:
//
//  1. A [Sample] is checked: values, lower bounds, intervals, truncated and rounded values. A [Sketch] summarises more
//     values than memory holds. Zeros without a density are dropped. The rest is put on a logarithmic grid of a few
//     hundred nodes, so that the cost of an iteration does not depend on the number of values.
//  2. Each requested [Family] is fitted at each order from several starts. One start is the best fit of the order below,
//     so that the likelihood never decreases with the order. An [Entry] adds a family of the caller.
//  3. Each result is scored on the data themselves, and the [Candidate] list is ranked by BIC or AIC. A candidate has its
//     [Scores], its [Goodness] of fit and its effect on a [Queue].
//  4. [Summary] describes the ranked candidates in sentences, and [Compare] prepares pictures of data and fit.
//
// [Arrivals] fits interarrival times whose order matters.
//
// Words of all files:
//
//	order, phases       number of phases of a distribution, m
//	weight              multiplicity of an observation; total is the sum of weights
//	scaled time         time divided by the power of two in observations.scale; all computations are in this unit
//	mean log-likelihood log-likelihood of the data divided by the sum of weights; it is what ascents increase
//	quadrature, node    weighted times at which the log-likelihood is summed, in place of the data; see quadrature
//	table               the matrix exponential of a step between two nodes; see exponentialTables
//	branch              a component of a mixture, or a state of a chain of Erlang distributions
//	start, ascent       a point at which a search begins, and the search; see multistart
//	alpha, T, exit      initial probabilities (m), subgenerator (m×m) and exit rates (m), exit = −T·1
//	L                   the log-likelihood; ∂L/∂p is its derivative with respect to p
//	EM, E-step          expectation-maximisation, and its step that computes expected statistics
//
// The package works with numbers only, without files, units or logs. It never prints. Doubtful results have warnings,
// and a fit that did not converge is marked. Functions that may take long return within half a second after their
// context ends.
package fit
