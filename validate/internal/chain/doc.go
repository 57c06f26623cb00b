// Package chain simulates the machine that the analytic models describe, at model fidelity: partitions are average
// partitions, every job stops during a repartition, and a job moves through the phases of its service time. It is
// written from the description of the machine, not from any generator matrix.
//
//	Config → Chain → Start(key) → simulation.Run → simulation.Tally
package chain
