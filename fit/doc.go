// Package fit estimates phase-type distributions, and Markovian arrival processes, from numbers by maximum likelihood.
//
// The way from data to a distribution:
//
//  1. a [Sample] is checked: values, lower bounds, intervals, truncated and rounded values; more than memory holds are
//     taken by a [Sketch], and a function by [FromDensity] or [FromSurvival]; zeros that have no density are set aside,
//     and the rest is laid on a logarithmic grid of a few hundred points, so that the cost of an iteration does not
//     depend on the number of values;
//  2. each requested [Family] is fitted at each order, from several starts of which one is the best fit of the order
//     below, so that the likelihood never decreases with the order;
//  3. every result is scored on the data themselves, and the [Candidate] list is ranked by BIC, AIC or cross-validated
//     likelihood, each candidate with its [Goodness] and with what it means for a [Queue];
//  4. [Verdict] puts it in words, [Compare] lays the data beside a distribution for pictures.
//
// [Arrivals] fits times between arrivals whose order matters.
//
// The package sees only numbers: it knows no files, no units and no logs. It never prints; doubts are warnings in the
// result, and a fit that did not converge says so.
package fit
