// Package models holds the machines whose jobs share nodes, their policies, and what is asked of them.
//
// A System is a machine with its arrivals, run times and overheads. A Policy says how it is shared; Model turns both into
// the chain of that policy, which package markov solves, and whose Solve returns Measures. On these rest the questions:
//
//	System → Decide → Decision           which policy is fastest, and the ratio T_SP*/T_DP
//	System → Sweep  → Points             the same over loads and series
//	System → Breakeven, BestSplits       where dynamic partitioning starts to pay, and how best to split
//	System → Sensitivity                 which number the answer hangs on
//
// A new policy with an exact chain is one file and one entry of the table of policies. The package never simulates and
// never reads files; times are in whatever unit the system's are.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, Job Scheduling Strategies for Parallel Processing, LNCS 1162 (1996) 244–270.
package models
