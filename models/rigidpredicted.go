// This file predicts the size of the chain of rigid jobs before its states are found.

package models

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/models/internal/rigidjobs"
)

// rigidChainSize is the predicted size of a chain of rigid jobs.
type rigidChainSize struct {
	levels []float64 // numbers of states of the boundary levels; each level above has as many states as the last
}

// phases returns the number of phases of a repeating level.
func (s *rigidChainSize) phases() float64 { return s.levels[len(s.levels)-1] }

// predicted returns the size of the chain. Some states may not be reachable. The error wraps [markov.ErrTooLarge].
func (q *rigidQueue) predicted() (*rigidChainSize, error) {
	ways, err := q.Occupancies(rigidjobs.OwnPhases)
	if err != nil {
		return nil, err
	}
	order := float64(q.arrivals.Phases())
	if n := order * q.Saturated(ways, q.tried); n > maxSparsePhases {
		return nil, levels.TakesTooLong("%.6g phases of a level, at most %d are solved", n, maxSparsePhases)
	}
	if q.repeats() > rigidjobs.MostOccupancies {
		return nil, levels.TakesTooLong("%d levels", q.repeats())
	}
	size := &rigidChainSize{levels: make([]float64, q.repeats()+1)}
	full := make([]float64, q.repeats()+1)
	for o, n := range ways {
		for waiting := range q.tried { // windows that are not full have no jobs behind them
			size.levels[o.Jobs+waiting] += order * n * q.Windows(o.Units, waiting)
		}
		full[o.Jobs+q.tried] += order * n * q.FullWindows(o.Units, q.tried)
	}
	below := 0.0 // full windows, which have any number of jobs behind them
	for l := range size.levels {
		below += full[l]
		size.levels[l] += below
	}
	return size, nil
}

// maxSparsePhases is the largest number of phases of a level. So many take some minutes.
const maxSparsePhases = 100_000

// The cost of a solution with dense blocks: rigidCopies is the size of the blocks and their copies, in bytes per number, as in
// package levels. A boundary level of n phases takes secondsPerCube·n³, the repeating part repeatingCubes as much.
const (
	rigidCopies    = 2 * 8
	secondsPerCube = 1e-10
	repeatingCubes = 30
)

// The cost of a solution by iteration: bytes and seconds for each state, and how many levels above the boundary have states of their
// own in the largest chain. They are larger if the levels forget slowly where they began. Measured were 1.4e-5 s for 561 phases,
// 1e-5 s for 5,621 and 4e-5 s for 24,183 (BenchmarkRigid). The iteration checks its memory again as the number of levels grows.
const (
	sparseStateBytes   = 1500
	sparseStateSeconds = 2e-5
	sparseLevelsAbove  = 100
)

// mostDenseBytes is the memory up to which blocks are dense.
const mostDenseBytes = 256 << 20

// denseBytes returns the memory of the dense blocks and their copies.
func (s *rigidChainSize) denseBytes() float64 {
	numbers, below := 0.0, 0.0
	for _, n := range s.levels {
		numbers += n * (n + 2*below)
		below = n
	}
	return rigidCopies * (numbers + 3*below*below)
}

// dense reports whether the chain is solved with dense blocks.
func (s *rigidChainSize) dense() bool {
	return s.phases() <= levels.MostDensePhases && s.denseBytes() <= mostDenseBytes
}

// states returns the number of states of the chain that an iteration solves.
func (s *rigidChainSize) states() float64 {
	return floats.Sum(s.levels) + sparseLevelsAbove*s.phases()
}

// check returns an error if the chain needs more than the memory.
func (s *rigidChainSize) check(memory *markov.Memory) error {
	bytes := s.denseBytes()
	if !s.dense() {
		bytes = sparseStateBytes * s.states()
	}
	if err := memory.Check(bytes); err != nil {
		return fmt.Errorf("%d levels of up to %.0f phases: %w", len(s.levels), s.phases(), err)
	}
	return nil
}

// seconds returns about how many seconds a solution takes on one core.
func (s *rigidChainSize) seconds() float64 {
	if !s.dense() {
		return sparseStateSeconds * s.states()
	}
	cubes := 0.0
	for _, n := range s.levels {
		cubes += n * n * n
	}
	return secondsPerCube * (cubes + repeatingCubes*math.Pow(s.phases(), 3))
}

// smaller says what would make the chain smaller, with the number of phases that it would have.
func (q *rigidQueue) smaller() string {
	var ways []string
	order := float64(q.arrivals.Phases())
	if exponential, err := q.Occupancies(rigidjobs.OnePhase); err == nil && q.Phases > len(q.Sizes) {
		ways = append(ways, fmt.Sprintf("%.6g with exponential run times", order*q.Saturated(exponential, q.tried)))
	}
	if own, err := q.Occupancies(rigidjobs.OwnPhases); err == nil && q.tried > 1 {
		ways = append(ways, fmt.Sprintf("%.6g with a window of one job", order*q.Saturated(own, 1)))
	}
	if order > 1 {
		ways = append(ways, "fewer phases of arrivals")
	}
	return "there are " + strings.Join(append(ways, "fewer with sizes that have a larger common divisor, or with fewer sizes"), ", ")
}
