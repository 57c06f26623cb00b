package fit

import (
	"context"

	"github.com/partwise/partwise/phasetype"
)

// Comparison holds the points of pictures of data and distribution, by ascending times. It has at most about a thousand
// steps of the data.
type Comparison struct {
	Survival  []Pair // P(X > At)
	Quantiles []Pair // below which the probability is At
}

// Compare returns the points of two pictures of a sample s and a distribution d in the same unit. Survival holds P(X >
// t) of both at the times t of the data. Quantiles holds the times below which the probability is p in both, for p of
// the data within (0, 1). If all values are truncated, d is taken conditional on a time above the earliest truncation.
// There are at most about a thousand points. Compare takes at most memory bytes; 0 stands for [parallel.DefaultMemory].
//
// The error is a *[SampleError] if s cannot be fitted, or the error of ctx. It wraps a *[parallel.LimitError] if memory
// is too small.
func Compare(ctx context.Context, s Sample, d phasetype.Dist, memory int64) (Comparison, error) {
	return during(ctx, func() (Comparison, error) { return compare(ctx, s, d, memory) })
}

// compare returns the comparison of [Compare]. It does not check ctx: if ctx has ended, the comparison is incomplete,
// and [Compare] drops it. [Compare] describes the error.
func compare(ctx context.Context, s Sample, d phasetype.Dist, memory int64) (Comparison, error) {
	p, err := newProblem(ctx, s, Options{Memory: memory})
	if err != nil {
		return Comparison{}, err
	}
	law := phasetype.NewLaw(d).WithContext(ctx)
	estimate := p.empirical(ctx)
	whole := estimate.Observable(func(x float64) float64 { return law.Survival(x * p.scale) })
	var out Comparison
	for _, st := range estimate.ThinSteps() {
		if ctx.Err() != nil {
			break
		}
		x := st.X * p.scale
		out.Survival = append(out.Survival, Pair{x, st.After, law.Survival(x) / whole})
		middle := st.After
		if !st.Edge {
			middle = (st.Before + st.After) / 2
		}
		if middle > 0 && middle < 1 {
			out.Quantiles = append(out.Quantiles, Pair{1 - middle, x, law.InverseSurvival(middle * whole)})
		}
	}
	return out, nil
}
