// Package export writes the chain of a policy into a folder, for teaching and for whoever wants to solve it in another way:
//
//	README.txt    what the files hold, and how much a finite chain leaves out
//	states.csv    the states of each level, with what they mean
//	blocks.csv    the rates from state to state, by level
//	R.csv, G.csv  the matrices of the repeating part
//	pi.csv        the stationary probabilities, by level
//	chain.m       blocks, R, G and pi for MATLAB and Octave
//	chain.sta, chain.tra, chain.lab  the chain cut off at a level, as explicit files of PRISM
//
// Levels are numbers of jobs. From the last boundary level b on the states of all levels are the same, and above it the
// rates.

package models
