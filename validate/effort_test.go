package validate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/validate"
)

// In the second half of a simulation the number of jobs that it is said to take is right within 20 % as a rule, and so is
// the time that is left, of the whole: every job takes the same time. Not always, for whether the runs that are planned
// will do is uncertain: another stage adds a quarter or more, so that what was expected is 20 % too low, up to the rounding
// of batches.
func TestProgressTellsTheTruth(t *testing.T) {
	const seeds = 8
	var off []float64
	for seed := range uint64(seeds) {
		var looks []validate.Progress
		o := validate.Options{Precision: coarse(0.025), Seed: seed, Workers: 1, Replications: 32}
		o.Progress = func(p validate.Progress) { looks = append(looks, p) }
		s := simulate(t, cluster(t, 4, 0.7), dynamic, o)
		last := looks[len(looks)-1]
		if last.Replications != 32 || last.Target != o.Precision || math.Abs(last.Precision/s.Precision-1) > 0.1 {
			t.Errorf("%+v after a precision of %v", last, s.Precision) // the warm-up is part of the progress
		}
		worst := 0.0
		for _, l := range looks {
			if 2*l.Jobs > last.Jobs {
				worst = max(worst, math.Abs(float64(l.Expected)/float64(last.Jobs)-1))
			}
		}
		off = append(off, worst)
	}
	slices.Sort(off)
	t.Logf("off by %.3f", off)
	if off[seeds/2] > 0.21 || off[seeds-1] > 0.5 {
		t.Errorf("off by %.3f", off)
	}
}

// Of M/M/1 the squared relative standard error of the mean response time over n jobs is 4/((1 − ρ)²·n) near saturation;
// Student's quantile of 31 degrees of freedom is 2.0395. At a machine that is nearly saturated a simulation takes about as
// many jobs as were foreseen.
func TestEffort(t *testing.T) {
	const rho, precision = 0.99, 0.1
	one := system(t, 1, rho, exponential, func(int) float64 { return 1 })
	got, err := validate.Effort(one, dynamic, validate.Options{Precision: precision})
	if err != nil {
		t.Fatal(err)
	}
	want := math.Pow(2.0395/precision, 2) * 4 / ((1 - rho) * (1 - rho))
	if math.Abs(float64(got)/want-1) > 0.03 { // (1 − ρ)·2 of the response is service
		t.Errorf("%d jobs, want %.4g", got, want)
	}
	if _, err := validate.Effort(cluster(t, 4, 1.1), dynamic, validate.Options{}); err == nil {
		t.Error("no error of a machine that is not stable")
	}
	for _, c := range []struct {
		name  string
		s     *models.System
		seeds uint64
	}{{"one node", system(t, 1, 0.8, exponential, func(int) float64 { return 1 }), 3}} {
		// The number of jobs that a simulation takes is known to a quarter; three are known to a seventh.
		jobs := 0.0
		o := validate.Options{Precision: 0.03, Replications: 32}
		for o.Seed = range c.seeds {
			s := simulate(t, c.s, dynamic, o)
			jobs += float64(s.Jobs) * s.Precision * s.Precision / (o.Precision * o.Precision) / float64(c.seeds)
		}
		foreseen, err := validate.Effort(c.s, dynamic, o)
		t.Logf("%s: %d foreseen, %.0f needed", c.name, foreseen, jobs)
		if err != nil || jobs > 1.8*float64(foreseen) || jobs < float64(foreseen)/1.8 {
			t.Errorf("%s: %d jobs foreseen, %.0f needed", c.name, foreseen, jobs)
		}
	}
}
