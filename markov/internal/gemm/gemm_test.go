package gemm

import (
	"fmt"
	"math"
	"testing"

	_ "github.com/partwise/partwise/validate/draws"
	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"
)

func random(t *rapid.T, label string, rows, cols int) blas64.General {
	stride := cols + rapid.IntRange(0, 5).Draw(t, label+" gap")
	data := make([]float64, max(0, (rows-1)*stride+cols))
	state := rapid.Uint64().Draw(t, label)
	for i := range data {
		state = state*6364136223846793005 + 1442695040888963407
		data[i] = float64(state>>33) / (1 << 31)
	}
	return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: data}
}

// TestProductEqualsTheDefinition compares with the sum written out, for every shape of edge, and that nothing outside the
// block is touched. Both sums have k terms of one sign and round each at most twice: k+2 units in the last place.
func TestProductEqualsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.IntRange(1, 30), rapid.SampledFrom([]int{48, 63, 96, 191, 192, 193, 400}))
		m, k, n := size.Draw(t, "m"), size.Draw(t, "k"), size.Draw(t, "n")
		a, b, c := random(t, "a", m, k), random(t, "b", k, n), random(t, "c", m, n)
		before := append([]float64(nil), c.Data...)
		subtract := rapid.Bool().Draw(t, "subtract")
		if subtract {
			Sub(a, b, c)
		} else {
			Add(a, b, c)
		}
		for i := range m {
			for j := range n {
				at := i*c.Stride + j
				sum := 0.0
				for p := range k {
					sum += a.Data[i*a.Stride+p] * b.Data[p*b.Stride+j]
				}
				want := before[at] + sum
				if subtract {
					want = before[at] - sum
				}
				if d := math.Abs(c.Data[at] - want); d > float64(k+2)*0x1p-52*(before[at]+sum) {
					t.Fatalf("entry %d,%d: %v, want %v", i, j, c.Data[at], want)
				}
				before[at] = c.Data[at]
			}
		}
		for i, v := range c.Data {
			if v != before[i] {
				t.Fatalf("number %d lies outside the block and was changed", i)
			}
		}
	})
}

// filled is a block without zeros, which gonum's product would skip.
func filled(rows, cols int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
	for i := range m.Data {
		m.Data[i] = 1 / float64(i+1)
	}
	return m
}

func BenchmarkAdd(b *testing.B) {
	for _, size := range [][3]int{{4, 4, 4}, {9, 9, 9}, {18, 18, 18}, {30, 30, 30}, {48, 48, 330}, {66, 66, 66}, {100, 100, 100},
		{165, 165, 165}, {300, 300, 300}, {330, 330, 330}, {600, 600, 600}} {
		m, k, n := size[0], size[1], size[2]
		x, y, z := filled(m, k), filled(k, n), filled(m, n)
		run := func(f func(a, b, c blas64.General)) func(*testing.B) {
			return func(b *testing.B) {
				for b.Loop() {
					f(x, y, z)
				}
				b.ReportMetric(2*float64(m*k*n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
			}
		}
		b.Run(fmt.Sprintf("%dx%dx%d", m, k, n), run(Add))
		b.Run(fmt.Sprintf("portable/%dx%dx%d", m, k, n), run(func(a, b, c blas64.General) { portable(false, a, b, c) }))
	}
}
