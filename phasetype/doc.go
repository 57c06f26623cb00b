// Package phasetype holds phase-type distributions and Markovian arrival processes as immutable, always valid values.
//
// A [Dist] is PH(alpha, T), possibly with an atom at zero; a [MAP] is (D0, D1). Constructors check their arguments and
// say which element is wrong ([Error]); operations on valid values fail only because of their other arguments. Vectors
// are rows, probabilities and rates are float64, time has no unit.
//
// A Dist has the methods of gonum's package distuv: LogProb, Survival, CDF, Quantile and, with a source of random
// numbers ([Dist.With]), Rand.
//
// Most operations on n phases take O(n²) or O(n³), which is seconds for a thousand phases. Functions of a [Law]
// may take longer, and stop with a context.
package phasetype
