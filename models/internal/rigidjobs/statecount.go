// This file counts the states of the chain of rigid jobs before they are found.

package rigidjobs

import (
	"github.com/partwise/partwise/models/internal/levels"
)

// MostOccupancies bounds the numbers of units and jobs that are told apart in the prediction of a size. So many are counted in some
// seconds.
const MostOccupancies = 1 << 20

// Occupancy is a number of used units and of running jobs.
type Occupancy struct{ Units, Jobs int }

// Occupancies returns the number of ways to occupy the machine, by used units and running jobs: the coefficients of the generating
// function
//
//	Π_j 1/(1 − x^{n_j}·y),
//
// in which each phase j of a run time has a factor. Powers of x count units and powers of y count jobs. phases returns how many
// phases a size has. The error wraps [markov.ErrTooLarge].
func (r *Jobs) Occupancies(phases func(z *Size) int) (map[Occupancy]float64, error) {
	ways := map[Occupancy]float64{{}: 1}
	for i := range r.Sizes {
		z := &r.Sizes[i]
		for range phases(z) {
			next := map[Occupancy]float64{}
			for o, n := range ways {
				for o.Units <= r.Nodes {
					next[o] += n
					o.Units, o.Jobs = o.Units+z.Nodes, o.Jobs+1
				}
				if len(next) > MostOccupancies {
					return nil, levels.TakesTooLong("more than %d numbers of busy nodes and running jobs", MostOccupancies)
				}
			}
			ways = next
		}
	}
	return ways, nil
}

// OwnPhases returns the number of phases of the run time of a size.
func OwnPhases(z *Size) int { return z.Service.Phases() }

// OnePhase returns 1, the number of phases of the run time of a size if it were exponential.
func OnePhase(*Size) int { return 1 }

// Saturated returns the number of states with a full window of so many jobs, without the phase of arrivals:
//
//	Σ_u c(u)·(b(u)+W−2 choose W−1),  summed over b(u) > 0,
//
// where c(u) counts the ways to use u units, and b(u) the sizes that do not fit beside them. Least sizes do not increase along the
// window, and all that is known of its last job is that the job does not fit now.
func (r *Jobs) Saturated(ways map[Occupancy]float64, tried int) float64 {
	states := 0.0
	for o, n := range ways {
		states += n * r.FullWindows(o.Units, tried)
	}
	return states
}

// FullWindows returns the number of full windows of so many jobs beside so many used units.
func (r *Jobs) FullWindows(used, jobs int) float64 {
	if r.blocked(used) == 0 {
		return 0
	}
	return r.Windows(used, jobs-1)
}

// Windows returns the number of windows of so many jobs beside so many used units: the non-increasing sequences of sizes that
// do not fit.
func (r *Jobs) Windows(used, jobs int) float64 {
	n := 1.0
	for i := range jobs {
		n = n * float64(r.blocked(used)+i) / float64(i+1)
	}
	return n
}

// blocked returns the number of sizes that do not fit beside so many used units.
func (r *Jobs) blocked(used int) int { return len(r.Sizes) - r.Fitting(used) }
