package markovtest_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/markovtest"
)

// M/M/1 at a load of .9, solved in double precision: the error is within the bound that the solver states.
func ExampleSolve() {
	number := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	q := &markov.QBD{
		Boundary:  []markov.Level{{Up: number(.9), Local: number(0)}},
		Repeating: markov.Level{Up: number(.9), Local: number(0), Down: number(1)},
	}
	solution, err := q.Solve(context.Background(), markov.Settings{})
	if err != nil {
		panic(err)
	}
	witness := markovtest.Solve(q)
	off := math.Abs(solution.Mean()/witness.Mean() - 1)
	fmt.Printf("mean %.10f\n", witness.Mean())
	fmt.Println("within the bound:", off <= solution.Diagnostics().ErrorBound)
	// Output:
	// mean 9.0000000000
	// within the bound: true
}
