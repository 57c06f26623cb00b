package joblog

import (
	"bufio"
	"errors"
	"io"
	"strconv"
)

// SWFWriter writes a log.
type SWFWriter struct {
	out  *bufio.Writer
	line []byte
}

// NewSWFWriter returns a writer of a log that begins with the given comments, one a line.
func NewSWFWriter(w io.Writer, comments []string) (*SWFWriter, error) {
	out := &SWFWriter{out: bufio.NewWriter(w)}
	for _, c := range comments {
		if _, err := out.out.WriteString(";" + c + "\n"); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Write writes a job.
func (w *SWFWriter) Write(j *Job) error {
	if w == nil || w.out == nil || j == nil {
		return errNoWriter
	}
	b := w.line[:0]
	for i, x := range [...]float64{
		float64(j.ID), j.Submit, j.Wait, j.Run, float64(j.Processors), j.ProcessorTime, j.Memory,
		float64(j.RequestedProcessors), j.Estimate, j.RequestedMemory, float64(j.Status), float64(j.User), float64(j.Group),
		float64(j.Application), float64(j.Queue), float64(j.Partition), float64(j.Preceding), j.ThinkTime,
	} {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendFloat(b, x, 'f', -1, 64)
	}
	w.line = append(b, '\n')
	_, err := w.out.Write(w.line)
	return err
}

// Flush writes what is still held back. It must be called at the end.
func (w *SWFWriter) Flush() error {
	if w == nil || w.out == nil {
		return errNoWriter
	}
	return w.out.Flush()
}

var errNoWriter = errors.New("joblog: nothing to write, or nowhere to write it; make a writer with NewWriter")
