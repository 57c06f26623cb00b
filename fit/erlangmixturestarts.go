package fit

import "slices"

// starts returns the mixtures with the given shapes to start from, one or two. Branch means increase from branch to
// branch, see [erlangMixtures.quantileStart]. Shapes have the given order in the first mixture and increase in the
// second, which is left out if all shapes are equal.
func (e *erlangMixtures) starts(shapes []int) []mixture {
	ascending := slices.Sorted(slices.Values(shapes))
	out := []mixture{e.quantileStart(shapes)}
	if len(shapes) > 1 && ascending[0] != ascending[len(ascending)-1] {
		out = append(out, e.quantileStart(ascending))
	}
	return out
}

// quantileStart returns a mixture with the given shapes to start from. The data are divided at quantiles into parts of
// equal weight, one for each branch. Each branch gets the mean of its part and its share of the weight. If a part is
// empty or has only zeros, its branch gets an equal share and a mean near the mean of all data. So no branch is lost.
// Truncated observations do not count.
func (e *erlangMixtures) quantileStart(shapes []int) mixture {
	n := len(shapes)
	m := mixture{shapes, make([]float64, n), make([]float64, n)}
	sums := make([]float64, n)
	var before float64
	for _, x := range e.bins {
		if x.kind == truncatedBin {
			continue
		}
		b := min(int(float64(n)*(before+x.w/2)/e.total), n-1)
		before += x.w
		m.weights[b] += x.w
		sums[b] += x.w * x.x
	}
	var mean float64
	for _, s := range sums {
		mean += s / e.total
	}
	for b, k := range shapes {
		if m.weights[b] == 0 || sums[b] == 0 { // fewer distinct values than branches
			m.weights[b], sums[b] = e.total/float64(n), mean*e.total*float64(b+1)/float64(n*n)
		}
		m.rates[b] = float64(k) * m.weights[b] / sums[b]
		m.weights[b] /= e.total
	}
	normalise(m.weights)
	return m
}
