package joblog

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Writer writes jobs in some format. The header is that of the log from which they are.
type Writer struct {
	Name  string
	Write func(w io.Writer, h *Header, jobs Source) error
}

// Writers are the formats that logs are written in.
func Writers() []Writer { return []Writer{{"swf", WriteSWF}, {"csv", writeCSV}} }

// WriteSWF writes jobs in Standard Workload Format, behind the comments of the header, which may be nil.
func WriteSWF(w io.Writer, h *Header, jobs Source) error {
	out := bufio.NewWriter(w)
	if h != nil {
		for _, c := range h.Comments {
			fmt.Fprintf(out, ";%s\n", c) // an error comes again
		}
	}
	var line []byte
	err := each(jobs, func(j *Job) error {
		line = line[:0]
		for _, x := range j.fields() {
			line = append(strconv.AppendFloat(line, x, 'f', -1, 64), ' ')
		}
		line[len(line)-1] = '\n'
		_, err := out.Write(line)
		return err
	})
	return cmp.Or(err, out.Flush())
}

// csvColumns are the columns of CSV: times in seconds, those that the log does not know empty. submitted is the date and
// time of day, where the machine stands, if the log tells when it begins.
var csvColumns = []string{"job", "submitted", "submit_time", "waiting_time", "run_time", "nodes", "requested_time", "status",
	"user", "group", "application", "queue", "partition"}

// writeCSV writes a table of jobs with a header.
func writeCSV(w io.Writer, h *Header, jobs Source) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvColumns); err != nil {
		return err
	}
	number := func(x float64) string {
		if x < 0 {
			return ""
		}
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	err := each(jobs, func(j *Job) error {
		submitted := ""
		if h.Dated() && j.Submit >= 0 {
			submitted = h.time(j.Submit).Format(time.RFC3339)
		}
		return out.Write([]string{strconv.Itoa(j.ID), submitted, number(j.Submit), number(j.Wait), number(j.Run),
			number(float64(j.Nodes())), number(j.Estimate), j.Status.String(), number(float64(j.User)),
			number(float64(j.Group)), number(float64(j.Application)), number(float64(j.Queue)), number(float64(j.Partition))})
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}
