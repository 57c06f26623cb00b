// Package batch simulates a space-shared machine: a job, rigid or moldable, keeps the nodes that it is given at its
// start until its end.
//
// Jobs come from a [Source], one at a time, so that a log may be of any length; the machine ([Run]) keeps those that
// are in the system, asks a [Policy] after each event which of them to start, checks what it answers, and tells of
// every job that has ended as a [Record]. Records flow on into [Metrics]; nothing flows back.
//
//	source of requests → Run + Policy → records → Metrics
//
// A policy is one file and one entry of [Policies].
package batch
