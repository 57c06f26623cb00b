package markov_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// TestWaitAfterSetup: λ·w_0b tends to π_{N+1+b} as s tends to 0, in M/M/1 whose server is set up in stages when the queue
// was empty. Few jobs arrive during a short setup, so its phases are brief; during a long one they are not.
func TestWaitAfterSetup(t *testing.T) {
	const (
		load, stages, phases = 0.7, 30, 32 // and two phases of a busy server, so that levels are stored one by one
		s, tol, behind       = 1e-10, 1e-8, 40
	)
	for _, setup := range []float64{1e-3, 0.05, 5} { // mean time
		t.Run(fmt.Sprintf("setup=%g", setup), func(t *testing.T) {
			start, idle := mat.NewDense(1, phases, nil), mat.NewDense(phases, 1, nil)
			up, local, down := mat.NewDense(phases, phases, nil), mat.NewDense(phases, phases, nil), mat.NewDense(phases, phases, nil)
			start.Set(0, 0, load)
			for i := range phases {
				up.Set(i, i, load)
				if i < stages {
					local.Set(i, i+1, stages/setup)
				}
			}
			for i := stages; i < phases; i++ {
				other := phases - 1 - (i - stages)
				local.Set(i, other, 1)
				down.Set(i, other, 1)
				idle.Set(i, 0, 1)
			}
			q := &markov.QBD{
				Boundary:  []markov.Level{{Up: start, Local: mat.NewDense(1, 1, nil)}, {Up: up, Local: local, Down: idle}},
				Repeating: markov.Level{Up: up, Local: local, Down: down},
			}
			sol, err := q.Solve(t.Context(), markov.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			w, err := markov.NewQueueTransform(t.Context(), q, sol, 1, load)
			if err != nil {
				t.Fatal(err)
			}
			_, next, err := w.At(t.Context(), s, behind)
			if err != nil {
				t.Fatal(err)
			}
			for b, v := range next[:behind] {
				for i, p := range sol.Level(2 + b) {
					if off := math.Abs(load*real(v[i]) - p); off > tol*p+1e-11 {
						t.Errorf("%d jobs behind, phase %d: %.6g, want %.6g", b, i, load*real(v[i]), p)
					}
				}
			}
		})
	}
}
