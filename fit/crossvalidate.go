package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// crossValidate sets the CrossValidated of the candidates: the sample is cut at random into folds, each family is
// fitted to the sample without a fold, at the same orders, and scored on that fold. The same seed makes the same
// folds.
//
// Reference: P. Smyth, Model selection for probabilistic clustering using cross-validated likelihood, Stat. Comput. 10
// (2000) 63–72.
func crossValidate(s Sample, o Options, all []Candidate) error {
	parts, err := s.folds(o.Folds, o.Seed)
	if err != nil {
		return err
	}
	type key struct {
		Family
		phases int
	}
	sums := map[key]float64{}
	var weight float64
	for f, held := range parts {
		rest, kept := s, make([]float64, len(held))
		for i, w := range held {
			kept[i] = s.weight(i) - w
		}
		rest.Weights, rest.sketch = kept, nil
		train, err := newProblem(rest, o)
		if err != nil {
			return fmt.Errorf("fit: without fold %d of %d: %w", f+1, o.Folds, err)
		}
		out := s
		out.Weights, out.sketch = held, nil
		test := gather(out, o)
		if test.total == 0 {
			continue
		}
		if err := test.rescale(); err != nil {
			return fmt.Errorf("fit: fold %d of %d: %w", f+1, o.Folds, err)
		}
		weight += test.total
		for _, name := range o.Families {
			err := families[name](train, func(s solution) error {
				sums[key{name, s.phases}] += test.score(s.dist) * test.total
				return nil
			})
			if err != nil {
				return fmt.Errorf("fit: without fold %d of %d: %w", f+1, o.Folds, err)
			}
		}
	}
	for i := range all {
		c := &all[i]
		c.CrossValidated = sums[key{c.Family, c.Phases}] / weight
	}
	return nil
}

func (s Sample) weight(i int) float64 {
	if s.Weights == nil {
		return 1
	}
	return s.Weights[i]
}

// folds deals the weights to n folds at random. A weight that is a count is that many values; where it is very large,
// its shares have the mean and variance that counts would have.
func (s Sample) folds(n int, seed uint64) ([][]float64, error) {
	if len(s.Values) < n && s.Weights == nil {
		return nil, &OptionError{"criterion", fmt.Sprintf("%d folds of %d values", n, len(s.Values))}
	}
	out := make([][]float64, n)
	for f := range out {
		out[f] = make([]float64, len(s.Values))
	}
	random := rand.New(rand.NewPCG(seed, 0xf01d))
	const many = 64
	for i := range s.Values {
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
