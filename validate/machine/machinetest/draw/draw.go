package batchtest

import (
	"pgregory.net/rapid"

	"github.com/partwise/partwise/validate/batch"
)

// Jobs returns a generator of workloads for a machine: bursts and pauses, jobs of all sizes, zero-length ones, and
// estimates that are exact, too long or too short. Times are small whole numbers, so that many things happen at once.
func Jobs(nodes int) *rapid.Generator[[]batch.Request] {
	return rapid.Custom(func(t *rapid.T) []batch.Request {
		gap := rapid.SampledFrom([]int{0, 1, 3, 20}).Draw(t, "largest gap")
		longest := rapid.SampledFrom([]int{3, 10, 40}).Draw(t, "longest run")
		now := rapid.IntRange(-5, 5).Draw(t, "first submission")
		jobs := make([]batch.Request, rapid.IntRange(1, 60).Draw(t, "jobs"))
		for i := range jobs {
			now += rapid.IntRange(0, gap).Draw(t, "gap")
			run := rapid.IntRange(0, longest).Draw(t, "run")
			estimate := max(0, run+rapid.IntRange(-3, longest).Draw(t, "over-estimate"))
			if rapid.Bool().Draw(t, "exact") {
				estimate = run
			}
			jobs[i] = batch.Request{ID: i + 1, Submit: float64(now), Nodes: rapid.IntRange(1, nodes).Draw(t, "nodes"),
				Run: float64(run), Estimate: float64(estimate), User: -1}
		}
		return jobs
	})
}
