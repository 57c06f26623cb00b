// Package block holds the dense blocks of Markov chains and what is done with them: products, elimination without
// subtractions, factorisation with exchanges.
//
// A [Matrix] lies row after row. [FactorGTH] eliminates the states of a block as Grassmann, Taksar and Heyman do, for
// solves; [Censor] removes states from a chain; [GaussJordan] eliminates columns in place, in [Padded] matrices whose
// rows can be read shifted; [FactorLU] exchanges rows, for what may be negative. Storage that lives no longer than a
// step comes from pools ([NewScratch]). Shapes that do not fit panic; what a chain may be guilty of, states that are
// never left, is [ErrReducible].
//
// What takes time n³ looks at its context every few milliseconds and stops when that is done; what it was to set is
// then undefined. Functions that return an error return that of the context, after others the caller has to look at it.
//
// Nearly all the time of a matrix-analytic solution goes into products of blocks, and gonum's product uses two lanes of
// the processor where there are four with a fused multiply-add. On amd64 processors that have these (AVX2 and FMA,
// since 2013) products are taken tile by tile, 4 rows by 12 columns held in registers. Other processors, and WebAssembly,
// take plain loops. What eliminations do between products has small kernels of its own, with plain loops where the
// processor has not got the lanes; how rows are padded for them, and shifted, no other package knows.
//
// Every entry of a product is summed in one order within slices of depth 192, whatever the number of cores: results do
// not depend on it. Products of nonnegative blocks have no subtractions.
//
// Reference: K. Goto, R. A. van de Geijn, Anatomy of high-performance matrix multiplication, ACM Trans. Math. Softw. 34
// (2008) 12.
package block
