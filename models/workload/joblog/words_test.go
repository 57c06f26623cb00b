package joblog_test

import (
	"fmt"

	"github.com/partwise/partwise/models/workload/joblog"
)

// What logs are called, what their sizes count, and the words of what is found in them.
const (
	sacct      joblog.Format = "sacct"
	sacctJSON  joblog.Format = "sacct-json"
	pbs        joblog.Format = "pbs"
	helios     joblog.Format = "helios"
	philly     joblog.Format = "philly"
	elastiSim  joblog.Format = "elastisim"
	kubernetes joblog.Format = "kubernetes"

	InNodes joblog.Unit = "nodes"
	InCPUs  joblog.Unit = "cpus"
	InGPUs  joblog.Unit = "gpus"

	noSubmitTime = "no time of submission"
	outsideEra   = "a time before 1970 or after 2105"
	noRunTime    = "neither an elapsed time nor a start and an end"
	endsEarly    = "jobs with an end before the start"
	startsEarly  = "jobs with a start before the submission"
	farAway      = "jobs with a date more than a year outside the range of the middle 98 % of the submissions"
	tooLongRun   = "jobs with a run time longer than the log"
	hourOff      = "jobs whose elapsed time is an hour off end minus start; --time-zone names the zone of the log's clocks"
	repeatedHour = "jobs with a time in the hour that clocks show twice when daylight saving ends"
	doubtfulHour = "jobs submitted in an hour that clocks show twice, taken for the earlier: they may have waited less long"
	skippedHour  = "times in the hour that clocks skip when daylight saving begins; is --time-zone right?"
	listedTwice  = "rows that list an execution of a job again"
	requeued     = "restarts of requeued jobs, each a job that was submitted when the attempt before ended"
	reusedNumber = "jobs with the number of another job, but another user, size or submission: each is a job of its own; " +
		"the log may mix clusters"
	resized        = "jobs that were resized while they ran: replays and --swf-output take their mean nodes, rounded"
	stillRunning   = "jobs that still ran when the log ended, which are not replayed"
	stillPending   = "jobs that still waited when the log ended, which are not replayed"
	neverStarted   = "jobs that never started: they were cancelled, or failed, in the queue"
	componentLines = "components of heterogeneous jobs, which are counted as one"
	orphanedSteps  = "a step of a job that the log does not list"
	messages       = "lines of messages or comments"
	pastExecutions = "earlier executions of workloads that were evicted, of which only the length is told"
	ownedJobs      = "jobs whose workload is listed, too: the workload counts"
	otherKinds     = "objects that are neither workloads of Kueue nor jobs"
)

// sharedNodes says that jobs of a machine of so many CPUs a node may share nodes.
func sharedNodes(cpus int) string {
	return fmt.Sprintf("jobs of one node with less than its %d CPUs, which may share the node: each counts as a whole node and is resized "+
		"by whole nodes (--unit-of-allocation cpus counts and resizes by CPUs)", cpus)
}
