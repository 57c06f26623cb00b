package joblog

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"
)

// Writer writes jobs in some format. The header is that of the log from which they are.
type Writer struct {
	Name  string
	Write func(w io.Writer, h *Header, jobs Source) error
}

// Writers are the formats that logs are written in.
func Writers() []Writer { return slices.Clone(writers) }

var writers = []Writer{{"swf", WriteSWF}, {"csv", writeCSV}}

// WriterNamed returns the writer with a name; ok reports whether there is one.
func WriterNamed(name string) (w Writer, ok bool) {
	i := slices.IndexFunc(writers, func(w Writer) bool { return w.Name == name })
	if i < 0 {
		return w, false
	}
	return writers[i], true
}

// WriteSWF writes jobs in Standard Workload Format, behind the comments of the header.
func WriteSWF(w io.Writer, h *Header, jobs Source) error {
	if h == nil {
		h = &Header{}
	}
	out, err := NewSWFWriter(w, h.Comments)
	if err != nil {
		return err
	}
	if err := each(jobs, out.Write); err != nil {
		return err
	}
	return out.Flush()
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
			submitted = h.Time(j.Submit).Format(time.RFC3339)
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

// each gives the jobs of a source to f.
func each(jobs Source, f func(*Job) error) error {
	if jobs == nil {
		return errors.New("joblog: there is no source of jobs")
	}
	for {
		var j Job
		err := jobs.Next(&j)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(&j); err != nil {
			return err
		}
	}
}
