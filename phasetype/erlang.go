package phasetype

import "slices"

// Erlang returns the distribution of the sum of independent exponential variables of the rate phases/mean: SCV
// 1/phases. It returns an *[Error] if phases is not between 1 and [MaxPhases] or the mean is not positive and finite.
func Erlang(phases int, mean float64) (Dist, error) {
	if phases < 1 || phases > MaxPhases {
		return Dist{}, bad("phases", -1, -1, "%d is not between 1 and %d", phases, MaxPhases)
	}
	rate, err := inverse("mean", -1, mean)
	if err != nil {
		return Dist{}, err
	}
	alpha := make([]float64, phases)
	alpha[0] = 1
	return chain(alpha, slices.Repeat([]float64{float64(phases) * rate}, phases))
}

// chain returns the distribution that passes phases of the given rates in order, entering by alpha and leaving from the
// last.
func chain(alpha, rates []float64) (Dist, error) {
	n := len(alpha)
	moves, exit := make([]float64, n*n), make([]float64, n)
	for i := range n - 1 {
		moves[i*n+i+1] = rates[i]
	}
	exit[n-1] = rates[n-1]
	return fromRates(alpha, moves, exit)
}
