package phasetype

import (
	"math"
	"slices"
)

// TwoMoments returns a distribution with the given mean and squared coefficient of variation:
//
//	scv ≥ 1        balanced-means hyperexponential, see [BalancedHyperexponential];
//	½ ≤ scv < 1    two-phase Coxian, rates 2/mean and 1/(mean·scv), continuing with probability 1/(2·scv);
//	scv < ½        Erlangs of k−1 and k phases of one rate, mixed, 1/k ≤ scv < 1/(k−1).
//
// The smallest scv is 1/[MaxPhases]; a constant, of scv 0, is not phase-type. It returns an *[Error] for less, and if
// the mean is not positive and finite.
//
// Reference: H. C. Tijms, Stochastic Models: An Algorithmic Approach, Wiley, 1994, appendix B; for the Coxian
// R. Marie, Calculating equilibrium probabilities for λ(n)/C_k/1/N queues, Proc. Performance '80 (1980) 117–125.
func TwoMoments(mean, scv float64) (Dist, error) {
	rate, err := inverse("mean", -1, mean)
	if err != nil {
		return Dist{}, err
	}
	switch {
	case !(scv > 0) || math.IsInf(scv, 1):
		return Dist{}, bad("scv", -1, -1, "%v is not a positive number", scv)
	case scv*MaxPhases < 1:
		return Dist{}, bad("scv", -1, -1, "%g is below %g, the least that %d phases reach", scv, 1./MaxPhases, MaxPhases)
	case scv >= 1:
		return BalancedHyperexponential(mean, scv)
	case scv >= 0.5:
		first, second, cont := 2*rate, rate/scv, 1/(2*scv)
		return fromRates([]float64{1, 0}, []float64{0, first * cont, 0, 0}, []float64{first * (1 - cont), second})
	}
	return mixedErlang(mean, scv)
}

// mixedErlang passes k phases of one rate, or with probability p only k−1, for the least k with 1/k ≤ scv.
func mixedErlang(mean, scv float64) (Dist, error) {
	k := math.Ceil(1 / scv)
	if scv*k < 1 { // 1/scv was rounded down onto an integer
		k++
	}
	k = min(k, MaxPhases)
	radicand := max(k*(1+scv-k*scv), 0) // k(1+c²) − k²c²; 0 at scv = 1/(k−1), where rounding may go below
	p := max((k*scv-math.Sqrt(radicand))/(1+scv), 0)
	alpha := make([]float64, int(k))
	alpha[0], alpha[1] = 1-p, p
	return chain(alpha, slices.Repeat([]float64{(k - p) / mean}, len(alpha)))
}
