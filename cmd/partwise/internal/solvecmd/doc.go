// Package solvecmd holds the command solve, which answers which policy is faster on one model.
//
// A model file and the policies that are asked for become a [decide.Decision]; the rows of the result, its sentences,
// percentiles and sensitivities are views of the decision.
package solvecmd
