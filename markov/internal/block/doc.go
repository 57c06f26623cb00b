// Package block holds the dense blocks of Markov chains and their operations: products, elimination without subtractions,
// and factorisation with row exchanges.
//
//   - A [Matrix] is stored row by row.
//   - [FactorGTH] eliminates the states of a block by the method of Grassmann, Taksar and Heyman, for linear systems.
//   - [Censor] removes states from a chain.
//   - [GaussJordan] eliminates columns in place, in [Padded] matrices, whose rows can be read shifted.
//   - [FactorLU] exchanges rows, for matrices that may have negative entries.
//   - [NewScratch] takes storage that lives no longer than a step from pools.
//
// Shapes that do not fit panic. States of a chain that are never left are an error, [ErrReducible].
//
// Operations of order n³ check their context every few milliseconds and stop when it is done; their results are undefined
// then. Functions that return an error return the error of the context. After other functions the caller has to check the
// context.
//
// Nearly all the time of a matrix-analytic solution is spent in products of blocks. gonum's product uses two lanes of the
// processor where there are four with a fused multiply-add. amd64 processors since 2013 have these (AVX2 and FMA); here
// products are computed in tiles of 4 rows by 12 columns that are held in registers. Other processors, and WebAssembly,
// use plain loops. The steps of eliminations between products have small kernels of their own. Only this package knows
// how rows are padded and shifted for the kernels.
//
// Every entry of a product is summed in one order within slices of depth 192. So results do not depend on the number of
// cores. Products of nonnegative blocks have no subtractions.
//
// Reference: K. Goto, R. A. van de Geijn, Anatomy of high-performance matrix multiplication, ACM Trans. Math. Softw. 34
// (2008) 12.
package block
