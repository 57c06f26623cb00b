package phasetype

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// quasiStationary is the state from which on the distribution over the phases stays as it is, given survival. A chain
// whose P has few zeros forgets its start within some tens of events. The hazard rate is constant from there on, and no
// power of a matrix is needed. The state takes some hundred products of a vector with P, in place of n for each
// doubling of the time.
//
// A bound shows that the distribution v stays. Let w = v·P, and let θ be the relative spread of w_j/v_j, largest over
// smallest less one. Q_ij = v_i·P_ij/w_j is a distribution over i for each j. Later distributions are v times factors,
// which a step averages by Q and multiplies by w/v. The average reduces their spread by a factor of at most
//
//	τ = max_j Σ_i |Q_ij − q_i|,   q: any distribution, here the mean of Q by w.
//
// So the spread of the factors never exceeds θ/(1 − τ). This bounds the relative error of v and of the hazard rate at
// all later times.
//
// References: E. Seneta, Non-negative Matrices and Markov Chains, 2nd ed., Springer 1981, section 3.1; J. N. Darroch,
// E. Seneta, On quasi-stationary distributions in absorbing continuous-time finite Markov chains, J. Appl. Probab. 4
// (1967) 192–196.
type quasiStationary struct {
	mu    sync.Mutex
	tried bool
	from  float64 // time, +Inf if the state is not reached soon
	state state   // at that time
}

// The state is looked for after each of mostStrides strides. settledSpread is the largest spread that is accepted: the
// roundings of sums over a thousand phases.
const (
	mostStrides   = 4
	settledSpread = 0x1p-45
)

// find returns the state and its time for a chain whose time zero start sets. It looks for the state once. The time is
// +Inf if the chain has no such state, or if ctx ends; then the next call looks again.
func (q *quasiStationary) find(ctx context.Context, walk *uniformized, start func(*point)) (state, float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tried {
		return q.state, q.from
	}
	q.from = math.Inf(1)
	p := newPoint(len(walk.stay))
	start(p)
	for k := 0; walk.dense != nil && k < mostStrides; k++ {
		walk.advance(ctx, p, strideEvents/walk.rate)
		if ctx.Err() != nil {
			return q.state, q.from
		}
		if walk.laterSpread(p.v) <= settledSpread {
			q.from, q.state = float64(k+1)*strideEvents/walk.rate, p.state(walk)
			break
		}
	}
	q.tried = true
	return q.state, q.from
}

// laterSpread returns the bound θ/(1 − τ) on the relative change of the distribution v at all later times, +Inf if there
// is no bound.
func (u *uniformized) laterSpread(v []float64) float64 {
	n := len(v)
	w := make([]float64, n)
	timesMatrix(w, v, u.dense)
	least, most := math.Inf(1), 0.0
	for j, x := range v {
		least, most = min(least, w[j]/x), max(most, w[j]/x)
	}
	spread := most/least - 1
	if !(spread <= settledSpread) { // without a look at all of P
		return math.Inf(1)
	}
	total, distance := floats.Sum(w), make([]float64, n)
	for i, x := range v {
		mean := x * (1 - u.leave[i]) / total
		for j, p := range u.dense[i*n : (i+1)*n] {
			distance[j] += math.Abs(x*p/w[j] - mean)
		}
	}
	tau := slices.Max(distance)
	if !(tau < 1) {
		return math.Inf(1)
	}
	return spread / (1 - tau)
}
