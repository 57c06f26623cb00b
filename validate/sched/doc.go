// Package sched decides which jobs run on how many nodes of a space-shared machine.
//
// A scheduler is a [Policy]. After each event it reads the machine through a [View] and returns a list of values of
// type [Action]. It changes nothing itself: the machine (validate/machine) keeps the [State], checks and carries out
// the actions, and charges the costs of changes.
//
//	event → machine → State → View → Policy.Decide → []Action → machine
//
// [New] returns the scheduler of a policy.Policy. A policy that another program defines returns its scheduler by the
// method Scheduler (see [Maker]). A scheduler needs nothing but a View.
//
// Words of this package:
//
//   - Times are in the unit of time of the jobs, which is the second for jobs of a log.
//   - A job holds the nodes that the policy gave it (Held), and occupies the nodes that it runs on (Occupied). The two differ
//     only on a machine with scheduling points, where a job takes its new nodes over later.
//   - A job asks for a number of nodes (Asked), and can run on the least to the most nodes (Least, Most). A job without
//     a number of its own asks for 0 nodes.
//   - A unit is the number of nodes of which sizes of moldable and malleable jobs are multiples.
//   - A job is placed if the policy chose its nodes, from an offset on, and not only their number.
//   - The estimate of a job is its expected run time, the limit its requested run time. Backfilling plans with them.
//   - The head of the queue is the first waiting job, in the order of arrival.
//
// # Schedules of a quantum
//
// An [EpochPolicy] makes schedules for jobs whose memory requires a least number of nodes, so that not all jobs can run
// at once. Within a quantum each job runs once, on contiguous nodes and for a part of the time.
//
//	EpochProblem → EpochPolicy.Schedule → EpochSchedule → Check, a picture, a scheduler
//
// An [EpochSchedule] divides the rectangle of all nodes and one quantum into an [EpochPiece] for each job. The rules
// BUDDY and HYBRID stack pieces whose widths are powers of two. EQUI, OPT and HEURISTIC divide the quantum into epochs;
// at the end of an epoch all nodes change hands. With J jobs all times are multiples of 1/J of the quantum, so
// schedules are exact. The width of a piece is its number of nodes, its need the least number of nodes on which its job
// can run.
//
// Reference, called the report in this package: C. McCann, J. Zahorjan, Scheduling memory constrained jobs on
// distributed memory parallel computers, Technical Report 94-10-05, University of Washington, 1994; Performance
// Evaluation Review 23 (1995) 208–219.
package sched
