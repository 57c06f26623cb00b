// Package testbed shares real processes among jobs: a scheduler, one process for each node of a machine, and jobs that are
// data-parallel iterations over a distributed array. A resize stops a job at the end of a phase and moves the bytes of its
// array between processes. Then the job starts on its new partition. The time of each of these steps is measured.
//
//	Start → Machine, its processes; Jobs, policy → Machine.Run → Outcome: a Record of each job, a Reconfiguration of each change
//
// The scheduler decides with a policy of package sched, the one that the simulated machine has, and knows what policies see: a
// sched.State. Between two decisions a job runs phase after phase. The end of a phase is a barrier of all its processes, at
// which the job can be stopped. Processes call each other over Unix sockets, by messages of package encoding/gob. Only the
// scheduler is answered.
//
// A phase is sleep of the length that its work takes, a sweep over the array, and messages: 32 nodes on two processors show how
// jobs queue and what the protocol costs, and nothing about speedups, which are given.
//
// # Predictions
//
// A [Study] predicts what a machine of processes will do, and then runs it. The costs of repartitions and the run times of jobs
// alone are measured on the machine, and become a model. The chains of the model are solved, and whole nodes are simulated.
// Then the machine runs the same jobs:
//
//	Machine → Study.Measure → Measured → Study.Predict → []Prediction → Study.Run → Compare → []Comparison
//
// Predictions are made before the machine runs. The simulation gets the same jobs as the machine, one by one: no part of the
// difference is due to the choice of jobs. The chains tell what happens in the long run.
//
// # References
//
// The structure follows the testbed of IPS96, sections 3 and 5, whose scheduler and coordinators of applications are one process
// here: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory environments, JSSPP
// 1996, LNCS 1162.
package testbed
