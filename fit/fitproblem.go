package fit

import "context"

// problem is the fit of a sample: its observations, the options, and results from the observations, each computed when
// it is first needed.
type problem struct {
	observations
	opts   Options
	sample Sample // as it was given

	scoringQuad *quadrature // on which all candidates are scored
	scorer      *likelihood // of the candidate scored last, whose storage serves the next of as many phases
	survival    *empirical  // of the data
}

// newProblem returns what all fits to a sample share: its observations, checked, sorted and in scaled time, and the
// options, which are not checked. The error comes from ctx, wraps a *[parallel.LimitError] if the observations take
// more than o.Memory, or is a *[SampleError]. The sample is refused if one of its numbers is wrong, or if numbers leave
// the range of [observations.rescale]. It is also refused if all observations of positive weight are lower bounds, or
// zeros without a resolution.
func newProblem(ctx context.Context, s Sample, o Options) (*problem, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := checkMemory(bytesPerValue*float64(len(s.Values)), o.Memory); err != nil {
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
	}
	if err := p.rescale(); err != nil {
		return nil, err
	}
	return p, nil
}
