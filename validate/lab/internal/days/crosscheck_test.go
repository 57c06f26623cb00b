package days_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/days"
)

// TestScalableJobs: if all jobs speed up linearly, dynamic partitioning is processor sharing, whose mean response time
// E[L]/P/(1 − load) does not depend on the distribution, and one partition is the queue M/G/1. Days are so long that the empty
// machine at their beginning does not matter. Bounds are four standard errors.
func TestScalableJobs(t *testing.T) {
	const load = 0.2
	w := downey(t, load)
	w.Parallelism = days.NewUniformLog(1e6, 1e6)
	w.SigmaMin, w.SigmaMax, w.Length = 0, 0, 4e6
	mean := w.Lifetimes.Mean() / 64
	khinchin := mean + load*mean*(1+w.Lifetimes.(days.UniformLog).SCV())/2/(1-load)
	o := simulate(t, w, []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 1}}, 16, days.Options{Seed: 1})
	for i, want := range []float64{mean / (1 - load), khinchin} {
		if s := o[i].Of(meanResponse); math.Abs(s.Mean-want) > 4*s.StdErr || s.Relative() > 0.05 {
			t.Errorf("%s: simulation %v ± %v, want %v", o[i].Policy, s.Mean, s.StdErr, want)
		}
	}
}
