package block

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// TestCensor: blocks of eliminated states give the rates that solves with the factorisation give, for one block and for
// several blocks, full and with few transitions. The rates spread over twelve decades, and nothing is subtracted, so each
// entry agrees to a few roundings for each eliminated state.
func TestCensor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 12, 13, 47, 48, 49, 96, 97, 145} {
		for _, share := range []float64{0.03, 0.7} {
			const rows, cols = 3, 5
			m, exit := New(n+rows, n+cols), make([]float64, n+rows)
			for i := range n + rows {
				for j := range n + cols {
					if rng.Float64() < share {
						m.Row(i)[j] = math.Pow(10, -12*rng.Float64())
					}
				}
				if i < n {
					m.Row(i)[(i+1)%n] += 1e-6
				}
			}
			exit[n] = 1
			exit[n-1] += 1e-9
			p, q := New(n, n), New(n, cols+1) // rates between eliminated states, and out of them, last for good
			for i := range n {
				copy(p.Row(i), m.Row(i))
				copy(q.Row(i), m.Row(i)[n:])
				q.Row(i)[cols] = exit[i]
			}
			f, err := FactorGTH(t.Context(), p, q.RowSums())
			if err != nil {
				t.Fatal(err)
			}
			f.Solve(t.Context(), q)
			want := New(rows, cols+1)
			for i := range rows {
				copy(want.Row(i), m.Row(n + i)[n:])
				want.Row(i)[cols] = exit[n+i]
				for k, v := range m.Row(n + i)[:n] {
					floats.AddScaled(want.Row(i), v, q.Row(k))
				}
			}
			if err := Censor(t.Context(), m, exit, n); err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				for j, v := range append(m.Row(n + i)[n:], exit[n+i]) {
					if w := want.At(i, j); !(math.Abs(v-w) <= 1e-14*float64(n)*w) {
						t.Errorf("%d states, entry (%d, %d): %g, want %g", n, i, j, v, w)
					}
				}
			}
		}
	}
}

// TestThrough: the rates through states are those that Censor adds, to the last bit: the order of operations is the same.
func TestThrough(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 12, 48, 49, 145} {
		const rows, cols = 3, 70
		m, up, to := New(n+rows, n+cols), New(rows, n), New(rows, cols)
		for i := range m.Data {
			m.Data[i] = math.Pow(10, -12*rng.Float64())
			to.Data[i%len(to.Data)] = m.Data[i] // is overwritten
		}
		for i := range rows {
			clear(m.Row(n + i)[n:])
			copy(up.Row(i), m.Row(n+i))
		}
		own := m.RowRange(0, n).Clone()
		if err := Censor(t.Context(), m, make([]float64, n+rows), n); err != nil {
			t.Fatal(err)
		}
		if err := Through(t.Context(), to, up, own); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			if !slices.Equal(to.Row(i), m.Row(n + i)[n:]) {
				t.Errorf("%d states, row %d: %v, want %v", n, i, to.Row(i), m.Row(n + i)[n:])
			}
		}
	}
	if err := Through(t.Context(), New(1, 1), New(1, 2), New(2, 3)); !errors.Is(err, ErrReducible) {
		t.Errorf("states are never left: %v", err)
	}
}

// TestCensorFails: a state of any block that is never left is an error, and so is a context that has ended.
func TestCensorFails(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, n := range []int{1, 48, 49, 200} {
		for _, stuck := range []int{0, n - 1} {
			m, exit := New(n+1, n+1), Ones(n+1)
			exit[stuck] = 0
			if err := Censor(t.Context(), m.Clone(), exit, n); !errors.Is(err, ErrReducible) {
				t.Errorf("%d states, state %d is never left: %v", n, stuck, err)
			}
		}
		if err := Censor(ended, New(n+1, n+1), Ones(n+1), n); !errors.Is(err, context.Canceled) {
			t.Errorf("%d states, the context has ended: %v", n, err)
		}
	}
}
