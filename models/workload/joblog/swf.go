package joblog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/internal/executions"
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

// isPartOf reports whether a line tells a part of the execution of a job that another line tells as a whole. Parts after the
// first may leave the time of submission unknown.
func isPartOf(j, whole *Job) bool {
	return isPart(j) && j.ID == whole.ID && (j.Submit == whole.Submit || j.Submit == -1)
}

// swfReader reads a log in Standard Workload Format.
type swfReader struct {
	logtext.Lines
	fields [swfFields]float64
	found  findings
	jobs   jobLines
	line   []byte  // the last line that was read
	whole  Job     // the last job that is not a part: the line of a whole job comes before the lines of its parts
	held   float64 // the node-seconds of the jobs that were given
}

// readSWF reads a log in Standard Workload Format. A line that is not 18 numbers gives no job, and is counted.
func readSWF(in *logtext.File, file string, o Options, take func(*Job) bool) (Log, error) {
	if o.Location != nil {
		return Log{}, &Error{File: file, Problem: "a log in Standard Workload Format counts seconds: no time zone is read"}
	}
	if o.Unit != "" {
		return Log{}, &Error{File: file, Problem: fmt.Sprintf("a log in Standard Workload Format has processors, not %s", o.Unit)}
	}
	l := Log{Format: SWF, Header: Header{Fields: map[string]string{}}}
	var job Job
	r := swfReader{Lines: logtext.Lines{File: file, In: in, Comments: true}, jobs: newJobLines()}
	for given := 0; ; {
		isJob, err := r.next(&l.Header, &job)
		switch {
		case errors.Is(err, io.EOF):
			return r.finish(l, given)
		case err != nil:
			return l, err
		case !isJob:
			continue
		}
		if err := tooMany(file, given+1, o.Most); err != nil {
			return l, err
		}
		if !r.isNew(&job, given) {
			continue
		}
		r.held += job.NodeTime()
		given++
		if !take(&job) {
			return r.finish(l, given)
		}
	}
}

// isNew reports whether the job of the line that was read is a job of its own, after so many others were given. It counts the
// lines that list a job again or tell a part of a job, and the jobs whose number another job has, too.
func (r *swfReader) isNew(job *Job, given int) bool {
	switch {
	case !isPart(job):
		r.whole = *job
	case given > 0 && isPartOf(job, &r.whole):
		r.found.add(partialLines, r.Row, nil, false)
		return false
	}
	isRepeated, isReused := r.jobs.add(job.ID, r.line)
	switch {
	case isRepeated:
		r.found.add(executions.ListedTwice, r.Row, nil, false)
	case isReused && !isPart(job):
		r.found.add(reusedNumber, r.Row, nil, false)
	}
	return !isRepeated
}

// next reads the next line. It sets the job to the job of the line, unless the line is a comment, a message or damaged.
func (r *swfReader) next(h *Header, job *Job) (isJob bool, err error) {
	line, isLong, err := r.Next()
	if err != nil {
		return false, err
	}
	if line = bytes.TrimSpace(line); line[0] == ';' {
		if problem := h.add(line); problem != "" {
			r.found.add(problem, r.Row, line, false)
			if problem == repeatedHeader && bytes.Contains(bytes.ToLower(line), []byte("unixstarttime")) {
				r.jobs.beginLog()
			}
		}
		return false, nil
	}
	p := problem{tooLong, line}
	if !isLong {
		p = r.parse(line)
	}
	switch {
	case p.what == "":
		job.setSWF(&r.fields)
		r.line = line
		return true, nil
	case logtext.IsMessage(line):
		r.found.add(messages, r.Row, line, false)
	default:
		r.found.add(p.what, r.Row, p.text, true)
	}
	return false, nil
}

// finish returns the log when its lines have been read, and has given so many jobs. The error says that no line holds a job.
func (r *swfReader) finish(l Log, given int) (Log, error) {
	l.Findings = r.found.sorted()
	lines, first := r.found.damaged()
	switch {
	case lines > 0 && given == 0:
		return l, &Error{File: r.File, Row: first.First, Problem: noneHoldsJob(lines, first)}
	case lines > 0:
		l.Lost = Lost{Lines: lines, First: first.First}.among(r.held, given, lines)
	}
	return l, nil
}

// noneHoldsJob says that none of the lines of a log holds a job, and what is wrong with the first line.
func noneHoldsJob(lines int, first *Finding) string {
	problem := "no line holds a job: the only line has been skipped, with " + first.What
	if lines > 1 {
		problem = fmt.Sprintf("no line holds a job: this is the first of %s that have been skipped, with %s",
			words.Count(lines, "line"), first.What)
	}
	if first.Text != "" {
		problem += fmt.Sprintf(": %q", first.Text)
	}
	return problem
}

// swfFields is the number of columns of the format.
const swfFields = 18

// fieldNames are the columns of the format, for findings.
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

// Texts of the findings in lines that are not jobs.
const (
	fewFields  = "fewer than the 18 fields of the Standard Workload Format"
	manyFields = "more than the 18 fields of the Standard Workload Format"
)

// parse reads the fields of a line, or returns why the line is not a job. Nearly every number is a short whole one.
func (r *swfReader) parse(line []byte) problem {
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
			return problem{manyFields, line}
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
			switch {
			case err != nil && bytes.IndexByte(line[begin:at], ',') >= 0:
				return problem{"a comma in column " + fieldNames[k] + ": blanks separate fields, and numbers have points", line[begin:at]}
			case err != nil || !(math.Abs(x) <= largest):
				return problem{"an unreadable number in column " + fieldNames[k], line[begin:at]}
			case x != math.Trunc(x) && isCount(k):
				return problem{"a fraction in column " + fieldNames[k] + ", which holds whole numbers", line[begin:at]}
			}
			r.fields[k] = x
		}
		for at < len(line) && isBlank(line[at]) {
			at++
		}
	}
	if k < swfFields {
		return problem{fewFields, line}
	}
	return problem{r.negative(), line}
}

// negative returns what is wrong with a line whose submission or number of processors is negative: only -1 stands for a value that
// is not known. It returns "" for other lines. A job with a negative run time is set apart: it ends before its start.
func (r *swfReader) negative() string {
	const submit, processors = 1, 4
	for _, k := range [...]int{submit, processors} {
		if v := r.fields[k]; v < 0 && v != -1 {
			return "a negative number in column " + fieldNames[k]
		}
	}
	return ""
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
