package matmul_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/partwise/partwise/markov/matmul"
)

// Two steps of a chain of two states.
func ExampleMultiply() {
	p := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{.5, .5, .25, .75}}
	twice := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float64, 4)}
	err := matmul.Multiply(context.Background(), p, p, twice)
	fmt.Println(twice.Data, err)
	// Output: [0.375 0.625 0.3125 0.6875] <nil>
}
