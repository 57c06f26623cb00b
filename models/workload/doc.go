// Package workload is what both the models and the simulator speak of: jobs, their speedups, estimates of their run times,
// models of jobs, and the jobs of logs. Package joblog beneath it reads the logs.
package workload
