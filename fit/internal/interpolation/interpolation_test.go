package interpolation

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestStencilsAreExactForPolynomials: a polynomial of degree five in log x is interpolated exactly between all nodes,
// and before the first, whatever the order of the values.
func TestStencilsAreExactForPolynomials(t *testing.T) {
	nodes := []float64{.5, .6, .8, 1, 1.3, 1.5, 2, 2.5, 3, 4}
	polynomial := func(x float64) float64 {
		u := math.Log(x)
		return 1 + u*(2-u*(1-u*(.5+u*(.25-u*.125))))
	}
	p := New(nodes)
	r := rand.New(rand.NewPCG(3, 1))
	for i := range 3000 {
		x := .4 + 3.6*r.Float64()
		switch {
		case i < 1000: // ascending
			x = .4 + 3.6*float64(i)/999
		case i%10 == 0:
			x = nodes[r.IntN(len(nodes))]
		}
		st := p.Stencil(x)
		var got float64
		for k, c := range st.C[:st.N] {
			got += c * polynomial(nodes[st.At+k])
		}
		if math.Abs(got-polynomial(x)) > 1e-13 {
			t.Errorf("at %g: %.15g, want %.15g", x, got, polynomial(x))
		}
	}
}

// TestStencilOfNode: the value at a node is taken as it is.
func TestStencilOfNode(t *testing.T) {
	nodes := []float64{1, 2, 3, 4, 5, 6, 7}
	p := New(nodes)
	for j, x := range nodes {
		if st := p.Stencil(x); st.N != 1 || st.At != j || st.C[0] != 1 {
			t.Errorf("node %d: %+v", j, st)
		}
	}
}
