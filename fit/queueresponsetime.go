package fit

import (
	"math"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// QueueLoad is the load at which [Queue] compares candidates.
const QueueLoad = 0.8

// Queue holds mean response times of two single-server queues at load [QueueLoad], in units of the mean service time.
// They show how much the choice between two candidates matters to a queue.
type Queue struct {
	MPH1 float64 // Poisson arrivals; service times have the fitted distribution
	PHM1 float64 // interarrival times have the fitted distribution; exponential service times
}

// queueOf returns the mean response times of a distribution d at load ρ = [QueueLoad], in units of the mean service
// time of the queue. c² is the squared coefficient of variation of d. By the formula of Pollaczek and Khinchine the
// M/PH/1 queue has
//
//	1 + ρ/(1−ρ)·(1+c²)/2.
//
// The PH/M/1 queue with service rate mu has 1/u in units of 1/mu, where u = 1−σ is the root in (0, 1) of
//
//	mu·alpha·(mu·u·I − T)^−1·1 = 1.
//
// This is the equation σ = E[exp(−mu·(1−σ)·X)] after division by u, in which a root near 0 keeps its digits.
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

// laplaceEquation returns the function of u whose root, where it is 1, gives the mean response time of the PH/M/1
// queue; see [queueOf]. It decreases in u. It is mu·alpha·(mu·u·I − T)^−1·1 with mu = 1/(load·mean), and alpha and T of
// the distribution d. It is +Inf if the linear system cannot be solved.
func laplaceEquation(d phasetype.Dist, u float64) float64 {
	n := d.Phases()
	mean := d.Mean()
	mu := 1 / QueueLoad // with the mean as unit of time
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

// isCondition reports whether err only warns of a badly conditioned matrix, such as a matrix whose rates lie far apart.
// The system is then solved nevertheless. It is false for a singular matrix.
func isCondition(err error) bool {
	c, ok := err.(mat.Condition)
	return ok && !math.IsInf(float64(c), 1)
}
