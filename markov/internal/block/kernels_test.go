package block_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/partwise/partwise/markov/internal/block"
	_ "github.com/partwise/partwise/testdata/phtest"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
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

// TestProductEqualsTheDefinition compares with the sum written out, for every shape of edge, and that nothing outside
// the block is touched. Both sums have k terms of one sign and round each at most twice: k+2 units in the last place.
func TestProductEqualsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.IntRange(1, 30), rapid.SampledFrom([]int{48, 63, 96, 191, 192, 193, 400}))
		m, k, n := size.Draw(t, "m"), size.Draw(t, "k"), size.Draw(t, "n")
		a, b, c := random(t, "a", m, k), random(t, "b", k, n), random(t, "c", m, n)
		before := append([]float64(nil), c.Data...)
		multiply := block.AddProduct
		switch rapid.SampledFrom([]string{"add", "plain", "set"}).Draw(t, "product") {
		case "plain":
			multiply = block.Plain
		case "set":
			multiply = block.SetProduct
			for i := range m {
				clear(before[i*c.Stride:][:n])
			}
		}
		multiply(context.Background(), a, b, c)
		for i := range m {
			for j := range n {
				at := i*c.Stride + j
				sum := 0.0
				for p := range k {
					sum += a.Data[i*a.Stride+p] * b.Data[p*b.Stride+j]
				}
				want := before[at] + sum
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

// TestAnyNumberOfCores: the same bits, wherever a product is cut for other cores to help.
func TestAnyNumberOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, size := range [][3]int{{200, 200, 304}, {205, 210, 301}, {603, 100, 199}, {120, 700, 124}} {
		x, y := filled(size[0], size[1]), filled(size[1], size[2])
		runtime.GOMAXPROCS(1)
		alone := filled(size[0], size[2])
		block.AddProduct(context.Background(), x, y, alone)
		for _, cores := range []int{2, 3, 8} {
			runtime.GOMAXPROCS(cores)
			z := filled(size[0], size[2])
			block.AddProduct(context.Background(), x, y, z)
			for i, v := range z.Data {
				if v != alone.Data[i] {
					t.Fatalf("%v on %d cores: number %d is %v, %v on one", size, cores, i, v, alone.Data[i])
				}
			}
		}
	}
}

// TestVectorsOnAnyNumberOfCores: the same bits, wherever the columns of a matrix that comes from memory are cut, and those of
// plain sums up to roundings.
func TestVectorsOnAnyNumberOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const n, few = 2203, 2
	m, draw := block.New(n, n), rand.New(rand.NewPCG(1, 2))
	for i := range n {
		for j := range n {
			m.Data[i*n+j] = draw.Float64()
		}
		m.Data[i*n+i] = n
	}
	a, sums := block.New(few, n-3), make([]float64, n)
	for i := range a.Data {
		a.Data[i] = draw.Float64()
	}
	for i, v := range a.Row(1) {
		floats.AddScaled(sums, v, m.Row(i))
	}
	f := block.FactorLU(t.Context(), m.Clone())
	run := func(cores int) (product block.Matrix, x []float64) {
		runtime.GOMAXPROCS(cores)
		product, x = block.New(few, n), block.Ones(n)
		block.FewMulAdd(product, a, m)
		f.SolveLeft(x)
		return product, x
	}
	product, x := run(1)
	for j, v := range product.Row(1) {
		if math.Abs(v-sums[j]) > n*block.UnitRoundoff*sums[j] {
			t.Fatalf("column %d: %v, plainly %v", j, v, sums[j])
		}
	}
	for j, v := range block.VecMul(x, m) {
		if math.Abs(v-1) > n*block.UnitRoundoff*10 { // of a matrix whose condition is less than ten
			t.Fatalf("solution times column %d is %v", j, v)
		}
	}
	for _, cores := range []int{2, 3} {
		again, y := run(cores)
		if !slices.Equal(again.Data, product.Data) || !slices.Equal(x, y) {
			t.Errorf("%d cores give other bits", cores)
		}
	}
}

// TestGTHOnAnyNumberOfCores factors what is large enough for cores to share, and multiplies back.
func TestGTHOnAnyNumberOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const n = 1003
	p, draw := block.New(n, n), rand.New(rand.NewPCG(1, 2))
	for i := range p.Data {
		p.Data[i] = draw.Float64()
	}
	exit := block.Ones(n)
	floats.Scale(n, exit)
	run := func(cores int) []float64 {
		runtime.GOMAXPROCS(cores)
		f, err := block.FactorGTH(t.Context(), p.Clone(), slices.Clone(exit))
		if err != nil {
			t.Fatal(err)
		}
		x := block.Ones(n)
		f.SolveLeft(x)
		return x
	}
	x := run(1)
	back := block.VecMul(x, p)
	for i, v := range x {
		out := exit[i] + block.Sum(p.Row(i)) - p.At(i, i)
		d := v*out - (back[i] - v*p.At(i, i)) - 1
		if math.Abs(d) > n*block.UnitRoundoff*10 { // of a matrix whose condition is less than ten
			t.Fatalf("solution times column %d is off by %v", i, d)
		}
	}
	for _, cores := range []int{2, 3} {
		if !slices.Equal(run(cores), x) {
			t.Errorf("%d cores give other bits", cores)
		}
	}
}

// TestGaussJordanStep compares with the product by a copy of the columns; an entry has m+1 terms of one sign.
func TestGaussJordanStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(1, 60).Draw(t, "cols")
		j := rapid.IntRange(0, cols-1).Draw(t, "j")
		m := rapid.IntRange(1, min(14, cols-j)).Draw(t, "m")
		if rapid.Bool().Draw(t, "aligned") {
			j &^= 3
			m = min(m, 12)
			cols = (j + m + 4) &^ 3
		}
		c, e := random(t, "c", rows, cols), random(t, "e", m, cols)
		for i := range c.Data {
			if x := i % c.Stride; x >= j+m && x < cols && cols <= j+m+4 {
				c.Data[i] = 0
			}
		}
		for i := range e.Data {
			if x := i % e.Stride; x >= j+m && x < cols && cols <= j+m+4 {
				e.Data[i] = 0
			}
		}
		want := append([]float64(nil), c.Data...)
		for i := range rows {
			for x := range cols {
				at := i*c.Stride + x
				if x >= j && x < j+m {
					want[at] = 0
				}
				for p := range m {
					want[at] += c.Data[i*c.Stride+j+p] * e.Data[p*e.Stride+x]
				}
			}
		}
		block.GaussJordanStep(context.Background(), c, j, e)
		for i, v := range c.Data {
			if d := math.Abs(v - want[i]); d > float64(m+2)*0x1p-52*want[i] {
				t.Fatalf("number %d: %v, want %v", i, v, want[i])
			}
		}
	})
}

// TestCombine compares with the sum written out, rounded at most twice a term.
func TestCombine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, stride := rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(1, 50).Draw(t, "stride")
		cols := rapid.SliceOfN(rapid.Int32Range(0, 9), 0, 5).Draw(t, "cols")
		x := random(t, "x", 1, 9*stride+n).Data
		vals := random(t, "vals", 1, 5).Data[:len(cols)]
		dst := random(t, "dst", 1, n).Data[:n]
		block.RowCombination(dst, vals, cols, x, stride)
		for i, v := range dst {
			want := 0.0
			for e, j := range cols {
				want += vals[e] * x[int(j)*stride+i]
			}
			if math.Abs(v-want) > 13*0x1p-52*want {
				t.Fatalf("number %d: %v, want %v", i, v, want)
			}
		}
	})
}

// TestCombineRows compares with Combine row by row: four terms and a scale.
func TestCombineRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, n := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 50).Draw(t, "n")
		step := rapid.IntRange(0, 60).Draw(t, "step")
		var starts [4]int
		for e := range starts {
			starts[e] = rapid.IntRange(0, 99).Draw(t, "start")
		}
		x := random(t, "x", 1, 99+(rows-1)*step+n).Data
		vals := random(t, "vals", 1, 4*rows).Data
		scale := random(t, "scale", 1, n).Data
		if rapid.Bool().Draw(t, "unscaled") {
			scale = nil
		}
		dst := random(t, "dst", rows, n)
		block.RowCombinations(dst, scale, vals, x, starts, step)
		want := make([]float64, n)
		for i := range rows {
			var cols [4]int32
			for e, at := range starts {
				cols[e] = int32(at + i*step)
			}
			block.RowCombination(want, vals[4*i:4*i+4], cols[:], x, 1)
			for j, v := range want {
				if scale != nil {
					v *= scale[j]
				}
				if got := dst.Data[i*dst.Stride+j]; math.Abs(got-v) > 12*0x1p-52*v {
					t.Fatalf("row %d, number %d: %v, want %v", i, j, got, v)
				}
			}
		}
	})
}

// TestInvertSquare: the inverse of an M-matrix times it is the identity; all terms of M·M⁻¹ are bounded by the sizes of
// its entries, each of which has about 3n roundings.
func TestInvertSquare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, block.Side).Draw(t, "n")
		rate := rapid.Map(rapid.IntRange(-30, 30), func(e int) float64 { return math.Ldexp(1, e) })
		var m, z block.Square
		for i := range n {
			for j := range n {
				m[i][j] = rate.Draw(t, "rate")
			}
			m[i][block.Side] = rate.Draw(t, "exit")
		}
		z = m
		if done := block.InvertSmall(&z, n); done != n {
			t.Fatalf("stopped at %d", done)
		}
		for i := range n {
			for j := range n {
				sum, size := 0.0, 0.0
				for k := range n {
					v := -m[i][k]
					if k == i {
						v = m[i][block.Side]
						for l := range n {
							if l != i {
								v += m[i][l]
							}
						}
					}
					sum += v * z[k][j]
					size += math.Abs(v * z[k][j])
				}
				if i == j {
					sum--
				}
				if math.Abs(sum) > 80*0x1p-52*size {
					t.Fatalf("entry %d,%d: off by %g of %g", i, j, sum, size)
				}
			}
		}
		closed := rapid.IntRange(0, n-1).Draw(t, "closed")
		m[closed] = [16]float64{}
		m[closed][closed] = 1
		for i := closed + 1; i < n; i++ {
			m[i][block.Side] = 0
		}
		if done := block.InvertSmall(&m, n); done != closed {
			t.Fatalf("stopped at %d, state %d is not left", done, closed)
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
	for _, size := range [][3]int{{4, 4, 4}, {9, 9, 9}, {18, 18, 18}, {30, 30, 30}, {48, 48, 330}, {128, 12, 64},
		{66, 66, 66}, {100, 100, 100},
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
		ctx := b.Context()
		b.Run(fmt.Sprintf("%dx%dx%d", m, k, n), run(func(a, b, c blas64.General) { block.AddProduct(ctx, a, b, c) }))
		b.Run(fmt.Sprintf("plain/%dx%dx%d", m, k, n), run(func(a, b, c blas64.General) { block.Plain(ctx, a, b, c) }))
	}
}
