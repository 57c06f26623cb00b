package spectrum

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// CheckLast returns an error that wraps ErrInaccurate if the modes have lost the last of the given levels, otherwise nil.
// levels holds the states in service of three or more levels from c on; all but the last are corrected by sweeps of their
// balance equations. At loads of a few per cent on many servers the last level has a probability of 1e-35 or less. It is
// then a difference of numbers that exceed it by sixteen digits. No change of the modes shows the error, if the level
// stays a small part of what it should be.
//
// Let r_k be the ratio of the sums of level k and the level before, over the root of the slowest mode, less one. Faster
// modes make r_k fall by nearly the same factor from level to level. Let r be the number r_k of the level before. The
// level is lost if its r_k is NaN, or differs from r by more than |r|/2 + tol.
func (m *Modes) CheckLast(levels [][]float64, tol float64) error {
	last := len(levels) - 1
	excess := func(k int) float64 {
		return block.Sum(levels[k])/(real(m.List[0].Z)*block.Sum(levels[k-1])) - 1
	}
	before := excess(last - 1)
	if off := math.Abs(excess(last) - before); !(off <= math.Abs(before)/2+tol) {
		return fmt.Errorf("spectral expansion: level c+%d differs by %.1g of itself from the level before: %w",
			last, off, markov.ErrInaccurate)
	}
	return nil
}
