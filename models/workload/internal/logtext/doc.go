// Package logtext reads the texts that measurements and job logs come in: files, times and durations, lists of nodes, paths
// in JSON.
package logtext

// What keeps jobs from being used: few words that are the same for all jobs with the same problem.
const (
	NoSubmitTime = "no submit time"
	NoRunTime    = "no run time"
	NoProcessors = "no processors"
)
