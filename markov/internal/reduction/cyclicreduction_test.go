package reduction_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	_ "github.com/partwise/partwise/testdata/phtest"
)

// cyclic reduces blocks by cyclic reduction.
func cyclic(t interface{ Context() context.Context }, b reduction.Blocks) (u block.Matrix, leave []float64, iterations int, err error) {
	m, _ := reduction.ByName(reduction.CyclicReduction)
	return m.Reduce(t.Context(), b, nil)
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
// leaves, and the reduction adds few of these that do not shrink.
func roundings(n int) float64 { return 40 * float64(n+4) * block.UnitRoundoff }

// drawBlocks draws chains with rates of all sizes, zeros, rare transitions between groups of phases, and loads near one.
func drawBlocks(t *rapid.T) reduction.Blocks {
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
	b := reduction.Blocks{full(), full(), full()}
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

// TestCyclicReduction: every entry of U is that of Local + Up·(−U)⁻¹·Down.
func TestCyclicReduction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t)
		u, _, _, err := cyclic(t, b)
		if err != nil {
			t.Fatal(err)
		}
		sojourns, again := u.Clone(), b.Local.Clone()
		if err := block.InvertGTH(t.Context(), sojourns, b.Down.RowSums()); err != nil {
			t.Fatal(err)
		}
		block.MulAdd(t.Context(), again, b.Up, block.Mul(t.Context(), sojourns, b.Down))
		if d := apart(u, again); d > roundings(b.Local.Rows) {
			t.Errorf("entries differ by up to %.1e", d)
		}
	})
}

// TestFunctionalIteration: every entry of U is the one that cyclic reduction alone finds. An iteration that is given up
// leaves U as it was. Some cases end by iteration alone.
func TestFunctionalIteration(t *testing.T) {
	ended := 0
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t)
		want, ok := reduction.ByHalving(t.Context(), b)
		if !ok {
			t.Skip("no end in so many steps")
		}
		u, _, _, err := cyclic(t, b)
		if err != nil {
			t.Fatal(err)
		}
		if d := apart(u, want); d > roundings(b.Local.Rows) {
			t.Errorf("entries differ by up to %.1e", d)
		}
		u, _, done, err := reduction.ByIteration(t.Context(), b)
		switch {
		case err != nil:
			t.Fatal(err)
		case done:
			ended++
			if d := apart(u, want); d > roundings(b.Local.Rows) {
				t.Errorf("entries by iteration alone differ by up to %.1e", d)
			}
		case apart(u, b.Local) > 0:
			t.Error("an iteration that was given up has changed U")
		}
	})
	if ended == 0 {
		t.Error("no case ended by iteration")
	}
}

// drawRow draws a chain whose moves down lead from each phase to the next in nearly all cases, and from the last to
// itself. Several moves forget where they began; one does not.
func drawRow(r *rand.Rand) reduction.Blocks {
	n := 3 + r.IntN(4)
	others := math.Pow(10, -1-6*r.Float64())
	b := reduction.Blocks{Local: block.New(n, n), Up: block.New(n, n), Down: block.New(n, n)}
	for i := range n {
		rate := .01 + r.Float64()
		for j := range n {
			b.Up.Row(i)[j] = rate * r.Float64()
			b.Down.Row(i)[j] = 2 * others * r.Float64()
		}
		b.Down.Row(i)[min(i+1, n-1)] += float64(n) * (.5 + r.Float64())
		b.Local.Row(i)[(i+1)%n] = r.Float64()
	}
	return b
}

// TestIterationOfPhasesInARow: iterations do not end early where changes decrease fast at first.
func TestIterationOfPhasesInARow(t *testing.T) {
	r, ended := rand.New(rand.NewPCG(3, 1)), 0
	for range 3000 {
		b := drawRow(r)
		want, ok := reduction.ByHalving(t.Context(), b)
		u, iterations, done, err := reduction.ByIteration(t.Context(), b)
		switch {
		case err != nil || !ok:
			t.Fatal(ok, err)
		case done:
			ended++
			if d := apart(u, want); d > roundings(b.Local.Rows)/8 {
				t.Errorf("%d phases, %d iterations: entries differ by up to %.1e", b.Local.Rows, iterations, d)
			}
		}
	}
	if ended < 500 {
		t.Errorf("only %d iterations ended", ended)
	}
}

// TestNumberOfIterations: blocks without zeros take few iterations at any load, the fewer the more phases they have. Where
// first passages remember in which half of the phases they began, none is tried.
func TestNumberOfIterations(t *testing.T) {
	for _, load := range []float64{.1, .8, .98} {
		for n, most := range map[int]int{100: 5, 300: 3} {
			b := dense(n, load)
			u, _, k, err := cyclic(t, b)
			if err != nil || k > most {
				t.Errorf("load %v, %d phases: %d iterations, %v", load, n, k, err)
			}
			if want, ok := reduction.ByHalving(t.Context(), b); !ok || apart(u, want) > 2e-15 {
				t.Errorf("load %v, %d phases: entries differ by up to %.1e", load, n, apart(u, want))
			}
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
	if _, k, done, err := reduction.ByIteration(t.Context(), b); k > 0 || done || err != nil {
		t.Errorf("%d iterations for phases in two halves, %v", k, err)
	}
}

// TestIterationsAfterHalving: where moves down keep the phase, they remember all of it, but not after one halving. Few steps
// follow then: halvings alone take seven.
func TestIterationsAfterHalving(t *testing.T) {
	b := dense(100, .8)
	clear(b.Down.Data)
	for i := range b.Down.Rows {
		b.Down.Row(i)[i] = 1
	}
	u, _, k, err := cyclic(t, b)
	if err != nil || k > 6 {
		t.Errorf("%d iterations, %v", k, err)
	}
	if want, ok := reduction.ByHalving(t.Context(), b); !ok || apart(u, want) > 2e-15 {
		t.Errorf("entries differ by up to %.1e", apart(u, want))
	}
}

// TestAnyNumberOfCores: the same bits, however many cores share an elimination.
func TestAnyNumberOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b := dense(230, .9)
	alone, _, _, err := cyclic(t, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, cores := range []int{2, 3} {
		runtime.GOMAXPROCS(cores)
		u, _, _, err := cyclic(t, b)
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

// TestSeldomExcursions: a step that changes no entry is not the last, if higher excursions still change entries. U is then
// that of Local + Up·(−U)⁻¹·Down.
func TestSeldomExcursions(t *testing.T) {
	two := func(to1, to0 float64) block.Matrix { return block.Over(2, 2, []float64{0, to1, to0, 0}) }
	for _, b := range []reduction.Blocks{
		{Up: two(1.647e-13, 3.828e-25), Local: two(8.273e-29, 8.705e-18), Down: two(2.404e-25, 422.5)},
		{Up: two(3.585e-11, 1.298e-31), Local: two(8.473e-24, 7.647e-9), Down: two(4.982e-23, 2.735e11)},
		{Up: two(6.916e-10, 2.572e-33), Local: two(2.42e-21, 1.704e-27), Down: two(1.379e-27, 1.15e-13)},
	} {
		u, _, _, err := cyclic(t, b)
		if err != nil {
			t.Fatal(err)
		}
		sojourns, again := u.Clone(), b.Local.Clone()
		if err := block.InvertGTH(t.Context(), sojourns, b.Down.RowSums()); err != nil {
			t.Fatal(err)
		}
		block.MulAdd(t.Context(), again, b.Up, block.Mul(t.Context(), sojourns, b.Down))
		if d := apart(u, again); d > roundings(2) {
			t.Errorf("entries differ by up to %.1e", d)
		}
	}
}
