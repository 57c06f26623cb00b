// Package workload is what both the models and the simulator speak of: jobs, their speedups, and job logs.
//
// # Statistics of a log
//
// [StatisticsOf] says how the jobs of a log come, how large they are, and which assumptions of the chains of package
// models they do not keep: what one should see before fitting distributions to a log.
//
//	jobs, in order of submission → [StatisticsOf] → Statistics: calendar, dependence, sizes → assumptions
package workload
