package fit

import (
	"context"
	"slices"
)

// hyperErlang returns the family of mixtures of Erlang distributions. Ascents start from the first maxPartitions
// partitions of the order into shapes, and from the fit of the order below with one branch lengthened. The family
// contains the hyperexponential family, whose fit is the result where it is better. No start of more than one phase has
// shapes of 1 only: ascents do not change shapes, and the fit of the hyperexponential family is already their maximum.
// ctx is the context of all fits of the family.
func (f mixtureFit) hyperErlang(ctx context.Context, hyperexponential *nested[mixture]) *nested[mixture] {
	n := f.family(HyperErlang, func(m int, below mixture, _ []mixture) (reached[mixture], error) {
		e := f.p.erlangMixtures(f.coarse)
		var starts []mixture
		for _, shapes := range partitionsByParts(m) {
			if m == 1 || len(shapes) < m {
				starts = append(starts, e.starts(shapes)...)
			}
		}
		if m > 1 {
			for b := range below.shapes {
				starts = append(starts, below.withLongerBranch(b))
			}
		}
		return f.best(ctx, starts, search{longlist: len(starts), shortlist: 10, maxima: 3})
	})
	n.contained = func(m int) ([]containedFit[mixture], error) {
		return pointsOf(ctx, m, func(s scored[mixture]) (mixture, error) { return s.at, nil }, hyperexponential)
	}
	return n
}

// partitions calls f with each partition of n into at most so many parts: positive numbers, in descending order, that
// sum to n. Partitions with a larger first part come first. Each call gets a list of its own.
func partitions(n, parts int, f func([]int)) {
	var walk func(left, largest int, head []int)
	walk = func(left, largest int, head []int) {
		if left == 0 {
			f(slices.Clone(head))
			return
		}
		if len(head) == parts {
			return
		}
		for k := min(left, largest); k > 0; k-- {
			walk(left-k, k, append(head, k))
		}
	}
	walk(n, n, nil)
}

// maxPartitions is the largest number of partitions that are tried at one order. Up to order 18 there are fewer.
const maxPartitions = 400

// partitionsByParts returns the partitions of m, the fewest parts first, at most maxPartitions (400). The parts of each
// partition are in descending order. They are the shapes of the branches of mixtures of order m.
func partitionsByParts(m int) [][]int {
	var out [][]int
	for parts := 1; parts <= m && len(out) < maxPartitions; parts++ {
		partitions(m, parts, func(shapes []int) {
			if len(shapes) == parts && len(out) < maxPartitions {
				out = append(out, shapes)
			}
		})
	}
	return out
}
