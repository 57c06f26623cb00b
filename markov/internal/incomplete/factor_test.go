package incomplete_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/incomplete"
)

// TestNothingDroppedIsTheInverse: without drops the factors solve the equations of a random chain that can be left, as dense LU
// decomposition does.
func TestNothingDroppedIsTheInverse(t *testing.T) {
	const n = 40
	random := rand.New(rand.NewPCG(1, 2))
	dense := mat.NewDense(n, n, nil)
	rates, out := incomplete.Rows{Start: []int{0}}, make([]float64, n)
	for i := range n {
		for j := range n {
			if j == i || random.Float64() > 0.1 {
				continue
			}
			rate := random.ExpFloat64()
			rates.To, rates.Rate = append(rates.To, int32(j)), append(rates.Rate, rate)
			dense.Set(i, j, -rate)
			out[i] += rate
		}
		rates.Start = append(rates.Start, len(rates.To))
		out[i] += 0.01 * random.ExpFloat64()
		dense.Set(i, i, out[i])
	}
	factor, err := incomplete.Eliminate(t.Context(), rates, out, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, want := make([]float64, n), mat.NewVecDense(n, nil)
	for i := range x {
		x[i] = random.Float64()
	}
	if err := want.SolveVec(dense, mat.NewVecDense(n, append([]float64(nil), x...))); err != nil {
		t.Fatal(err)
	}
	factor.Solve(x)
	for i, v := range x {
		if math.Abs(v-want.AtVec(i)) > 1e-11*want.AtVec(i) { // the condition of the matrix is some hundreds
			t.Errorf("entry %d is %v, want %v", i, v, want.AtVec(i))
		}
	}
}
