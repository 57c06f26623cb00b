// Package epochscmd schedules jobs whose memory puts a lower bound on their nodes: the command epochs.
//
//	--min-nodes  → sched.EpochProblem → a schedule of each policy → JSON, CSV, text, the divided rectangles
//	--experiment → Point, policies → results → JSON, CSV, tables, curves
//
// # Experiments
//
// The experiments are those of McCann and Zahorjan on jobs whose memory puts a lower bound on their nodes:
// how many nodes change hands in a quantum, and how fast jobs are that can or cannot adapt to the nodes they get.
//
//	Case → problems → sched.EpochPolicy, policy by policy → Overhead
//	Case → jobs → schedules from one completion to the next → Response
//	Case → jobs that arrive → machine.Run → metric.Log → Open
//
// All policies get the same problems and the same jobs, so that differences between them are not due to chance. A case
// has the same draws in every call with the same seed. Every schedule is checked.
//
// Reference: C. McCann, J. Zahorjan, Scheduling memory constrained jobs on distributed memory parallel computers,
// Technical Report 94-10-05, University of Washington, 1994, section 5.
package epochscmd
