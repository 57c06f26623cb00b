// Package coscheduling gives jobs to policies that share the nodes of a cluster in time, and measures what the policies make of the
// jobs: the experiments of Zhang et al.
//
//	Random → jobs at a load, or all at once → cluster.Run, policy by policy and replication by replication → Outcome
//
// All policies get the same jobs. An [Outcome] keeps the sums of every replication, from which measures are estimated by
// the jackknife, and policies compared in pairs. [Figures] are the figures and tables of the paper as data: which
// policies run in which cases, as figures.yaml says.
//
// Reference: Y. Zhang, A. Sivasubramaniam, J. Moreira, H. Franke, Impact of workload and system parameters on next
// generation cluster scheduling mechanisms, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 967–985.
package coscheduling
