package joblog_test

import (
	"fmt"

	"github.com/partwise/partwise/models/workload/joblog"
)

// What logs are called, what their sizes count, and the words of what is found in them.
const (
	sacct     joblog.Format = "sacct"
	sacctJSON joblog.Format = "sacct-json"
	pbs       joblog.Format = "pbs"
	helios    joblog.Format = "helios"
	philly    joblog.Format = "philly"
	elastiSim joblog.Format = "elastisim"

	inNodes joblog.Unit = "nodes"
	inCPUs  joblog.Unit = "cpus"
	inGPUs  joblog.Unit = "gpus"

	noRunTime      = "neither an elapsed time nor a start and an end"
	startsEarly    = "jobs with a start before the submission, whose wait is not known"
	hourOff        = "jobs whose elapsed time is an hour off end minus start; --time-zone names the zone of the log's clocks"
	repeatedHour   = "jobs with a time in the hour that clocks show twice when daylight saving ends"
	doubtfulHour   = "jobs submitted in an hour that clocks show twice, taken for the earlier: they may have waited less long"
	listedTwice    = "executions that are listed again"
	requeued       = "further executions of requeued jobs, each a job that was submitted when the one before ended"
	stillRunning   = "jobs that still ran, which are not replayed"
	stillPending   = "jobs that still waited, which are not replayed"
	neverStarted   = "jobs that were cancelled, or failed, before they started"
	componentLines = "components of heterogeneous jobs, which are counted as one"
	orphanedSteps  = "a step of a job that the log does not list"
)

// sharedNodes says that jobs of a machine of so many CPUs a node may share nodes.
func sharedNodes(cpus int) string {
	return fmt.Sprintf("jobs of one node with less than its %d CPUs, which may share the node: each counts as a whole node and is resized "+
		"by whole nodes (--unit-of-allocation cpus counts and resizes by CPUs)", cpus)
}
