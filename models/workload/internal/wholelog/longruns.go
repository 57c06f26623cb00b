// Package wholelog judges jobs by their whole log: times that cannot be right, such as run times longer than the log, and jobs
// that may share nodes.
package wholelog

import (
	"cmp"
	"math"
	"slices"
)

// LeastJobs is the number of jobs from which on the range of submissions, or the length of a log, is relied on.
const LeastJobs = 10

// LongestUsual is a run time in seconds that is believed however short the log is: an extract of a day has jobs that ran for weeks.
const LongestUsual = 31 * 86400

// LogLength is the length of a log, by which run times are judged that agree with all that the log tells of their jobs.
type LogLength struct {
	jobs        int
	first, last float64 // submission, and end or submission, of the jobs that are not long
	long        []Stay
}

// Stay is a job by its place, with its submission and its last time in seconds. Run is the run time to be judged, 0 if the limit
// of the job allows the run time.
type Stay struct {
	Place       int
	Submit, End float64
	Run         float64
}

// NewLogLength returns the length of a log without jobs.
func NewLogLength() *LogLength { return &LogLength{first: math.Inf(1), last: math.Inf(-1)} }

// Add takes a job in.
func (l *LogLength) Add(s Stay) {
	l.jobs++
	if s.Run > LongestUsual {
		l.long = append(l.long, s)
		return
	}
	l.first, l.last = min(l.first, s.Submit), max(l.last, s.End)
}

// TooLong returns the places of the jobs that ran longer than the log of the others: from the first submission to the last end. The
// longest run time is judged first. A job that ran too long is no part of the log by which shorter run times are judged.
func (l *LogLength) TooLong() (places []int) {
	if l.jobs < LeastJobs || len(l.long) == 0 {
		return nil
	}
	slices.SortStableFunc(l.long, func(a, b Stay) int { return cmp.Compare(a.Run, b.Run) })
	first, last := make([]float64, len(l.long)), make([]float64, len(l.long)) // of the jobs that ran less long
	for k := range l.long {
		first[k], last[k] = l.first, l.last
		l.first, l.last = min(l.first, l.long[k].Submit), max(l.last, l.long[k].End)
	}
	for k := len(l.long) - 1; k >= 0 && l.long[k].Run > last[k]-first[k]; k-- {
		places = append(places, l.long[k].Place)
	}
	return places
}
