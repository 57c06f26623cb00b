package fit

import (
	"context"
	"math"

	"github.com/partwise/partwise/fit/internal/productlimit"
	"github.com/partwise/partwise/phasetype"
)

// Goodness compares the data with the fitted distribution.
type Goodness struct {
	KS float64 // Kolmogorov–Smirnov distance, the largest between the distribution functions
	// AD is the Anderson–Darling statistic n·∫(F_n−F)²/(F·(1−F)) dF over all times, with n = [Scores.Observations]. The
	// integral ends at the largest observation if this is a lower bound. AD is not defined for rounded values and
	// intervals, and 0 for these.
	AD      float64
	Moments []Pair // raw moments E[X^At] of orders 1 to 3; none if some values are censored, truncated or intervals
	Tail    []Pair // P(X > At) at the quantiles .5, .9, .99, .999, .9999 of the data, as far as there are enough values
	// TailErrors are the standard errors of the probabilities Data in Tail, by Greenwood's formula.
	TailErrors []float64

	// WeightedKS is the largest distance between the distribution functions where each distance is divided by its spread: KS
	// without lower bounds, truncation and overlapping intervals, and comparable with the critical values of KS with them.
	WeightedKS float64
	// Effective is the number of observations that decides the critical value 1.358/√Effective of WeightedKS: Observations,
	// or (Σw)²/Σw² for weights w that count no observations.
	Effective float64
}

// Pair is a number of the data and the same number of the fit.
type Pair struct {
	At        float64 // the order of a moment, the value of a tail probability, the probability of a quantile, or the lag
	Data, Fit float64
}

// empirical returns the survival function of the data, in scaled time. The first call makes it and stores it in
// p.survival, so the first call is not safe for concurrent use. If ctx ends, steps are missing, also in p.survival; the
// exported functions of the package check ctx last.
func (p *problem) empirical(ctx context.Context) *empirical {
	if p.survival == nil {
		p.survival = newEmpirical(ctx, &p.observations)
	}
	return p.survival
}

// goodness returns how well the distribution d, in the unit of the data, fits the data: the Kolmogorov–Smirnov
// distance, the Anderson–Darling statistic, tail probabilities and moments. See [empirical.distances] for the first
// three. Moments are compared only if all values are exact and not truncated. The survival function of the data stays
// in p.survival. The result is incomplete if ctx ends.
func (p *problem) goodness(ctx context.Context, d phasetype.Dist) Goodness {
	law := phasetype.NewLaw(d).WithContext(ctx)
	g := p.empirical(ctx).distances(ctx, p.curve(ctx, d).at, func(x float64) float64 { return law.CDF(x * p.scale) })
	if p.observed == p.total && len(p.truncations) == 0 {
		g.Moments = p.moments(ctx, d)
	}
	return g
}

// distances compares the survival function of the data with another, survival. It returns the Kolmogorov–Smirnov
// distance, the Anderson–Darling statistic, and P(X > t) of both at the quantiles t of the data: .5, .9, .99, .999 and
// .9999. It leaves out quantiles that are less certain than those of complete observations with ten beyond them. The
// Anderson–Darling statistic is 0 for rounded values and intervals. Moments are left to the caller.
//
// survival and cdf take scaled times; the times t are in the unit of the data. cdf is 1 − survival with small relative
// errors. It takes longer, so it is read only where it is below smallCDF, 10⁻⁴.
//
// The estimate may start later than 0: all observations are truncated, or nobody is at risk in between. Then survival is
// taken conditional on a longer time, and cdf is not read. If ctx ends, the result is incomplete.
func (e *empirical) distances(ctx context.Context, survival, cdf func(x float64) float64) Goodness {
	whole := e.Observable(survival)
	g := Goodness{Effective: e.of.effectiveSize()}
	left := tailProbabilities
	a := productlimit.NewAndersonDarling()
	spreads := e.Spreads(ctx, survival)
	for i, st := range e.Steps {
		if stopped(ctx, i) {
			return g
		}
		s := min(1, survival(st.X)/whole)
		least := 0.
		if spreads != nil {
			least = spreads[i]
		}
		g.add(math.Abs(s-st.After), max(st.SpreadAfter, least))
		if !st.Edge {
			g.add(math.Abs(s-st.Before), max(st.SpreadBefore, least))
			f := 1 - s
			if f < smallCDF && whole == 1 {
				f = cdf(st.X)
			}
			a.Add(st.Before, f, s)
		}
		for len(left) > 0 && st.After <= left[0] {
			size := st.CompleteSize(g.Effective, least)
			if left[0]*size < leastBeyond {
				left = nil
				break
			}
			g.Tail = append(g.Tail, Pair{st.X * e.of.scale, st.After, s})
			g.TailErrors = append(g.TailErrors, math.Sqrt(st.After*(1-st.After)/size))
			left = left[1:]
		}
	}
	if e.latest != nil {
		g.WeightedKS = max(e.earliest.Above(ctx, survival), e.latest.Below(ctx, survival))
	}
	if e.of.r == 0 && len(e.of.intervals) == 0 && len(e.Steps) > 0 {
		if e.Steps[len(e.Steps)-1].After == 0 {
			a.Finish()
		}
		g.AD = e.of.size() * a.Sum
	}
	return g
}

// tailProbabilities are the probabilities of values beyond the quantiles of [Goodness.Tail].
var tailProbabilities = []float64{.5, .1, .01, .001, .0001}

// leastBeyond is the least number of complete observations beyond a quantile in the tail: ten, but for rounding errors
// of the product-limit estimate.
const leastBeyond = 10 - 1e-6

// add takes account of a distance between the distribution functions, where the estimate from the data has a spread.
func (g *Goodness) add(distance, spread float64) {
	g.KS = max(g.KS, distance)
	g.WeightedKS = max(g.WeightedKS, distance/spread)
}

// smallCDF is the value of a distribution function F below which [empirical.distances] does not take F from the survival
// function. The error of 1 − F is about 1e-9, by the interpolation of [curve.at]; F has at least five digits above it.
const smallCDF = 1e-4

// moments returns the raw moments E[X], E[X²] and E[X³] of the exact observations, each beside the moment of d. All
// observations must be exact and not truncated. The moments are in powers of the unit of the sample, which is also the
// unit of d. It returns nil if ctx ends.
func (o *observations) moments(ctx context.Context, d phasetype.Dist) []Pair {
	var sums [3]float64
	for i, pt := range o.points {
		if stopped(ctx, i) {
			return nil
		}
		term := pt.observed / o.total
		for k := range sums {
			term *= pt.x
			sums[k] += term
		}
	}
	var out []Pair
	for k, sum := range sums {
		at := float64(k + 1)
		out = append(out, Pair{at, sum * math.Pow(o.scale, at), d.Moment(k + 1)})
	}
	return out
}

// rejected reports whether the weighted distance exceeds its critical value. Then the fit differs significantly from the
// data, and [Summary] says so.
func (g *Goodness) rejected() bool { return g.WeightedKS > productlimit.CriticalValue(g.Effective) }
