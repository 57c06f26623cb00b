package joblog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Error says where a log holds something that is not a job.
type Error = logtext.Error

// SWFReader reads a log line by line, in bounded memory.
type SWFReader struct {
	// InOrder has Next refuse a job that was submitted before one that it has returned.
	InOrder bool

	last   float64 // submission
	file   string
	in     *bufio.Reader
	row    int
	header Header
}

// NewSWFReader returns a reader of the log r, compressed by gzip or not; file is its name in errors.
func NewSWFReader(r io.Reader, file string) (*SWFReader, error) {
	in, err := logtext.Open(r, file)
	if err != nil {
		return nil, err
	}
	return &SWFReader{file: file, in: in, header: Header{Fields: map[string]string{}}}, nil
}

// Header returns what the comments read so far say; after the first job, usually all.
func (r *SWFReader) Header() *Header { return &r.header }

// Row returns the line of the job that was read last, counted from 1.
func (r *SWFReader) Row() int { return r.row }

// Next reads the next job into j. It returns io.EOF after the last, and an *[Error] with its row for a line that is not
// 18 numbers; reading may go on after that.
func (r *SWFReader) Next(j *Job) error {
	if r == nil || r.in == nil {
		return errNoSource
	}
	for {
		line, err := r.line()
		if err != nil {
			return err
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case line[0] == ';':
			r.header.add(line)
		default:
			if err := r.parse(line, j); err != nil {
				return err
			}
			return r.order(j)
		}
	}
}

// order holds the jobs whose submission is known to its order.
func (r *SWFReader) order(j *Job) error {
	if r.InOrder && j.Submit >= 0 && j.Submit < r.last {
		return &Error{File: r.file, Row: r.row, Column: fieldNames[1],
			Problem: fmt.Sprintf("job %d was submitted at %v, after one submitted at %v", j.ID, j.Submit, r.last)}
	}
	r.last = max(r.last, j.Submit)
	return nil
}

// line returns the next line. Of a comment that is longer than the buffer it returns the beginning.
func (r *SWFReader) line() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	r.row++
	switch {
	case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
		return line, nil
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case !errors.Is(err, bufio.ErrBufferFull):
		return nil, logtext.Damaged(r.file, r.row, err)
	}
	kept := bytes.Clone(bytes.TrimLeft(line, " \t"))
	kept = kept[:min(len(kept), commentBytes)]
	comment := bytes.HasPrefix(kept, []byte(";"))
	for n := len(line); errors.Is(err, bufio.ErrBufferFull) && (comment || n < logtext.LongestLine); n += r.in.Size() {
		_, err = r.in.ReadSlice('\n')
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, logtext.Damaged(r.file, r.row, err)
	case !comment:
		return nil, logtext.Damaged(r.file, r.row, bufio.ErrTooLong)
	}
	return kept, nil
}

// fieldNames are the columns of the format, for errors.
var fieldNames = [...]string{
	"job", "submit", "wait", "run", "processors", "processor time", "memory", "requested processors", "requested time",
	"requested memory", "status", "user", "group", "application", "queue", "partition", "preceding job", "think time",
}

// largest is the largest number that a field may hold: all whole numbers up to it are floating-point numbers.
const largest = 1e15

func (r *SWFReader) parse(line []byte, j *Job) error {
	var v [len(fieldNames)]float64
	n := 0
	for at := 0; at < len(line); {
		x, end, ok := swfNumber(line, at)
		if n == len(v) {
			return &Error{File: r.file, Row: r.row, Problem: fmt.Sprintf("more than %d fields", len(v))}
		}
		if !ok {
			return &Error{File: r.file, Row: r.row, Column: fieldNames[n],
				Problem: fmt.Sprintf("%q is not a number of the format", swfShortened(line[at:end]))}
		}
		v[n] = x
		n++
		for at = end; at < len(line) && isBlank(line[at]); {
			at++
		}
	}
	if n < len(v) {
		return &Error{File: r.file, Row: r.row, Problem: fmt.Sprintf("%d fields, a job has %d", n, len(v))}
	}
	*j = Job{
		ID: int(v[0]), Submit: v[1], Wait: v[2], Run: v[3], Processors: int(v[4]), ProcessorTime: v[5], Memory: v[6],
		RequestedProcessors: int(v[7]), Estimate: v[8], RequestedMemory: v[9], Status: Status(v[10]), User: int(v[11]),
		Group: int(v[12]), Application: int(v[13]), Queue: int(v[14]), Partition: int(v[15]), Preceding: int(v[16]),
		ThinkTime: v[17],
	}
	return nil
}

// swfNumber returns the number of the field that begins at a place of a line, and the end of the field. Nearly every number is a
// short whole one.
func swfNumber(line []byte, begin int) (x float64, end int, ok bool) {
	at := begin
	if line[at] == '-' {
		at++
	}
	first, n := at, 0
	for at < len(line) && '0' <= line[at] && line[at] <= '9' {
		n = 10*n + int(line[at]-'0') // of more than 15 digits it is not used
		at++
	}
	if digits := at - first; 0 < digits && digits <= 15 && (at == len(line) || isBlank(line[at])) {
		if first > begin {
			n = -n
		}
		return float64(n), at, true
	}
	for at < len(line) && !isBlank(line[at]) {
		at++
	}
	x, ok = float(line[begin:at])
	return x, at, ok
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func float(field []byte) (float64, bool) {
	x, err := strconv.ParseFloat(string(field), 64)
	return x, err == nil && math.Abs(x) <= largest // NaN is not
}

func swfShortened(field []byte) []byte {
	if len(field) > 40 {
		return append(bytes.Clone(field[:40]), "…"...)
	}
	return field
}

// SWFLog is a whole log.
type SWFLog struct {
	Header Header
	Jobs   []Job // as in the file
}

// ReadSWF reads a whole log; see [SWFReader].
func ReadSWF(r io.Reader, file string) (SWFLog, error) {
	in, err := NewSWFReader(r, file)
	if err != nil {
		return SWFLog{}, err
	}
	var l SWFLog
	for {
		var j Job
		err := in.Next(&j)
		if errors.Is(err, io.EOF) {
			l.Header = *in.Header()
			return l, nil
		}
		if err != nil {
			return SWFLog{}, err
		}
		l.Jobs = append(l.Jobs, j)
	}
}
