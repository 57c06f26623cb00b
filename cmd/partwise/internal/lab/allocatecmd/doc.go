// Package allocatecmd compares policies that choose how many nodes a job is to keep: the command allocate.
//
// A study file or flags become a [StudyFile]; its policies are given the same simulated days, the jobs of a
// log, or, with --analytic, jobs without end beside the chains of dynamic and static partitioning. What became of each
// policy at each load is a row of which JSON, CSV, tables and figures are views.
package allocatecmd
