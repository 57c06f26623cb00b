package spectrum

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// negativeTol is the largest share of a vector that may be negative because of rounding.
const negativeTol = 1e-8

// CheckNegative returns an error that wraps ErrInaccurate if x, a vector of probabilities, sums to zero or NaN. The
// error is the same if the negative entries have an absolute sum of more than negativeTol, 10⁻⁸, times the sum of x. It
// names their share of the absolute values. Otherwise it returns nil. x stays unchanged, also its negative entries: errors
// of modes cancel in sums over all entries, and would not cancel if the negative entries were set to zero.
func CheckNegative(x []float64) error {
	negative := 0.0
	for _, v := range x {
		negative -= min(0, v)
	}
	total := block.Sum(x)
	if math.IsNaN(total) || total == 0 {
		return fmt.Errorf("spectral expansion: a level has no probabilities: %w", markov.ErrInaccurate)
	}
	if !(negative <= negativeTol*total) {
		return fmt.Errorf("spectral expansion: %.1g of a level is negative: %w", negative/(total+2*negative), markov.ErrInaccurate)
	}
	return nil
}
