package validate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/validate"
)

// In the second half of a simulation the number of jobs that it is said to take is right within 20 % as a rule, and so is
// the time that is left, of the whole: every job takes the same time. Not always, for whether the runs that are planned
// will do is uncertain: another stage adds a quarter or more, so that what was expected is 20 % too low, up to the rounding
// of batches. Four seeds are too few: their upper median is .2 or .23 by chance. At a coarser precision two stages suffice, and the second half begins before the first look.
func TestProgressTellsTheTruth(t *testing.T) {
	const seeds = 16
	var off []float64
	for seed := range uint64(seeds) {
		var looks []validate.Progress
		o := validate.Options{Precision: 0.025, Seed: seed, Workers: 1, Replications: 32}
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
