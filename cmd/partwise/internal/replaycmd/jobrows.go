package replaycmd

import (
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// jobHead names the columns of --jobs-output. Of a log of several clusters, a column cluster follows the column id.
var jobHead = []string{"policy", "id", "submit", "start", "end", "nodes", "waiting_time", "response_time", "bounded_slowdown",
	"estimate", "backfilled", "killed", "promised_start", output.TimeUnit}

// columns returns the columns of the rows of jobs, which several clusters may have run.
func columns(clusters []string) []string {
	if len(clusters) < 2 {
		return jobHead
	}
	return slices.Insert(slices.Clone(jobHead), afterID, "cluster")
}

// afterID is the place of the column after the id.
const afterID = 2

// rowOf returns the row of a job that has ended, with the columns for the clusters.
func rowOf(names *joblog.JobNames, clusters []string, policy string, on metric.Machine, r *machine.Record) []string {
	name, cluster := names.Of(r.Number, r.ID)
	row := jobRow(policy, name, on, r)
	if len(clusters) < 2 {
		return row
	}
	return slices.Insert(row, afterID, cluster)
}

// jobRow returns the row of a job that has ended.
func jobRow(policy, name string, on metric.Machine, j *machine.Record) []string {
	return []string{policy, name, words.Shortest(j.Submit - j.HeldFor), words.Shortest(j.Start), words.Shortest(j.End),
		strconv.Itoa(j.Widest), words.Shortest(j.Wait()), words.Shortest(j.Response()), words.Shortest(on.BoundedSlowdown(j)),
		words.Shortest(j.Estimate), strconv.FormatBool(j.Overtook), strconv.FormatBool(j.Killed), words.ShortestOrEmpty(j.Promised), "s"}
}
