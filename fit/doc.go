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
// The package works with numbers only, without files, units or logs. It never prints. Doubtful results have warnings, and
// a fit that did not converge is marked. Functions that may take long return within half a second after their context
// ends.
package fit
