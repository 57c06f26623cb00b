package joblog

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Error says where a log holds something that is not a job. It has the fields File, Row, Column (its name), Problem and
// Err, the kind of the problem, which may be nil.
type Error = logtext.Error

// SWF is the name of the Standard Workload Format.
const SWF Format = "swf"

// swf is the Standard Workload Format.
var swf = format{
	name:      SWF,
	summary:   "the Parallel Workloads Archive; sizes are processors, whatever these were",
	recognise: func(b *filekind.Beginning) bool { return len(b.Text) > 0 && b.Text[0] == ';' },
	read: func(in *logtext.File, file string, o Options, take func(*Job) bool) (Log, *List, error) {
		log, err := readSWF(in, file, o, take)
		return log, nil, err
	},
}

// partialLines names the lines of parts of jobs that another line of the log tells as a whole.
const partialLines = "lines of parts of jobs that were swapped out or checkpointed: the line of the whole job counts"

// isPart reports whether a line tells a part of the execution of a job: one with a status from 2 to 4.
func isPart(j *Job) bool { return j.Status > Completed && j.Status < Cancelled }

// isPartOf reports whether a line tells a part of the execution of a job that another line tells as a whole. Parts after the first may leave the
// time of submission unknown.
func isPartOf(j, whole *Job) bool {
	return isPart(j) && j.ID == whole.ID && (j.Submit == whole.Submit || j.Submit == -1)
}

// readSWF reads a log in Standard Workload Format. The error is an *[Error] with the row of a line that is not 18 numbers.
func readSWF(in *logtext.File, file string, o Options, take func(*Job) bool) (Log, error) {
	if o.Location != nil {
		return Log{}, &Error{File: file, Problem: "a log in Standard Workload Format counts seconds: no time zone is read"}
	}
	if o.Unit != "" {
		return Log{}, &Error{File: file, Problem: fmt.Sprintf("a log in Standard Workload Format has processors, not %s", o.Unit)}
	}
	l := Log{Format: SWF, Header: Header{Fields: map[string]string{}}}
	var job Job
	var found findings
	var whole Job // the last job that is not a part: the line of a whole job comes before the lines of its parts
	r := swfLines{Lines: logtext.Lines{File: file, In: in, Comments: true}}
	for n := 1; ; {
		line, long, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			l.Findings = found.sorted()
			return l, nil
		case err != nil:
			return l, err
		case long:
			return l, logtext.Damaged(file, r.Row, bufio.ErrTooLong)
		}
		if line = bytes.TrimSpace(line); line[0] == ';' {
			if problem := l.Header.add(line); problem != "" {
				found.add(problem, r.Row, line, false)
			}
			continue
		}
		if err := cmp.Or(tooMany(file, n, o.Most), r.parse(line)); err != nil {
			return l, err
		}
		job.setSWF(&r.fields)
		switch {
		case !isPart(&job):
			whole = job
		case n > 1 && isPartOf(&job, &whole):
			found.add(partialLines, r.Row, nil, false)
			continue
		}
		if !take(&job) {
			l.Findings = found.sorted()
			return l, nil
		}
		n++
	}
}

// swfLines reads the lines of a log in Standard Workload Format.
type swfLines struct {
	logtext.Lines
	fields [swfFields]float64
}

// swfFields is the number of columns of the format.
const swfFields = 18

// fieldNames are the columns of the format, for errors.
var fieldNames = [swfFields]string{
	"job", "submit", "wait", "run", "processors", "processor time", "memory", "requested processors", "requested time",
	"requested memory", "status", "user", "group", "application", "queue", "partition", "preceding job", "think time",
}

// fields returns a job as the columns of the format.
func (j *Job) fields() [swfFields]float64 {
	return [swfFields]float64{
		float64(j.ID), j.Submit, j.Wait, j.Run, float64(j.Processors), j.ProcessorTime, j.Memory,
		float64(j.RequestedProcessors), j.Estimate, j.RequestedMemory, float64(j.Status), float64(j.User), float64(j.Group),
		float64(j.Application), float64(j.Queue), float64(j.Partition), float64(j.Preceding), j.ThinkTime,
	}
}

// setSWF sets the fields of a job that are columns of the format.
func (j *Job) setSWF(v *[swfFields]float64) {
	j.ID, j.Submit, j.Wait, j.Run, j.Processors, j.ProcessorTime = int(v[0]), v[1], v[2], v[3], int(v[4]), v[5]
	j.Memory, j.RequestedProcessors, j.Estimate, j.RequestedMemory = v[6], int(v[7]), v[8], v[9]
	j.Status, j.User, j.Group, j.Application = Status(v[10]), int(v[11]), int(v[12]), int(v[13])
	j.Queue, j.Partition, j.Preceding, j.ThinkTime = int(v[14]), int(v[15]), int(v[16]), v[17]
}

// isCount reports whether a column holds whole numbers: processors, or numbers that stand for jobs, statuses, users and so on.
func isCount(column int) bool {
	return column == 0 || column == 4 || column == 7 || column >= 10 && column < swfFields-1
}

// largest is the largest number that a field may hold: all whole numbers up to it are floating-point numbers.
const largest = 1e15

// parse reads the fields of a line. Nearly every number is a short whole one.
func (r *swfLines) parse(line []byte) error {
	k := 0
	for at := 0; at < len(line); k++ {
		begin, n := at, int64(0)
		negative := line[at] == '-'
		if negative {
			at++
		}
		first := at
		for at < len(line) && line[at]-'0' <= 9 {
			n = 10*n + int64(line[at]-'0') // of more than 15 digits it is not used
			at++
		}
		if k == swfFields {
			return &Error{File: r.File, Row: r.Row, Problem: fmt.Sprintf("more than %d fields", swfFields)}
		}
		if digits := at - first; 0 < digits && digits <= 15 && (at == len(line) || isBlank(line[at])) {
			if negative {
				n = -n
			}
			r.fields[k] = float64(n)
		} else {
			for at < len(line) && !isBlank(line[at]) {
				at++
			}
			x, err := strconv.ParseFloat(string(line[begin:at]), 64)
			problem := ""
			switch {
			case err != nil || !(math.Abs(x) <= largest):
				problem = "%q is not a number of the format"
			case x != math.Trunc(x) && isCount(k):
				problem = "%q is not a whole number"
			}
			if problem != "" {
				return &Error{File: r.File, Row: r.Row, Column: fieldNames[k], Problem: fmt.Sprintf(problem, logtext.Shortened(line[begin:at]))}
			}
			r.fields[k] = x
		}
		for at < len(line) && isBlank(line[at]) {
			at++
		}
	}
	if k < swfFields {
		return &Error{File: r.File, Row: r.Row, Problem: fmt.Sprintf("%d fields, a job has %d", k, swfFields)}
	}
	return nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
