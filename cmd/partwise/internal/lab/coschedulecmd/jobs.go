package coschedulecmd

import (
	"math"
	"math/bits"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
	"github.com/partwise/partwise/validate/des"
)

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

// Jobs' times between arrivals and dedicated times have this shape; the parameters of the machine at Livermore that the paper
// takes are not published there.
var defaultShape = HyperErlang{Mean: 1, SCV: 1.5, Order: 2, Weight: .8}

// Times returns a function that draws times from the streams below a key. The means of the branches are
//
//	a = m(1 − √(k(1−π)/π)),  b = m(1 + √(kπ/(1−π))),  k = (1 + c)n/(n+1) − 1,
//
// with the mean m, the squared coefficient of variation c, the order n and the weight π.
func (h HyperErlang) Times(key des.Key) func() float64 {
	n, w := float64(h.Order), h.Weight
	k := (1+h.SCV)*n/(n+1) - 1
	a, b := h.Mean*(1-math.Sqrt(k*(1-w)/w)), h.Mean*(1+math.Sqrt(k*w/(1-w)))
	s := key.Stream()
	return func() float64 {
		mean := b
		if s.Float64() < w {
			mean = a
		}
		sum := 0.
		for range h.Order {
			sum += s.Exp()
		}
		return mean / n * sum
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
	gap, length, sizes := defaultShape.Times(key.At(0)), defaultShape.Times(key.At(1)), key.At(2).Stream()
	jobs := make([]cluster.Job, n)
	now := 0.
	for i := range jobs {
		now += gap()
		jobs[i] = cluster.Job{Arrival: now, Nodes: s.size(&sizes), Dedicated: s.Dedicated * length()}
	}
	return jobs
}

// size draws the size of a job.
func (s Random) size(stream *des.Stream) int {
	first, last := bits.Len(uint(s.MinNodes-1)), bits.Len(uint(s.MaxNodes-1)) // class k has the sizes from 2^(k−1)+1 to 2^k
	class := first + int(stream.Float64()*float64(last-first+1))
	low, high := max(1<<(class-1)+1, s.MinNodes), min(1<<class, s.MaxNodes)
	return low + int(stream.Float64()*float64(high-low+1))
}
