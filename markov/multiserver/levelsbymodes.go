package multiserver

import (
	"context"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
)

// levelCByModes returns two vectors of level c: its entries, arrivals from below by class and occupancy, and the
// probabilities of its states in service, by arrival phase and occupancy. Both are in a unit in which the entries sum
// to about one; the caller normalises them. The modes must be set, and basis for iteration. It sets balance, the
// coefficients b, vectors, and what [repeatingPart.correctLevels] sets: level c and the levels near it are corrected.
// Levels of the boundary b may be eliminated meanwhile. The caller releases balance. The second vector is corrected[0].
//
// The error comes from [repeatingPart.solveBalance] or correctLevels. It wraps ErrInaccurate if level c or c+1 has
// negative probabilities that matter, see [spectrum.CheckNegative].
func (rp *repeatingPart) levelCByModes(ctx context.Context, b *boundary) (entry, inService []float64, err error) {
	if rp.balance, err = rp.solveBalance(ctx, b); err != nil {
		return nil, nil, err
	}
	rp.b = rp.balance.normalisedCoefficients(nil, rp.balance.b)
	levels := rp.levelsByModes(ctx)
	if entry, err = rp.correctLevels(ctx, b, levels); err != nil {
		return nil, nil, err
	}
	for _, v := range levels[:2] {
		if err := spectrum.CheckNegative(v); err != nil {
			return nil, nil, err
		}
	}
	rp.balance.dropPending()
	return entry, rp.corrected[0], nil
}

// dropScratch drops what only the solve needs of levels known by modes, and what lies in the scratch of the system: the
// factors of the equations for the coefficients, the sums of modes, and the last changes of corrected levels.
func (rp *repeatingPart) dropScratch() {
	rp.balance.release()
	rp.vectors, rp.lastChange, rp.above = spectrum.LevelVectors{}, nil, nil
}

// If a level has less than rarelyBusier times the probability of the level before, the levels up to c+mostNear are
// corrected. Above these levels, less probability is left than modes lose. All other levels above c are as the modes give
// them. Where modes have lost too many digits of level c, see [Solution.improve], the levels up to c+fewNear are
// corrected. Modes that cancel there decay by a sixth or more from level to level, so few digits are lost above.
const (
	rarelyBusier = 0.25
	mostNear     = 10
	fewNear      = 5
)

// levelsByModes sets vectors, all sums of modes that the solution needs, in one pass over the modes. It returns the
// levels from c on that [repeatingPart.correctLevels] corrects, as the modes give them, and the level after them. Each
// level holds its states in service, a number for each arrival phase and occupancy. Level c alone is corrected, so that
// the result has 2 levels, but for two cases:
//
//   - If the decay rate of the queue without switch-overs is below rarelyBusier, 0.25, mostNear, 10, further levels are
//     corrected, because rare levels are differences of modes.
//   - If rp.improved is set, a first solve was not accurate enough, and fewNear, 5, further levels are corrected. It sets
//     above to the modes of the level after them and of all higher levels, which follow the corrected levels.
//
// The coefficients rp.b must be set, and the vectors have their unit. They lie in the scratch of the system, but levels
// to correct in its store. If ctx ends, the choice may be wrong.
func (rp *repeatingPart) levelsByModes(ctx context.Context) [][]float64 {
	corrected := 1
	switch {
	case rp.improved:
		corrected = fewNear + 1
	case rp.sys.station.QueueDecay(ctx) < rarelyBusier:
		corrected = mostNear + 1
	}
	rp.setVectors(rp.b, corrected)
	levels := rp.vectors.Levels[:corrected+1]
	for k, x := range levels[:corrected] { // the solution keeps corrected levels
		levels[k] = rp.sys.store.Clone(x)
	}
	if rp.improved {
		rp.above = rp.Continue(rp.basis, rp.b, corrected)
		levels[corrected] = rp.above.InService
	}
	return levels
}

// tailByModes returns P(level ≥ c+k and in service), k ≥ 0: the sum of the corrected levels from c+k on, and of the
// modes at all other levels from c+k on. Small results may be negative by rounding.
func (rp *repeatingPart) tailByModes(k int) (tail float64) {
	level, w := rp.AtLevel(max(k, len(rp.corrected))), make([]complex128, rp.Order())
	for j := range rp.List {
		copy(w, rp.b[j*len(w):])
		level(j, w)
		rp.Sum(j, w)
		tail += real(rp.Mass(j, w))
	}
	for ; k < len(rp.corrected); k++ {
		tail += block.Sum(rp.corrected[k])
	}
	return tail
}
