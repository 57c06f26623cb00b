package fit

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
)

// reached is a point that an ascent has reached: the parameters of a distribution or of a process.
type reached[P any] struct {
	at        P
	mean      float64 // log-likelihood per unit of weight
	steps     int     // likelihood evaluations, or steps of EM
	converged bool
}

// effort limits an ascent: it ends after so many steps, or when a step gains less than tolerance.
type effort struct {
	steps     int
	tolerance float64
}

// climber continues an ascent from a point within an effort, and returns the point that it reaches. It may have scratch
// storage of its own, so a climber is for one goroutine.
type climber[P any] func(from reached[P], e effort) reached[P]

// climbAll continues ascents from all points in parallel, each within the effort e: a bound on the steps, and a
// tolerance of the gain of a step. newClimber makes, for each worker, the function that continues one ascent. climbAll
// returns the points that the ascents reach, best first; steps of earlier ascents are added. The list from stays
// unchanged, but an ascent to which one of its points refers may go on. If ctx ends, the error comes from it, and the
// points must not be used: some are zero values.
func climbAll[P any](
	ctx context.Context, workers int, from []reached[P], e effort, newClimber func() climber[P],
) ([]reached[P], error) {
	out := make([]reached[P], len(from))
	err := parallel.Workers(ctx, len(from), max(1, workers), func() func(int) error {
		climb := newClimber()
		return func(i int) error {
			out[i] = climb(from[i], e)
			out[i].steps += from[i].steps
			return nil
		}
	})
	slices.SortStableFunc(out, func(a, b reached[P]) int { return cmp.Compare(b.mean, a.mean) })
	return out, err
}

// multistart returns the best point that ascents from the starts reach. First all ascents continue with the effort
// screening, until they are near a local maximum. Then the best of them continue to the maximum with the effort last;
// most limits their number. An effort is a bound on the steps, and a tolerance of the gain of a step; screening never
// takes more steps than last. newClimber makes, for each worker, the function that continues one ascent. starts must
// not be empty. The error comes from ctx; the point must then not be used.
func multistart[P any](
	ctx context.Context, workers int, starts []P, screening effort, most int, last effort, newClimber func() climber[P],
) (best reached[P], err error) {
	from := make([]reached[P], len(starts))
	for i, at := range starts {
		from[i].at = at
	}
	screening.steps = min(screening.steps, last.steps)
	found, err := climbAll(ctx, workers, from, screening, newClimber)
	if err == nil {
		found, err = climbAll(ctx, workers, shortlist(found, most), last, newClimber)
	}
	return found[0], err
}

// shortlist returns the points from which ascents are worth continuing: the first of sorted, best first. most limits
// their number. A point is left out if its mean log-likelihood is at most 1e-9 below the point taken before, because
// both are likely the same. sorted must not be empty, and stays unchanged.
func shortlist[P any](sorted []reached[P], most int) []reached[P] {
	out := sorted[:1:1]
	for _, r := range sorted[1:] {
		if len(out) < most && out[len(out)-1].mean-r.mean > 1e-9 {
			out = append(out, r)
		}
	}
	return out
}

// expectationMaximisation repeats steps of EM from a point within the effort. It ends with convergence if a step gains
// less than the tolerance, and without convergence if the steps are used up. step returns the mean log-likelihood of a
// point and the next point. The result is the best point. A step that decreases the likelihood counts as convergence,
// too. If all weights are positive, no step decreases it. If the first point is impossible, it is the result, with the
// log-likelihood −Inf, and converged is false. If ctx ends, the result is the point so far, and converged is false.
func expectationMaximisation[P any](ctx context.Context, at P, e effort, step func(at P) (mean float64, next P)) reached[P] {
	out := reached[P]{at: at, mean: math.Inf(-1)}
	for out.steps < e.steps && ctx.Err() == nil {
		mean, next := step(at)
		out.steps++
		if !(mean > out.mean) {
			out.converged = !math.IsInf(mean, -1)
			return out
		}
		gain := mean - out.mean
		out.at, out.mean = at, mean
		if gain < e.tolerance {
			out.converged = true
			return out
		}
		at = next
	}
	return out
}

// limit returns the largest number of evaluations or steps of an ascent: MaxIter of the options or, if it is 0, the
// standard number of the family.
func (o Options) limit(standard int) int { return cmp.Or(o.MaxIter, standard) }
