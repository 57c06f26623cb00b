package levelvectors

import "github.com/partwise/partwise/markov/internal/block"

// ConditionGrowth bounds the growth of the condition of tails from level to level, beyond one for each level. y and z are
// the sums of the vectors x_k of the levels b+1+k and of k·x_k, and next multiplies by R. The condition of P(level > b+j),
// without these j, is
//
//	c_j = (y+z)·R^j·1/(y·R^j·1),
//
// and condition is at least c_0. It grows where some phases decay more slowly than the others. No c_j is larger than the
// largest ratio of the entries of (y+z)·R^i and of y·R^i for i ≤ j, which decreases with i.
func ConditionGrowth(y, z []float64, next func(x []float64) []float64, condition float64) (growth float64) {
	const most = 32 // levels, and multiplications in a product: few of both
	tails, moments := Sequence{X: y, Next: next}, Sequence{X: z, Next: next}
	for j := 1.0; ; j++ {
		largest := 1 + block.LargestRatio(moments.X, tails.X)
		if largest-condition <= j*max(growth, 1) || j > most {
			return max(growth, (largest-condition)/j)
		}
		tails.Step()
		moments.Step()
		if total := block.Sum(tails.X); total > 0 {
			growth = max(growth, (1+block.Sum(moments.X)/total-condition)/j)
		}
	}
}
