package metric

import (
	"math/bits"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/machine"
)

// SizeClass holds the jobs that ask for similar numbers of nodes.
type SizeClass struct {
	joblog.Sizes
	Jobs                          int
	response, slowdown, slowdowns float64
}

// MeanResponse returns the mean response time of the jobs.
func (s *SizeClass) MeanResponse() float64 { return s.response / float64(s.Jobs) }

// MeanSlowdown returns the mean slowdown of those that ran for some time; NaN if there are none.
func (s *SizeClass) MeanSlowdown() float64 { return s.slowdown / s.slowdowns }

// addSize adds a job to those of its size, if it asks for a number of nodes.
func (l *Log) addSize(r *machine.Record, one *Sums) {
	if r.Nodes < 1 {
		return
	}
	k := bits.Len(uint(r.Nodes - 1))
	for len(l.sizes) <= k {
		l.sizes = append(l.sizes, SizeClass{Sizes: joblog.SizesOf(1 << len(l.sizes))})
	}
	s := &l.sizes[k]
	s.Jobs++
	s.response += one[Response]
	s.slowdown += one[slowdownSum]
	s.slowdowns += one[slowdownJobs]
}

// Sizes returns the jobs by the nodes that they ask for, in powers of two; sizes without jobs are left out.
func (l *Log) Sizes() []SizeClass {
	var some []SizeClass
	for _, s := range l.sizes {
		if s.Jobs > 0 {
			some = append(some, s)
		}
	}
	return some
}
