package validate

import (
	"maps"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/chain"
	"github.com/partwise/partwise/validate/sched"
)

// wholeUnits is a machine whose jobs have whole partitions, for what goes on while some of them are resized.
type wholeUnits struct {
	speedup workload.Speedup
	nodes   int // of the machine,
	unit    int // and of the smallest partition
}

// going is how many of the jobs that hold so many units make progress, on average.
type going map[int]float64

// sizes returns the units that k jobs hold.
func (w wholeUnits) sizes(k int) []int {
	sizes := make([]int, k)
	sched.EquiPartition(sizes, w.nodes/w.unit)
	return sizes
}

// all returns the jobs when all make progress.
func all(sizes []int) going {
	g := going{}
	for _, units := range sizes {
		g[units]++
	}
	return g
}

// speed returns the sum of the speeds of jobs that make progress.
func (w wholeUnits) speed(g going) float64 {
	sum := 0.0
	for units, jobs := range g {
		sum += jobs * w.speedup.At(float64(units*w.unit))
	}
	return sum
}

// arrival returns who makes progress while a job that has come is given nodes: those who did, and keep their nodes. Of
// jobs with as many nodes each may be the one to be resized.
func (w wholeUnits) arrival(sizes []int, g going) going {
	return w.kept(append(slices.Clone(sizes), 0), g)
}

// departure returns who makes progress while the nodes of a job that has left are given away, the mean over the jobs
// that may have left: each of those that made progress, as often as it is fast.
func (w wholeUnits) departure(sizes []int, g going) going {
	mean, present, speed := going{}, all(sizes), w.speed(g)
	for j, units := range sizes {
		left := g[units] / present[units] * w.speedup.At(float64(units*w.unit)) / speed
		if left == 0 {
			continue
		}
		others := maps.Clone(g)
		others[units] = max(0, g[units]-1)
		for u, jobs := range w.kept(slices.Delete(slices.Clone(sizes), j, j+1), others) {
			mean[u] += left * jobs
		}
	}
	return mean
}

// kept returns who makes progress of the jobs whose sizes an even division does not change.
func (w wholeUnits) kept(sizes []int, g going) going {
	divided := slices.Clone(sizes)
	sched.EquiPartition(divided, w.nodes/w.unit)
	present, k := all(sizes), going{}
	for j, units := range sizes {
		if units > 0 && divided[j] == units {
			k[units] += g[units] / present[units]
		}
	}
	return k
}

// resizing describes the machine that stops resized jobs, for at most so many of them.
func resizing(sys *models.System, most int) chain.Resizing {
	w := wholeUnits{speedup(sys), sys.Nodes, sys.MinNodes}
	r := chain.Resizing{Executing: make([]chain.Going, most), Shrinking: make([]chain.Going, most),
		Expanding: make([]chain.Going, most)}
	fresh := func(k int) (shrink, expand going) { // repartitions that leave k jobs and interrupt none
		if k > 1 {
			shrink = w.arrival(w.sizes(k-1), all(w.sizes(k-1)))
		}
		if k < most {
			expand = w.departure(w.sizes(k+1), all(w.sizes(k+1)))
		}
		return shrink, expand
	}
	for k := 1; k <= most; k++ {
		shrink, expand := fresh(k)
		for _, s := range []struct {
			to *chain.Going
			g  going
		}{{&r.Executing[k-1], all(w.sizes(k))}, {&r.Shrinking[k-1], shrink}, {&r.Expanding[k-1], expand}} {
			if w.speed(s.g) == 0 {
				continue
			}
			s.to.Speed = w.speed(s.g) / (float64(k) * averageSpeed(sys, k))
			for units, jobs := range s.g {
				s.to.Jobs += jobs
				s.to.Nodes += jobs * float64(units*w.unit) / float64(sys.Nodes)
			}
			if k < most {
				next, _ := fresh(k + 1)
				s.to.Shrink = w.share(w.arrival(w.sizes(k), s.g), next)
			}
			if k > 1 {
				_, next := fresh(k - 1)
				s.to.Expand = w.share(w.departure(w.sizes(k), s.g), next)
			}
		}
	}
	return r
}

// share returns the speed of jobs over that of others, at most 1.
func (w wholeUnits) share(g, of going) float64 {
	if whole := w.speed(of); whole > 0 {
		return min(1, w.speed(g)/whole)
	}
	return 0
}

// averageSpeed is the speed at which the service times of k jobs pass, on the scale of [speedup].
func averageSpeed(sys *models.System, k int) float64 {
	if sys.Speedup == nil && len(sys.Classes) == 0 {
		return sys.Service[sys.Partitions()-1].Mean() / sys.Service[k-1].Mean()
	}
	return speedupOf(sys)(float64(sys.Nodes) / float64(k))
}
