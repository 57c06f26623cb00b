package markov_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/testdata/qbdtest"
)

// drawRate draws a rate over so many decades.
func drawRate(rng *rand.Rand, decades float64) float64 {
	return math.Pow(10, decades*(rng.Float64()-0.5))
}

// The claimed bound holds for every component of every vector of 60 chains, with rates over 0 to 24 decades.
func TestBoundsOfFiniteChainsAgainstExactArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for instance := range 60 {
		decades := float64(instance % 4 * 8)
		levels, width := 1+rng.IntN(4), 1+rng.IntN(4)
		n := levels * width
		rates := make([][]float64, n)
		for i := range rates {
			rates[i] = make([]float64, n)
			for j := range rates[i] {
				if near := i/width - j/width; j != i && near >= -1 && near <= 1 && rng.Float64() < 0.7 {
					rates[i][j] = drawRate(rng, decades)
				}
			}
			rates[i][(i+1)%n] += drawRate(rng, decades) // irreducible
			if i+1 == n && levels > 2 {
				rates[i][0] = 0
			}
			if i > 0 {
				rates[i][i-1] += drawRate(rng, decades)
			}
			rates[i][i] = 0
		}
		want := exactStationary(rates)
		check := func(pi []float64, bound float64) {
			for i, p := range pi {
				if off := qbdtest.RelativeError(p, want[i]); !(off <= bound) {
					t.Errorf("instance %d, %d states: P(%d) = %g is off by %.2g, claimed %.2g",
						instance, n, i, p, off, bound)
				}
			}
		}
		chain, err := newChain(n, func(i int, add func(int, float64)) {
			for j, r := range rates[i] {
				add(j, r)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		pi, d, err := chain.Stationary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		check(pi, d.ErrorBound)
	}
}

// exactStationary returns the stationary vector of the chain with the given rates between states (the diagonal is not
// read), in rational arithmetic: floating-point rates are rational numbers, so that there is no error at all. States
// must have one closed class. It takes n³ operations on ever longer numbers and is for small chains.
func exactStationary(rates [][]float64) []*big.Rat {
	n := len(rates)
	q := make([][]*big.Rat, n)
	for i := range q {
		q[i] = make([]*big.Rat, n)
		for j := range q[i] {
			q[i][j] = new(big.Rat)
			if j != i {
				q[i][j].SetFloat64(rates[i][j])
			}
		}
	}
	// states are eliminated from the last down; the rates of what remains are those of the chain observed there
	total := make([]*big.Rat, n)
	for k := n - 1; k > 0; k-- {
		total[k] = new(big.Rat)
		for j := range k {
			total[k].Add(total[k], q[k][j])
		}
		for i := range k {
			share := new(big.Rat).Quo(q[i][k], total[k])
			q[i][k] = share
			for j := range k {
				q[i][j].Add(q[i][j], new(big.Rat).Mul(share, q[k][j]))
			}
		}
	}
	pi, sum := make([]*big.Rat, n), new(big.Rat)
	for k := range pi {
		pi[k] = new(big.Rat)
		if k == 0 {
			pi[k].SetInt64(1)
		}
		for i := range k {
			pi[k].Add(pi[k], new(big.Rat).Mul(pi[i], q[i][k]))
		}
		sum.Add(sum, pi[k])
	}
	for k := range pi {
		pi[k].Quo(pi[k], sum)
	}
	return pi
}
