package coscheduling

import (
	"math"
	"math/bits"

	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
)

// HyperErlang returns a function that draws times of a mean from the streams below a key. The times between arrivals
// and the dedicated times of jobs are mixtures of two Erlang distributions of the order n = 2. Their squared
// coefficient of variation is c = 1.5, and the first distribution has the weight π = .8. The parameters of the machine
// at Livermore that the paper takes are not published there. The means of the two are
//
//	a = m(1 − √(k(1−π)/π)),  b = m(1 + √(kπ/(1−π))),  k = (1 + c)n/(n+1) − 1.
//
// References: H. Franke, J. Jann, J. E. Moreira, P. Pattnaik, M. A. Jette, An evaluation of parallel job scheduling for
// ASCI Blue-Pacific, Supercomputing 1999; J. Jann, P. Pattnaik, H. Franke, F. Wang, J. Skovira, J. Riordan, Modeling of
// workload in MPPs, JSSPP 1997, LNCS 1291, 95–116.
func HyperErlang(m float64, key des.Key) func() float64 {
	n, c, w := 2., 1.5, .8
	k := (1+c)*n/(n+1) - 1
	a, b := m*(1-math.Sqrt(k*(1-w)/w)), m*(1+math.Sqrt(k*w/(1-w)))
	s := key.Stream()
	return func() float64 {
		mean := b
		if s.Float64() < w {
			mean = a
		}
		return mean / n * (s.Exp() + s.Exp())
	}
}

// Random are jobs that are drawn: classes of sizes, 2, 3–4, 5–8, … up to the largest, have the same probability, and the
// sizes in a class, too.
type Random struct {
	MinNodes  int // classes of smaller sizes are left out, or cut; 0: 2
	MaxNodes  int
	Dedicated float64 // mean, in seconds
}

// Draw draws the n jobs of a replication, in the order of their arrival. Their types are drawn later, and their arrivals
// stretched to the load.
func (s Random) Draw(key des.Key, n int) []cluster.Job {
	s.MinNodes = max(s.MinNodes, 2)
	gap, length, sizes := HyperErlang(1, key.At(0)), HyperErlang(1, key.At(1)), key.At(2).Stream()
	jobs := make([]cluster.Job, n)
	now := 0.
	for i := range jobs {
		now += gap()
		jobs[i] = cluster.Job{Arrival: now, Nodes: s.size(&sizes), Dedicated: s.Dedicated * length()}
	}
	return jobs
}

// size draws the number of nodes of a job: first a class of sizes between two powers of two, then a size in the class, each
// uniformly.
func (s Random) size(stream *des.Stream) int {
	first, last := bits.Len(uint(s.MinNodes-1)), bits.Len(uint(s.MaxNodes-1)) // class k has the sizes from 2^(k−1)+1 to 2^k
	class := first + int(stream.Float64()*float64(last-first+1))
	low, high := max(1<<(class-1)+1, s.MinNodes), min(1<<class, s.MaxNodes)
	return low + int(stream.Float64()*float64(high-low+1))
}
