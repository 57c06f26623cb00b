// Package machine simulates a space-shared machine job by job: rigid, moldable and malleable jobs on whole nodes.
//
// Jobs come from a source, one at a time, so that a log may be of any length. After each event a scheduler
// (validate/sched) decides which jobs run on how many nodes; the machine checks what it asks for, moves the work of the
// jobs, charges what a change costs, and tells of every job that has ended as a [Record].
//
//	source of jobs → Machine + sched.Policy + Costs → Records, des.Tally
//
// What differs between machines is in the [Config]: memory and units of nodes, estimates, killing at estimates, and the
// [Costs] of a change, which say how long it takes and who stands still for it. [Run] simulates a machine from empty to
// empty; [Machine.Start] makes runs that are advanced step by step. A [Recorder] draws what happens on every node.
package machine
