package block_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/markov/internal/block"
)

// TestMulAddEntries: by the entries that are not zero, or as blocks, products are the same sums.
func TestMulAddEntries(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	drawn := func(rows, cols int, share float64) block.Matrix {
		m := block.New(rows, cols)
		for i := range m.Data {
			if draw.Float64() < share {
				m.Data[i] = draw.Float64()
			}
		}
		return m
	}
	for _, shares := range [][2]float64{{0, 1}, {.008, 1}, {1, .008}, {.008, .008}, {1, 1}, {1, 0}} {
		a, b := drawn(20, 30, shares[0]), drawn(30, 25, shares[1])
		c := drawn(20, 25, 1)
		want := c.Clone()
		for i := range a.Rows {
			for j := range b.Cols {
				for k := range a.Cols {
					want.Row(i)[j] += a.At(i, k) * b.At(k, j)
				}
			}
		}
		block.MulAddEntries(t.Context(), c, a, b)
		for i, v := range c.Data {
			if math.Abs(v-want.Data[i]) > 30*block.UnitRoundoff*want.Data[i] {
				t.Fatalf("shares %v: entry %d is %v, want %v", shares, i, v, want.Data[i])
			}
		}
	}
}

// TestFewRows: few rows times a block of any size are plain sums.
func TestFewRows(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {2, 3, 5}, {1, 15, 17}, {2, 16, 16}, {3, 40, 33}, {1, 165, 121}, {1, 17, 600}} {
		a, b, c := filled(size[0], size[1]), filled(size[1], size[2]), filled(size[0], size[2])
		was := block.Matrix{c.Rows, c.Cols, append([]float64(nil), c.Data...)}
		block.FewMulAdd(block.Over(c.Rows, c.Cols, c.Data), block.Over(a.Rows, a.Cols, a.Data), block.Over(b.Rows, b.Cols, b.Data))
		for i := range c.Rows {
			for j := range c.Cols {
				want, size := was.At(i, j), math.Abs(was.At(i, j))
				for k := range a.Cols {
					term := a.Data[i*a.Stride+k] * b.Data[k*b.Stride+j]
					want, size = want+term, size+math.Abs(term)
				}
				if got := c.Data[i*c.Stride+j]; math.Abs(got-want) > float64(a.Cols+2)*block.UnitRoundoff*size {
					t.Fatalf("%d rows times %d×%d: entry %d, %d is %v, want %v", a.Rows, b.Rows, b.Cols, i, j, got, want)
				}
			}
		}
	}
}
