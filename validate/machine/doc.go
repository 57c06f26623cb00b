// Package machine simulates a space-shared machine job by job: rigid, moldable and malleable jobs on whole nodes.
//
// Jobs come from a source one at a time, so that a log may be of any length. After each event a scheduler
// (validate/sched) decides which jobs run on how many nodes. The machine checks the decision, advances the work of the
// jobs and charges the cost of the change. It reports every job that has ended as a [Record].
//
//	source of jobs → Machine + sched.Policy + Costs → Records, simulation.Tally
//
// [Config] describes the machine: memory and units of nodes, estimates, killing at estimates, and the [Costs] of a
// change. The costs tell how long a change takes and which jobs stand still. [Run] simulates a machine from empty to
// empty; [Machine.Start] makes runs that are advanced step by step. A [Recorder] records the schedule of every node.
//
// Words of this package:
//
//   - Times are in the unit of time of the jobs, which is the second for jobs of a log.
//   - The work of a job is the time that one node would take for it: its demand, in node-time.
//   - A job holds the nodes that the policy gave it, and occupies the nodes that it runs on. The two differ only with
//     scheduling points ([Points]), where a job takes its new nodes over later.
//   - A job is placed if the policy chose its nodes, from an offset on, and not only their number.
//   - A job at work makes progress. A started job that is not at work stands still: for a reconfiguration, or without nodes.
//   - A change is what one decision of the policy does to the jobs. A change that costs time is a reconfiguration, which the
//     chains call a repartition. To charge a change is to make jobs stand still for it.
//   - A tally ([simulation.Tally]) holds the counts and time integrals of a run. Most functions add to it.
package machine
