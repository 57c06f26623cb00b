// Package crosscheck compares exact chains with the simulation of the jobs that they are models of. The run times of a
// [Workload] on each number of nodes are fitted by phase-type distributions ([Fit], [Classes]); with them the
// static and the dynamic partitionings of a [Machine] are solved, and simulated with the jobs themselves
// ([Machine.Compare]). Policies that mold jobs have no chain and are simulated on the same jobs. All of it is about the
// long run: jobs come by day and night.
//
//	Workload → densities of run times → fit → models.System → mean response times
//	         → jobs → validate/machine → mean response times with intervals

package allocatecmd
