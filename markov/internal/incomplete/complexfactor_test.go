package incomplete_test

import (
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/markov/internal/incomplete"
)

// openChain is a random chain of n states that can be left.
type openChain struct {
	to    [][]int32
	rates [][]float64
	out   []float64
}

func newOpenChain(random *rand.Rand, n int) *openChain {
	c := &openChain{make([][]int32, n), make([][]float64, n), make([]float64, n)}
	for i := range n {
		c.out[i] = 0.01 * random.ExpFloat64()
		for j := range n {
			if j == i || random.Float64() > 0.1 {
				continue
			}
			rate := random.ExpFloat64()
			c.to[i], c.rates[i] = append(c.to[i], int32(j)), append(c.rates[i], rate)
			c.out[i] += rate
		}
	}
	return c
}

func (c *openChain) row(i int) (to []int32, rates []float64) { return c.to[i], c.rates[i] }

// times returns x·(diag(s + out) − P).
func (c *openChain) times(x []complex128, s complex128) []complex128 {
	y := make([]complex128, len(x))
	for i, v := range x {
		y[i] += v * (s + complex(c.out[i], 0))
		for e, j := range c.to[i] {
			y[j] -= v * complex(c.rates[i][e], 0)
		}
	}
	return y
}

// TestComplexFactorIsTheInverse: without drops the factors solve the equations of a random chain, also with the storage of the
// factors of another chain.
func TestComplexFactorIsTheInverse(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var factor incomplete.ComplexFactor
	for _, n := range []int{60, 40} {
		c := newOpenChain(random, n)
		const s = 0.1 + 2i
		if err := factor.Eliminate(t.Context(), s, c.out, c.row, 0); err != nil {
			t.Fatal(err)
		}
		want := make([]complex128, n)
		for i := range want {
			want[i] = complex(random.NormFloat64(), random.NormFloat64())
		}
		x := c.times(want, s)
		factor.SolveLeft(x)
		for i, v := range x {
			if cmplx.Abs(v-want[i]) > 1e-12 {
				t.Errorf("n = %d: entry %d is %v, want %v", n, i, v, want[i])
			}
		}
	}
}

// TestComplexFactorKeepsRowSums: the approximate matrix M has the row sums of the matrix, also where transitions are dropped. So M⁻¹
// times the row sums is a vector of ones.
func TestComplexFactorKeepsRowSums(t *testing.T) {
	const n, s, drop = 80, 0.1 + 2i, 0.05
	c := newOpenChain(rand.New(rand.NewPCG(3, 4)), n)
	var factor incomplete.ComplexFactor
	if err := factor.Eliminate(t.Context(), s, c.out, c.row, drop); err != nil {
		t.Fatal(err)
	}
	sums := make([]complex128, n)
	for i := range sums {
		sums[i] = s + complex(c.out[i], 0)
		for _, rate := range c.rates[i] {
			sums[i] -= complex(rate, 0)
		}
	}
	exact := 0
	for i := range n {
		solved := make([]complex128, n)
		solved[i] = 1
		factor.SolveLeft(solved)
		product := complex128(0)
		for j, v := range solved {
			product += v * sums[j]
		}
		if cmplx.Abs(product-1) > 1e-12 {
			t.Errorf("row %d of the approximate inverse times the row sums is %v, want 1", i, product)
		}
		if back := c.times(solved, s); cmplx.Abs(back[i]-1) < 1e-9 {
			exact++
		}
	}
	if exact > n/2 {
		t.Errorf("%d of %d rows of the approximate inverse are exact: hardly any transition was dropped", exact, n)
	}
}
