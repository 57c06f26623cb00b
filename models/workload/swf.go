package workload

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"
)

// Job is one line of a job log in Standard Workload Format. Times are in seconds, Submit from the start of the log;
// −1 stands for what the log does not know.
//
// Reference: S. J. Chapin et al., Benchmarks and standards for the evaluation of parallel job schedulers, Job Scheduling
// Strategies for Parallel Processing, LNCS 1659 (1999) 67–90.
type Job struct {
	ID                  int
	Submit, Wait, Run   float64
	Processors          int     // allocated
	ProcessorTime       float64 // average per processor
	Memory              float64 // average per processor, kilobytes
	RequestedProcessors int
	Estimate            float64 // requested run time
	RequestedMemory     float64
	Status              Status
	User, Group         int
	Application         int
	Queue, Partition    int
	Preceding           int     // the job that this one waited for before it was submitted
	ThinkTime           float64 // between its end and this submission
}

// Status tells how a job ended.
type Status int

// The statuses of the format.
const (
	Unknown   Status = -1
	Failed    Status = 0
	Completed Status = 1
	Partial   Status = 2 // to be continued
	LastPart  Status = 3 // the last of several, completed
	BrokenEnd Status = 4 // the last of several, failed
	Cancelled Status = 5
)

// Nodes returns the processors allocated, or those requested where the log does not know.
func (j Job) Nodes() int {
	if j.Processors > 0 {
		return j.Processors
	}
	return j.RequestedProcessors
}

// Header is what the comments at the top of a log say. Numbers are 0 where it says nothing.
type Header struct {
	MaxProcs, MaxNodes, MaxJobs int
	UnixStartTime               int64
	Fields                      map[string]string // all "; Key: value" lines; a repeated key keeps its first value
}

// Size returns the number of nodes of the machine: MaxProcs, or MaxNodes where that is not given; 0 if neither is.
func (h Header) Size() int {
	if h.MaxProcs > 0 {
		return h.MaxProcs
	}
	return h.MaxNodes
}

// LogReader reads a job log line by line, in bounded memory.
type LogReader struct {
	file   string
	in     *bufio.Scanner
	row    int
	header Header
}

// NewLogReader returns a reader of the log r, compressed by gzip or not; file is its name in errors.
func NewLogReader(r io.Reader, file string) (*LogReader, error) {
	plain, err := uncompressed(r)
	if err != nil {
		return nil, &DataError{File: file, Problem: "damaged compression: " + err.Error()}
	}
	in := bufio.NewScanner(plain)
	in.Buffer(make([]byte, 0, 64<<10), longestLine)
	return &LogReader{file: file, in: in, header: Header{Fields: map[string]string{}}}, nil
}

// Header returns what the comments read so far say; after the first job, usually all.
func (r *LogReader) Header() Header { return r.header }

// Next returns the next job, or io.EOF after the last. A line that is not 18 numbers is a *[DataError] with its row.
func (r *LogReader) Next() (Job, error) {
	for r.in.Scan() {
		r.row++
		line := strings.TrimSpace(r.in.Text())
		switch {
		case line == "":
		case line[0] == ';':
			r.comment(line)
		default:
			return r.job(line)
		}
	}
	if err := r.in.Err(); err != nil {
		return Job{}, damaged(r.file, r.row+1, err)
	}
	return Job{}, io.EOF
}

func (r *LogReader) comment(line string) {
	key, value, ok := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if _, seen := r.header.Fields[key]; !ok || key == "" || strings.ContainsAny(key, " \t") || seen {
		return
	}
	r.header.Fields[key] = value
	first, _, _ := strings.Cut(value, " ")
	n, err := strconv.ParseInt(first, 10, 64)
	if err != nil || n < 0 {
		return
	}
	switch key {
	case "MaxProcs":
		r.header.MaxProcs = int(n)
	case "MaxNodes":
		r.header.MaxNodes = int(n)
	case "MaxJobs":
		r.header.MaxJobs = int(n)
	case "UnixStartTime":
		r.header.UnixStartTime = n
	}
}

// fieldNames are the columns of the format, for errors.
var fieldNames = [...]string{
	"job", "submit", "wait", "run", "processors", "processor time", "memory", "requested processors", "requested time",
	"requested memory", "status", "user", "group", "application", "queue", "partition", "preceding job", "think time",
}

func (r *LogReader) job(line string) (Job, error) {
	var v [len(fieldNames)]float64
	n := 0
	for text := range strings.FieldsSeq(line) {
		if n == len(v) {
			return Job{}, &DataError{File: r.file, Row: r.row, Problem: fmt.Sprintf("more than %d fields", len(v))}
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.Abs(x) > 1e15 {
			return Job{}, &DataError{r.file, r.row, fieldNames[n], fmt.Sprintf("%q is not a number of the format", text)}
		}
		v[n] = x
		n++
	}
	if n < len(v) {
		return Job{}, &DataError{File: r.file, Row: r.row, Problem: fmt.Sprintf("%d fields, a job has %d", n, len(v))}
	}
	return Job{
		ID: int(v[0]), Submit: v[1], Wait: v[2], Run: v[3], Processors: int(v[4]), ProcessorTime: v[5], Memory: v[6],
		RequestedProcessors: int(v[7]), Estimate: v[8], RequestedMemory: v[9], Status: Status(v[10]), User: int(v[11]),
		Group: int(v[12]), Application: int(v[13]), Queue: int(v[14]), Partition: int(v[15]), Preceding: int(v[16]),
		ThinkTime: v[17],
	}, nil
}

// Log is a whole job log.
type Log struct {
	Header Header
	Jobs   []Job // as in the file
}

// ReadLog reads a whole log; see [LogReader].
func ReadLog(r io.Reader, file string) (Log, error) {
	in, err := NewLogReader(r, file)
	if err != nil {
		return Log{}, err
	}
	var l Log
	for {
		j, err := in.Next()
		if errors.Is(err, io.EOF) {
			l.Header = in.Header()
			return l, nil
		}
		if err != nil {
			return Log{}, err
		}
		l.Jobs = append(l.Jobs, j)
	}
}

// Interarrivals returns the differences of the sorted submit times, in seconds, one less than there are jobs, and how many
// jobs were left out, by reason.
func Interarrivals(jobs []Job) (times []float64, skipped map[string]int) {
	skipped = map[string]int{}
	var submits []float64
	for _, j := range jobs {
		if j.Submit < 0 {
			skipped["no submit time"]++
			continue
		}
		submits = append(submits, j.Submit)
	}
	sort.Float64s(submits)
	for i := 1; i < len(submits); i++ {
		times = append(times, submits[i]-submits[i-1])
	}
	return times, skipped
}

// RunTimes returns the run times in seconds, and how many jobs were left out, by reason.
func RunTimes(jobs []Job) (times []float64, skipped map[string]int) {
	skipped = map[string]int{}
	for _, j := range jobs {
		if j.Run < 0 {
			skipped["no run time"]++
			continue
		}
		times = append(times, j.Run)
	}
	return times, skipped
}

// Works returns run time × processors in node-seconds, and how many jobs were left out, by reason.
func Works(jobs []Job) (works []float64, skipped map[string]int) {
	skipped = map[string]int{}
	for _, j := range jobs {
		switch n := j.Nodes(); {
		case j.Run < 0:
			skipped["no run time"]++
		case n <= 0:
			skipped["no processors"]++
		default:
			works = append(works, j.Run*float64(n))
		}
	}
	return works, skipped
}

// Take returns the quantity q of the jobs, and how many jobs were left out, by reason.
func (q Quantity) Take(jobs []Job) (values []float64, skipped map[string]int, err error) {
	switch q {
	case Interarrival:
		values, skipped = Interarrivals(jobs)
	case RunTime:
		values, skipped = RunTimes(jobs)
	case Work:
		values, skipped = Works(jobs)
	default:
		return nil, nil, fmt.Errorf("workload: a log gives %s, %s or %s, not %q", Interarrival, RunTime, Work, string(q))
	}
	return values, skipped, nil
}
