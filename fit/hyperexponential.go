package fit

import (
	"context"
	"slices"
)

// hyperexponential returns the family of mixtures of exponential distributions, which the other families contain.
// Starts come from quantiles of the data, from the order below and, from two phases on, from the best mixture of any
// number of exponentials.
func (f mixtureFit) hyperexponential(ctx context.Context) *nested[mixture] {
	var mixing mixture // of any number of exponentials
	return f.family(Hyperexponential, func(m int, below mixture, _ []mixture) (reached[mixture], error) {
		e := f.p.erlangMixtures(f.coarse)
		starts := []mixture{e.quantileStart(slices.Repeat([]int{1}, m))}
		if m > 1 {
			if len(mixing.rates) == 0 {
				mixing = f.p.mixingDistribution(ctx, f.coarse)
			}
			starts = append(starts, mixing.grouped(m)...)
			for _, mu := range append(insertionRates(slices.Sorted(slices.Values(below.rates))), mixing.rates...) {
				starts = append(starts, below.withExponential(mu))
			}
		}
		return f.best(ctx, starts)
	})
}
