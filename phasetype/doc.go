// Package phasetype holds phase-type distributions and Markovian arrival processes as immutable, always valid values.
//
// A [Dist] is PH(alpha, T), possibly with an atom at zero; a [MAP] is (D0, D1). Constructors check everything and say
// which element is wrong ([Error]); operations on valid values cannot fail but through their own arguments. Vectors are
// rows, probabilities and rates are float64, time has no unit.
package phasetype
