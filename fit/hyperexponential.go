package fit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// hyperexponential returns the family of mixtures of exponential distributions, without fits; the other families
// contain it. The fit of an order starts from quantiles of the data. With two phases and more it has other starts: the
// fit of the order below with one more exponential, and the best mixture of any number of exponentials, with its rates
// joined. From nearly all starts, ascents lead to the same maximum, so few of them go on. If no mixture of exponentials
// is likelier than the fit of an order, nothing is searched for the orders above. ctx is the context of all fits of the
// family.
func (f mixtureFit) hyperexponential(ctx context.Context) *nested[mixture] {
	var mixing mixture // of any number of exponentials
	n := f.family(Hyperexponential, func(m int, below mixture, _ []mixture) (reached[mixture], error) {
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
		return f.best(ctx, starts, search{longlist: 8, shortlist: 4, maxima: 2})
	})
	n.unsurpassed = func(m mixture) bool {
		return f.excessOfExponentials(ctx, f.coarse, m) <= smallExcess && f.excessOfExponentials(ctx, f.fine, m) <= negligibleExcess
	}
	return n
}

// negligibleExcess is the gain of the mean log-likelihood up to which no exponential is added to a mixture. The fit of
// an order ends at a gain of 1e-10 a step, where its derivatives are up to some 1e-5. If the bound on coarse bins
// exceeds smallExcess, the bound on fine bins is not computed.
const (
	negligibleExcess = 1e-4
	smallExcess      = 1e-2
)

// excessOfExponentials returns a bound on how much likelier than m a mixture of exponentials of any order can be. It
// bounds the difference of the mean log-likelihoods on the given bins of the data. It is log max_r D(r), with D of
// [mixtureFit.meanRatios], because the logarithm is concave. It is 0 for the best mixture of any order. The maximum is
// taken over a grid of rates, and over the vertices of parabolas through three neighbours. It is +Inf for truncated
// data, whose likelihood is not concave, and if ctx ends. A call takes as long as some twenty steps of EM.
//
// Reference: B. G. Lindsay, The geometry of mixture likelihoods: a general theory, Ann. Statist. 11 (1983) 86–94.
func (f mixtureFit) excessOfExponentials(ctx context.Context, bins []bin, m mixture) float64 {
	if len(f.p.truncations) > 0 {
		return math.Inf(1)
	}
	rates := f.p.gridRates()
	ratios := f.meanRatios(ctx, bins, m, rates)
	var vertices []float64
	for i := 1; i+1 < len(ratios); i++ {
		before, at, after := ratios[i-1], ratios[i], ratios[i+1]
		if bend := 2*at - before - after; at >= max(before, after) && bend > 0 {
			vertices = append(vertices, rates[i]*math.Pow(rates[i+1]/rates[i], (after-before)/(2*bend)))
		}
	}
	largest := slices.Max(append(ratios, f.meanRatios(ctx, bins, m, vertices)...))
	if ctx.Err() != nil {
		return math.Inf(1)
	}
	return math.Log(largest)
}

// meanRatios returns D(r) for each of the rates r, per unit of scaled time: the mean, over the weighted bins x of the
// data, of f_r(x)/f(x). f is the likelihood of a bin under m, and f_r its likelihood under the exponential distribution
// of rate r; see [problem.setExponentialRow]. If ctx ends, bins are missing. [mixtureFit.excessOfExponentials] finds from
// it which exponentials would make m likelier.
func (f mixtureFit) meanRatios(ctx context.Context, bins []bin, m mixture, rates []float64) []float64 {
	n := len(rates)
	all := newComponentRates(append(slices.Clone(rates), m.rates...))
	ratios, row := make([]float64, n), make([]float64, len(all.rates))
	for i := range bins {
		if stopped(ctx, i) {
			break
		}
		f.p.setExponentialRow(row, &bins[i], all)
		density := floats.Dot(m.weights, row[n:])
		floats.AddScaled(ratios, bins[i].w/(density*f.p.total), row[:n])
	}
	return ratios
}
