package reduction

import (
	"math"
	"runtime"
	"testing"

	_ "github.com/partwise/partwise/phasetype/phtest"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov/internal/block"
)

// byHalving is cyclic reduction alone.
func byHalving(t *rapid.T, b Blocks) block.Matrix {
	c := newCensored(t.Context(), b)
	for range defaultMaxIter {
		done, err := c.halve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if done {
			return c.u
		}
	}
	t.Skip("no end in so many steps")
	return c.u
}

// apart returns the largest relative difference of entries off the diagonal.
func apart(a, b block.Matrix) float64 {
	largest := 0.0
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			if w := b.At(i, j); i != j && v != w {
				largest = max(largest, math.Abs(v-w)/max(v, w))
			}
		}
	}
	return largest
}

// roundings bounds what U may be off by: an elimination of n states gives sums of n terms for each factor of what it
// leaves, and each method adds few of these that do not shrink. Of 30,000 cases the largest was half of it.
func roundings(n int) float64 { return 40 * float64(n+4) * block.UnitRoundoff }

// drawBlocks draws chains with rates of all sizes, zeros, rare transitions between groups of phases, and loads near one.
func drawBlocks(t *rapid.T) Blocks {
	n := rapid.IntRange(1, 40).Draw(t, "n")
	spread := rapid.SampledFrom([]float64{0, 1, 4, 30}).Draw(t, "decades")
	zeros := rapid.SampledFrom([]float64{0, 0, .3, .8}).Draw(t, "zeros")
	groups := rapid.IntRange(1, 3).Draw(t, "groups")
	rare := rapid.SampledFrom([]float64{1, .1, 1e-3}).Draw(t, "rare")
	state := rapid.Uint64().Draw(t, "state")
	uniform := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>33) / (1 << 31)
	}
	full := func() block.Matrix {
		m := block.New(n, n)
		for i := range n {
			for j := range n {
				v := uniform() * math.Pow(10, spread*(uniform()-.5))
				if uniform() < zeros && (i+1)%n != j {
					v = 0
				}
				if i%groups != j%groups {
					v *= rare
				}
				m.Row(i)[j] = v
			}
		}
		return m
	}
	b := Blocks{full(), full(), full()}
	for i := range n {
		b.Local.Row(i)[i] = 0
	}
	load := rapid.SampledFrom([]float64{.05, .5, .9, .9999}).Draw(t, "load")
	for range 60 {
		a := b.Up.Clone()
		floats.Add(a.Data, b.Local.Data)
		floats.Add(a.Data, b.Down.Data)
		pi, err := block.StationaryGTH(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		now := floats.Dot(pi, b.Up.RowSums()) / floats.Dot(pi, b.Down.RowSums())
		if now < 1 && now > load-(1-load)/4 {
			return b
		}
		floats.Scale(load/now, b.Up.Data)
	}
	t.Skip("no such load")
	return b
}

// TestFunctionalIteration: every entry of U is what cyclic reduction alone finds, and the iteration has its part in it.
func TestFunctionalIteration(t *testing.T) {
	ended := 0
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t)
		want := byHalving(t, b)
		u, _, err := cyclicReduction(t.Context(), b, 0)
		if err != nil {
			t.Fatal(err)
		}
		if d := apart(u, want); d > roundings(b.Local.Rows) {
			t.Errorf("entries differ by up to %.1e", d)
		}
		c := newCensored(t.Context(), b)
		_, done, err := c.iterate(t.Context(), defaultMaxIter)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			ended++
			if d := apart(c.u, want); d > roundings(b.Local.Rows) {
				t.Errorf("entries by iteration alone differ by up to %.1e", d)
			}
		} else if apart(c.u, b.Local) > 0 {
			t.Error("an iteration that was given up has changed U")
		}
	})
	if ended == 0 {
		t.Error("there was no case for the iteration")
	}
}

// TestIterations: full blocks take few iterations at any load; where first passages remember where they
// began, none are tried.
func TestIterations(t *testing.T) {
	for _, load := range []float64{.1, .8, .98} {
		if _, k, err := cyclicReduction(t.Context(), dense(100, load), 0); err != nil || k > 6 {
			t.Errorf("load %v: %d iterations, %v", load, k, err)
		}
	}
	b := dense(100, .8)
	for _, m := range []block.Matrix{b.Up, b.Local, b.Down} {
		for i := range m.Rows {
			for j := range m.Row(i) {
				if (i < 50) != (j < 50) {
					m.Row(i)[j] /= 1000
				}
			}
		}
	}
	if passes, done, err := newCensored(t.Context(), b).iterate(t.Context(), defaultMaxIter); passes > 0 || done || err != nil {
		t.Errorf("%d iterations for phases in two halves", passes)
	}
}

// TestAnyNumberOfCores: the same bits, however many cores share an elimination.
func TestAnyNumberOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b := dense(230, .9)
	alone, _, err := cyclicReduction(t.Context(), b, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, cores := range []int{2, 3} {
		runtime.GOMAXPROCS(cores)
		u, _, err := cyclicReduction(t.Context(), b, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range u.Data {
			if v != alone.Data[i] {
				t.Fatalf("on %d cores number %d is %v, %v on one", cores, i, v, alone.Data[i])
			}
		}
	}
}
