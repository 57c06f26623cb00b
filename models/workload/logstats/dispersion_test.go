package logstats

import (
	"math"
	"testing"
)

// Ten windows of which every other has two jobs, of works 1 and 3: the counts 2 and 0 have the mean 1 and the variance
// 10/9, the works 4 and 0 the mean 2 and the variance 40/9; E W²/E W is 5/2.
func TestDispersion(t *testing.T) {
	var submissions, works []float64
	for i := range 5 {
		at := float64(20 * i)
		submissions, works = append(submissions, at, at+5), append(works, 1, 3)
	}
	submissions, works = append(submissions, 100), append(works, 0) // the end of the last window
	d := dispersion(valuesOf(submissions), valuesOf(works), 10)
	// The last job has no work, and counts among the ten of work 1 and 3 in no sum.
	if d.Windows != 10 || math.Abs(d.Counts-10.0/9) > 1e-12 || math.Abs(d.Work-40.0/9/2*20/50) > 1e-12 {
		t.Errorf("%+v", d)
	}
	if d := dispersion(valuesOf(submissions[:2]), valuesOf(works[:2]), 10); d.Windows != 0 || !math.IsNaN(d.Counts) {
		t.Errorf("less than two windows: %+v", d)
	}
	// Most windows of a long log with few jobs have none, and take no memory: 4 jobs in as many of a billion.
	long := dispersion(valuesOf([]float64{0, 1, 2, 3, 1e9}), valuesOf([]float64{1, 1, 1, 1, 1}), 1)
	if long.Windows != 1e9 || math.Abs(long.Counts-1) > 1e-8 {
		t.Errorf("a long log: %+v", long)
	}
	if d := dispersion(values{}, values{}, 10); !math.IsNaN(d.Work) {
		t.Errorf("no jobs: %+v", d)
	}
}
