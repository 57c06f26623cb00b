package validate

import (
	"maps"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/chain"
	"github.com/partwise/partwise/validate/sched"
)

// wholeUnits is a machine whose partitions are whole numbers of units. It tells which jobs make progress while others
// are resized, on average, for [chain.Resizing].
type wholeUnits struct {
	speedup workload.Speedup
	nodes   int // of the machine,
	unit    int // and of the smallest partition
}

// going is the mean number of jobs that make progress, by the number of units that they hold.
type going map[int]float64

// sizes returns the units of each of k jobs that share the machine evenly.
func (w wholeUnits) sizes(k int) []int {
	sizes := make([]int, k)
	sched.EquiPartition(sizes, w.nodes/w.unit)
	return sizes
}

// all returns the numbers of jobs with the given units if all of them make progress.
func all(sizes []int) going {
	g := going{}
	for first := 0; first < len(sizes); {
		n := equalSizes(sizes[first:])
		g[sizes[first]] += float64(n)
		first += n
	}
	return g
}

// equalSizes returns how many sizes from the first one on are equal; at least one size is given. Jobs of the same size
// stand side by side, so that what holds for one of them is found once. Thousands of jobs would otherwise take minutes.
func equalSizes(sizes []int) int {
	n := 1
	for n < len(sizes) && sizes[n] == sizes[0] {
		n++
	}
	return n
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
// their nodes. Among jobs of the same size, each is equally likely to be resized. sizes are the units of all jobs
// before the arrival.
func (w wholeUnits) arrival(sizes []int, g going) going {
	return w.kept(append(slices.Clone(sizes), 0), g)
}

// departure returns the jobs that make progress while the nodes of a departed job are given away. It is the mean over
// the jobs that may have departed. A job of g departs with a probability proportional to its speedup. sizes are the
// units of all jobs before the departure.
func (w wholeUnits) departure(sizes []int, g going) going {
	mean, present, speed := going{}, all(sizes), w.speed(g)
	for first := 0; first < len(sizes); {
		n, units := equalSizes(sizes[first:]), sizes[first]
		left := g[units] / present[units] * w.speedup.At(float64(units*w.unit)) / speed
		if left > 0 {
			others := maps.Clone(g)
			others[units] = max(0, g[units]-1)
			for u, jobs := range w.kept(slices.Delete(slices.Clone(sizes), first, first+1), others) {
				mean[u] = addTimes(mean[u], left*jobs, n)
			}
		}
		first += n
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

// kept returns the jobs of g that keep their sizes when the machine is divided evenly. sizes are the units of all jobs;
// a new job has 0.
func (w wholeUnits) kept(sizes []int, g going) going {
	divided := slices.Clone(sizes)
	sched.EquiPartition(divided, w.nodes/w.unit)
	present, k := all(sizes), going{}
	for first := 0; first < len(sizes); {
		n, units := equalSizes(sizes[first:]), sizes[first]
		same := 0
		for _, size := range divided[first : first+n] {
			if size == units {
				same++
			}
		}
		if units > 0 && same > 0 {
			k[units] = addTimes(k[units], g[units]/present[units], same)
		}
		first += n
	}
	return k
}

// resizing returns the description of a machine that stops only the resized jobs, for up to most running jobs.
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

// share returns the speed of the jobs g over the speed of the jobs of, at most 1; 0 if these have no speed.
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
