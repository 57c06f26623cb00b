package replaycmd

import (
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// jobHead names the columns of --jobs-output.
var jobHead = []string{"policy", "id", "submit", "start", "end", "nodes", "waiting_time", "response_time", "bounded_slowdown",
	"estimate", "backfilled", "killed", "promised_start", output.TimeUnit}

// jobNames are the names of the jobs of a log, as its batch system writes them.
type jobNames struct {
	format joblog.Format
	parts  []jobPart // by the numbers of the jobs in the log; jobs behind the last task or component have none
}

// jobPart is the task and the component of a job, see [joblog.Job].
type jobPart struct{ task, component int32 }

// namesOf returns the names of jobs, which come in the order of their numbers. It keeps 8 bytes for each job of a log with arrays or
// heterogeneous jobs, and nothing of other logs. The error comes from the jobs.
func namesOf(format joblog.Format, jobs joblog.Jobs) (jobNames, error) {
	names, number := jobNames{format: format}, 0
	for j, err := range jobs {
		if err != nil {
			return names, err
		}
		if j.Task != 0 || j.Component != 0 {
			names.parts = append(names.parts, make([]jobPart, number-len(names.parts))...)
			names.parts = append(names.parts, jobPart{j.Task, j.Component})
		}
		number++
	}
	return names, nil
}

// of returns the name of a job that has ended.
func (n *jobNames) of(r *machine.Record) string {
	j := joblog.Job{ID: r.ID}
	if r.Number < len(n.parts) {
		j.Task, j.Component = n.parts[r.Number].task, n.parts[r.Number].component
	}
	return n.format.Name(&j)
}

// jobRow returns the row of a job that has ended.
func jobRow(policy, name string, on metric.Machine, j *machine.Record) []string {
	return []string{policy, name, words.Shortest(j.Submit - j.HeldFor), words.Shortest(j.Start), words.Shortest(j.End),
		strconv.Itoa(j.Widest), words.Shortest(j.Wait()), words.Shortest(j.Response()), words.Shortest(on.BoundedSlowdown(j)),
		words.Shortest(j.Estimate), strconv.FormatBool(j.Overtook), strconv.FormatBool(j.Killed), words.ShortestOrEmpty(j.Promised), "s"}
}
