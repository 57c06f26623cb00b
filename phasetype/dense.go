package phasetype

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// denseFrom is the number of phases, and denseShare the share of moves that are possible, from which products by the
// matrix are made in place of products by its entries: P(X ≤ x) then takes half the time with 16 phases, and a fourth with
// 30 phases.
const (
	denseFrom  = 16
	denseShare = 0.25
)

// isDense reports whether the chain has many phases, most of which lead to each other.
func (d Dist) isDense() bool {
	if d.n < denseFrom {
		return false
	}
	count := 0
	for _, rate := range d.t {
		if rate > 0 {
			count++
		}
	}
	return float64(count) >= denseShare*float64(d.n*d.n)
}

// fill makes the matrix of a dense chain.
func (u *uniformized) fill(d Dist) {
	n := d.n
	u.matrix = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	for k, rate := range d.t {
		u.matrix.Data[k] = rate / u.rate
	}
	for i, p := range u.stay {
		u.matrix.Data[i*n+i] = p
	}
}

func (u *uniformized) dense() bool { return u.matrix.Rows > 0 }

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }

// timesMatrix sets dst to v·P.
func (u *uniformized) timesMatrix(dst, v []float64) {
	blas64.Gemv(blas.Trans, 1, u.matrix, vector(v), 0, vector(dst))
}

// trail holds the states of a dense chain after one stride after the other. The distribution over the phases often tends
// to one that does not change any more; later states then follow from a constant hazard rate.
type trail struct {
	walk   *uniformized
	mu     sync.Mutex
	points []*point // after k strides of strideEvents events
	steady bool     // the last of points
}

// mostStrides is the largest number of strides of a chain of n phases: as much work as the table of powers.
func mostStrides(n int) int { return 4*n/strideEvents + 1 }

// advance moves p, which is at time 0, forward by the time x, and reports whether it could: that takes neither more than
// mostStrides, nor has ctx ended.
func (t *trail) advance(ctx context.Context, p *point, x float64) bool {
	strides := math.Floor(t.walk.rate * x / strideEvents)
	from, done, steady := t.reach(ctx, p, strides)
	if from == nil {
		return false
	}
	copy(p.v, from.v)
	p.log, p.absorbed = from.log, from.absorbed
	rest := math.Max(0, t.walk.rate*x-float64(done)*strideEvents)
	switch {
	case steady && float64(done) <= strides:
		t.walk.extrapolate(p, rest/t.walk.rate)
	case rest > 0:
		p.settle(t.walk.series(p, rest))
	}
	return true
}

// reach returns the state after so many strides from start, or the steady one before it, and its number; nil if they are
// too many.
func (t *trail) reach(ctx context.Context, start *point, strides float64) (at *point, done int, steady bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.points == nil {
		t.points = []*point{start.clone()}
	}
	for last := len(t.points) - 1; float64(last) < strides && !t.steady; last++ {
		if last == mostStrides(len(start.v)) || ctx.Err() != nil {
			return nil, 0, false
		}
		if t.steady = last > 0 && t.walk.isSteady(t.points[last].v); t.steady {
			break
		}
		next := t.points[last].clone()
		next.settle(t.walk.series(next, strideEvents))
		t.points = append(t.points, next)
	}
	done = int(math.Min(strides, float64(len(t.points)-1)))
	return t.points[done], done, t.steady && done == len(t.points)-1
}

// clone returns a copy of the state.
func (p *point) clone() *point {
	n := len(p.v)
	buf := make([]float64, 3*n)
	q := &point{v: buf[:n:n], spare: buf[n : 2*n : 2*n], sum: buf[2*n:], log: p.log, absorbed: p.absorbed}
	copy(q.v, p.v)
	return q
}

// When a distribution is steady: the events until which the decrease of a difference is followed, and how small it must
// have become relative to the distribution.
const (
	steadyEvents = 2 * strideEvents
	steadyLeft   = 0x1p-90
)

// isSteady reports whether the distribution v over the phases, given survival, stays as it is: v·P differs from a
// multiple of v by no more than roundings, in each entry, and that difference decreases, so that it comes to nothing even
// after 2^40 events. Chains of groups of phases that hardly ever lead to each other do not pass: what they exchange in an
// event is less than a rounding, but does not decrease. By the signs of P, |d| ≤ ε·v entails |d·P| ≤ ε·v·P: what is left
// of a difference remains small relative to each entry.
//
// Reference: L. Collatz, Einschließungssatz für die charakteristischen Zahlen von Matrizen, Math. Z. 48 (1942) 221–226.
func (u *uniformized) isSteady(v []float64) bool {
	n := len(v)
	d, next := make([]float64, n), make([]float64, n)
	u.timesMatrix(next, v)
	low, high := spreadOf(next, v)
	if !(high-low <= (4+math.Sqrt(float64(n)))*0x1p-52*high) {
		return false
	}
	theta := (low + high) / 2
	for i := range d {
		d[i] = next[i]/theta - v[i]
	}
	for range steadyEvents {
		low, high := spreadOf(d, v)
		if high-low <= steadyLeft {
			return true
		}
		for i := range d { // what is in proportion to v belongs to the eigenvalue
			d[i] -= (low + high) / 2 * v[i]
		}
		u.timesMatrix(next, d)
		for i := range d {
			d[i] = next[i] / theta
		}
	}
	return false
}

// spreadOf returns the least and the largest ratio of the entries of x to those of v.
func spreadOf(x, v []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i, p := range v {
		if p == 0 && x[i] == 0 {
			continue
		}
		low, high = math.Min(low, x[i]/p), math.Max(high, x[i]/p)
	}
	return low, high
}

// denseRows is how many rows of a table are computed together, and between two looks at the context: some ten
// milliseconds with 1,000 phases.
const denseRows = 32

// eachRows calls f for groups of n rows until ctx ends, which it reports.
func eachRows(ctx context.Context, n int, f func(from, to int)) (done bool) {
	for from := 0; from < n; from += denseRows {
		if ctx.Err() != nil {
			return false
		}
		f(from, min(from+denseRows, n))
	}
	return true
}

// rowsOf returns some rows of a row-major matrix of n columns.
func rowsOf(data []float64, n, from, to int) blas64.General {
	return blas64.General{Rows: to - from, Cols: n, Stride: n, Data: data[from*n : to*n]}
}

// firstDense is [uniformized.first] with products of many rows at a time.
func (u *uniformized) firstDense(ctx context.Context, delta float64) *power {
	n := len(u.stay)
	e := newPower(n)
	v, next := make([]float64, denseRows*n), make([]float64, denseRows*n)
	if !eachRows(ctx, n, func(from, to int) {
		rows := make([]rowSeries, to-from)
		clear(v)
		for i := range rows {
			v[i*n+from+i] = 1
			rows[i].sum = make([]float64, n)
		}
		weight := math.Exp(-u.rate * delta)
		for k := 0; ; k++ {
			more := false
			for i := range rows {
				more = !rows[i].add(u, k, weight, v[i*n:(i+1)*n]) || more
			}
			if !more || weight == 0 {
				break
			}
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, rowsOf(v, n, 0, to-from), u.matrix, 0, rowsOf(next, n, 0, to-from))
			v, next = next, v
			weight *= u.rate * delta / float64(k+1)
		}
		p := &point{v: make([]float64, n)}
		for i := range rows {
			p.sum, p.log, p.absorbed = rows[i].sum, 0, 0
			p.settle(rows[i].alive, rows[i].gone)
			e.set(from+i, p)
		}
	}) {
		return nil
	}
	return e.finish()
}

// rowSeries is what [uniformized.series] sums.
type rowSeries struct {
	sum                                    []float64
	alive, gone, lastAlive, lastGone, died float64
}

// add adds term k, in which the state is v, and reports whether it was the last one that counts.
func (s *rowSeries) add(u *uniformized, k int, weight float64, v []float64) (last bool) {
	var mass float64
	for i, x := range v {
		s.sum[i] += weight * x
		mass += x
	}
	alive, gone := weight*mass, weight*s.died
	s.alive += alive
	s.gone += gone
	last = k >= u.depth && finished(alive, s.lastAlive, s.alive) && finished(gone, s.lastGone, s.gone)
	s.lastAlive, s.lastGone = alive, gone
	s.died += dot(v, u.leave)
	return last
}

// squareDense is [power.square] with products of many rows at a time, as long as all weights keep their digits.
func (e *power) squareDense(ctx context.Context) *power {
	n := e.n
	twice := newPower(n)
	all := rowsOf(e.phases, n, 0, n)
	survival := make([]float64, n)
	for i, l := range e.log {
		survival[i] = math.Exp(l)
	}
	weights, sums := make([]float64, denseRows*n), make([]float64, denseRows*n)
	if !eachRows(ctx, n, func(from, to int) {
		for i := from; i < to; i++ {
			for j, s := range survival {
				weights[(i-from)*n+j] = e.phases[i*n+j] * s
			}
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, rowsOf(weights, n, 0, to-from), all, 0, rowsOf(sums, n, 0, to-from))
		p := &point{v: make([]float64, n)}
		for i := from; i < to; i++ {
			row := (i - from) * n
			p.sum, p.log, p.absorbed = sums[row:row+n], e.log[i], e.gone[i]
			p.settle(total(weights[row:row+n]), dot(e.phases[i*n:(i+1)*n], e.gone))
			twice.set(i, p)
		}
	}) {
		return nil
	}
	return twice.finish()
}

func total(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}
