// This file predicts the size of the chain of rigid jobs before its states are found.

package models

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/levels"
)

// maxRigidOccupancies bounds the numbers of units and jobs that are told apart in the prediction of a size. So many are counted in
// some seconds.
const maxRigidOccupancies = 1 << 20

// occupancy is a number of used units and of running jobs.
type occupancy struct{ units, jobs int }

// occupancies returns the number of ways to occupy the machine, by used units and running jobs: the coefficients of the generating
// function
//
//	Π_j 1/(1 − x^{n_j}·y),
//
// in which each phase j of a run time has a factor. Powers of x count units and powers of y count jobs. phases returns how many
// phases a size has. The error wraps [markov.ErrTooLarge].
func (r *rigidJobs) occupancies(phases func(z *rigidSize) int) (map[occupancy]float64, error) {
	ways := map[occupancy]float64{{}: 1}
	for i := range r.sizes {
		z := &r.sizes[i]
		for range phases(z) {
			next := map[occupancy]float64{}
			for o, n := range ways {
				for o.units <= r.nodes {
					next[o] += n
					o.units, o.jobs = o.units+z.nodes, o.jobs+1
				}
				if len(next) > maxRigidOccupancies {
					return nil, levels.TakesTooLong("more than %d numbers of busy nodes and running jobs", maxRigidOccupancies)
				}
			}
			ways = next
		}
	}
	return ways, nil
}

// saturated returns the number of states with a full window of so many jobs, without the phase of arrivals:
//
//	Σ_u c(u)·(b(u)+W−2 choose W−1),  summed over b(u) > 0,
//
// where c(u) counts the ways to use u units, and b(u) the sizes that do not fit beside them. Least sizes do not increase along the
// window, and all that is known of its last job is that the job does not fit now.
func (r *rigidJobs) saturated(ways map[occupancy]float64, tried int) float64 {
	states := 0.0
	for o, n := range ways {
		states += n * r.fullWindows(o.units, tried)
	}
	return states
}

// fullWindows returns the number of full windows of so many jobs beside so many used units.
func (r *rigidJobs) fullWindows(used, jobs int) float64 {
	if r.blocked(used) == 0 {
		return 0
	}
	return r.windows(used, jobs-1)
}

// windows returns the number of windows of so many jobs beside so many used units: the non-increasing sequences of sizes that
// do not fit.
func (r *rigidJobs) windows(used, jobs int) float64 {
	n := 1.0
	for i := range jobs {
		n = n * float64(r.blocked(used)+i) / float64(i+1)
	}
	return n
}

// blocked returns the number of sizes that do not fit beside so many used units.
func (r *rigidJobs) blocked(used int) int { return len(r.sizes) - r.fitting(used) }

// ownPhases returns the number of phases of the run time of a size.
func ownPhases(z *rigidSize) int { return z.service.Phases() }

// rigidChainSize is the predicted size of a chain of rigid jobs.
type rigidChainSize struct {
	levels []float64 // numbers of states of the boundary levels; each level above has as many states as the last
}

// phases returns the number of phases of a repeating level.
func (s *rigidChainSize) phases() float64 { return s.levels[len(s.levels)-1] }

// predicted returns the size of the chain. Some states may not be reachable. The error wraps [markov.ErrTooLarge].
func (q *rigidQueue) predicted() (*rigidChainSize, error) {
	ways, err := q.occupancies(ownPhases)
	if err != nil {
		return nil, err
	}
	order := float64(q.arrivals.Phases())
	if n := order * q.saturated(ways, q.tried); n > maxSparsePhases {
		return nil, levels.TakesTooLong("%.6g phases of a level, at most %d are solved", n, maxSparsePhases)
	}
	if q.repeats() > maxRigidOccupancies {
		return nil, levels.TakesTooLong("%d levels", q.repeats())
	}
	size := &rigidChainSize{levels: make([]float64, q.repeats()+1)}
	full := make([]float64, q.repeats()+1)
	for o, n := range ways {
		for waiting := range q.tried { // windows that are not full have no jobs behind them
			size.levels[o.jobs+waiting] += order * n * q.windows(o.units, waiting)
		}
		full[o.jobs+q.tried] += order * n * q.fullWindows(o.units, q.tried)
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
// own in the largest chain. They are larger if the levels forget slowly where they began. Measured were 1.4e-5 s for 561 phases, 1e-5 s for
// 5,621 and 4e-5 s for 24,183 (BenchmarkRigid). The iteration checks its memory again as the number of levels grows.
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
	if exponential, err := q.occupancies(func(*rigidSize) int { return 1 }); err == nil && q.phases > len(q.sizes) {
		ways = append(ways, fmt.Sprintf("%.6g with exponential run times", order*q.saturated(exponential, q.tried)))
	}
	if own, err := q.occupancies(ownPhases); err == nil && q.tried > 1 {
		ways = append(ways, fmt.Sprintf("%.6g with a window of one job", order*q.saturated(own, 1)))
	}
	if order > 1 {
		ways = append(ways, "fewer phases of arrivals")
	}
	return "there are " + strings.Join(append(ways, "fewer with sizes that have a larger common divisor, or with fewer sizes"), ", ")
}
