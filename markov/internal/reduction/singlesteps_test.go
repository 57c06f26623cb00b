package reduction_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// drawFull draws a chain without zeros, of 48 to 140 phases. Phases differ in their rates by up to three decades, and
// rates differ by as many.
func drawFull(r *rand.Rand) reduction.Blocks {
	n := 48 + r.IntN(93)
	spread, phases := 3*r.Float64()*r.Float64(), 3*r.Float64()*r.Float64()
	scale := math.Pow(10, 4*r.Float64()-2)
	full := func(factor float64) block.Matrix {
		m, ends := block.New(n, n), make([]float64, n)
		for j := range ends {
			ends[j] = math.Pow(10, phases*(r.Float64()-.5))
		}
		for i := range n {
			start := factor * scale * math.Pow(10, phases*(r.Float64()-.5))
			for j := range n {
				m.Row(i)[j] = start * ends[j] * (1 - r.Float64()) * math.Pow(10, spread*(r.Float64()-.5))
			}
		}
		return m
	}
	b := reduction.Blocks{Up: full(1), Local: full(math.Pow(10, 4*r.Float64()-2)), Down: full(1)}
	for i := range n {
		b.Local.Row(i)[i] = 0
	}
	return b
}

// setLoad scales Up, so that the mean rate up is load times the mean rate down.
func setLoad(t *testing.T, b reduction.Blocks, load float64) {
	for range 40 {
		a := b.Up.Clone()
		floats.Add(a.Data, b.Local.Data)
		floats.Add(a.Data, b.Down.Data)
		pi, err := block.StationaryGTH(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		floats.Scale(load*floats.Dot(pi, b.Down.RowSums())/floats.Dot(pi, b.Up.RowSums()), b.Up.Data)
	}
}

// TestSingleSteps: iterations that begin in single precision end with the U of cyclic reduction. Some cases end by
// iteration alone.
func TestSingleSteps(t *testing.T) {
	r, ended := rand.New(rand.NewPCG(5, 1)), 0
	for range 60 {
		b := drawFull(r)
		load := []float64{.05, .5, .9, .99, .9999}[r.IntN(5)]
		setLoad(t, b, load)
		want, ok := reduction.ByHalving(t.Context(), b)
		u, iterations, done, err := reduction.ByIteration(t.Context(), b)
		switch {
		case err != nil || !ok:
			t.Fatal(ok, err)
		case done:
			ended++
			if d := apart(u, want); d > 4e-15 {
				t.Errorf("%d phases, load %v, %d iterations: entries differ by up to %.1e", b.Local.Rows, load, iterations, d)
			}
		}
	}
	if ended < 30 {
		t.Errorf("only %d iterations ended", ended)
	}
}
