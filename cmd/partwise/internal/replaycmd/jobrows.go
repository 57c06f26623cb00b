package replaycmd

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// jobRows writes a row for each job that has ended. The writer keeps its first error for flush.
type jobRows struct {
	out *csv.Writer
	on  metric.Machine
	row []string
}

func newJobRows(w io.Writer, on metric.Machine) *jobRows {
	r := &jobRows{out: csv.NewWriter(w), on: on}
	_ = r.out.Write([]string{"policy", "id", "submit", "start", "end", "nodes", "waiting_time", "response_time",
		"bounded_slowdown", "estimate", "backfilled", "killed", "promised_start", output.TimeUnit})
	return r
}

func (r *jobRows) write(policy string, j *machine.Record) {
	r.row = append(r.row[:0], policy, strconv.Itoa(j.ID), output.Shortest(j.Submit), output.Shortest(j.Start),
		output.Shortest(j.End), strconv.Itoa(j.Widest), output.Shortest(j.Wait()), output.Shortest(j.Response()),
		output.Shortest(r.on.BoundedSlowdown(j)), output.Shortest(j.Estimate), strconv.FormatBool(j.Overtook),
		strconv.FormatBool(j.Killed), output.ShortestOrEmpty(j.Promised), "s")
	_ = r.out.Write(r.row)
}

func (r *jobRows) flush() error {
	r.out.Flush()
	return r.out.Error()
}
