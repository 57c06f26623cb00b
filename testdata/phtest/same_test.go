package phtest_test

import (
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
)

// TestCheckSame: scaling by 1 + by is found at a tolerance of by/10, and not at one of 2·by: the distribution function
// changes by x·f(x)·by and the logarithm of the tail by by of itself.
func TestCheckSame(t *testing.T) {
	a := phasetype.Must(phasetype.TwoMoments(1, 4))
	for _, by := range []float64{1e-3, 1e-6, 1e-9} {
		b := phasetype.Must(a.Scale(1 + by))
		if phtest.CheckSame(a, b, by/10) == nil {
			t.Errorf("scaled by 1 + %g counts as the same to %g", by, by/10)
		}
		if err := phtest.CheckSame(a, b, 2*by); err != nil {
			t.Errorf("scaled by 1 + %g counts as different to %g: %v", by, 2*by, err)
		}
	}
	if phtest.CheckSame(a, phasetype.Dist{}, 0.5) == nil || phtest.CheckSame(phasetype.Dist{}, phasetype.Dist{}, 0) != nil {
		t.Error("zero is taken for another distribution, or not for itself")
	}
}
