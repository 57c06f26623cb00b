// Package machine simulates a space-shared machine job by job: rigid, moldable and malleable jobs on whole nodes.
//
// Jobs come from a source one at a time, so that a log may be of any length. After each event a scheduler
// (validate/sched) decides which jobs run on how many nodes. The machine checks the decision, advances the work of the
// jobs, charges the cost of the change, and reports every job that has ended as a [Record].
//
//	source of jobs → Machine + sched.Policy + Costs → Records, simulation.Tally
//
// [Config] describes the machine: memory and units of nodes, estimates, killing at estimates, and the [Costs] of a
// change, which tell how long it takes and which jobs stand still. [Run] simulates a machine from empty to empty;
// [Machine.Start] makes runs that are advanced step by step. A [Recorder] records the schedule of every node.
package machine
