package sched_test

import (
	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload"
)

// rigidJobs returns a generator of rigid jobs for a machine: bursts and pauses, jobs of all sizes, zero-length ones, and
// estimates that are exact, too long or too short. Times are small whole numbers, so that many things happen at once.
func rigidJobs(nodes int) *rapid.Generator[[]workload.Job] {
	return rapid.Custom(func(t *rapid.T) []workload.Job {
		gap := rapid.SampledFrom([]int{0, 1, 3, 20}).Draw(t, "largest gap")
		longest := rapid.SampledFrom([]int{3, 10, 40}).Draw(t, "longest run")
		now := rapid.IntRange(-5, 5).Draw(t, "first submission")
		jobs := make([]workload.Job, rapid.IntRange(1, 60).Draw(t, "jobs"))
		for i := range jobs {
			now += rapid.IntRange(0, gap).Draw(t, "gap")
			run := rapid.IntRange(0, longest).Draw(t, "run")
			estimate := max(0, run+rapid.IntRange(-3, longest).Draw(t, "over-estimate"))
			if rapid.Bool().Draw(t, "exact") {
				estimate = run
			}
			n := rapid.IntRange(1, nodes).Draw(t, "nodes")
			jobs[i] = workload.Job{ID: i + 1, User: -1, Application: -1, Submit: float64(now), Nodes: n,
				Run: float64(run), Work: float64(run * n), Estimate: float64(estimate)}
		}
		return jobs
	})
}

// boundedJobs returns a generator of jobs for a machine with units of nodes, and memory 1 in each node: rigid, moldable and
// malleable ones with a least or a largest number of nodes, or both or none, that need memory or none, and of speedups
// that differ. Each can run on the machine, and times are whole numbers.
func boundedJobs(nodes, unit int) *rapid.Generator[[]workload.Job] {
	return rapid.Custom(func(t *rapid.T) []workload.Job {
		gap := rapid.SampledFrom([]int{0, 1, 3, 20}).Draw(t, "largest gap")
		longest := rapid.SampledFrom([]int{5, 50, 200}).Draw(t, "longest demand")
		kinds := rapid.SampledFrom([][]workload.Kind{{workload.Malleable},
			{workload.Rigid, workload.Moldable, workload.Malleable}}).Draw(t, "kinds")
		now := 0
		jobs := make([]workload.Job, rapid.IntRange(1, 40).Draw(t, "jobs"))
		for i := range jobs {
			now += rapid.IntRange(0, gap).Draw(t, "gap")
			jobs[i] = workload.Job{ID: i + 1, User: -1, Application: -1, Submit: float64(now),
				Kind:    rapid.SampledFrom(kinds).Draw(t, "kind"),
				Work:    float64(rapid.IntRange(0, longest).Draw(t, "demand")),
				Speedup: rapid.SampledFrom(speedupsOfJobs).Draw(t, "speedup")}
			boundJob(t, &jobs[i], nodes, unit)
		}
		return jobs
	})
}

var speedupsOfJobs = []workload.Speedup{nil, workload.Amdahl{Serial: 0.25}, workload.Amdahl{Serial: 1}}

// boundJob gives a job bounds between which lies a number of nodes that it may have.
func boundJob(t *rapid.T, j *workload.Job, nodes, unit int) {
	most := unit * rapid.IntRange(1, nodes/unit).Draw(t, "most units")
	least := rapid.IntRange(1, most).Draw(t, "least")
	if j.Kind == workload.Rigid {
		j.Nodes = least
		return
	}
	if rapid.Bool().Draw(t, "has a least number") {
		j.Min = least
	}
	if rapid.Bool().Draw(t, "has a largest number") {
		j.Max = most + rapid.IntRange(0, unit-1).Draw(t, "beyond")
	}
	if rapid.Bool().Draw(t, "needs memory") {
		j.Memory = float64(least) - 0.5
	}
}
