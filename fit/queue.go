package fit

import (
	"math"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// QueueLoad is the load at which [Queue] compares candidates.
const QueueLoad = 0.8

// Queue says what a distribution means for a queue with one server at load [QueueLoad]: mean response times, in units
// of the mean service time.
type Queue struct {
	MPH1 float64 // the distribution is that of service times, arrivals are Poisson
	PHM1 float64 // the distribution is that of times between arrivals, service times are exponential
}

// queueOf computes, with load ρ and squared coefficient of variation c², by the formula of Pollaczek and Khinchine
//
//	M/PH/1: 1 + ρ/(1−ρ)·(1+c²)/2,
//
// and for PH/M/1, with service rate mu, 1/u where u = 1−σ is the root in (0, 1) of
//
//	mu·alpha·(mu·u·I − T)^−1·1 = 1,
//
// which is σ = E[exp(−mu·(1−σ)·X)] divided by u, so that a root near 0 keeps its digits.
//
// Reference: L. Kleinrock, Queueing Systems I, Wiley (1975), chapters 5 and 6.
func queueOf(d phasetype.Dist) Queue {
	q := Queue{MPH1: 1 + QueueLoad/(1-QueueLoad)*(1+d.SCV())/2}
	low, high := math.Log(1e-15), 0.0
	for range 60 {
		mid := (low + high) / 2
		if laplaceEquation(d, math.Exp(mid)) > 1 {
			low = mid
		} else {
			high = mid
		}
	}
	q.PHM1 = math.Exp(-(low + high) / 2)
	return q
}

// stay returns mu·alpha·(mu·u·I − T)^−1·1 with mu = 1/(load·mean).
func laplaceEquation(d phasetype.Dist, u float64) float64 {
	n := d.Phases()
	mean := d.Mean()
	mu := 1 / QueueLoad // in units of the mean
	a, one := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		one.SetVec(i, 1)
		for j := range n {
			a.Set(i, j, -d.Rate(i, j)*mean)
		}
		a.Set(i, i, a.At(i, i)+mu*u)
	}
	var x mat.VecDense
	if err := x.SolveVec(a, one); err != nil && !isCondition(err) {
		return math.Inf(1)
	}
	return mu * mat.Dot(mat.NewVecDense(n, d.Alpha()), &x)
}

// isCondition reports whether a solution is there although the matrix is badly conditioned: rates lie far apart.
func isCondition(err error) bool {
	c, ok := err.(mat.Condition)
	return ok && !math.IsInf(float64(c), 1)
}
