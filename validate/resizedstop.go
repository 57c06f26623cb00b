package validate

import (
	"maps"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/chain"
)

// wholeUnits is a machine whose partitions are whole numbers of units. It tells which jobs make progress while others
// are resized, on average, for [chain.Resizing].
type wholeUnits struct {
	speedup workload.Speedup
	nodes   int // of the machine,
	unit    int // and of the smallest partition
}

// group is a number of jobs that hold equally many units each. Jobs of a group are alike, so what holds for one of them
// is found once: thousands of jobs would otherwise take seconds.
type group struct{ units, jobs int }

// going is the mean number of jobs that make progress, by the number of units that they hold.
type going map[int]float64

// even returns the larger and the smaller partitions when k jobs share the machine evenly: their units differ by one.
// There may be no larger partitions.
func (w wholeUnits) even(k int) (larger, smaller group) {
	units := w.nodes / w.unit
	small, bigs := units/k, units%k
	return group{small + 1, bigs}, group{small, k - bigs}
}

// sizes returns the partitions of k jobs that share the machine evenly, the larger partitions first.
func (w wholeUnits) sizes(k int) []group {
	larger, smaller := w.even(k)
	if larger.jobs == 0 {
		return []group{smaller}
	}
	return []group{larger, smaller}
}

// all returns the numbers of jobs by units if all jobs make progress.
func all(sizes []group) going {
	g := going{}
	for _, of := range sizes {
		g[of.units] += float64(of.jobs)
	}
	return g
}

// speed returns the sum of the speedups of the jobs that make progress.
func (w wholeUnits) speed(g going) float64 {
	sum := 0.0
	for units, jobs := range g {
		sum += jobs * w.speedup.At(float64(units*w.unit))
	}
	return sum
}

// arrival returns the jobs that make progress while an arrived job is given nodes. They are the jobs of g that keep
// their nodes. Among jobs of the same size, each is equally likely to be resized. sizes are the partitions before the
// arrival.
func (w wholeUnits) arrival(sizes []group, g going) going {
	return w.kept(append(slices.Clone(sizes), group{0, 1}), g)
}

// departure returns the jobs that make progress while the nodes of a departed job are given away. It is the mean over
// the jobs that may have departed. A job of g departs with a probability proportional to its speedup. sizes are the
// partitions before the departure.
func (w wholeUnits) departure(sizes []group, g going) going {
	mean, speed := going{}, w.speed(g)
	for i, of := range sizes {
		left := g[of.units] / float64(of.jobs) * w.speedup.At(float64(of.units*w.unit)) / speed
		if !(left > 0) {
			continue
		}
		others := maps.Clone(g)
		others[of.units] = max(0, g[of.units]-1)
		remaining := slices.Clone(sizes)
		remaining[i].jobs--
		for units, jobs := range w.kept(remaining, others) {
			mean[units] = addTimes(mean[units], left*jobs, of.jobs)
		}
	}
	return mean
}

// addTimes returns sum + n·x, with x added n times. So jobs of the same size, taken together, give the same result to
// the last bit as the jobs one by one.
func addTimes(sum, x float64, n int) float64 {
	for range n {
		sum += x
	}
	return sum
}

// kept returns the jobs of g that keep their units when the machine is divided evenly among all jobs, as
// [sched.EquiPartition] does: as many jobs as possible keep their units. sizes are the partitions of all jobs; a new job
// has 0 units.
func (w wholeUnits) kept(sizes []group, g going) going {
	present := 0
	for _, of := range sizes {
		present += of.jobs
	}
	k := going{}
	if present == 0 {
		return k
	}
	larger, smaller := w.even(present)
	for _, of := range sizes {
		for _, to := range []group{larger, smaller} {
			if same := min(of.jobs, to.jobs); of.units == to.units && of.units > 0 && same > 0 {
				k[of.units] = addTimes(k[of.units], g[of.units]/float64(of.jobs), same)
			}
		}
	}
	return k
}

// resizing returns the description of a machine that stops only the resized jobs, for up to most running jobs. Entry
// k−1 of each list belongs to k running jobs. Speeds are relative to the speed of k jobs on average partitions, shares
// of nodes to the whole machine. See [chain.Resizing].
func resizing(sys *models.System, most int) chain.Resizing {
	w := wholeUnits{speedup(sys), sys.Nodes, sys.MinNodes}
	r := chain.Resizing{Executing: make([]chain.Going, most), Shrinking: make([]chain.Going, most),
		Expanding: make([]chain.Going, most)}
	// Repartitions that leave k jobs and interrupt none, k ≤ most.
	shrink, expand := make([]going, most+1), make([]going, most+1)
	for k := 1; k <= most; k++ {
		if k > 1 {
			shrink[k] = w.arrival(w.sizes(k-1), all(w.sizes(k-1)))
		}
		if k < most {
			expand[k] = w.departure(w.sizes(k+1), all(w.sizes(k+1)))
		}
	}
	for k := 1; k <= most; k++ {
		for _, s := range []struct {
			to *chain.Going
			g  going
		}{{&r.Executing[k-1], all(w.sizes(k))}, {&r.Shrinking[k-1], shrink[k]}, {&r.Expanding[k-1], expand[k]}} {
			if w.speed(s.g) == 0 {
				continue
			}
			s.to.Speed = w.speed(s.g) / (float64(k) * averageSpeed(sys, k))
			for units, jobs := range s.g {
				s.to.Jobs += jobs
				s.to.Nodes += jobs * float64(units*w.unit) / float64(sys.Nodes)
			}
			if k < most {
				s.to.Shrink = w.share(w.arrival(w.sizes(k), s.g), shrink[k+1])
			}
			if k > 1 {
				s.to.Expand = w.share(w.departure(w.sizes(k), s.g), expand[k-1])
			}
		}
	}
	return r
}

// share returns the speed of the jobs g over the speed of the jobs in of, at most 1. It is 0 if the jobs in of have no
// speed.
func (w wholeUnits) share(g, of going) float64 {
	if whole := w.speed(of); whole > 0 {
		return min(1, w.speed(g)/whole)
	}
	return 0
}

// averageSpeed returns the speed at which the service times of k jobs pass, on the scale of [speedup].
func averageSpeed(sys *models.System, k int) float64 {
	if sys.Speedup == nil && len(sys.Classes) == 0 {
		return sys.Service[sys.Partitions()-1].Mean() / sys.Service[k-1].Mean()
	}
	return speedupOf(sys)(float64(sys.Nodes) / float64(k))
}
