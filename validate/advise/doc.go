// Package advise finds the rule by which a machine should resize its jobs, among rules of [policy.Resize], dynamic
// equi-partitioning and every static split.
//
//	Problem → Grid → Select → Selection → Contrast → Advice
//
// All candidates run the same jobs, cut into blocks of consecutive arrivals. A value of a candidate is its objective
// over a block, and two candidates are compared block by block. A model gives as many blocks as are needed. Its best
// candidate is found by a fully sequential selection with a stated probability ([Options.Probability]). A log has a
// fixed number of blocks. Candidates that are significantly worse than another candidate on the log are left out.
//
// References: S.-H. Kim, B. L. Nelson, A fully sequential procedure for indifference-zone selection in simulation, ACM
// Transactions on Modeling and Computer Simulation 11, 2001, 251–273; B. L. Nelson, J. Swann, D. Goldsman, W. Song,
// Simple procedures for selecting the best simulated system when the number of alternatives is large, Operations
// Research 49, 2001, 950–963.
package advise
