// Package machine simulates a parallel machine job by job.
//
// Two machines share the arrivals, the jobs and the accounts ([Tally]):
//
//   - [Chain] is the machine that the analytic models describe, at "model" fidelity: partitions are average partitions,
//     every job stops during a repartition, and a job moves through the phases of its service time. It is written from
//     the description of the machine, not from any generator matrix.
//     [CalmChain] is the same machine under smoothing.
//   - [Machine] is the real one, at "machine" fidelity: whole nodes, each job at the speed of its own partition, only
//     those jobs paused whose partition changes. What runs where is decided by a [Policy], one file each and one entry
//     of [Policies]; the machine enforces the capacity, moves the work and charges the overheads.
//
// Jobs arrive as a Markovian arrival process with phase-type demands, with demands from a sample, or as a replay of a
// list ([Request]). A [Recorder] writes down what happens to every job and on every node.
//
// All random numbers come from streams keyed by purpose and job, so that two policies under the same key see the same
// arrivals and the same demands.
package machine
