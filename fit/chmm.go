package fit

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/fit/internal/optimum"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// branchChain is a Markov chain of Erlang branches. A time from branch b is the sum of shapes[b] exponential times of
// rate rates[b]. The next time is from branch c with probability jump[b][c].
type branchChain struct {
	shapes []int
	rates  []float64
	first  []float64 // probabilities of the first branch
	jump   []float64 // n×n, rows sum to 1
}

func (c branchChain) clone() branchChain {
	return branchChain{c.shapes, slices.Clone(c.rates), slices.Clone(c.first),
		slices.Clone(c.jump)}
}

// parameters returns the number of free parameters: n rates, n(n−1) jumps, and n−1 shapes, because the order determines
// the last shape.
func (c branchChain) parameters() int { n := len(c.shapes); return n + n*(n-1) + n - 1 }

// jumpFloor is added to the probabilities of all jumps, so that all branches reach one another.
const jumpFloor = 1e-12

// irreducible returns c with positive probabilities of all jumps.
func (c branchChain) irreducible() branchChain {
	c = c.clone()
	n := len(c.shapes)
	for i, p := range c.jump {
		c.jump[i] = (p + jumpFloor) / (1 + float64(n)*jumpFloor)
	}
	return c
}

// arrivals returns the chain as an arrival process, with times multiplied by scale.
func (c branchChain) arrivals(scale float64) (phasetype.MAP, error) {
	m, n := phasesIn(c.shapes), len(c.shapes)
	d0, d1 := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	start := make([]int, n)
	for b := 1; b < n; b++ {
		start[b] = start[b-1] + c.shapes[b-1]
	}
	for b, k := range c.shapes {
		r := c.rates[b] / scale
		last := start[b] + k - 1
		for i := start[b]; i < last; i++ {
			d0.Set(i, i, -r)
			d0.Set(i, i+1, r)
		}
		var out float64
		for to, p := range c.jump[b*n : b*n+n] {
			d1.Set(last, start[to], r*p)
			out += r * p
		}
		d0.Set(last, last, -out)
	}
	return phasetype.NewMAP(d0, d1)
}

// branchAscent is the EM algorithm for chains of branches, given a sequence of times x_1 … x_T. With f_b the density of
// branch b and p the jumps, the forward and backward passes are
//
//	forward_1 = first∘f(x_1),   forward_t = (forward_{t−1}·p)∘f(x_t),   each divided by its sum norm_t,
//	back_T = 1,   back_t = p·(f(x_{t+1})∘back_{t+1})/norm_{t+1}.
//
// forward_t∘back_t is the distribution of the branch of time t given all times.
// forward_{t−1,b}·p_bc·f_c(x_t)·back_{t,c}/norm_t is the probability of a jump from b to c. Their sums over t give the
// next iterate,
//
//	rate_b = shape_b·count_b/(sum of the times from b),   p_bc = jumps_bc/Σ_c jumps_bc,
//
// and Σ_t log norm_t is the log-likelihood. No step decreases it.
//
// Reference: H. Okamura, T. Dohi, Faster maximum likelihood estimation algorithms for Markovian arrival processes, Proc.
// QEST (2009) 73–82.
type branchAscent struct {
	seq *sequence

	constant []float64    // branches: log(rate^k/(k−1)!)
	density  []float64    // distinct values × branches, scaled
	means    []float64    // distinct values × branches: mean of the time, given its interval and the branch
	offset   []float64    // distinct values: logarithms of the scales of density
	forward  []float64    // times × branches
	norm     []float64    // times
	back     [2][]float64 // branches
	count    []float64    // branches: expected number of times
	sums     []float64    // branches: expected sum of times
	jumps    []float64    // branches × branches: expected numbers of jumps
}

// step returns the log-likelihood per time of c and replaces c by the next iterate.
func (a *branchAscent) step(ctx context.Context, c branchChain) float64 {
	n := len(c.shapes)
	a.prepare(ctx, c)
	length := len(a.seq.at)
	var sum float64
	for t, v := range a.seq.at {
		if stopped(ctx, t) {
			return math.Inf(-1)
		}
		row := a.forward[t*n : t*n+n]
		// forward_t = (forward_{t−1}·p)∘f(x_t).
		if t == 0 {
			copy(row, c.first)
		} else {
			clear(row)
			for b, x := range a.forward[(t-1)*n : t*n] {
				for to, p := range c.jump[b*n : b*n+n] {
					row[to] += x * p
				}
			}
		}
		var s float64
		for b := range row {
			row[b] *= a.density[v*n+b]
			s += row[b]
		}
		if !(s > 0) {
			return math.Inf(-1)
		}
		for b := range row {
			row[b] /= s
		}
		a.norm[t] = s
		sum += math.Log(s) + a.offset[v]
	}
	a.backward(ctx, c)
	a.maximise(c)
	return sum / float64(length)
}

// allocate makes storage for n branches.
func (a *branchAscent) allocate(n int) {
	for _, v := range []struct {
		to   *[]float64
		size int
	}{
		{&a.density, n * len(a.seq.values)}, {&a.means, n * len(a.seq.values)}, {&a.offset, len(a.seq.values)},
		{&a.forward, n * len(a.seq.at)}, {&a.norm, len(a.seq.at)}, {&a.back[0], n}, {&a.back[1], n},
		{&a.count, n}, {&a.sums, n}, {&a.jumps, n * n}, {&a.constant, n},
	} {
		*v.to = slices.Grow((*v.to)[:0], v.size)[:v.size]
	}
}

// prepare evaluates the densities, or the probabilities of intervals, of all branches at all distinct values.
func (a *branchAscent) prepare(ctx context.Context, c branchChain) {
	n := len(c.shapes)
	a.allocate(n)
	for b, k := range c.shapes {
		lg, _ := math.Lgamma(float64(k))
		a.constant[b] = float64(k)*math.Log(c.rates[b]) - lg
	}
	for i := range a.seq.values {
		if stopped(ctx, i) {
			return
		}
		x := &a.seq.values[i]
		row := a.density[i*n : i*n+n]
		// log f_b(x) = k·log r − log (k−1)! + (k−1)·log x − r·x. Only ratios between branches matter: subtract the
		// largest.
		top := math.Inf(-1)
		for b, k := range c.shapes {
			if a.seq.resolution > 0 {
				row[b], a.means[i*n+b] = erlangInterval(x, k, c.rates[b], narrowWidth)
			} else {
				row[b] = a.constant[b] + float64(k-1)*x.log - c.rates[b]*x.x
				a.means[i*n+b] = x.x
			}
			top = max(top, row[b])
		}
		if math.IsInf(top, -1) {
			top = 0
		}
		a.offset[i] = top
		for b := range row {
			row[b] = math.Exp(row[b] - top)
		}
	}
}

// backward makes the backward pass. It computes the expected numbers of times and jumps, and the expected sums of the
// times, of all branches.
func (a *branchAscent) backward(ctx context.Context, c branchChain) {
	n := len(c.shapes)
	clear(a.count)
	clear(a.sums)
	clear(a.jumps)
	next, cur := a.back[0], a.back[1] // next: of the times after time t
	for b := range next {
		next[b] = 1
	}
	for t, v := range slices.Backward(a.seq.at) {
		if stopped(ctx, t) {
			return
		}
		row := a.forward[t*n : t*n+n]
		for b, x := range row {
			q := x * next[b]
			a.count[b] += q
			a.sums[b] += q * a.means[v*n+b]
		}
		if t == 0 {
			for b, x := range row {
				c.first[b] = x * next[b]
			}
			break
		}
		before := a.forward[(t-1)*n : t*n]
		// back_{t−1} = p·(f(x_t)∘back_t)/norm_t. Its terms give the expected numbers of jumps.
		for b := range cur {
			cur[b] = 0
			for to, p := range c.jump[b*n : b*n+n] {
				g := p * a.density[v*n+to] * next[to] / a.norm[t]
				cur[b] += g
				a.jumps[b*n+to] += before[b] * g
			}
		}
		next, cur = cur, next
	}
}

// maximise sets c to the next iterate. A branch that has no times keeps its parameters.
func (a *branchAscent) maximise(c branchChain) {
	n := len(c.shapes)
	normalise(c.first)
	for b, k := range c.shapes {
		if a.sums[b] > 0 && a.count[b] > 0 {
			c.rates[b] = float64(k) * a.count[b] / a.sums[b]
		}
		row := a.jumps[b*n : b*n+n]
		if optimum.Sum(row) > 0 {
			normalise(row)
			copy(c.jump[b*n:b*n+n], row)
		}
	}
}

// normalise divides p by its sum.
func normalise(p []float64) {
	s := optimum.Sum(p)
	for i := range p {
		p[i] /= s
	}
}

// runEM runs EM from the given chain.
func (a *branchAscent) runEM(ctx context.Context, from branchChain, e effort) reached[branchChain] {
	return expectationMaximisation(ctx, from, e, func(at branchChain) (float64, branchChain) {
		next := at.clone()
		return a.step(ctx, next), next
	})
}
