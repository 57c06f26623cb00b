package fit

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// branchChain is a Markov chain of Erlang branches. A time from branch b is the sum of shapes[b] exponential times of
// rate rates[b]. The next time is from branch c with probability jump[b][c].
type branchChain struct {
	shapes []int
	rates  []float64
	jump   []float64 // n×n, rows sum to 1
}

// clone returns a copy whose rates, jumps and shapes can be changed. Rates and jumps that are nil stay nil.
func (c branchChain) clone() branchChain {
	return branchChain{slices.Clone(c.shapes), slices.Clone(c.rates), slices.Clone(c.jump)}
}

// parameters returns the number of free parameters of n branches: n rates, n(n−1) jumps, and n−1 shapes, because the
// order determines the last shape.
func (c branchChain) parameters() int { n := len(c.shapes); return n + n*(n-1) + n - 1 }

// leastJump is added to the probabilities of all jumps, so that all branches reach one another.
const leastJump = 1e-12

// irreducible returns a copy of c in which every branch can follow every other: each probability p of a jump becomes (p
// + ε)/(1 + n·ε), with n branches and ε = 1e-12. So the stationary distribution of the branches is unique.
func (c branchChain) irreducible() branchChain {
	c = c.clone()
	n := len(c.shapes)
	for i, p := range c.jump {
		c.jump[i] = (p + leastJump) / (1 + float64(n)*leastJump)
	}
	return c
}

// arrivals returns the chain as an arrival process, with times multiplied by scale. Its phases are the phases of the
// branches, one branch after another; an arrival ends the last phase of a branch. The error comes from
// [phasetype.NewMAP], for numbers out of range.
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

// withBranch returns a copy of c with one more branch, the last, an exponential time of the given rate. Every branch,
// the new branch included, is followed by the new branch with probability entered. All other probabilities are
// multiplied by 1 − entered. The new branch is followed by other branches with the probabilities of the branch with
// index like.
func (c branchChain) withBranch(like int, rate, entered float64) branchChain {
	n := len(c.shapes)
	out := branchChain{append(slices.Clone(c.shapes), 1), append(slices.Clone(c.rates), rate), nil}
	for b := range n + 1 {
		from := b
		if b == n {
			from = like
		}
		for _, p := range c.jump[from*n : from*n+n] {
			out.jump = append(out.jump, p*(1-entered))
		}
		out.jump = append(out.jump, entered)
	}
	return out
}

// withUnvisitedBranch returns a copy of c with one more phase: a branch of one phase that is never entered, so that the
// process is the same. If c has a branch of one phase, the new branch is equal to it. Then entering it with the small
// probability that [branchChain.irreducible] adds changes nothing either. Otherwise it has the rate of the first
// branch.
func (c branchChain) withUnvisitedBranch() branchChain {
	like := max(0, slices.Index(c.shapes, 1))
	return c.withBranch(like, c.rates[like], 0)
}

// withLongerBranch returns a copy of c with one more phase in branch b, counted from 0, whose mean time stays the same.
func (c branchChain) withLongerBranch(b int) branchChain {
	out := c.clone()
	out.shapes[b]++
	out.rates[b] *= float64(out.shapes[b]) / float64(c.shapes[b])
	return out
}

// ordered returns a copy of c with its branches in ascending order of shapes, then of rates.
func (c branchChain) ordered() branchChain {
	n := len(c.shapes)
	branches := make([]int, n)
	for b := range branches {
		branches[b] = b
	}
	slices.SortStableFunc(branches, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.shapes[a], c.shapes[b]), cmp.Compare(c.rates[a], c.rates[b]))
	})
	var out branchChain
	for _, b := range branches {
		out.shapes = append(out.shapes, c.shapes[b])
		out.rates = append(out.rates, c.rates[b])
		for _, to := range branches {
			out.jump = append(out.jump, c.jump[b*n+to])
		}
	}
	return out
}

// widened returns the chains with one more phase from which the fit of the next order starts. First each branch is
// lengthened in turn, with the same mean time. Then a branch of one phase is added at each of the rates of
// [insertionRates]. It is entered with probability 0.05 and followed as the first branch is.
func (c branchChain) widened() []branchChain {
	var starts []branchChain
	for b := range c.shapes {
		starts = append(starts, c.withLongerBranch(b))
	}
	const entered = 0.05
	for _, rate := range insertionRates(slices.Sorted(slices.Values(c.rates))) {
		starts = append(starts, c.withBranch(0, rate, entered))
	}
	return starts
}
