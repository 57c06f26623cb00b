// Package advise finds the rule by which a machine should resize its jobs, among rules of [policy.Resize], dynamic
// equi-partitioning and every static split.
//
// All candidates meet the same jobs, cut into blocks of consecutive arrivals; a value of a candidate is its objective over
// a block, and two candidates differ block by block. Of a model there are as many blocks as are asked for, and the best
// candidate is found by a fully sequential selection with a stated probability ([Options.Probability]); of a log there
// are those that it has, and candidates that are significantly worse than another are left out:
//
//	Problem → Grid → Select → Selection → Contrast → Advice
//
// References: S.-H. Kim, B. L. Nelson, A fully sequential procedure for indifference-zone selection in simulation, ACM
// Transactions on Modeling and Computer Simulation 11, 2001, 251–273; B. L. Nelson, J. Swann, D. Goldsman, W. Song, Simple
// procedures for selecting the best simulated system when the number of alternatives is large, Operations Research 49,
// 2001, 950–963.
package advise
