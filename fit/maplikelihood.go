package fit

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// chainObjective is the negative mean log-likelihood of a sequence of times x_1 … x_T under chains of branches with
// given shapes, as a function of
//
//	y = (log rate_1, …, log rate_n, log v_11, log v_12, …, log v_nn),  p_bc ∝ v_bc.
//
// The sequence begins just after an arrival of the stationary process. So the first branch has the stationary
// distribution π of the chain, π·p = π. With f_b the density of branch b, the forward and backward passes are
//
//	forward_1 = π∘f(x_1),   forward_t = (forward_{t−1}·p)∘f(x_t),   each divided by its sum norm_t,
//	back_T = 1,   back_t = p·(f(x_{t+1})∘back_{t+1})/norm_{t+1},
//
// and Σ_t log norm_t is the log-likelihood. forward_t∘back_t is the distribution of the branch of time t given all
// times. By Fisher's identity the derivatives are
//
//	∂/∂log rate_b = shape_b·count_b − rate_b·(sum of the times from b),
//	∂/∂p_bc = Σ_t forward_{t−1,b}·f_c(x_t)·back_{t,c}/norm_t + Σ_d (f_d(x_1)·back_{1,d}/norm_1)·∂π_d/∂p_bc.
//
// Reference: H. Okamura, T. Dohi, Faster maximum likelihood estimation algorithms for Markovian arrival processes, Proc.
// QEST (2009) 73–82, for the passes.
type chainObjective struct {
	seq *sequence

	at      branchChain // the chain of y, irreducible
	pi      stationaryVector
	shares  []float64    // branches × branches: v_bc/Σ_c v_bc
	density []float64    // distinct values × branches, scaled
	means   []float64    // distinct values × branches: mean of the time, given its interval and the branch
	offset  []float64    // distinct values: logarithms of the scales of density
	forward []float64    // times × branches
	norm    []float64    // times
	back    [2][]float64 // branches
	count   []float64    // branches: expected number of times
	sums    []float64    // branches: expected sum of times
	first   []float64    // branches: derivatives with respect to π
	jump    []float64    // branches × branches: derivatives with respect to p
	grad    []float64    // of the last call of Gradient
}

// newChainObjective returns the function that L-BFGS minimises to fit arrivals: the negative mean log-likelihood of a
// sequence under chains with the given shapes. It has storage of its own and is for one goroutine.
func newChainObjective(q *sequence, shapes []int) *chainObjective {
	n, distinct, times := len(shapes), len(q.values), len(q.at)
	o := &chainObjective{seq: q, at: branchChain{shapes, make([]float64, n), make([]float64, n*n)}, pi: newStationaryVector(n)}
	for _, v := range []struct {
		to   *[]float64
		size int
	}{
		{&o.density, n * distinct}, {&o.means, n * distinct}, {&o.offset, distinct}, {&o.forward, n * times}, {&o.norm, times},
		{&o.back[0], n}, {&o.back[1], n}, {&o.count, n}, {&o.sums, n}, {&o.first, n}, {&o.shares, n * n}, {&o.jump, n * n},
		{&o.grad, n + n*n},
	} {
		*v.to = make([]float64, v.size)
	}
	return o
}

// set sets o.at to the chain whose parameters have the logarithms y, and o.shares to its jumps before
// [branchChain.irreducible]. y holds first the n rates of the branches, then the n rows of jumps, each of which is
// scaled to sum to one. It reports whether all rates are between 1e-300 and 1e300 and no jump is NaN; otherwise o is
// set in part.
func (o *chainObjective) set(y []float64) bool {
	n := len(o.at.shapes)
	for b, v := range y[:n] {
		o.at.rates[b] = math.Exp(v)
		if !(o.at.rates[b] > minPositive && o.at.rates[b] < 1/minPositive) {
			return false
		}
	}
	for b := range n {
		row := o.shares[b*n : b*n+n]
		logs := y[n+b*n : n+b*n+n]
		top := slices.Max(logs)
		for c, v := range logs {
			row[c] = math.Exp(v - top)
		}
		normalise(row)
	}
	o.at.jump = branchChain{o.at.shapes, nil, o.shares}.irreducible().jump
	return !slices.ContainsFunc(o.at.jump, math.IsNaN)
}

// Value returns the negative mean log-likelihood of the chain whose parameters have the logarithms y, listed as for
// [chainObjective.set]. It is +Inf if they are out of range, the times are impossible, or ctx ends. Its forward pass
// serves Gradient.
func (o *chainObjective) Value(ctx context.Context, y []float64) float64 {
	if !o.set(y) {
		return math.Inf(1)
	}
	return -o.mean(ctx)
}

// mean returns the mean log-likelihood of a time of the sequence under the chain o.at, in scaled time, by a forward
// pass. The first branch has the stationary distribution of the chain. The mean is −Inf if the times are impossible or
// ctx ends. The pass fills o.density, o.means, o.offset, o.forward and o.norm, from which the gradient follows.
func (o *chainObjective) mean(ctx context.Context) float64 {
	o.evaluateBranches(ctx)
	pi := o.pi.solve(o.at.jump)
	n := len(o.at.shapes)
	var sum float64
	for t, v := range o.seq.at {
		if stopped(ctx, t) {
			return math.Inf(-1)
		}
		row := o.forward[t*n : t*n+n]
		if t == 0 {
			copy(row, pi)
		} else {
			clear(row)
			for b, x := range o.forward[(t-1)*n : t*n] {
				for to, p := range o.at.jump[b*n : b*n+n] {
					row[to] += x * p
				}
			}
		}
		var s float64
		for b := range row {
			row[b] *= o.density[v*n+b]
			s += row[b]
		}
		if !(s > 0) {
			return math.Inf(-1)
		}
		for b := range row {
			row[b] /= s
		}
		o.norm[t] = s
		sum += math.Log(s) + o.offset[v]
	}
	return sum / float64(len(o.seq.at))
}

// evaluateBranches evaluates all branches of o.at at all distinct values. It sets o.density to their densities, or to
// the probabilities of intervals if values are rounded. It sets o.means to the mean of the time, given its interval and
// the branch, or to the value itself if values are exact. It sets o.offset to the logarithm of the largest density of
// each value, 0 if all are 0. The densities of a value are divided by exp(offset), so that they do not underflow. It
// returns early if ctx ends.
func (o *chainObjective) evaluateBranches(ctx context.Context) {
	n := len(o.at.shapes)
	constant := make([]float64, n) // log(rate^k/(k−1)!)
	for b, k := range o.at.shapes {
		lg, _ := math.Lgamma(float64(k))
		constant[b] = float64(k)*math.Log(o.at.rates[b]) - lg
	}
	for i := range o.seq.values {
		if stopped(ctx, i) {
			return
		}
		x := &o.seq.values[i]
		row := o.density[i*n : i*n+n]
		// log f_b(x) = k·log r − log (k−1)! + (k−1)·log x − r·x. Only ratios between branches matter: subtract the
		// largest.
		top := math.Inf(-1)
		for b, k := range o.at.shapes {
			if o.seq.resolution > 0 {
				row[b], o.means[i*n+b] = erlangInterval(x, k, o.at.rates[b], narrowWidth)
			} else {
				row[b] = constant[b] + float64(k-1)*x.log - o.at.rates[b]*x.x
				o.means[i*n+b] = x.x
			}
			top = max(top, row[b])
		}
		if math.IsInf(top, -1) {
			top = 0
		}
		o.offset[i] = top
		for b := range row {
			row[b] = math.Exp(row[b] - top)
		}
	}
}

// Gradient returns the derivatives of the negative mean log-likelihood with respect to the logarithms y of
// [chainObjective.set]. They are derivatives at the point of the last call of Value. The next call overwrites the
// result. If ctx ends, the derivatives are meaningless.
func (o *chainObjective) Gradient(ctx context.Context) []float64 {
	o.backward(ctx)
	o.pi.addDerivatives(o.jump, o.first)
	n := len(o.at.shapes)
	times := float64(len(o.seq.at))
	for b, k := range o.at.shapes {
		o.grad[b] = (o.at.rates[b]*o.sums[b] - float64(k)*o.count[b]) / times
		// p_bc = (s_bc + leastJump)/(1 + n·leastJump) with the shares s_bc = v_bc/Σ_d v_bd.
		shares, jump := o.shares[b*n:b*n+n], o.jump[b*n:b*n+n]
		average := optimum.Dot(shares, jump)
		for c, s := range shares {
			o.grad[n+b*n+c] = -s * (jump[c] - average) / (1 + float64(n)*leastJump) / times
		}
	}
	return o.grad
}

// backward makes the backward pass after the forward pass of mean. It sets count and sums, the expected number of times
// of each branch and their expected sum. It sets first and jump, the derivatives of the log-likelihood with respect to
// the probabilities of the first branch and of jumps between branches. It reads o.forward, o.norm, o.density and
// o.means, and overwrites o.back. If ctx ends, it returns early, and the derivatives are incomplete; the exported
// functions of the package check ctx last.
func (o *chainObjective) backward(ctx context.Context) {
	n := len(o.at.shapes)
	clear(o.count)
	clear(o.sums)
	clear(o.jump)
	next, cur := o.back[0], o.back[1] // next: of the times after time t
	for b := range next {
		next[b] = 1
	}
	for t, v := range slices.Backward(o.seq.at) {
		if stopped(ctx, t) {
			return
		}
		for b, x := range o.forward[t*n : t*n+n] {
			q := x * next[b]
			o.count[b] += q
			o.sums[b] += q * o.means[v*n+b]
		}
		for b := range next { // f(x_t)∘back_t/norm_t
			next[b] *= o.density[v*n+b] / o.norm[t]
		}
		if t == 0 {
			copy(o.first, next)
			break
		}
		before := o.forward[(t-1)*n : t*n]
		for b := range cur {
			cur[b] = optimum.Dot(o.at.jump[b*n:b*n+n], next)
			for to, g := range next {
				o.jump[b*n+to] += before[b] * g
			}
		}
		next, cur = cur, next
	}
}

// normalise divides the numbers p, in place, by their sum, so that they are probabilities. Rounding moves their sum
// away from one.
func normalise(p []float64) {
	s := optimum.Sum(p)
	for i := range p {
		p[i] /= s
	}
}

// chainPoint is a point of an ascent over the rates and jumps of a chain.
type chainPoint struct {
	branchChain
	descent *optimum.Descent // continues the ascent; nil before the first step
}

// ascend returns where L-BFGS leads from a chain within the effort, with the mean log-likelihood and the steps of this
// call. If from has a descent, the descent goes on, and is changed. If the parameters that were reached are out of
// range, the result is the chain of from with the log-likelihood −Inf. Otherwise it is at least as likely as the point
// from which the ascent starts. Its jumps do not contain the small probability that [branchChain.irreducible] adds; its
// log-likelihood does. If ctx ends, the result is the best point so far.
func (q *sequence) ascend(ctx context.Context, from reached[chainPoint], e effort) reached[chainPoint] {
	o := newChainObjective(q, from.at.shapes)
	d := from.at.descent
	if d == nil {
		d = optimum.NewDescent(logsOf(from.at.rates, from.at.jump))
	}
	before := d.Evals
	d.Run(ctx, o, e.steps, e.tolerance, maxSmallSteps)
	if !o.set(d.Y) {
		return reached[chainPoint]{from.at, math.Inf(-1), d.Evals - before, false}
	}
	c := branchChain{from.at.shapes, slices.Clone(o.at.rates), slices.Clone(o.shares)}
	return reached[chainPoint]{chainPoint{c, d}, -d.F, d.Evals - before, d.Converged}
}
