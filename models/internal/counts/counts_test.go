package counts_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models/internal/counts"
)

// TestCountsSortLikeNumbers: strings of counts are compared like the numbers in them, also where a number needs two bytes.
func TestCountsSortLikeNumbers(t *testing.T) {
	few := counts.Changed(counts.None(2), 0, 255)
	many := counts.Changed(few, 0, 1)
	if !(few < many) {
		t.Errorf("255 jobs, %q, sort after 256, %q", few, many)
	}
	many = counts.Changed(many, 1, 3)
	if counts.Phases(many) != 2 || counts.At(many, 0) != 256 || counts.At(many, 1) != 3 || counts.Total(many) != 259 {
		t.Errorf("256 and 3 jobs are kept as %q", many)
	}
}

// TestJobsDrawPhasesIndependently: two jobs that draw one of two phases each are in them with binomial probabilities.
func TestJobsDrawPhasesIndependently(t *testing.T) {
	phi := mat.NewDense(2, 2, []float64{0.25, 0.75, 0, 1})
	drawn := map[int]float64{} // by number of jobs in the first phase
	counts.EachMapped(counts.Changed(counts.None(2), 0, 2), phi, func(jobs string, p float64) {
		if counts.Total(jobs) != 2 {
			t.Errorf("two jobs become %d", counts.Total(jobs))
		}
		drawn[counts.At(jobs, 0)] += p
	})
	for n, p := range []float64{0.5625, 0.375, 0.0625} {
		if drawn[n] != p {
			t.Errorf("%d jobs are in the first phase with probability %v, not %v", n, drawn[n], p)
		}
	}
}
