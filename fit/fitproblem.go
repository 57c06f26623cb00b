package fit

import (
	"context"
	"math"
)

// problem is the fit of a sample: its observations, the options, and what is made of the observations when it is first
// needed.
type problem struct {
	observations
	opts   Options
	sample Sample // as it was given

	scoringQuad *quadrature // on which all candidates are scored
	scorer      *likelihood // of the candidate scored last, whose storage serves the next of as many phases
	survival    *empirical  // of the data
}

// newProblem returns the fit of a sample, whose observations are checked, sorted and in scaled time. The error is a
// *[SampleError] that says what is wrong with the sample, or that of ctx. The options are not checked.
func newProblem(ctx context.Context, s Sample, o Options) (*problem, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	all, err := gather(ctx, s)
	p := &problem{observations: all, opts: o, sample: s}
	switch {
	case err != nil:
		return nil, err
	case p.uncensored == 0 && p.zeros > 0:
		return nil, &SampleError{"values", -1, "all values are zero; give the resolution of the clock"}
	case p.uncensored == 0:
		return nil, &SampleError{"values", -1, "all values are censored or have weight zero"}
	case math.IsInf(p.total, 1):
		return nil, &SampleError{"weights", -1, "the sum of weights overflows"}
	}
	return p, p.rescale()
}
