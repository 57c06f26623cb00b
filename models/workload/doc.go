// Package workload is what both the models and the simulator speak of: jobs, their speedups, and job logs.
package workload
