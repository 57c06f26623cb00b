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
//	forward_0 = π,   forward_t = scale_t·(forward_{t−1}·p)∘f(x_t),
//	back_T = 1/Σ_b forward_T,b,   back_{t−1} = scale_t·p·(f(x_t)∘back_t).
//
// scale_t is a number that keeps forward_t within range; nearly all are 1. The log-likelihood is log Σ_b forward_T,b −
// Σ_t log scale_t. forward_t∘back_t is the distribution of the branch of time t given all times. By Fisher's identity
// the derivatives are
//
//	∂/∂log rate_b = shape_b·count_b − rate_b·(sum of the times from b),
//	∂/∂p_bc = Σ_t forward_{t−1,b}·scale_t·f_c(x_t)·back_{t,c} + Σ_d back_{0,d}·∂π_d/∂p_bc.
//
// A pass takes n² multiplications for each time and n−1 exponential functions for each distinct time.
//
// Reference: H. Okamura, T. Dohi, Faster maximum likelihood estimation algorithms for Markovian arrival processes, Proc.
// QEST (2009) 73–82, for the passes.
type chainObjective struct {
	seq *sequence

	at      branchChain // the chain of y, irreducible
	pi      stationaryVector
	shares  []float64    // branches × branches: v_bc/Σ_c v_bc
	into    []float64    // branches × branches: the jumps of at by columns, p_bc at place c·n+b
	density []float64    // distinct values × branches, scaled
	means   []float64    // distinct values × branches: mean of the time, given its interval and the branch
	forward []float64    // (times + 1) × branches
	scale   []float64    // times
	back    [2][]float64 // branches
	count   []float64    // branches: expected number of times
	sums    []float64    // branches: expected sum of times
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
		{&o.density, n * distinct}, {&o.means, n * distinct}, {&o.forward, n * (times + 1)}, {&o.scale, times},
		{&o.back[0], n}, {&o.back[1], n}, {&o.count, n}, {&o.sums, n}, {&o.shares, n * n}, {&o.into, n * n},
		{&o.jump, n * n}, {&o.grad, n + n*n},
	} {
		*v.to = make([]float64, v.size)
	}
	for i := range o.means {
		o.means[i] = q.values[i/n].x
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
// ctx ends. The pass fills o.density, o.means, o.forward and o.scale, from which the gradient follows.
func (o *chainObjective) mean(ctx context.Context) float64 {
	sum := o.evaluateBranches(ctx)
	n := len(o.at.shapes)
	for b := range n {
		for c := range n {
			o.into[c*n+b] = o.at.jump[b*n+c]
		}
	}
	before := o.forward[:n]
	copy(before, o.pi.solve(o.at.jump))
	total := 1.0
	for t, v := range o.seq.at {
		if stopped(ctx, t) {
			return math.Inf(-1)
		}
		row := o.forward[(t+1)*n : (t+2)*n]
		density := o.density[v*n : v*n+n]
		total = 0
		for c, f := range density {
			x := optimum.Dot(before, o.into[c*n:c*n+n]) * f
			row[c] = x
			total += x
		}
		o.scale[t] = 1
		if total < smallForward {
			if !(total > 0) {
				return math.Inf(-1)
			}
			o.scale[t] = 1 / total
			for c := range row {
				row[c] /= total
			}
			sum += math.Log(total)
			total = 1
		}
		before = row
	}
	return (sum + math.Log(total)) / float64(len(o.seq.at))
}

// smallForward is the sum of a vector of the forward pass below which the vector is scaled to the sum 1. Scaling at
// each time would take a division and a logarithm. A time multiplies the sum at least by leastJump, because the scaled
// density of the likeliest branch is 1.
const smallForward = 1e-20

// evaluateBranches evaluates all branches of o.at at all distinct values. It sets o.density to their densities, or to
// the probabilities of intervals if values are rounded. For rounded values it sets o.means to the mean of the time,
// given its interval and the branch; exact values are their own means. The densities of a value are divided by the
// largest of them, so that they do not underflow. The result is the sum, over all times, of the logarithms of the
// divisors; 0 counts as the logarithm of a divisor 0. It returns early if ctx ends.
func (o *chainObjective) evaluateBranches(ctx context.Context) (sum float64) {
	n := len(o.at.shapes)
	constant, powers := make([]float64, n), make([]float64, n) // log(rate^k/(k−1)!), k−1
	for b, k := range o.at.shapes {
		lg, _ := math.Lgamma(float64(k))
		constant[b] = float64(k)*math.Log(o.at.rates[b]) - lg
		powers[b] = float64(k - 1)
	}
	for i := range o.seq.values {
		if stopped(ctx, i) {
			return
		}
		x := &o.seq.values[i]
		row := o.density[i*n : i*n+n]
		if o.seq.resolution > 0 {
			for b, k := range o.at.shapes {
				row[b], o.means[i*n+b] = erlangInterval(x, k, o.at.rates[b], narrowWidth)
			}
		} else {
			// log f_b(x) = k·log r − log (k−1)! + (k−1)·log x − r·x.
			for b, r := range o.at.rates {
				row[b] = constant[b] + powers[b]*x.log - r*x.x
			}
		}
		sum += x.w * exponentials(row)
	}
	return sum
}

// exponentials replaces logarithms by the numbers, in place, divided by the largest of them, and returns the logarithm
// of the largest. If all numbers are 0, they are not divided, and it returns 0.
func exponentials(logs []float64) float64 {
	top, largest := math.Inf(-1), -1
	for b, l := range logs {
		if l > top {
			top, largest = l, b
		}
	}
	if largest < 0 {
		top = 0
	}
	for b, l := range logs {
		if b == largest {
			logs[b] = 1
		} else {
			logs[b] = math.Exp(l - top)
		}
	}
	return top
}

// Gradient returns the derivatives of the negative mean log-likelihood with respect to the logarithms y of
// [chainObjective.set]. They are derivatives at the point of the last call of Value. The next call overwrites the
// result. If ctx ends, the derivatives are meaningless.
func (o *chainObjective) Gradient(ctx context.Context) []float64 {
	o.pi.addDerivatives(o.jump, o.backward(ctx))
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

// backward makes the backward pass after the forward pass of mean. It returns back_0, the derivatives of the
// log-likelihood with respect to the stationary distribution. It sets count and sums, the expected number of times of
// each branch and their expected sum. It sets jump, the derivatives with respect to the probabilities of jumps between
// branches. It reads o.forward, o.scale, o.density and o.means, and overwrites o.back. If ctx ends, it returns early,
// and the derivatives are incomplete; the exported functions of the package check ctx last.
func (o *chainObjective) backward(ctx context.Context) []float64 {
	n := len(o.at.shapes)
	clear(o.count)
	clear(o.sums)
	clear(o.jump)
	next, cur := o.back[0], o.back[1] // of time t, and of the time before
	var total float64
	for _, x := range o.forward[len(o.seq.at)*n:] {
		total += x
	}
	for c := range next {
		next[c] = 1 / total
	}
	for t := len(o.seq.at) - 1; t >= 0; t-- {
		if stopped(ctx, t) {
			break
		}
		v, scale := o.seq.at[t], o.scale[t]
		means, density := o.means[v*n:v*n+n], o.density[v*n:v*n+n]
		for b, x := range o.forward[(t+1)*n : (t+2)*n] {
			o.sums[b] += x * next[b] * means[b]
			next[b] *= density[b] * scale
		}
		for b, x := range o.forward[t*n : t*n+n] {
			var sum float64
			p, byJump := o.at.jump[b*n:b*n+n], o.jump[b*n:b*n+n]
			for c, g := range next {
				sum += p[c] * g
				byJump[c] += x * g
			}
			cur[b] = sum
		}
		next, cur = cur, next
	}
	for i, p := range o.at.jump {
		o.count[i%n] += p * o.jump[i]
	}
	return next
}

// normalise divides the numbers p, in place, by their sum, so that they are probabilities. Rounding moves their sum
// away from one.
func normalise(p []float64) {
	s := optimum.Sum(p)
	for i := range p {
		p[i] /= s
	}
}
