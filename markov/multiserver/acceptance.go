package multiserver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
)

// certify returns an error that wraps ErrInaccurate if the error of the method, [Solution.methodError], exceeds a limit
// or is NaN, otherwise nil. After an error the next attempt is made. The limit is fewDigits, 10⁻⁹, for the last
// attempt, and [Solution.acceptedError] for the others.
func (sol *Solution) certify(last bool) error {
	most := sol.acceptedError()
	if last {
		most = fewDigits
	}
	if off := sol.methodError(); !(off <= most) {
		return fmt.Errorf("error of the moments up to %.1g: %w", off, markov.ErrInaccurate)
	}
	return nil
}

// compare solves the queue by the method without subtractions as well, with the same boundary b. It compares mean and
// variance of the level, the mean number of waiting jobs, P(level = 0) and the share of time of switch-overs.
// Differences are relative to the other solution. If one exceeds the error bound, the bound in the diagnostics becomes
// twice the difference: +Inf if the other value is 0. A difference of the variance counts half.
//
// Where rates are far apart, a solution can be wrong although its residual is small. The bound must be set before. The
// error comes from the other solution, or from ctx.
func (sol *Solution) compare(ctx context.Context, b *boundary, st markov.Settings) error {
	other, err := sol.sys.solutionFrom(ctx, crossCheck, b, sol.sys.saturatedOrError(ctx, crossCheck, st))
	if err != nil {
		return fmt.Errorf("cross-check: %w", err)
	}
	for _, m := range []struct{ is, other, share float64 }{
		{sol.mean, other.mean, 1}, {sol.variance, other.variance, 0.5}, {sol.MeanWaiting(), other.MeanWaiting(), 1},
		{sol.Probability(0), other.Probability(0), 1}, {sol.Switching(), other.Switching(), 1},
	} {
		if off := math.Abs(m.is-m.other) * m.share; off > sol.diagnostics.ErrorBound*m.other {
			sol.diagnostics.ErrorBound = 2 * off / m.other
		}
	}
	return nil
}

// accept returns an error that wraps ErrInaccurate in three cases: the solution is no distribution, its residual is
// above the tolerance of the settings, or its error bound is 1 or more. No distribution means a residual or decay rate
// that is NaN, or a mean or variance that is negative or NaN. Otherwise it returns nil, and may add a warning about the
// accuracy to the diagnostics. For a bound of 1 or more the error is ErrIllConditioned, unless another method can have a bound below it.
func (sol *Solution) accept(st markov.Settings) error {
	d := &sol.diagnostics
	if math.IsNaN(d.Residual) || math.IsNaN(sol.decay) || !(sol.mean >= 0) || !(sol.variance >= 0) {
		return fmt.Errorf("%s gave no distribution: %w", d.Method, markov.ErrInaccurate)
	}
	err := d.Check(st.Tolerance)
	if errors.Is(err, markov.ErrIllConditioned) && sol.leastBound() < 0.5 {
		return fmt.Errorf("no digit of the moments is certain by %s: %w", d.Method, markov.ErrInaccurate)
	}
	return err
}
