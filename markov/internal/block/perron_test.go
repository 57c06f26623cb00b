package block_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/testdata/phtest"
)

// TestPerronByPowers compares with all eigenvalues, of matrices on which powers converge fast, slowly or not at all.
func TestPerronByPowers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 70
	fill := func(f func(i, j int) float64) block.Matrix {
		m := block.New(n, n)
		for i := range n {
			for j := range n {
				m.Row(i)[j] = f(i, j)
			}
		}
		return m
	}
	for name, m := range map[string]block.Matrix{
		"dense": fill(func(_, _ int) float64 { return r.Float64() / n }),
		"cycle": fill(func(i, j int) float64 { // all eigenvalues of one modulus
			if j == (i+1)%n {
				return 0.5 + r.Float64()
			}
			return 0
		}),
		"blocks": fill(func(i, j int) float64 { // of radii .5 and .6, the smaller leads to the larger
			switch {
			case i < n/2 && j < n/2:
				return 1. / n
			case i >= n/2 && j >= n/2:
				return 1.2 / n
			case i < n/2:
				return 0.01
			}
			return 0
		}),
		"equal": fill(func(i, j int) float64 { // two blocks of one radius, one leads to the other
			switch {
			case i < n/2 == (j < n/2):
				return 1. / n
			case i < n/2:
				return 1. / n
			}
			return 0
		}),
	} {
		var e mat.Eigen
		if !e.Factorize(m.Dense(), mat.EigenNone) {
			t.Fatal(name)
		}
		want := math.Inf(-1)
		for _, v := range e.Values(nil) {
			want = max(want, real(v))
		}
		// Of a double eigenvalue that belongs to one vector, the eigenvalues of a matrix and the powers both know half of the
		// digits.
		tol := 1e-12 * m.NormInf()
		if name == "equal" {
			tol = 1e-7
		}
		if got := block.Perron(t.Context(), m); !(math.Abs(got-want) <= tol) {
			t.Errorf("%s: %v, eigenvalues say %v", name, got, want)
		}
	}
	if got := block.Perron(t.Context(), block.New(n, n)); got != 0 {
		t.Errorf("zero: %v", got)
	}
}

// The least eigenvalue of stiff rates against its closed form: a cycle of states with rates of 1, of which one is left at a
// rate ε, has the least eigenvalue ε/n but for terms of the order of ε².
func TestLeastEigenvalueOfStiffRates(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 20} {
		for _, e := range []float64{1e-9, 1e-15, 1e-30, 1e-200} {
			p, exit := block.New(n, n), make([]float64, n)
			for i := range n {
				p.Row(i)[(i+1)%n] = 1
			}
			exit[n/2] = e
			want := e / float64(n)
			if got := block.LeastEigenvalue(t.Context(), p, exit); !(math.Abs(got-want) <= want*(1e-14+float64(n)*e)) {
				t.Errorf("%d states left at %g: %g, want %g", n, e, got, want)
			}
		}
	}
	if got := block.LeastEigenvalue(t.Context(), block.New(3, 3), make([]float64, 3)); got != 0 {
		t.Errorf("never left: %g", got)
	}
}

func TestPerronStops(t *testing.T) {
	const n = 900
	m := block.New(n, n) // of two blocks whose radii are so close that low powers will not do
	for i := range n {
		for j := range n {
			if (i < n/2) == (j < n/2) {
				m.Row(i)[j] = (1 + float64(2*i/n)*1e-5) / n
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	began := phtest.CPUSeconds()
	if v := block.Perron(ctx, m); !math.IsNaN(v) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("found %v after the end", v)
	}
	if took := phtest.CPUSeconds() - began; took > 1 && !testing.Short() {
		t.Errorf("returned after %.3g s", took)
	}
}

// TestPerronVector: a stochastic matrix P has the right Perron vector 1, so D⁻¹·P·D has the diagonal of D⁻¹. The entries
// span sixty decades. Two blocks of the second matrix exchange so rarely that their eigenvalues differ by 1e-9.
func TestPerronVector(t *testing.T) {
	const n = 12
	for _, rare := range []float64{1, 1e-9} {
		r := rand.New(rand.NewPCG(5, 7))
		m, scale := block.New(n, n), make([]float64, n)
		for i := range n {
			scale[i] = math.Pow(10, 60*(r.Float64()-0.5))
			row := m.Row(i)
			for j := range row {
				if row[j] = r.Float64(); i < n/2 != (j < n/2) {
					row[j] *= rare
				}
			}
			floats.Scale(0.9/block.Sum(row), row)
		}
		for i := range n {
			for j := range n {
				m.Row(i)[j] *= scale[j] / scale[i]
			}
		}
		y := block.PerronVector(t.Context(), m)
		ratio := y[0] * scale[0]
		for i, v := range y {
			// The roundings of the entries are amplified by the distance of the eigenvalues.
			if tol := 1e-14 / rare; math.Abs(v*scale[i]/ratio-1) > tol {
				t.Errorf("rare %g: entry %d is off by %.2g", rare, i, v*scale[i]/ratio-1)
			}
		}
	}
}
