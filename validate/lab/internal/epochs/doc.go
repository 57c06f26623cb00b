// Package epochs repeats the experiments of McCann and Zahorjan on jobs whose memory puts a lower bound on their nodes: how many
// nodes change hands in a quantum, and how fast jobs are that can or cannot adapt to the nodes that they get.
//
//	Case → problems → sched.EpochPolicy, policy by policy → overheads
//	Case → jobs → schedules from one completion to the next → response times in a closed system
//	Case → jobs that arrive → machine.Run → response times in an open system
//
// All policies get the same problems and the same jobs, so that differences between them are not due to chance. A case
// has the same draws in every call with the same seed. Every schedule is checked.
//
// Reference: C. McCann, J. Zahorjan, Scheduling memory constrained jobs on distributed memory parallel computers,
// Technical Report 94-10-05, University of Washington, 1994, section 5.
package epochs
