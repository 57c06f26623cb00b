package workload

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/textfile"
	"github.com/partwise/partwise/models/workload/swf"
)

// DataError says where a file of measurements, or a job log, holds something that is not one.
type DataError = textfile.Error

// Columns says what to read from a file of measurements.
type Columns struct {
	// Value, Weight and Censored name columns by their header or by their number from 1. An empty Value is the only
	// column, or the only one whose values are numbers; an empty Weight or Censored is none.
	Value, Weight, Censored string
	// Upper names the column of upper ends of intervals that begin at Value; a field that is empty or infinite is no end.
	// Truncated names the column of the times from which on an observation could be made.
	Upper, Truncated string
	// Log is the quantity to take from a job log in Standard Workload Format; empty: the file is not a log.
	Log Quantity
	// Speedup is that of the jobs of a log, which [Work] depends on; nil: linear.
	Speedup Speedup
	// SkipInvalid counts values that are not measurements by their problem instead of refusing the file.
	SkipInvalid bool
}

// Quantity is a series of numbers that a job log gives.
type Quantity string

// The quantities.
const (
	Interarrival Quantity = "interarrival" // differences of the sorted submit times, in seconds
	RunTime      Quantity = "runtime"      // run times, in seconds
	Work         Quantity = "work"         // demands, run time × S(processors), in seconds on one node
)

// Samples are the measurements read. Weights, Censored, Upper and Truncated are nil when there is no such column.
type Samples struct {
	Values    []float64
	Weights   []float64
	Censored  []bool
	Upper     []float64
	Truncated []float64
	Skipped   map[string]int // how many were left out, by problem
}

// Measurement is one record of a file.
type Measurement struct {
	Value     float64
	Weight    float64 // 1 without a column of weights
	Censored  bool    // Value is only a lower bound
	Upper     float64 // the end of the interval that begins at Value; Value itself without a column of upper ends
	Truncated float64 // the time from which on it could be observed; 0 without such a column
}

// LoadSamples reads the file at path, or standard input for "-"; see [ReadSamples].
func LoadSamples(path string, c Columns) (Samples, error) {
	if path == "-" {
		return ReadSamples(os.Stdin, "standard input", c)
	}
	f, err := os.Open(path)
	if err != nil {
		return Samples{}, err
	}
	defer f.Close()
	return ReadSamples(f, path, c)
}

// ReadSamples reads all measurements from r; see [ReadMeasurements].
func ReadSamples(r io.Reader, file string, c Columns) (Samples, error) {
	var out Samples
	skipped, err := ReadMeasurements(r, file, c, func(m Measurement) error {
		out.Values = append(out.Values, m.Value)
		if c.Weight != "" {
			out.Weights = append(out.Weights, m.Weight)
		}
		if c.Censored != "" {
			out.Censored = append(out.Censored, m.Censored)
		}
		if c.Upper != "" {
			out.Upper = append(out.Upper, m.Upper)
		}
		if c.Truncated != "" {
			out.Truncated = append(out.Truncated, m.Truncated)
		}
		return nil
	})
	if err != nil {
		return Samples{}, err
	}
	out.Skipped = skipped
	return out, nil
}

// ReadMeasurements reads measurements from r, compressed by gzip or not, and gives them to each one by one, so that a
// file may hold any number; an error of each ends the reading. file is the name in errors. The text is one of
//
//   - CSV, separated by commas, semicolons or tabs, with or without a header; one value per line is CSV of one column;
//   - JSON lines: one number or one object per line, whose keys are the columns;
//   - a job log in Standard Workload Format, if c.Log says what to take from it.
//
// Lines that begin with # are comments. A value, weight or time must be a nonnegative finite number, a censored flag 0
// or 1, an upper end no less than its value; anything else is a *[DataError] that names row and column, or is counted,
// by its problem, if c.SkipInvalid is set.
func ReadMeasurements(
	r io.Reader, file string, c Columns, each func(Measurement) error,
) (skipped map[string]int, err error) {
	if c.Log != "" {
		return readFromLog(r, file, c, each)
	}
	in, err := textfile.Open(r, file)
	if err != nil {
		return nil, err
	}
	s := &sampler{file: file, columns: c, each: each, skipped: map[string]int{}}
	first, err := firstByte(in)
	switch {
	case errors.Is(err, io.EOF):
		return nil, &DataError{File: file, Problem: "is empty"}
	case err != nil:
		return nil, textfile.Damaged(file, 1, err)
	case first == ';':
		return nil, &DataError{File: file, Problem: fmt.Sprintf(
			"looks like a job log; say whether to take %s, %s or %s from it", Interarrival, RunTime, Work)}
	case first == '{':
		err = s.readJSON(in)
	default:
		err = s.readCSV(in)
	}
	if err != nil {
		return nil, err
	}
	if s.taken == 0 {
		return nil, &DataError{File: file, Problem: "holds no values"}
	}
	return s.skipped, nil
}

func readFromLog(
	r io.Reader, file string, c Columns, each func(Measurement) error,
) (skipped map[string]int, err error) {
	l, err := swf.ReadLog(r, file)
	if err != nil {
		return nil, err
	}
	values, skipped, err := c.Log.Take(l.Jobs, c.Speedup)
	if err != nil {
		return nil, &DataError{File: file, Problem: strings.TrimPrefix(err.Error(), "workload: ")}
	}
	if len(values) == 0 {
		return nil, &DataError{File: file, Problem: "holds no jobs to take " + string(c.Log) + " values from"}
	}
	for _, x := range values {
		if err := each(Measurement{Value: x, Weight: 1, Upper: x}); err != nil {
			return nil, err
		}
	}
	return skipped, nil
}

// firstByte returns the first byte that is not blank, without reading past it.
func firstByte(in *bufio.Reader) (byte, error) {
	for n := 1; ; n++ {
		b, err := in.Peek(n)
		if len(b) < n {
			return 0, err
		}
		if c := b[n-1]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, nil
		}
		if n == in.Size() {
			return 0, errors.New("begins with too many blank lines")
		}
	}
}

// sampler takes the values of one file.
type sampler struct {
	file    string
	columns Columns
	each    func(Measurement) error
	taken   int
	skipped map[string]int
}

// row is one record: text by column, with names for errors.
type row struct {
	line                                      int
	value, weight, censored, upper, truncated cell
}

// cell is the text of a field; missing when the record has no such field.
type cell struct {
	column, text string
	missing      bool
}

// add takes a record, or counts it, or refuses it.
func (s *sampler) add(r *row) error {
	m := Measurement{Weight: 1}
	x, problem := number(&r.value)
	at := &r.value
	m.Value, m.Upper = x, x
	if problem == "" && s.columns.Weight != "" {
		m.Weight, problem = number(&r.weight)
		at = &r.weight
	}
	if problem == "" && s.columns.Censored != "" {
		m.Censored, problem = truth(r.censored)
		at = &r.censored
	}
	if problem == "" && s.columns.Upper != "" {
		m.Upper, problem = upperEnd(&r.upper, x)
		at = &r.upper
	}
	if problem == "" && s.columns.Truncated != "" {
		m.Truncated, problem = number(&r.truncated)
		at = &r.truncated
	}
	if problem != "" {
		return s.refuse(r.line, at.column, problem)
	}
	s.taken++
	return s.each(m)
}

// upperEnd returns the end of the interval from x that a field holds: no end if it is empty.
func upperEnd(c *cell, x float64) (float64, string) {
	switch text := strings.ToLower(strings.TrimSpace(c.text)); {
	case c.missing:
	case text == "", text == "null", text == `""`, text == "inf", text == "+inf", text == "infinity":
		return math.Inf(1), ""
	}
	b, problem := number(c)
	if problem == "" && b < x {
		problem = fmt.Sprintf("less than the value: %v is below %v", b, x)
	}
	return b, problem
}

func (s *sampler) refuse(line int, column, problem string) error {
	if s.columns.SkipInvalid {
		reason, _, _ := strings.Cut(problem, ":")
		s.skipped[reason]++
		return nil
	}
	return &DataError{File: s.file, Row: line, Column: column, Problem: problem}
}

// number returns the nonnegative finite number that a field holds, or what is wrong with it.
func number(c *cell) (float64, string) {
	text := strings.TrimSpace(c.text)
	switch {
	case c.missing:
		return 0, "missing"
	case text == "":
		return 0, "empty"
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, "infinite: " + text
	case err != nil:
		return 0, fmt.Sprintf("not a number: %q", shortened(text))
	case math.IsNaN(x):
		return 0, "not a number: NaN"
	case math.IsInf(x, 0):
		return 0, "infinite: " + text
	case x < 0:
		return 0, "negative: " + text
	}
	return x, ""
}

// truth returns the flag that a field holds, or what is wrong with it.
func truth(c cell) (bool, string) {
	switch text := strings.ToLower(strings.TrimSpace(c.text)); {
	case c.missing:
		return false, "missing"
	case text == "0", text == "false":
		return false, ""
	case text == "1", text == "true":
		return true, ""
	default:
		return false, fmt.Sprintf("not 0 or 1: %q", shortened(text))
	}
}

func shortened(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}
