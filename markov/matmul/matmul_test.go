package matmul_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/partwise/partwise/markov/matmul"
)

// TestMultiply compares with the sums, with and without the kernel, for parts of larger matrices.
func TestMultiply(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(rows, cols int) blas64.General {
		m := blas64.General{Rows: rows, Cols: cols, Stride: cols + r.IntN(3)}
		for range rows * m.Stride {
			m.Data = append(m.Data, r.Float64())
		}
		return m
	}
	for _, size := range [][3]int{{1, 1, 1}, {4, 100, 128}, {3, 17, 5}, {60, 60, 60}, {200, 201, 203}, {1, 300, 2}, {0, 2, 2}, {2, 0, 2}, {2, 2, 0}} {
		a, b := random(size[0], size[1]), random(size[1], size[2])
		for name, multiply := range map[string]func(ctx context.Context, a, b, c blas64.General) error{
			"kernel": matmul.Multiply, "rows": matmul.RowByRow,
		} {
			if name == "rows" && size[1]*size[2] == 0 {
				continue
			}
			c := random(size[0], size[2])
			outside := append([]float64(nil), c.Data...)
			if err := multiply(t.Context(), a, b, c); err != nil {
				t.Fatal(err)
			}
			for at, got := range c.Data {
				i, j := at/c.Stride, at%c.Stride
				want := outside[at]
				if j < c.Cols {
					want = 0
					for k := range a.Cols {
						want += a.Data[i*a.Stride+k] * b.Data[k*b.Stride+j]
					}
				}
				if math.Abs(got-want) > float64(a.Cols)*0x1p-52*want {
					t.Fatalf("%s, %v: number %d, %d is %v, want %v", name, size, i, j, got, want)
				}
			}
		}
	}
}

// TestShapes: matrices that do not fit, or that lack numbers, are an error.
func TestShapes(t *testing.T) {
	square := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float64, 4)}
	row := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float64, 2)}
	short, narrow := square, square
	short.Data, narrow.Stride = make([]float64, 3), 1
	negative := blas64.General{Rows: -1, Cols: -1, Stride: 2}
	for i, shapes := range [][3]blas64.General{{square, row, square}, {square, square, row}, {row, square, square},
		{short, square, square}, {square, short, square}, {square, square, short}, {narrow, square, square},
		{negative, negative, negative}} {
		if err := matmul.Multiply(t.Context(), shapes[0], shapes[1], shapes[2]); !errors.Is(err, matmul.ErrShape) {
			t.Errorf("shapes %d: error %v", i, err)
		}
	}
}

// TestMultiplyEnds: the error is that of a context that has ended.
func TestMultiplyEnds(t *testing.T) {
	square := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float64, 4)}
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := matmul.Multiply(ctx, square, square, square); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// BenchmarkMultiply gives the operations per second. Measured on one processor: 54 GF/s from n = 100 on; gonum's product 8 GF/s.
func BenchmarkMultiply(b *testing.B) {
	for _, n := range []int{12, 100, 300} {
		m := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
		for i := range m.Data {
			m.Data[i] = 1 / float64(i+1)
		}
		c := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			for b.Loop() {
				if err := matmul.Multiply(b.Context(), m, m, c); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(2*math.Pow(float64(n), 3)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
		})
	}
}
