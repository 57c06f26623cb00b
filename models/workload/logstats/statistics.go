package logstats

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Options say what a log does not tell.
type Options struct {
	Nodes int // of the machine
	// Date returns the date, where the machine stands, of a time of the log. If it is nil, days, weeks and periods of 30
	// days count from the first submission.
	Date func(seconds float64) time.Time
}

// Statistics are the statistics of a log. Times are in seconds, and the work of a job is its run time × nodes: node-seconds.
type Statistics struct {
	Jobs        int
	First, Last float64 // submissions
	Dated       bool    // hours and days are those of clocks
	// Calendar is nil of a log that is shorter than an hour, or longer than a century.
	Calendar   *Calendar
	Gaps, Work Moments
	// SameSecond is the number of jobs that were submitted in the same second as the job before. SameSecondExpected is
	// the number to be expected if jobs came independently of each other at the rate of their hour.
	SameSecond         int
	SameSecondExpected float64
	// LongGaps are the gaps of two months or more, if they are few and all other gaps are much shorter.
	LongGaps LongGaps
	Lags     []Lag
	Windows  []Dispersion
	// GapWork is Spearman's rank correlation of the gap before a job and its work.
	GapWork     float64
	Sizes       []Size
	PowersOfTwo int // jobs
	Assumptions []Assumption
}

// Moments are the mean and the squared coefficient of variation of a number of values.
type Moments struct {
	N    int
	Mean float64
	SCV  float64
}

// Lag is how values depend on those so many places before them.
type Lag struct {
	Lag int
	// Gaps and Work are the autocorrelations of the gaps between submissions and of the work of jobs. GapRanks and
	// WorkRanks are the autocorrelations of their ranks, which do not depend on a few long gaps or large jobs.
	Gaps      float64
	GapRanks  float64
	Work      float64
	WorkRanks float64
	// Dispersion is the index of dispersion for intervals Var S/(k·m²), S the sum of k = Lag gaps in a row and m their
	// mean. It is 1 of a Poisson process, and the squared coefficient of variation of the gaps, for every k, of a renewal
	// process.
	Dispersion float64
}

// Size is the jobs of one number of nodes.
type Size struct {
	Nodes int
	Jobs  int
	Work  float64
}

// lags, in jobs, and windows, in seconds, are the values at which statistics are found.
var (
	lags    = []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	windows = []struct {
		name    string
		seconds float64
	}{{"1 min", 60}, {"10 min", 600}, {"1 h", 3600}, {"6 h", 6 * 3600}, {"1 day", 86400}, {"1 week", 7 * 86400}}
)

// ErrTooFew says that there are too few jobs, or that all came at once.
var ErrTooFew = errors.New("logstats: fewer than 10 jobs, or all at the same time")

// Of returns the statistics of the jobs of a log, in the order of their submission, each with a submit time, a run time and
// a number of processors. The error is [ErrTooFew] or comes from ctx.
//
// References: D. R. Cox, P. A. W. Lewis, The Statistical Analysis of Series of Events, Methuen (1966), chapter 4;
// K. Sriram, W. Whitt, Characterizing superposition arrival processes in packet multiplexers for voice and data, IEEE
// Journal on Selected Areas in Communications 4 (1986) 833–846 (index of dispersion for intervals).
func Of(ctx context.Context, jobs *joblog.List, o Options) (*Statistics, error) {
	n := jobs.Len()
	submissions, works := newValues(n), newValues(n)
	s := &Statistics{Jobs: n, Dated: o.Date != nil}
	sizes := map[int]*Size{}
	i := 0
	var at *Size // of the job before, whose size jobs often have, too
	for j := range jobs.All() {
		work := j.NodeTime()
		submissions.set(i, j.Submit)
		works.set(i, work)
		if nodes := j.Nodes(); at == nil || nodes != at.Nodes {
			if at = sizes[nodes]; at == nil {
				at = &Size{Nodes: nodes}
				sizes[nodes] = at
			}
		}
		at.Jobs++
		at.Work += work
		if at.Nodes&(at.Nodes-1) == 0 {
			s.PowersOfTwo++
		}
		i++
	}
	if n < 10 || submissions.at(n-1) == submissions.at(0) {
		return nil, ErrTooFew
	}
	for _, nodes := range slices.Sorted(maps.Keys(sizes)) {
		s.Sizes = append(s.Sizes, *sizes[nodes])
	}
	s.First, s.Last = submissions.at(0), submissions.at(n-1)
	s.Calendar = newCalendar(submissions, works, o)
	s.SameSecondExpected = s.Calendar.sameSecond()
	s.Calendar.forgetHours()
	for _, w := range windows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if d := dispersion(submissions, works, w.seconds); d.Windows >= leastWindows {
			d.Name = w.name
			s.Windows = append(s.Windows, d)
		}
	}
	gaps := s.gapsOf(submissions)
	if err := s.dependence(ctx, gaps, works); err != nil {
		return nil, err
	}
	s.Assumptions = s.assumptions(o.Nodes)
	return s, ctx.Err()
}

// gapsOf returns the gaps between submissions, in the memory of the submissions. It counts the jobs of the same second,
// and finds the long gaps.
func (s *Statistics) gapsOf(submissions values) (gaps values) {
	n := submissions.len() - 1
	before := submissions.at(0)
	longest := 0.0 // of the gaps that are not long
	for i := range n {
		at := submissions.at(i + 1)
		if math.Floor(at) == math.Floor(before) {
			s.SameSecond++
		}
		submissions.set(i, at-before)
		if at-before < leastLongGap {
			longest = max(longest, at-before)
		} else {
			s.LongGaps.add(before, at)
		}
		before = at
	}
	if longest > mostOtherGap*leastLongGap || float64(s.LongGaps.Number) > mostLongGaps*float64(n) {
		s.LongGaps = LongGaps{}
	}
	return submissions.between(0, n)
}

// leastWindows is the number of windows, or of sums of gaps, that an index of dispersion takes at least.
const leastWindows = 10

// UpTo returns the shares of the jobs and of the work that are in jobs of at most so many nodes.
func (s *Statistics) UpTo(nodes float64) (jobs, work float64) {
	all := 0.0
	for _, z := range s.Sizes {
		all += z.Work
		if float64(z.Nodes) <= nodes {
			jobs += float64(z.Jobs) / float64(s.Jobs)
			work += z.Work
		}
	}
	return jobs, work / all
}
