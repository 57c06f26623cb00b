package markov_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/qbdtest"
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
		want := qbdtest.ExactStationary(rates)
		check := func(pi []float64, bound float64) {
			for i, p := range pi {
				if off := qbdtest.RelativeError(p, want[i]); !(off <= bound) {
					t.Errorf("instance %d, %d states: P(%d) = %g is off by %.2g, claimed %.2g",
						instance, n, i, p, off, bound)
				}
			}
		}
		chain, err := markov.NewChain(n, func(i int, add func(int, float64)) {
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
