// Package epoch makes schedules for jobs whose memory puts a lower bound on their nodes, so that they cannot all run at
// once: within a quantum each job runs once, on a contiguous part of the nodes and for a part of the time.
//
//	Problem → Policy.Schedule → Schedule → Checker.Check, WriteText, WriteCSV, a picture, a scheduler
//
// A [EpochSchedule] divides the rectangle of all nodes and one quantum into a [EpochPiece] for each job. Each [EpochPolicy] is one file:
// [Buddy], [BuddyStar] and [Hybrid] stack pieces whose widths are powers of two, [Equi], [Opt] and [Heuristic] divide the
// quantum into epochs, at whose ends all nodes change hands. With J jobs all times are multiples of a J-th of the
// quantum, and so schedules are exact.
//
// Reference: C. McCann, J. Zahorjan, Scheduling memory constrained jobs on distributed memory parallel computers,
// Technical Report 94-10-05, University of Washington, 1994; Performance Evaluation Review 23 (1995) 208–219.

package sched
