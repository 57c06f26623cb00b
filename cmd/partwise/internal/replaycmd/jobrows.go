package replaycmd

import (
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// jobHead names the columns of --jobs-output.
var jobHead = []string{"policy", "id", "submit", "start", "end", "nodes", "waiting_time", "response_time", "bounded_slowdown",
	"estimate", "backfilled", "killed", "promised_start", output.TimeUnit}

// jobRow returns the row of a job that has ended.
func jobRow(policy string, on metric.Machine, j *machine.Record) []string {
	return []string{policy, strconv.Itoa(j.ID), output.Shortest(j.Submit - j.HeldFor), output.Shortest(j.Start), output.Shortest(j.End),
		strconv.Itoa(j.Widest), output.Shortest(j.Wait()), output.Shortest(j.Response()), output.Shortest(on.BoundedSlowdown(j)),
		output.Shortest(j.Estimate), strconv.FormatBool(j.Overtook), strconv.FormatBool(j.Killed), output.ShortestOrEmpty(j.Promised), "s"}
}
