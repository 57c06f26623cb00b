// Package cluster simulates a cluster whose nodes are shared in time. Every node runs processes of several parallel jobs, which
// compute, do I/O and exchange messages. The processes of a job must run at the same time to get on.
//
// Zhang et al. describe the machine, its costs, the programs of the jobs and the policies. What their paper leaves open is a field of
// [Choices]. A policy is a value of models/policy: [policy.Gang], or [policy.Coscheduling] with a way to wait and a way to treat
// arrivals, one file each here.
//
//	[]Job, Config → Run → Result: a Record of each job, the Profile of the processors, utilization
//
// All times inside are whole nanoseconds. Each node has five timers at most: its next tick, the end of the work of its
// processor, a message that leaves, a message that arrives, and the end of an I/O. A tournament (timerTree) finds the node with
// the next event, so that events need neither a calendar nor memory. Events of the same time come in this order: arrivals of
// jobs, then by node, ticks first.
//
// Reference: Y. Zhang, A. Sivasubramaniam, J. Moreira, H. Franke, Impact of workload and system parameters on next generation
// cluster scheduling mechanisms, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 967–985.
package cluster
