package block

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// singleUlp is the relative rounding error of an operation in single precision.
const singleUlp = 0x1p-24

// draw returns a matrix of numbers from 0 to 1.
func draw(r *rand.Rand, rows, cols int) Matrix {
	m := New(rows, cols)
	for i := range m.Data {
		m.Data[i] = r.Float64()
	}
	return m
}

// apartBySingle fails if a number of got differs from want by more than some roundings of sums of k positive terms, or if
// a number outside the block is not zero.
func apartBySingle(t interface{ Fatalf(string, ...any) }, got Single, want Matrix, k int) {
	for i := range want.Rows {
		for j, v := range want.Row(i) {
			if d := math.Abs(float64(got.Row(i)[j]) - v); !(d <= float64(k+4)*2*singleUlp*v) {
				t.Fatalf("entry %d,%d: %v, want %v", i, j, got.Row(i)[j], v)
			}
		}
	}
	for at, v := range got.data {
		if (at/got.stride >= got.Rows || at%got.stride >= got.Cols) && v != 0 {
			t.Fatalf("number %d lies outside the block and is %v", at, v)
		}
	}
}

func needsSingle(t *testing.T) {
	if !HasSingle() {
		t.Skip("the processor has no kernels in single precision")
	}
}

// TestSingleProducts compares with products in double precision, for every shape of edge.
func TestSingleProducts(t *testing.T) {
	needsSingle(t)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.IntRange(1, 50), rapid.SampledFrom([]int{191, 256, 257, 400, 520}))
		rows, k, cols := size.Draw(t, "rows"), size.Draw(t, "k"), size.Draw(t, "columns")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a, b := draw(r, rows, k), draw(r, k, cols)
		apartBySingle(t, MulSingle(t.Context(), SingleOf(a), SingleOf(b)), Mul(t.Context(), a, b), k)
	})
}

// TestSingleGTH compares solutions with those in double precision.
func TestSingleGTH(t *testing.T) {
	needsSingle(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 220).Draw(t, "states")
		rows := rapid.IntRange(1, 60).Draw(t, "rows")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		p, b := draw(r, n, n), draw(r, rows, n)
		f, err := FactorGTH(t.Context(), p, Ones(n))
		if err != nil {
			t.Fatal(err)
		}
		single, got := f.Single(), SingleOf(b)
		single.SolveLeftRows(t.Context(), got)
		f.SolveLeftRows(t.Context(), b)
		apartBySingle(t, got, b, 4*n)
	})
}

// TestSingleOnAnyNumberOfCores: the same bits, wherever a product is cut for other cores to help.
func TestSingleOnAnyNumberOfCores(t *testing.T) {
	needsSingle(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := rand.New(rand.NewPCG(1, 3))
	a, b := SingleOf(draw(r, 301, 260)), SingleOf(draw(r, 260, 275))
	runtime.GOMAXPROCS(1)
	alone := MulSingle(t.Context(), a, b)
	for _, cores := range []int{2, 3, 8} {
		runtime.GOMAXPROCS(cores)
		if !slices.Equal(MulSingle(t.Context(), a, b).data, alone.data) {
			t.Errorf("%d cores give other bits", cores)
		}
	}
}

// TestSingleRows compares functions of rows with their definitions, for every length of what is left of four.
func TestSingleRows(t *testing.T) {
	needsSingle(t)
	r := rand.New(rand.NewPCG(1, 4))
	for n := range 20 {
		m := draw(r, 3, n)
		a, b, u := m.Row(0), m.Row(1), m.Row(2)
		rounded, sum := make([]float32, n), make([]float64, n)
		RoundDifference(rounded, a, b)
		AddSingle(sum, a, rounded)
		change := 0.0
		for i := range n {
			if want := float32(a[i] - b[i]); rounded[i] != want {
				t.Errorf("%d numbers: difference %d is %v, want %v", n, i, rounded[i], want)
			}
			if want := a[i] + float64(rounded[i]); sum[i] != want {
				t.Errorf("%d numbers: sum %d is %v, want %v", n, i, sum[i], want)
			}
			change = max(change, math.Abs(b[i]-a[i])/(u[i]+b[i]))
		}
		for _, least := range []float64{0, change / 2, 2*change + 1} {
			if got, want := ChangeOf(a, b, u, least), max(change, least); math.Abs(got-want) > 1e-15*want {
				t.Errorf("%d numbers: change %v, want %v", n, got, want)
			}
		}
	}
}
