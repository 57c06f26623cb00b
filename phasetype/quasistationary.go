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
// roundings of sums over a thousand phases. The spread falls by nearly the same factor in each stride, apart from the
// first, which lateStart allows for. The search ends early if the spread falls too slowly for the last stride; see fallsSlowly.
const (
	mostStrides   = 4
	settledSpread = 0x1p-45
	lateStart     = 0x1p10
)

// tableBelow is the number of phases below which powers up to a stride take at most twice as long as a stride event by
// event. There the search uses the table of powers, which a chain without such a state needs anyway.
const tableBelow = 14

// settles reports whether the chain may soon have such a state: P has few zeros.
func (u *uniformized) settles() bool { return u.dense != nil }

// find returns the state and its time for a chain that may settle, whose time zero start sets. It looks for the state
// once. The time is +Inf if the chain has no such state, or if ctx ends; then the next call looks again.
func (q *quasiStationary) find(ctx context.Context, t *tables, start func(*point)) (state, float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.tried {
		q.state, q.from = t.settledState(ctx, start)
		q.tried = ctx.Err() == nil
	}
	return q.state, q.from
}

// settledState looks for the state of [quasiStationary.find]. The time is +Inf if no state is found, or if ctx ends.
func (t *tables) settledState(ctx context.Context, start func(*point)) (state, float64) {
	none, walk := math.Inf(1), t.walk
	small, stride := len(walk.stay) < tableBelow, strideEvents/walk.rate
	if small {
		stride = math.Ldexp(t.powers.delta, 7) // 32 to 64 events, one power
	} else if fallsSlowly(t.first.earlySpread()) {
		return state{}, none
	}
	p := newPoint(len(walk.stay))
	start(p)
	for k := range mostStrides {
		switch {
		case small:
			t.powers.advance(ctx, p, stride)
		case k == 0:
			t.first.advance(p)
		default:
			walk.advance(ctx, p, stride)
		}
		if ctx.Err() != nil {
			break
		}
		next, spread := walk.eventSpread(p.v)
		if spread <= settledSpread && spread/(1-walk.contraction(p.v, next)) <= settledSpread {
			return p.state(walk), float64(k+1) * stride
		}
		onTheWay := lateStart * math.Pow(settledSpread, float64(k+1)/mostStrides)
		if !(spread <= onTheWay) { // NaN where a phase cannot be reached
			break
		}
	}
	return state{}, none
}

// eventSpread returns the distribution v after the next event, w = v·P, and the relative spread θ of w_j/v_j.
func (u *uniformized) eventSpread(v []float64) (w []float64, spread float64) {
	w = make([]float64, len(v))
	timesMatrix(w, v, u.dense)
	return w, relativeSpread(v, w)
}

// relativeSpread returns the largest w_j/v_j over the smallest, less one.
func relativeSpread(v, w []float64) float64 {
	least, most := math.Inf(1), 0.0
	for j, x := range v {
		least, most = min(least, w[j]/x), max(most, w[j]/x)
	}
	return most/least - 1
}

// fallsSlowly reports whether the spread falls, from first to second after earlyEvents, less than half as fast as it would
// have to fall until the last stride. A chain that is slow to mix is known by it before it takes a whole stride.
func fallsSlowly(first, second float64) bool {
	between, left := float64(earlyEvents[1]-earlyEvents[0]), float64(mostStrides*strideEvents-earlyEvents[0])
	return second > settledSpread && math.Log(second/first)/between > .5*math.Log(settledSpread/first)/left
}

// contraction returns the factor τ by which later events reduce the spread, 1 if they need not reduce it. w is v·P.
func (u *uniformized) contraction(v, w []float64) float64 {
	n := len(v)
	total, distance := floats.Sum(w), make([]float64, n)
	for i, x := range v {
		mean := x * (1 - u.leave[i]) / total
		for j, p := range u.dense[i*n : (i+1)*n] {
			distance[j] += math.Abs(x*p/w[j] - mean)
		}
	}
	return min(slices.Max(distance), 1)
}
