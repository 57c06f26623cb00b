package validate

import (
	"maps"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/sched"
)

// TestJobsOfEqualSizesTogether: departures of jobs of the same size, taken together, leave the same jobs at work to the last
// bit as departures job by job.
func TestJobsOfEqualSizesTogether(t *testing.T) {
	for _, w := range []wholeUnits{{workload.Linear{}, 1, 1}, {workload.Amdahl{Serial: 0.1}, 24, 2}, {workload.Amdahl{Serial: 0.01}, 61, 1}} {
		for k := 1; k <= w.nodes/w.unit; k++ {
			sizes := w.sizes(k)
			for name, g := range map[string]going{"all": all(sizes), "after an arrival": w.arrival(w.sizes(k), all(sizes))} {
				if w.speed(g) == 0 {
					continue
				}
				if got, want := w.departure(sizes, g), w.departureOfEach(sizes, g); !maps.Equal(got, want) {
					t.Errorf("%d jobs on %d nodes, %s: %v, want %v", k, w.nodes, name, got, want)
				}
			}
		}
	}
}

// departureOfEach is [wholeUnits.departure], job by job.
func (w wholeUnits) departureOfEach(groups []group, g going) going {
	mean, present, speed, sizes := going{}, all(groups), w.speed(g), []int{}
	for _, of := range groups {
		sizes = append(sizes, slices.Repeat([]int{of.units}, of.jobs)...)
	}
	for j, units := range sizes {
		left := g[units] / present[units] * w.speedup.At(float64(units*w.unit)) / speed
		if left == 0 {
			continue
		}
		others := maps.Clone(g)
		others[units] = max(0, g[units]-1)
		before := slices.Delete(slices.Clone(sizes), j, j+1)
		after := slices.Clone(before)
		sched.EquiPartition(after, w.nodes/w.unit)
		kept, equal := going{}, map[int]float64{}
		for _, size := range before {
			equal[size]++
		}
		for i, size := range before {
			if after[i] == size {
				kept[size] += others[size] / equal[size]
			}
		}
		for u, jobs := range kept {
			mean[u] += left * jobs
		}
	}
	return mean
}
