package phasetype_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// TestQuantilesUndo: quantile(cdf(x)) and the inverse survival of survival(x) are x to 1e-10, from probabilities of
// 1e-30 to survival of 1e-290, for distributions with rates over up to 12 decades. Points at which an ulp of the
// probability is more than 1e-11 of x are skipped: there the probability does not determine x. Measured: 4.7e-12 in 11,954 cases.
func TestQuantilesUndo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var worst float64
	trips := 0
	for range 200 {
		d := scattered(r, 1+r.IntN(8), 12*r.Float64())
		l := phasetype.NewLaw(d)
		low, high := l.Quantile(1e-30), l.InverseSurvival(1e-290)
		for i := range 50 {
			x := low * math.Pow(high/low, float64(i)/49)
			f, s, pdf := l.CDF(x), l.Survival(x), l.PDF(x)
			if 4e-16*f < 1e-11*pdf*x && f < 1 {
				worst = math.Max(worst, math.Abs(l.Quantile(f)/x-1))
				trips++
			}
			if 4e-16*s < 1e-11*pdf*x {
				worst = math.Max(worst, math.Abs(l.InverseSurvival(s)/x-1))
				trips++
			}
		}
	}
	t.Logf("largest relative error of %d round trips %.2g", trips, worst)
	if !(worst <= 1e-10) {
		t.Errorf("relative error %g", worst)
	}
}

// scattered has n phases with any moves, at rates over decades decades.
func scattered(r *rand.Rand, n int, decades float64) phasetype.Dist {
	alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
	rate := func() float64 { return math.Pow(10, decades*(r.Float64()-0.5)) }
	var total float64
	for i := range n {
		alpha[i] = r.Float64()
		total += alpha[i]
		if i == n-1 || r.IntN(2) == 0 {
			exit[i] = rate()
		}
		for j := range n {
			if j == i+1 || j != i && r.IntN(3) == 0 {
				moves.Set(i, j, rate())
			}
		}
	}
	for i := range alpha {
		alpha[i] /= total
	}
	return phasetype.Must(phasetype.FromRates(alpha, moves, exit))
}
