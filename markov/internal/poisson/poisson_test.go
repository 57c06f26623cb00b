package poisson_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/markov/internal/poisson"
)

// mixture returns Σ_k e^{−a}·a^k/k!·s(k).
func mixture(a float64, s func(k int) float64) (sum float64) {
	w := poisson.New(a)
	for k := range w.Last + 1 {
		sum += w.At(k) * s(k)
	}
	return sum
}

func TestWeights(t *testing.T) {
	for _, a := range []float64{0, 1e-9, 0.5, 30, 1e3, 2e6} {
		if sum := mixture(a, func(int) float64 { return 1 }); math.Abs(sum-1) > 1e-14 {
			t.Errorf("weights of mean %g sum to 1%+.2g", a, sum-1)
		}
		z, power := 1-1/(1+a), 1.0
		generating := mixture(a, func(int) float64 {
			p := power
			power *= z
			return p
		})
		// E z^K = e^{−a(1−z)}; powers of z carry their rounding errors a times
		if want := math.Exp(-a * (1 - z)); math.Abs(generating-want) > 1e-9*want {
			t.Errorf("generating function at mean %g: %v, want %v", a, generating, want)
		}
	}
}

// At most the given probability lies above, and Last is an upper bound of the last weight.
func TestAbove(t *testing.T) {
	for _, a := range []float64{0.5, 30, 1e3, 2e6} {
		w := poisson.New(a)
		if float64(w.Last) > poisson.Last(a) {
			t.Errorf("mean %g: the last weight is that of %d, not up to %g", a, w.Last, poisson.Last(a))
		}
		for _, rest := range []float64{1e-3, 1e-10} {
			most, above := poisson.Above(a, rest), 0.0
			for k := w.Last; k > most; k-- {
				above += w.At(k)
			}
			if !(above <= rest) {
				t.Errorf("mean %g: the probability above %d is %g, not at most %g", a, most, above, rest)
			}
		}
	}
}
