package workload

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/joblog"
)

// DataError says where a file of measurements, or a job log, holds something else. It has the fields File, Row, Column
// (its name), Problem and Err, the kind of the problem, which may be nil.
type DataError = logtext.Error

// Columns says what to read from a file of measurements.
type Columns struct {
	// Value, Weight and Censored name columns by their header or by their number from 1. An empty Value is the only
	// column, or the only one whose values are numbers; an empty Weight or Censored is none.
	Value, Weight, Censored string
	// Upper names the column of upper ends of intervals that begin at Value; a field that is empty or infinite is no end.
	// Truncated names the column of the times from which on an observation could be made.
	Upper, Truncated string
	// Nodes names the column of the nodes on which each value was measured, and OnNodes is their number if it is the same for all;
	// "" and 0: nothing is known of them. With either, the values become demands: value × S(nodes), S the Speedup.
	Nodes   string
	OnNodes int
	// Timestamps names the column of the times at which something happened; the values are then the gaps between them,
	// in the order of time. MaxGap excludes gaps that are longer, as over periods of which nothing is known; 0: none.
	Timestamps string
	MaxGap     float64
	// Location is that whose clocks times show that name no zone; nil: UTC.
	Location *time.Location
	// Decimal is the decimal mark, '.' or ','; the other one may then separate thousands. 0: '.', and numbers that could
	// be read either way are refused.
	Decimal byte
	// Second is how long a second is in the unit of the values, for durations such as 1h30m or 01:30:00 and for gaps; 0: 1.
	Second float64
	// Log is the quantity to take from a job log; empty: the file is not a log. LogOptions say how it is read.
	Log        Quantity
	LogOptions joblog.Options
	// Speedup is that of the jobs: [Work] depends on it, and so do demands of measurements with Nodes; nil: linear.
	Speedup Speedup
	// Sizes are the nodes of the jobs of a log that are taken.
	Sizes joblog.Sizes
	// Remarks takes what was assumed of the file, or found in a log; nil: it is not kept.
	Remarks *Remarks
	// Most is how many values, timestamps or jobs of a log are kept in memory, where they are; a file of more is refused.
	// 0: ten million, and four million jobs.
	Most int
	// SkipInvalid counts values that are not measurements by their problem instead of refusing the file.
	SkipInvalid bool
	// MostLost is the largest share of the jobs of a log that may give no value; 0: any share. A log that loses more is refused with
	// an error of the kind [ErrLost].
	MostLost float64
}

// ErrLost is the kind of the error of a log of which too many jobs give no value.
var ErrLost = errors.New("too many jobs give no value")

// most returns the error of a file of which n values were to be kept, nil if they are not too many.
func (c *Columns) most(file string, n int) error {
	if most := cmp.Or(c.Most, mostKept); n > most {
		return &DataError{File: file, Err: logtext.ErrTooMany,
			Problem: fmt.Sprintf("holds more than %s, which do not fit into the memory allowed", words.Count(most, "value"))}
	}
	return nil
}

// Quantity is a series of numbers that a job log gives.
type Quantity string

// The quantities.
const (
	Interarrival Quantity = "interarrival" // differences of the sorted submit times, in seconds
	RunTime      Quantity = "runtime"      // run times, in seconds
	Work         Quantity = "work"         // demands, run time × S(processors), in seconds on one node
)

// Remarks are what the reader of a file has to say of it besides its values.
type Remarks struct {
	Log      []joblog.Finding
	Warnings []string
	Notes    []string
}

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
		return c.most(file, len(out.Values))
	})
	if err != nil {
		return Samples{}, err
	}
	out.Skipped = skipped
	return out, nil
}

// ReadMeasurements reads measurements from r, compressed by gzip or not, and calls each with one after the other, so
// that a file may hold any number. An error of each ends the reading. file is the name in errors. The text is one of
//
//   - CSV, separated by commas, semicolons or tabs, with or without a header; one value per line is CSV of one column;
//   - JSON lines, or JSON of another layout: objects whose keys are the columns, or an array of numbers or objects. A column is
//     a path such as items.status.duration, which passes through arrays: each of their elements is a record;
//   - a job log, see package joblog, if c.Log says what to take from it. Jobs that still ran give values that are
//     censored.
//
// Lines of CSV that begin with # are comments. A value or weight must be a nonnegative finite number or a duration, a
// censored flag 0 or 1, an upper end no less than its value. A timestamp must be a time in ISO 8601, or seconds,
// milliseconds, microseconds or nanoseconds since 1970. Anything else is a *[DataError] that names row and column. If
// c.SkipInvalid is set, it is counted by its problem instead. Timestamps take 8 bytes of memory each.
func ReadMeasurements(
	r io.Reader, file string, c Columns, each func(Measurement) error,
) (skipped map[string]int, err error) {
	if c.Log != "" {
		return readFromLog(r, file, c, each)
	}
	in, err := logtext.Open(r, file)
	if err != nil {
		return nil, err
	}
	if problem := c.unknownSpeedup(float64(c.OnNodes)); c.OnNodes > 0 && problem != "" {
		return nil, &DataError{File: file, Problem: problem}
	}
	if c.Second == 0 {
		c.Second = 1
	}
	if c.Remarks == nil {
		c.Remarks = new(Remarks)
	}
	s := &sampler{file: file, columns: c, each: each, skipped: map[string]int{}, zone: logtext.NewZone(c.Location)}
	if c.Timestamps != "" {
		s.columns.Value = c.Timestamps
	}
	beginning, err := in.Peek(in.Size())
	isLog := c.Value == "" && c.Timestamps == "" && joblog.Recognise(beginning) != ""
	beginning = bytes.TrimLeft(beginning, " \t\r\n")
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, logtext.Damaged(file, 1, err)
	case len(beginning) == 0 && err == nil:
		return nil, &DataError{File: file, Row: 1, Problem: "begins with too many blank lines"}
	case len(beginning) == 0:
		return nil, &DataError{File: file, Problem: "is empty; write one value a line, or a table with the names of its columns in " +
			"the first line"}
	case bytes.IndexByte(beginning, 0) >= 0 && !utf8.Valid(beginning):
		return nil, &DataError{File: file, Problem: "holds binary data, not a table of numbers"}
	case beginning[0] == ';', isLog:
		return nil, &DataError{File: file, Problem: fmt.Sprintf(
			"looks like a job log; say whether to take %s, %s or %s from it", Interarrival, RunTime, Work)}
	case hasBareReturns(beginning):
		return nil, &DataError{File: file, Problem: "ends its lines as old Macs did; convert it, as by tr '\\r' '\\n'"}
	case beginning[0] == '{', beginning[0] == '[':
		err = logtext.EachValue(in, file, "", s.addValue)
	default:
		err = s.readCSV(in)
	}
	if err == nil {
		err = s.refused()
	}
	if err == nil && c.Timestamps != "" {
		err = s.giveGaps()
	}
	if err != nil {
		return nil, err
	}
	if s.taken == 0 {
		return nil, &DataError{File: file, Problem: "holds no values"}
	}
	return s.skipped, nil
}

// hasBareReturns reports whether carriage returns alone end the first lines of a text.
func hasBareReturns(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.IndexByte(bytes.TrimRight(line, "\r"), '\r') >= 0 && bytes.IndexByte(line, '"') < 0
}

func readFromLog(
	r io.Reader, file string, c Columns, each func(Measurement) error,
) (skipped map[string]int, err error) {
	c.LogOptions.Most = cmp.Or(c.Most, MostJobs)
	l, ended, err := joblog.Pack(r, file, c.LogOptions)
	if err != nil {
		return nil, err
	}
	if c.Remarks != nil {
		c.Remarks.Log = c.findings(l.Findings)
	}
	unfinished := joblog.ListOf(l.Unfinished).All()
	jobs := ended.All()
	if c.Log == Interarrival {
		jobs = inTurn(jobs, unfinished)
	}
	values, skipped, err := c.Log.Take(c.Sizes.Of(jobs), c.Speedup)
	if err != nil {
		return nil, &DataError{File: file, Problem: strings.TrimPrefix(err.Error(), "workload: ")}
	}
	var atLeast []float64
	if c.Log != Interarrival {
		if atLeast, _, err = c.Log.Take(c.Sizes.Of(unfinished), c.Speedup); err != nil {
			return nil, err
		}
	}
	if len(values) == 0 {
		return nil, &DataError{File: file, Problem: "holds no jobs to take " + string(c.Log) + " values from"}
	}
	if err := c.checkLost(file, len(values), &l.Lost, skipped); err != nil {
		return nil, err
	}
	for i, x := range append(values, atLeast...) {
		if err := each(Measurement{Value: x, Weight: 1, Upper: x, Censored: i >= len(values)}); err != nil {
			return nil, err
		}
	}
	return skipped, nil
}

// findings returns the findings of a log with what the values take from jobs that had not ended.
func (c *Columns) findings(all []joblog.Finding) []joblog.Finding {
	uses := map[string]string{
		joblog.StillRunning: "jobs that still ran when the log ended, whose times so far are lower bounds",
		joblog.StillPending: "jobs that still waited when the log ended, whose run times are unknown",
	}
	if c.Log == Interarrival {
		const arrived = "jobs that had not ended when the log ended, which count as arrivals"
		uses = map[string]string{joblog.StillRunning: arrived, joblog.StillPending: arrived}
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].What = cmp.Or(uses[all[i].What], all[i].What)
	}
	return all
}

// inTurn returns the jobs of several logs, one log after the other.
func inTurn(logs ...joblog.Jobs) joblog.Jobs {
	return func(yield func(*joblog.Job, error) bool) {
		for _, jobs := range logs {
			for j, err := range jobs {
				if !yield(j, err) {
					return
				}
			}
		}
	}
}

// checkLost returns a *[DataError] of the kind [ErrLost] if a larger share of the jobs than MostLost gives no value: lines that
// cannot be read, jobs whose times cannot be right, and jobs that were skipped. A job may have no GPUs.
func (c *Columns) checkLost(file string, values int, read *joblog.Lost, skipped map[string]int) error {
	lost := read.Lines
	for reason, n := range skipped {
		if reason != logtext.NoProcessors || c.LogOptions.Unit != joblog.InGPUs {
			lost += n
		}
	}
	share := float64(lost) / float64(lost+values)
	if c.MostLost == 0 || share <= c.MostLost {
		return nil
	}
	return &DataError{File: file, Row: read.First, Err: ErrLost, Problem: fmt.Sprintf("%.3g %% of the jobs give no %s: %s of %s",
		100*share, c.Log, words.Whole(lost), words.Whole(lost+values))}
}

// sampler takes the values of one file.
type sampler struct {
	file     string
	columns  Columns
	each     func(Measurement) error
	taken    int
	skipped  map[string]int
	zone     *logtext.Zone
	stamps   logtext.Times
	first    *DataError // of those that refuse the file
	refusals int
}

// The columns of a record.
const (
	value = iota
	weight
	censored
	upper
	truncated
	nodes
	cells
)

// names returns the columns that are wanted; "" for none, or for a value that is found by itself.
func (columns *Columns) names() [cells]string {
	return [...]string{columns.Value, columns.Weight, columns.Censored, columns.Upper, columns.Truncated, columns.Nodes}
}

// row is one record: text by column, with names for errors.
type row struct {
	line int
	cell [cells]cell
}

// cell is the text of a field; missing when the record has no such field.
type cell struct {
	column, text string
	missing      bool
}

// add takes a record, or counts it, or refuses it.
func (s *sampler) add(r *row) error {
	m, on := Measurement{Weight: 1}, float64(s.columns.OnNodes)
	if s.columns.Timestamps != "" {
		text, problem := r.cell[value].content()
		if problem == "" {
			problem = s.stamps.Add(text, s.zone)
		}
		if problem != "" {
			return s.refuse(r.line, r.cell[value].column, problem)
		}
		return s.columns.most(s.file, len(s.stamps.Nanos))
	}
	for i, name := range s.columns.names() {
		at, problem := &r.cell[i], ""
		switch {
		case i == value:
			m.Value, problem = s.columns.number(at)
			m.Upper = m.Value
		case name == "":
		case i == weight:
			m.Weight, problem = s.columns.number(at)
		case i == censored:
			m.Censored, problem = truth(at)
		case i == upper:
			m.Upper, problem = s.columns.upperEnd(at, m.Value)
		case i == truncated:
			if m.Truncated, problem = s.columns.number(at); problem == "" {
				problem = m.beyondTruncation()
			}
		case i == nodes:
			on, problem = s.columns.nodesOf(at)
		}
		if problem != "" {
			return s.refuse(r.line, at.column, problem)
		}
	}
	if s.first != nil {
		return nil
	}
	if s.taken == 0 {
		s.warnOfUnit(&r.cell[value])
	}
	s.taken++
	if on > 0 {
		m.onOneNode(s.columns.speedup().At(on))
	}
	return s.each(m)
}

// beyondTruncation says that the measurement could not have been made, as it ended before it could be observed; "" if it could. A
// measurement ends after its truncation time, unless that is 0; a lower bound may equal it.
func (m *Measurement) beyondTruncation() string {
	isBound := m.Censored || math.IsInf(m.Upper, 1)
	if m.Truncated == 0 || m.Truncated < m.Upper || isBound && m.Truncated == m.Value {
		return ""
	}
	return fmt.Sprintf("could not have been observed: the value %v must be more than %v", m.Upper, m.Truncated)
}

// onOneNode makes demands of times that were measured where a job is so many times as fast as on one node.
func (m *Measurement) onOneNode(speedup float64) {
	m.Value *= speedup
	m.Upper *= speedup
	m.Truncated *= speedup
}

// OneNodeFactor returns S(OnNodes), by which the values, and how far the clock was rounded, are multiplied; 1 without OnNodes.
func (columns *Columns) OneNodeFactor() float64 {
	if columns == nil || columns.OnNodes == 0 {
		return 1
	}
	return columns.speedup().At(float64(columns.OnNodes))
}

// speedup returns the speedup of the jobs, which is linear unless it is given.
func (columns *Columns) speedup() Speedup {
	if columns.Speedup == nil {
		return Linear{}
	}
	return columns.Speedup
}

// nodesOf returns the number of nodes that a field holds, for which the speedup must be known, or what is wrong with the number.
func (columns *Columns) nodesOf(c *cell) (float64, string) {
	n, problem := columns.number(c)
	switch {
	case problem != "":
		return 0, problem
	case n < 1 || n != math.Trunc(n):
		return 0, fmt.Sprintf("not a number of nodes: %v", n)
	}
	return n, columns.unknownSpeedup(n)
}

// unknownSpeedup says that the speedup is not known for a number of nodes; "" if it is.
func (columns *Columns) unknownSpeedup(n float64) string {
	r, ranged := columns.Speedup.(Ranged)
	if !ranged || r.Covers(n) {
		return ""
	}
	low, high := r.Range()
	return fmt.Sprintf("times on %v nodes: the speedup is known from %v to %v nodes", n, low, high)
}

// content returns the text of a field, or that it has none.
func (c *cell) content() (text, problem string) {
	text = strings.TrimSpace(c.text)
	switch {
	case c.missing:
		return "", "missing"
	case text == "":
		return "", "empty"
	}
	return text, ""
}

// upperEnd returns the end of the interval from x that a field holds: no end if it is empty.
func (columns *Columns) upperEnd(c *cell, x float64) (float64, string) {
	switch text := strings.ToLower(strings.TrimSpace(c.text)); {
	case c.missing:
	case text == "", text == "null", text == `""`, text == "inf", text == "+inf", text == "infinity":
		return math.Inf(1), ""
	}
	b, problem := columns.number(c)
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
	if s.refusals++; s.first == nil {
		s.first = &DataError{File: s.file, Row: line, Column: column, Problem: problem}
	}
	return nil
}

// refused returns the error of a file with values that are not measurements: of the first, and how many there are.
func (s *sampler) refused() error {
	if s.first == nil {
		return nil
	}
	if s.refusals > 1 {
		s.first.Problem += " (and " + words.Count(s.refusals-1, "more row") + " without a measurement)"
	}
	return s.first
}

// giveGaps gives the gaps between the times.
func (s *sampler) giveGaps() error {
	t, c := &s.stamps, &s.columns
	if t.Unit != "" {
		c.Remarks.Notes = append(c.Remarks.Notes, fmt.Sprintf("times of column %s count %s since 1970", c.Timestamps, t.Unit))
	}
	if t.Repeated > 0 {
		c.Remarks.Warnings = append(c.Remarks.Warnings,
			fmt.Sprintf("%s in an hour that clocks showed twice, read as the first", words.Count(t.Repeated, "time")))
	}
	if len(t.Nanos) < 2 {
		return &DataError{File: s.file, Column: c.Timestamps, Problem: "fewer than two times have no gap"}
	}
	slices.Sort(t.Nanos)
	for i := 1; i < len(t.Nanos); i++ {
		gap := float64(t.Nanos[i]-t.Nanos[i-1]) / 1e9 * c.Second
		if c.MaxGap > 0 && gap > c.MaxGap {
			s.skipped["longer than --max-gap"]++
			continue
		}
		s.taken++
		if err := s.each(Measurement{Value: gap, Weight: 1, Upper: gap}); err != nil {
			return err
		}
	}
	return nil
}

// number returns the nonnegative finite number that a field holds, or a duration in the unit of the values, or what is
// wrong with it.
func (columns *Columns) number(c *cell) (float64, string) {
	text, problem := c.content()
	if problem != "" {
		return 0, problem
	}
	plain, problem := logtext.Plain(text, columns.Decimal)
	if problem != "" {
		return 0, problem
	}
	x, err := strconv.ParseFloat(plain, 64)
	if seconds, ok := 0.0, false; err != nil && !errors.Is(err, strconv.ErrRange) {
		if seconds, ok = logtext.Duration(text); ok {
			return seconds * columns.Second, ""
		}
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, "infinite: " + text
	case err != nil:
		return 0, fmt.Sprintf("not a number: %q%s", logtext.Shortened(text), logtext.Remedy(text))
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
func truth(c *cell) (bool, string) {
	switch text := strings.ToLower(strings.TrimSpace(c.text)); {
	case c.missing:
		return false, "missing"
	case text == "0", text == "false":
		return false, ""
	case text == "1", text == "true":
		return true, ""
	default:
		return false, fmt.Sprintf("not 0 or 1: %q", logtext.Shortened(text))
	}
}
