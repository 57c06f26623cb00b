package resolvent

import (
	"context"
	"errors"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/markov/internal/block"
)

// drawnRates returns a chain of n states with about degree transitions from each, some of them doubled, and a rate out of
// the chain. Few transitions give many communicating classes.
func drawnRates(random *rand.Rand, n int, degree float64) Rates {
	c := Rates{Start: []int32{0}, Out: make([]float64, n)}
	for i := range n {
		c.Out[i] = 0.1 * random.Float64() // out of the chain
		for random.Float64() > 1/(1+degree) {
			rate := random.ExpFloat64()
			c.To, c.Rate = append(c.To, int32(random.IntN(n))), append(c.Rate, rate)
			c.Out[i] += rate
		}
		c.Start = append(c.Start, int32(len(c.To)))
	}
	return c
}

// reached reports, for each pair of states, whether a path leads from the first to the second.
func reached(c Rates) [][]bool {
	n := len(c.Out)
	r := make([][]bool, n)
	for i := range r {
		r[i] = make([]bool, n)
		r[i][i] = true
		for _, j := range c.To[c.Start[i]:c.Start[i+1]] {
			r[i][j] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				r[i][j] = r[i][j] || r[i][k] && r[k][j]
			}
		}
	}
	return r
}

// TestCommunicatingClasses: the classes of drawn chains are the sets of states that reach each other. They are listed in
// an order in which no class leads back, each with its states in ascending order.
func TestCommunicatingClasses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + random.IntN(25)
		c := drawnRates(random, n, 2*random.Float64())
		states, ends := c.communicatingClasses()
		if sorted := slices.Sorted(slices.Values(states)); len(states) != n || sorted[0] != 0 || len(slices.Compact(sorted)) != n {
			t.Fatalf("%v are not the %d states", states, n)
		}
		if last := ends[len(ends)-1]; int(last) != n {
			t.Fatalf("the last class ends at %d of %d", last, n)
		}
		class, begin := make([]int, n), int32(0)
		for k, end := range ends {
			if end <= begin || !slices.IsSorted(states[begin:end]) {
				t.Fatalf("class %d is %v", k, states[begin:end])
			}
			for _, i := range states[begin:end] {
				class[i] = k
			}
			begin = end
		}
		leads := reached(c)
		for i := range n {
			for j := range n {
				if same := leads[i][j] && leads[j][i]; same != (class[i] == class[j]) || leads[i][j] && class[i] > class[j] {
					t.Fatalf("states %d and %d are in classes %d and %d of %v, %v", i, j, class[i], class[j], states, ends)
				}
			}
		}
	}
}

// solved returns y with y·(sI − Q) = x by elimination. The matrix is diagonally dominant.
func solved(c Rates, s complex128, x []complex128) []complex128 {
	n := len(x)
	m := make([]complex128, n*n) // transposed
	for i := range n {
		m[i*n+i] += s + complex(c.Out[i], 0)
		for e := c.Start[i]; e < c.Start[i+1]; e++ {
			m[int(c.To[e])*n+i] -= complex(c.Rate[e], 0)
		}
	}
	y := slices.Clone(x)
	block.ComplexLU(m, n)
	block.ComplexSolve(m, n, y)
	return y
}

// TestSolveDrawnChains: the resolvent agrees with an elimination to within its bound, for chains of many classes and of
// one, and x stays unchanged.
func TestSolveDrawnChains(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, degree := range []float64{0, 0.5, 1, 3} {
		for _, s := range []complex128{1, 0.05 + 0.5i, 1e-3} {
			c := drawnRates(random, 60, degree)
			x := make([]complex128, 60)
			for i := range x {
				x[i] = complex(random.NormFloat64(), random.NormFloat64())
			}
			given := slices.Clone(x)
			y, bound, err := Of(c).Solve(t.Context(), s, x)
			if err != nil {
				t.Fatal(err)
			}
			off := 0.0
			for i, want := range solved(c, s, x) {
				off += cmplx.Abs(y[i] - want)
			}
			if !(off <= 2*bound && bound <= 1e-9*sizeOf(y)) || !slices.Equal(x, given) { // the elimination has rounding errors, too
				t.Errorf("degree %v, s = %v: off by %.2g of %.2g, the bound is %.2g", degree, s, off, sizeOf(y), bound)
			}
		}
	}
}

// TestSolveEnds: a context that has ended is the error, not a solution.
func TestSolveEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := drawnRates(rand.New(rand.NewPCG(5, 6)), 20, 3)
	if y, _, err := Of(c).Solve(ctx, 1, slices.Repeat([]complex128{1}, 20)); y != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", y, err)
	}
}
