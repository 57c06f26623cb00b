package markov

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/levelvectors"
)

// defaultTolerance is the default of Settings.Tolerance. Solutions with ten correct digits have residuals well below it.
const defaultTolerance = 1e-10

// doubtful is the relative error of the moments above which a warning is given.
const doubtful = 1e-9

// Check returns ErrInaccurate if the residual is above the tolerance (0 means 1e-10), or ErrIllConditioned if the error
// bound is 1 or more. If few digits are certain, it adds a warning. Solvers call it and prefix the error with the name of their
// package.
func (d *Diagnostics) Check(tolerance float64) error {
	tolerance, err := Settings{Tolerance: tolerance}.tolerance()
	if err != nil {
		return err
	}
	if d == nil {
		return fmt.Errorf("there are no diagnostics: %w", ErrInaccurate)
	}
	if !(d.Residual <= tolerance) {
		return fmt.Errorf("residual %.2g is above %.2g: %w", d.Residual, tolerance, ErrInaccurate)
	}
	if !(d.ErrorBound < 1) {
		return ErrIllConditioned
	}
	switch {
	case d.Digits() == 0:
		d.Warnings = append(d.Warnings, fmt.Errorf(
			"close to saturation or badly conditioned: the moments may be off by %.0f %%", 100*d.ErrorBound))
	case d.ErrorBound > doubtful:
		d.Warnings = append(d.Warnings, fmt.Errorf(
			"close to saturation or badly conditioned: about %d digits of the moments are certain", d.Digits()))
	}
	return nil
}

// residual returns the largest ‖(πQ)_l‖₁ of levels 0 to b+1, relative to the flow through the level. It is computed
// before the exponents are applied: pi holds levels 0 to b with their exponents. flow adds to y the flow from the
// vector of a level to the level by levels away. out returns the total rates out of the phases of a level. The flow
// through a level counts as at least the flow of a level with the probability leastPrecise.
func (s *levelVectors) residual(pi levelvectors.Scaled, flow func(x []float64, level, by int, y []float64),
	out func(level int) []float64) float64 {
	top := s.levels[s.first+1]
	pi = pi.Append(top).Append(s.next(top))
	worst := 0.0
	for l, x := range s.levels {
		inflow := make([]float64, len(x))
		for by := -1; by <= min(l, 1); by++ {
			flow(pi.AtExponent(l-by, l), l-by, by, inflow)
		}
		rates := out(l)
		worst = max(worst, imbalance(inflow, x, rates, leastPrecise*slices.Max(append(rates, 0))))
	}
	return worst
}

// leastPrecise is the smallest probability of a level whose smallest relevant share is still a normal number. Shares of
// smaller probabilities lose digits, and in the end become zero. So the vectors of levels that are as good as never
// reached cannot be exact relative to themselves. No measure shows probabilities so small.
const leastPrecise = block.LeastNormal / block.UnitRoundoff

// residual returns ‖πQ‖₁ relative to the flow Σ π_i·out_i.
func (c *Chain) residual(pi []float64) float64 {
	inflow := make([]float64, len(pi))
	for i, p := range pi {
		to, rates := c.row(i)
		for e, j := range to {
			inflow[j] += p * rates[e]
		}
	}
	return imbalance(inflow, pi, c.out, 0)
}
