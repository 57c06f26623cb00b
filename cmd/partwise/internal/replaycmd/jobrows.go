package replaycmd

import (
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// jobHead names the columns of --jobs-output.
var jobHead = []string{"policy", "id", "submit", "start", "end", "nodes", "waiting_time", "response_time", "bounded_slowdown",
	"estimate", "backfilled", "killed", "promised_start", output.TimeUnit}

// jobRow returns the row of a job that has ended.
func jobRow(policy string, on metric.Machine, j *machine.Record) []string {
	return []string{policy, strconv.Itoa(j.ID), words.Shortest(j.Submit - j.HeldFor), words.Shortest(j.Start), words.Shortest(j.End),
		strconv.Itoa(j.Widest), words.Shortest(j.Wait()), words.Shortest(j.Response()), words.Shortest(on.BoundedSlowdown(j)),
		words.Shortest(j.Estimate), strconv.FormatBool(j.Overtook), strconv.FormatBool(j.Killed), words.ShortestOrEmpty(j.Promised), "s"}
}
