package fit

import (
	"context"
	"math"

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
// .9999. A quantile is left out if fewer than ten observations lie beyond it. The Anderson–Darling statistic is 0 for
// rounded values and intervals. Moments are left to the caller.
//
// survival and cdf take scaled times; the times t are in the unit of the data. cdf is 1 − survival with small relative
// errors. It takes longer, so it is read only where it is below smallCDF, 10⁻⁴.
//
// If all observations are truncated, survival is taken conditional on a time longer than the earliest truncation, and
// cdf is not read. If ctx ends, the result is incomplete.
func (e *empirical) distances(ctx context.Context, survival, cdf func(x float64) float64) Goodness {
	whole := e.of.observableMass(survival)
	var g Goodness
	left := []float64{.5, .1, .01, .001, .0001}
	a := andersonDarling{survival: 1}
	for i, st := range e.steps {
		if stopped(ctx, i) {
			return g
		}
		s := min(1, survival(st.x)/whole)
		g.KS = max(g.KS, math.Abs(s-st.after))
		if !st.edge {
			g.KS = max(g.KS, math.Abs(s-st.before))
			f := 1 - s
			if f < smallCDF && whole == 1 {
				f = cdf(st.x)
			}
			a.add(st.before, f, s)
		}
		for len(left) > 0 && st.after <= left[0] {
			if left[0]*e.of.size() >= 10 { // with fewer values beyond it, a quantile is too uncertain
				g.Tail = append(g.Tail, Pair{st.x * e.of.scale, st.after, s})
			}
			left = left[1:]
		}
	}
	if e.of.r == 0 && len(e.of.intervals) == 0 && len(e.steps) > 0 {
		if e.steps[len(e.steps)-1].after == 0 {
			a.finish()
		}
		g.AD = e.of.size() * a.sum
	}
	return g
}

// observableMass returns the probability, by a survival function of scaled time, of times longer than the earliest
// truncation, at least 1e-300. It is 1 unless all observations are truncated, up to 1e-12 of their weight. Tails of
// truncated data are compared after division by it.
func (o *observations) observableMass(survival func(x float64) float64) float64 {
	if len(o.truncations) == 0 {
		return 1
	}
	var truncated float64
	for _, pt := range o.truncations {
		truncated += pt.observed
	}
	if truncated < o.total*(1-1e-12) {
		return 1
	}
	return max(survival(o.truncations[0].x), minPositive)
}

// smallCDF is the value of a distribution function F below which [empirical.distances] does not take F from the survival
// function. The error of 1 − F is about 1e-9, by the interpolation of [curve.at]; F has at least five digits above it.
const smallCDF = 1e-4

// andersonDarling sums ∫ (c−F)²/(F·(1−F)) dF over the steps of the data, where the distribution function c of the data
// is constant on each step. From F = a to F = b the integral is
//
//	c²·log(b/a) + (1−c)²·log((1−a)/(1−b)) − (b−a).
//
// Reference: T. W. Anderson, D. A. Darling, A test of goodness of fit, J. Amer. Statist. Assoc. 49 (1954) 765–769.
type andersonDarling struct {
	sum           float64
	cdf, survival float64 // F and 1 − F at the end of the last step; both have small relative errors
}

// add adds the integral of the Anderson–Darling statistic, (F_n − F)²/(F·(1−F)) dF, over one step of the data to a.sum.
// On the step the survival function of the data, 1 − F_n, has the value data. F rises from a.cdf, its value at the end
// of the step before, to cdf, and 1 − F falls from a.survival to survival. Then cdf and survival become a.cdf and
// a.survival. Both are limited such that F does not fall and 1 − F stays positive, so that rounding errors have no
// effect.
func (a *andersonDarling) add(data, cdf, survival float64) {
	cdf, survival = max(cdf, a.cdf), min(max(survival, minPositive), a.survival)
	part := data*data*math.Log(a.survival/survival) - (cdf - a.cdf)
	if below := 1 - data; below > 0 && a.cdf > 0 {
		part += below * below * math.Log(cdf/a.cdf)
	}
	a.sum += max(0, part)
	a.cdf, a.survival = cdf, survival
}

// finish adds the integral above the largest value to a.sum, where the distribution function of the data is 1. It must
// be left out where the largest observation is a lower bound.
func (a *andersonDarling) finish() {
	if a.cdf > 0 {
		a.sum += max(0, -math.Log(a.cdf)-a.survival)
	}
}

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

// ksLimit returns the Kolmogorov–Smirnov distance that 5 % of large samples of n values exceed if the distribution is
// the true one: 1.358/√n, from the limit distribution of Kolmogorov. If the distribution was fitted to the sample,
// fewer samples exceed the limit.
func ksLimit(n float64) float64 { return 1.358 / math.Sqrt(max(n, 1)) }

// rejected reports whether the Kolmogorov–Smirnov distance to a sample of n values exceeds [ksLimit](n). Then the fit
// differs significantly from the data, and [Summary] says so.
func (g Goodness) rejected(n float64) bool { return g.KS > ksLimit(n) }
