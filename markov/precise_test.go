package markov_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/markovtest"
)

// drawnQBD draws a process of up to eight phases, with boundary levels of other sizes and rates over up to eight decades, whose
// repeating part is so close to saturation.
func drawnQBD(r *rand.Rand, gap float64) *markov.QBD {
	decades := 8 * r.Float64()
	sparse := r.IntN(4)
	block := func(rows, cols int) *mat.Dense {
		m := mat.NewDense(rows, cols, nil)
		for i := range rows {
			for j := range cols {
				if r.IntN(4) >= sparse || i == j {
					m.Set(i, j, math.Pow(10, decades*(r.Float64()-.5)))
				}
			}
		}
		return m
	}
	n := 1 + r.IntN(8)
	sizes := make([]int, 1+r.IntN(4))
	for l := range sizes {
		sizes[l] = 1 + r.IntN(8)
	}
	sizes[len(sizes)-1] = n
	q := &markov.QBD{}
	for l, size := range sizes {
		level := markov.Level{Local: block(size, size), Up: block(size, n)}
		if l+1 < len(sizes) {
			level.Up = block(size, sizes[l+1])
		}
		if l > 0 {
			level.Down = block(size, sizes[l-1])
		}
		q.Boundary = append(q.Boundary, level)
	}
	up, down := block(n, n), block(n, n)
	q.Repeating = markov.Level{Up: up, Local: block(n, n), Down: down}
	// The phases do not depend on the factor of both, so that the drift is that of rates up times a factor.
	for range 60 {
		var all mat.Dense
		all.Add(up, q.Repeating.Local)
		all.Add(&all, down)
		pi, err := markov.Stationary(context.Background(), &all)
		if err != nil {
			return nil
		}
		rises, falls := 0.0, 0.0
		for i, p := range pi {
			rises += p * mat.Sum(up.Slice(i, i+1, 0, n))
			falls += p * mat.Sum(down.Slice(i, i+1, 0, n))
		}
		f := (1 - gap) * falls / rises
		if math.Abs(f-1) < gap/4 {
			break
		}
		up.Scale(f, up)
	}
	return q
}

// The measures of random processes have the digits that are claimed, judged by 31 digits.
func TestBoundsOfRandomProcesses(t *testing.T) {
	solved := 0
	for k := range 300 {
		r := rand.New(rand.NewPCG(5, uint64(k)))
		q := drawnQBD(r, []float64{.99, .5, .1, 1e-2, 1e-4, 1e-6, 1e-8}[r.IntN(7)])
		if q == nil {
			continue
		}
		for _, method := range []string{markov.CyclicReduction, markov.SubtractionFree} {
			s, err := q.Solve(t.Context(), markov.Settings{Method: method})
			if errors.Is(err, markov.ErrUnstable) || errors.Is(err, markov.ErrReducible) {
				continue
			}
			if err != nil {
				t.Errorf("process %d, %s: %v", k, method, err)
				continue
			}
			w := markovtest.Solve(q)
			solved++
			b, d := len(q.Boundary)-1, s.Diagnostics()
			check := func(what string, got, want, bound float64) {
				if want > 1e-290 && !(math.Abs(got-want) <= bound*want) {
					t.Errorf("process %d, η = %v, %s: %s = %v differs by %.2g, bound %.2g", k, w.DecayRate(), method, what, got, got/want-1, bound)
				}
			}
			check("mean", s.Mean(), w.Mean(), d.ErrorBound)
			check("variance", s.Variance(), w.Variance(), 2*d.ErrorBound)
			check("mean above", s.MeanAbove(b), w.MeanAbove(b), d.ErrorBound)
			for l := range b + 3 {
				check("P(level)", s.Probability(l), w.Probability(l), d.BoundAt(l-b))
				check("tail", s.Tail(l), w.Tail(l), d.BoundAt(l+1-b))
			}
			check("decay", decayRate(t, s), w.DecayRate(), d.ErrorBound)
		}
	}
	t.Logf("%d solutions", solved)
}

// TestVarianceOfNearlyFixedLevel: the level is nearly always 2, in the last phase, which is rarely left. From level 0 the chain
// goes up from phase to phase, or down again. P(2) and the mean are rounded by more than the last digits of the variance.
func TestVarianceOfNearlyFixedLevel(t *testing.T) {
	square := func(v ...float64) *mat.Dense { return mat.NewDense(3, 3, v) }
	for _, rare := range []float64{1e-6, 3e-9, 7e-12, 1e-20} {
		up, local := square(0, 1, 0, 0, 0, 1, 0, 0, 0), square(0, 0, 0, 0, 0, 0, rare*rare, 0, 0)
		down := square(.7, 0, 0, .9, 0, 0, 0, rare, 0)
		low := markov.Level{Up: up, Local: square(0, 0, 0, 1, 0, 0, 0, 1, 0)}
		for _, boundary := range [][]markov.Level{{low}, {low, {Up: up, Local: local, Down: down}}} {
			q := markov.QBD{Boundary: boundary, Repeating: markov.Level{Up: up, Local: local, Down: down}}
			s, err := q.Solve(t.Context(), markov.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := s.Variance(), markovtest.Solve(&q).Variance()
			if bound := 2 * s.Diagnostics().ErrorBound; !(math.Abs(got-want) <= bound*want) {
				t.Errorf("rate %g, %d levels: the variance %v differs by %.2g, bound %.2g", rare, len(boundary), got, got/want-1, bound)
			}
		}
	}
}
