// Package epochscmd schedules jobs whose memory puts a lower bound on their nodes: the command epochs.
//
//	--min-nodes  → sched.EpochProblem → a schedule of each policy → JSON, CSV, text, the divided rectangles
//	--experiment → lab.EpochPoint, policies → results → JSON, CSV, tables, curves
package epochscmd
