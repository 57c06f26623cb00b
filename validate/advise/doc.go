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
// A rule is carried out by a controller, or by the settings of systems that people run: [SystemSettings] writes the
// files. [Ways] says within which limits each system carries a rule out. A [Loss] is what the rule loses by the limits.
//
//	policy.Resize → SystemSettings → Files, Controller
//	policy.Resize → Ways, EachLimit → Carried → Loss
//
// References: S.-H. Kim, B. L. Nelson, A fully sequential procedure for indifference-zone selection in simulation, ACM
// Transactions on Modeling and Computer Simulation 11, 2001, 251–273; B. L. Nelson, J. Swann, D. Goldsman, W. Song,
// Simple procedures for selecting the best simulated system when the number of alternatives is large, Operations
// Research 49, 2001, 950–963.
package advise
