package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// crossValidate sets the CrossValidated of the candidates: the sample is divided at random into folds, each family is
// fitted to the sample without a fold, at the same orders, and scored on that fold. A family that chooses its order
// chooses it again for each fold. The same seed gives the same folds. It returns the candidates that have a score, and why the
// others have none: their families do not apply to the sample without one of the folds.
//
// Reference: P. Smyth, Model selection for probabilistic clustering using cross-validated likelihood, Stat. Comput. 10
// (2000) 63–72.
func crossValidate(ctx context.Context, s Sample, o Options, entries []Entry, all []Candidate) (scored []Candidate, leftOut []error, err error) {
	parts, err := s.folds(ctx, o.Folds, o.Seed)
	if err != nil {
		return nil, nil, err
	}
	type key struct {
		Family
		phases int
	}
	of := func(e Entry, phases int) key {
		if e.choosesOrder() {
			phases = 0
		}
		return key{e.Name, phases}
	}
	sums := map[key]float64{}
	missing := map[key]error{}
	var weight float64
	for f, held := range parts {
		rest, kept := s, make([]float64, len(held))
		for i, w := range held {
			kept[i] = s.weight(i) - w
		}
		rest.Weights, rest.sketch = kept, nil
		train, err := newProblem(ctx, rest, o)
		if err != nil {
			return nil, nil, fmt.Errorf("%w, without fold %d of %d", err, f+1, o.Folds)
		}
		out := s
		out.Weights, out.sketch = held, nil
		test, err := gather(ctx, out, o)
		if err != nil {
			return nil, nil, err
		}
		if test.total == 0 {
			continue
		}
		if err := test.rescale(); err != nil {
			return nil, nil, fmt.Errorf("%w, in fold %d of %d", err, f+1, o.Folds)
		}
		weight += test.total
		for _, e := range entries {
			train.leftOut = nil
			err := e.each(ctx, train, func(s solution) error {
				sums[of(e, s.phases)] += test.score(ctx, s.dist) * test.total
				return nil
			})
			if err != nil {
				return nil, nil, fmt.Errorf("%w, without fold %d of %d", err, f+1, o.Folds)
			}
			for _, l := range train.leftOut {
				missing[of(e, l.Phases)] = fmt.Errorf("%w, without fold %d of %d", l, f+1, o.Folds)
			}
		}
	}
	for _, e := range entries {
		for _, c := range all {
			if c.Family != e.Name {
				continue
			}
			if why := missing[of(e, c.Phases)]; why != nil {
				leftOut = append(leftOut, why)
				continue
			}
			c.CrossValidated = sums[of(e, c.Phases)] / weight
			scored = append(scored, c)
		}
	}
	return scored, leftOut, nil
}

// folds divides the weights at random into n folds. An integer weight counts as that many values; if it is large, the
// parts are normal with the mean and variance of the binomial distribution.
func (s Sample) folds(ctx context.Context, n int, seed uint64) ([][]float64, error) {
	if len(s.Values) < n && s.Weights == nil {
		return nil, &OptionError{"criterion", fmt.Sprintf("%d values cannot be divided into %d folds", len(s.Values), n)}
	}
	out := make([][]float64, n)
	for f := range out {
		out[f] = make([]float64, len(s.Values))
	}
	random := rand.New(rand.NewPCG(seed, 0xf01d))
	const many = 64
	for i := range s.Values {
		if stopped(ctx, i) {
			return nil, ctx.Err()
		}
		w := s.weight(i)
		switch {
		case w > many:
			left := w
			for f := range n - 1 {
				p := 1 / float64(n-f)
				share := math.Round(left*p + math.Sqrt(left*p*(1-p))*random.NormFloat64())
				out[f][i] = min(max(share, 0), left)
				left -= out[f][i]
			}
			out[n-1][i] = left
		case w == math.Floor(w):
			for range int(w) {
				out[random.IntN(n)][i]++
			}
		default:
			out[random.IntN(n)][i] = w
		}
	}
	return out, nil
}
