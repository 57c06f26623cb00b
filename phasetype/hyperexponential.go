package phasetype

import "math"

// Hyperexponential returns the distribution that is exponential of mean means[i] with probability weights[i]; the
// weights are normalised. It returns an *[Error] for wrong weights and means.
func Hyperexponential(weights, means []float64) (Dist, error) {
	n := len(weights)
	if n != len(means) {
		return Dist{}, bad("means", -1, -1, "has %d entries, there are %d weights", len(means), n)
	}
	alpha, err := normalised(weights)
	if err != nil {
		return Dist{}, err
	}
	rates := make([]float64, n)
	for i, m := range means {
		if rates[i], err = inverse("means", i, m); err != nil {
			return Dist{}, err
		}
	}
	if n > MaxPhases {
		return Dist{}, tooMany(n)
	}
	return fromRates(alpha, make([]float64, n*n), rates)
}

// BalancedHyperexponential returns the two-phase hyperexponential with the given mean and scv ≥ 1 whose components
// contribute equally to the mean, by
//
//	p = (1 + √((scv − 1)/(scv + 1)))/2,  rates 2p/mean and 2(1 − p)/mean,
//
// For scv = 1 it is the exponential distribution, with one phase. It returns an *[Error] otherwise.
//
// Reference: H. C. Tijms, Stochastic Models: An Algorithmic Approach, Wiley, 1994, appendix B.
func BalancedHyperexponential(mean, scv float64) (Dist, error) {
	rate, err := inverse("mean", -1, mean)
	if err != nil {
		return Dist{}, err
	}
	if !(scv >= 1) || math.IsInf(scv, 1) {
		return Dist{}, bad("scv", -1, -1, "%v is not a number that is at least 1", scv)
	}
	if scv == 1 {
		return Exponential(rate)
	}
	p := (1 + math.Sqrt((scv-1)/(scv+1))) / 2
	q := 1 / ((scv + 1) * (1 + math.Sqrt((scv-1)/(scv+1)))) // = 1 − p without cancellation
	if 2*q*rate < minRate {
		return Dist{}, bad("scv", -1, -1, "%g is too large for the mean %g: the rarer phase would take longer than %g", scv, mean, longestMean)
	}
	return fromRates([]float64{p, q}, make([]float64, 4), []float64{2 * p * rate, 2 * q * rate})
}

// normalised returns the weights divided by their sum.
func normalised(weights []float64) ([]float64, error) {
	if len(weights) == 0 {
		return nil, bad("weights", -1, -1, "there are none")
	}
	var sum float64
	for i, w := range weights {
		if !nonnegative(w) {
			return nil, bad("weights", i, -1, "%v is not a nonnegative number", w)
		}
		sum += w
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return nil, bad("weights", -1, -1, "sum to %g; the sum must be positive and finite", sum)
	}
	p := make([]float64, len(weights))
	for i, w := range weights {
		p[i] = w / sum
	}
	return p, nil
}
