package metric

import (
	"math/bits"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/machine"
)

// SizeClass holds the number and the sums of the jobs that ask for similar numbers of nodes, between two powers of two.
type SizeClass struct {
	joblog.Sizes
	Jobs                          int
	response, slowdown, slowdowns float64
}

// Merge adds replication n of the same jobs, counted from 1, to the means in s over the n − 1 replications before. It
// changes the mean times and slowdowns of s; the number of jobs stays.
func (s *SizeClass) Merge(other *SizeClass, n int) {
	s.response += (other.response - s.response) / float64(n)
	s.slowdown += (other.slowdown - s.slowdown) / float64(n)
	s.slowdowns += (other.slowdowns - s.slowdowns) / float64(n)
}

// MeanResponse returns the mean response time of the jobs, in the unit of time of the records.
func (s *SizeClass) MeanResponse() float64 { return s.response / float64(s.Jobs) }

// MeanSlowdown returns the mean slowdown of the jobs that ran for some time; NaN if no job did.
func (s *SizeClass) MeanSlowdown() float64 { return s.slowdown / s.slowdowns }

// addSize adds a job, whose sums are one, to the class of the number of nodes that it asks for. The k-th class, from 0,
// holds the numbers above 2^(k−1), up to 2^k. Jobs that ask for no number are ignored.
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

// Sizes returns the classes of jobs by the nodes that they ask for, in ascending powers of two. Classes without jobs
// are left out.
func (l *Log) Sizes() []SizeClass {
	var some []SizeClass
	for _, s := range l.sizes {
		if s.Jobs > 0 {
			some = append(some, s)
		}
	}
	return some
}
