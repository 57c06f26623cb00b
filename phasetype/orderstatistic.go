package phasetype

import "math"

// mostVariables is where the binomial coefficients of an atom still have ten digits.
const mostVariables = 100_000

// OrderStatistic returns the distribution of the k-th smallest of n independent variables that are all distributed as
// d, 1 ≤ k ≤ n: the smallest for k = 1, the largest for k = n. The chain counts how many of those that still run are in
// each phase, so with m phases it has
//
//	Σ_{j=n−k+1..n} C(j+m−1, m−1)
//
// phases, k for an exponential d. Variables that are zero come first. It returns an *[Error] where k or n make no
// sense, where n exceeds 100,000 and where the order exceeds [MaxPhases].
//
// Reference: H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., Wiley, 2003; for the counts instead of a product
// of chains V. Ramaswami, D. M. Lucantoni, Algorithms for the multi-server queue with phase type service, Commun.
// Statist. Stochastic Models 1 (1985) 393–417.
func OrderStatistic(d Dist, k, n int) (Dist, error) {
	switch {
	case n < 1 || n > mostVariables:
		return Dist{}, bad("n", -1, -1, "%d is not between 1 and %d", n, mostVariables)
	case k < 1 || k > n:
		return Dist{}, bad("k", -1, -1, "%d is not between 1 and %d, the number of variables", k, n)
	case d.IsZero():
		return Dist{}, nil
	}
	c, ok := newCounts(d.n, n-k+1, n)
	if !ok {
		return Dist{}, bad("alpha", -1, -1, "the counts of %d to %d variables over %d phases are more than the %d supported",
			n-k+1, n, d.n, MaxPhases)
	}
	size := len(c.states)
	alpha, moves, exit := make([]float64, size), make([]float64, size*size), make([]float64, size)
	for s, state := range c.states {
		alpha[s] = d.startIn(state, n)
		for i, count := range state {
			if count == 0 {
				continue
			}
			for j, q := range d.t[i*d.n : (i+1)*d.n] {
				if j != i && q > 0 {
					moves[s*size+c.after(state, i, j)] += float64(count) * q
				}
			}
			if q := float64(count) * d.exit[i]; q > 0 {
				if next := c.after(state, i, -1); next >= 0 {
					moves[s*size+next] += q
				} else {
					exit[s] += q
				}
			}
		}
	}
	return fromRates(alpha, moves, exit)
}

// startIn returns the probability that of n variables those that are not zero start as the state counts them.
func (d Dist) startIn(state []int, n int) float64 {
	left := n
	log := logFactorial(n)
	p := 1.0
	for i, count := range state {
		p *= math.Pow(d.alpha[i], float64(count))
		log -= logFactorial(count)
		left -= count
	}
	return p * math.Pow(d.atom, float64(left)) * math.Exp(log-logFactorial(left))
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// counts numbers the ways to spread low to high variables over m phases.
type counts struct {
	low    int
	states [][]int
	number map[string]int
	key    []byte
}

// newCounts returns the numbering, most variables first; ok is false if there are more than [MaxPhases] states.
func newCounts(m, low, high int) (c *counts, ok bool) {
	c = &counts{low: low, number: map[string]int{}, key: make([]byte, 0, 2*m)}
	for total := high; total >= low; total-- {
		if !c.fill(make([]int, m), 0, total) {
			return nil, false
		}
	}
	return c, true
}

// fill adds all states that continue state from phase i with the given number of variables left.
func (c *counts) fill(state []int, i, left int) bool {
	if i == len(state)-1 {
		state[i] = left
		if len(c.states) == MaxPhases {
			return false
		}
		c.number[string(c.encode(state))] = len(c.states)
		c.states = append(c.states, append([]int(nil), state...))
		return true
	}
	for count := left; count >= 0; count-- {
		state[i] = count
		if !c.fill(state, i+1, left-count) {
			return false
		}
	}
	return true
}

func (c *counts) encode(state []int) []byte {
	c.key = c.key[:0]
	for _, count := range state {
		c.key = append(c.key, byte(count), byte(count>>8)) // at most MaxPhases variables fit
	}
	return c.key
}

// after returns the number of the state in which one variable has gone from phase i to phase j, or to its end for a
// negative j; −1 if too few are left.
func (c *counts) after(state []int, i, j int) int {
	state[i]--
	if j >= 0 {
		state[j]++
	}
	number, ok := c.number[string(c.encode(state))]
	state[i]++
	if j >= 0 {
		state[j]--
	}
	if !ok {
		return -1
	}
	return number
}
