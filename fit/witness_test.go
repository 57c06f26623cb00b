package fit

import (
	"context"
	"fmt"
	"math"

	"github.com/partwise/partwise/phasetype"
)

// Distribution is what Score compares with a sample: a distribution of nonnegative values with a density, such as
// [phasetype.Dist] or those of gonum's package distuv. If it also has a method
//
//	NumParameters() int
//
// then that is the number of its free parameters, otherwise it has none; and a method CDF makes short intervals exact.
type Distribution interface {
	LogProb(x float64) float64  // logarithm of the density at x > 0
	Survival(x float64) float64 // P(X > x)
}

// Score compares a distribution of any origin with s, by the numbers that [PhaseType] reports for its candidates. It is their
// witness: it sums the logarithms of densities one observation at a time.
//
// The error is a *[SampleError] if s is not a sample, an *[OptionError] if d is nil or returns a number that is no
// probability or density, [ErrImpossible] if d gives the data the probability 0, or the error of ctx.
func Score(ctx context.Context, s Sample, d Distribution) (Scores, error) {
	return during(ctx, func() (Scores, error) { return score(ctx, s, d) })
}

func score(ctx context.Context, s Sample, d Distribution) (Scores, error) {
	if d == nil {
		return Scores{}, &OptionError{"distribution", "is missing"}
	}
	p, err := newProblem(ctx, s, Options{})
	if err != nil {
		return Scores{}, err
	}
	parameters := 0
	if counted, ok := d.(interface{ NumParameters() int }); ok {
		parameters = counted.NumParameters()
	}
	switch ph := d.(type) {
	case phasetype.Dist:
		if n := ph.Phases(); 0 < n && n <= MaxPhases && ph.Atom() == 0 {
			return p.scores(p.score(ctx, ph), p.goodness(ctx, ph).KS, parameters)
		}
		d = phasetype.NewLaw(ph).WithContext(ctx)
	case *phasetype.Law:
		d = ph.WithContext(ctx)
	}
	mean, err := p.directScore(ctx, d)
	if err != nil {
		return Scores{}, err
	}
	survival := func(x float64) float64 { return d.Survival(x * p.scale) }
	g := p.empirical(ctx).distances(ctx, survival, func(x float64) float64 { return 1 - survival(x) })
	return p.scores(mean, g.KS, parameters)
}

// directScore returns the mean log-likelihood of the data under d, one observation at a time, in the unit of the data.
func (p *problem) directScore(ctx context.Context, d Distribution) (float64, error) {
	var sum float64
	for i, pt := range p.points {
		if stopped(ctx, i) {
			return 0, ctx.Err()
		}
		x := pt.x * p.scale
		if pt.observed > 0 {
			sum += pt.observed * p.logObserved(d, x)
		}
		if pt.censored > 0 {
			sum += pt.censored * math.Log(d.Survival(x))
		}
		if math.IsNaN(sum) || math.IsInf(sum, 1) {
			return 0, &OptionError{"distribution", fmt.Sprintf("has no log-density or survival probability at %g", x)}
		}
	}
	for i, pt := range p.truncations {
		if stopped(ctx, i) {
			return 0, ctx.Err()
		}
		sum -= pt.observed * math.Log(d.Survival(pt.x*p.scale))
	}
	for i, s := range p.intervals {
		if stopped(ctx, i) {
			return 0, ctx.Err()
		}
		sum += s.w * math.Log(probability(d, s.lo*p.scale, s.hi*p.scale))
	}
	return sum / p.total, nil
}

// logObserved returns the log-likelihood of an observed value.
func (p *problem) logObserved(d Distribution, x float64) float64 {
	if p.r == 0 {
		return d.LogProb(x)
	}
	half := p.r * p.scale / 2
	if x <= half {
		return math.Log(below(d, x+half))
	}
	return math.Log(probability(d, x-half, x+half))
}

// probability returns P(lo < X ≤ hi), from distribution functions where these are small.
func probability(d Distribution, lo, hi float64) float64 {
	s := d.Survival(lo)
	if _, ok := d.(interface{ CDF(x float64) float64 }); ok && s > 0.5 {
		return below(d, hi) - below(d, lo)
	}
	return s - d.Survival(hi)
}

// below returns P(X ≤ x).
func below(d Distribution, x float64) float64 {
	if c, ok := d.(interface{ CDF(x float64) float64 }); ok {
		return c.CDF(x)
	}
	return 1 - d.Survival(x)
}
