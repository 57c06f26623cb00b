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

// jobNames are the names of the jobs of a log, as its batch system writes them.
type jobNames struct {
	format   joblog.Format
	clusters []string  // the names of several clusters; nil: the log has at most one cluster
	parts    []jobPart // by the numbers of the jobs in the log; jobs behind the last part have none
}

// jobPart is the task, the component and the cluster of a job, see [joblog.Job]. The cluster is 0 if the log has at most one cluster.
type jobPart struct{ task, component, cluster int32 }

// namesOf returns the names of jobs, which come in the order of their numbers, and the names of their clusters if there are several. It
// keeps 12 bytes for each job of a log with arrays, heterogeneous jobs or several clusters, and nothing of other logs. The error comes
// from the jobs.
func namesOf(format joblog.Format, clusters []string, jobs joblog.Jobs) (jobNames, error) {
	names, number := jobNames{format: format}, 0
	if len(clusters) > 1 {
		names.clusters = clusters
	}
	for j, err := range jobs {
		if err != nil {
			return names, err
		}
		part := jobPart{task: j.Task, component: j.Component}
		if names.clusters != nil {
			part.cluster = j.Cluster
		}
		if part != (jobPart{}) {
			names.parts = append(names.parts, make([]jobPart, number-len(names.parts))...)
			names.parts = append(names.parts, part)
		}
		number++
	}
	return names, nil
}

// head returns the columns of the rows of the jobs.
func (n *jobNames) head() []string {
	if n.clusters == nil {
		return jobHead
	}
	return slices.Insert(slices.Clone(jobHead), afterID, "cluster")
}

// afterID is the place of the column after the id.
const afterID = 2

// row returns the row of a job that has ended.
func (n *jobNames) row(policy string, on metric.Machine, r *machine.Record) []string {
	var part jobPart
	if r.Number < len(n.parts) {
		part = n.parts[r.Number]
	}
	row := jobRow(policy, n.format.Name(&joblog.Job{ID: r.ID, Task: part.task, Component: part.component}), on, r)
	if n.clusters == nil {
		return row
	}
	cluster := ""
	if part.cluster > 0 {
		cluster = n.clusters[part.cluster-1]
	}
	return slices.Insert(row, afterID, cluster)
}

// jobRow returns the row of a job that has ended.
func jobRow(policy, name string, on metric.Machine, j *machine.Record) []string {
	return []string{policy, name, words.Shortest(j.Submit - j.HeldFor), words.Shortest(j.Start), words.Shortest(j.End),
		strconv.Itoa(j.Widest), words.Shortest(j.Wait()), words.Shortest(j.Response()), words.Shortest(on.BoundedSlowdown(j)),
		words.Shortest(j.Estimate), strconv.FormatBool(j.Overtook), strconv.FormatBool(j.Killed), words.ShortestOrEmpty(j.Promised), "s"}
}
