package coschedulecmd

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
)

// Times are random times, drawn one after the other from the streams below a key.
type Times func(key des.Key) (next func() float64)

// HyperErlang is a mixture of two Erlang distributions of the same order.
//
// References: H. Franke, J. Jann, J. E. Moreira, P. Pattnaik, M. A. Jette, An evaluation of parallel job scheduling for
// ASCI Blue-Pacific, Supercomputing 1999; J. Jann, P. Pattnaik, H. Franke, F. Wang, J. Skovira, J. Riordan, Modeling of
// workload in MPPs, JSSPP 1997, LNCS 1291, 95–116.
type HyperErlang struct {
	Mean, SCV float64
	Order     int     // of both branches
	Weight    float64 // of the first branch, which has the smaller mean
}

// Jobs' times between arrivals and dedicated times have this shape unless somebody says otherwise; the parameters of the
// machine at Livermore that the paper takes are not published there.
var defaultShape = HyperErlang{Mean: 1, SCV: 1.5, Order: 2, Weight: .8}

// branches returns the means of the branches,
//
//	a = m(1 − √(k(1−π)/π)),  b = m(1 + √(kπ/(1−π))),  k = (1 + c)n/(n+1) − 1,
//
// with the mean m, the squared coefficient of variation c, the order n and the weight π.
func (h HyperErlang) branches() (a, b float64, err error) {
	n := float64(h.Order)
	k := (1+h.SCV)*n/(n+1) - 1
	w := h.Weight
	if !(h.Mean > 0) || h.Order < 1 || !(w > 0 && w < 1) || !(k >= 0 && k < w/(1-w)) {
		return 0, 0, fmt.Errorf("coschedulecmd: there is no mixture of two Erlang distributions of order %d with the mean %v, the "+
			"scv %v and the weight %v", h.Order, h.Mean, h.SCV, w)
	}
	return h.Mean * (1 - math.Sqrt(k*(1-w)/w)), h.Mean * (1 + math.Sqrt(k*w/(1-w))), nil
}

// Times returns the times of the distribution, or says that there is none.
func (h HyperErlang) Times() (Times, error) {
	a, b, err := h.branches()
	if err != nil {
		return nil, err
	}
	return func(key des.Key) func() float64 {
		s := key.Stream()
		return func() float64 {
			mean := b
			if s.Float64() < h.Weight {
				mean = a
			}
			sum := 0.
			for range h.Order {
				sum += s.Exp()
			}
			return mean / float64(h.Order) * sum
		}
	}, nil
}

// Process returns the times between arrivals of a process, such as that of a model file.
func Process(m phasetype.MAP) Times {
	return func(key des.Key) func() float64 {
		a := des.NewArrivals(m)
		a.Begin(key)
		return a.Gap
	}
}

// Source makes the jobs of a replication, in the order of their arrival: as many as it is asked for. Their types are
// drawn later, and their arrivals stretched to the load.
type Source interface {
	Jobs(key des.Key, replication, n int) ([]cluster.Job, error)
}

// Random are jobs that are drawn: classes of sizes, 2, 3–4, 5–8, … up to the largest, have the same probability, and the
// sizes in a class, too.
type Random struct {
	MinNodes     int // classes of smaller sizes are left out, or cut; 0: 2
	MaxNodes     int
	Dedicated    float64 // mean, in seconds
	Interarrival Times   // nil: hyper-Erlang
}

// Jobs draws the jobs.
func (s Random) Jobs(key des.Key, _, n int) ([]cluster.Job, error) {
	s.MinNodes = max(s.MinNodes, 2)
	if s.MaxNodes < s.MinNodes || !(s.Dedicated > 0) {
		return nil, fmt.Errorf("coschedulecmd: there are no jobs of %d to %d nodes and %v s", s.MinNodes, s.MaxNodes, s.Dedicated)
	}
	shape, err := defaultShape.Times()
	if err != nil {
		return nil, err
	}
	between := s.Interarrival
	if between == nil {
		between = shape
	}
	gap, length, sizes := between(key.At(0)), shape(key.At(1)), key.At(2).Stream()
	jobs := make([]cluster.Job, n)
	now := 0.
	for i := range jobs {
		now += gap()
		jobs[i] = cluster.Job{Arrival: now, Nodes: s.size(&sizes), Dedicated: s.Dedicated * length()}
	}
	return jobs, nil
}

// size draws the size of a job.
func (s Random) size(stream *des.Stream) int {
	first, last := bits.Len(uint(s.MinNodes-1)), bits.Len(uint(s.MaxNodes-1)) // class k has the sizes from 2^(k−1)+1 to 2^k
	class := first + int(stream.Float64()*float64(last-first+1))
	low, high := max(1<<(class-1)+1, s.MinNodes), min(1<<class, s.MaxNodes)
	return low + int(stream.Float64()*float64(high-low+1))
}

// Logged are the jobs of a log, scaled down to a cluster: sizes in proportion to the machines, rounded up, run times by a
// factor that gives them the mean. Replications take one stretch of the log after the other.
type Logged struct {
	Log       []joblog.Job // in the order of their submission
	LogNodes  int
	MaxNodes  int     // of the cluster
	Dedicated float64 // mean, in seconds
}

var errNoJobs = errors.New("coschedulecmd: the log has no jobs that ran")

// ErrNoLoad says that jobs have no load that could be changed: they arrive all at once, or do not run.
var ErrNoLoad = errors.New("coschedulecmd: the jobs have no load")

// ErrShortLog says that a log has too few jobs for all replications.
var ErrShortLog = errors.New("coschedulecmd: the log has too few jobs")

// Jobs returns the stretch of the log for a replication.
func (s Logged) Jobs(_ des.Key, replication, n int) ([]cluster.Job, error) {
	if (replication+1)*n > len(s.Log) {
		return nil, fmt.Errorf("%w: %d replications of %d jobs need %d, there are %d", ErrShortLog, replication+1, n,
			(replication+1)*n, len(s.Log))
	}
	sum := 0.
	for i := range s.Log {
		sum += s.Log[i].Run
	}
	mean := sum / float64(len(s.Log))
	if !(mean > 0) {
		return nil, fmt.Errorf("%w: none of them runs for any time", ErrNoLoad)
	}
	part := s.Log[replication*n : (replication+1)*n]
	jobs := make([]cluster.Job, n)
	for i := range part {
		nodes := int(math.Ceil(float64(part[i].Nodes()) * float64(s.MaxNodes) / float64(s.LogNodes)))
		jobs[i] = cluster.Job{Arrival: part[i].Submit - part[0].Submit, Nodes: min(max(nodes, 1), s.MaxNodes),
			Dedicated: max(part[i].Run*s.Dedicated/mean, shortest)}
	}
	return jobs, nil
}

// shortest is the dedicated time of jobs that do not run in a log, in seconds: about an iteration.
const shortest = 1e-3
