// Package allocatecmd compares policies that choose how many nodes a job is to keep: the command allocate.
//
//	study file or flags → Study → simulated days → a row for each policy and load
//	--analytic          → jobs without end beside the chains of dynamic and static partitioning → a row for each policy and load
package allocatecmd
