// Package fit estimates phase-type distributions, and Markovian arrival processes, from numbers by maximum likelihood.
//
// From data to a distribution:
//
//  1. A [Sample] is checked: values, lower bounds, intervals, truncated and rounded values. More values than memory
//     holds go through a [Sketch]. Zeros without a density are dropped, and the rest is put on a logarithmic grid of a few
//     hundred nodes, so that the cost of an iteration does not depend on the number of values.
//  2. Each requested [Family] is fitted at each order from several starts. One start is the best fit of the order
//     below, so that the likelihood never decreases with the order. An [Entry] adds a family of the caller.
//  3. Each result is scored on the data themselves, and the [Candidate] list is ranked by BIC or AIC.
//     A candidate has its [Scores], its [Goodness] of fit and its effect on a [Queue].
//  4. [Summary] describes the ranked candidates in sentences, and [Compare] prepares pictures of data and fit.
//
// [Arrivals] fits interarrival times whose order matters.
//
// The package sees only numbers, no files, units or logs. It never prints; what is doubtful is a warning in the result, and a fit
// that did not converge is marked as such. Functions that may take long end within half a second of their
// context.
package fit
