package phasetype_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
)

// TestSpeedupRange: a process can be slowed down until the mean time from a phase to an arrival is at its limit, though the rates
// out of the phases and the arrival rate are above theirs.
func TestSpeedupRange(t *testing.T) {
	m, err := phasetype.NewMAP(mat.NewDense(2, 2, []float64{-.1, .1, 0, -1}), mat.NewDense(2, 2, []float64{0, 0, .1, .9}))
	if err != nil {
		t.Fatal(err)
	}
	const within = 1 + 1e-12
	least, most := m.SpeedupRange()
	for _, c := range []float64{least * within, most / within} {
		if _, err := m.Speedup(c); err != nil {
			t.Errorf("speedup %g, in the range from %g to %g: %v", c, least, most, err)
		}
	}
	for _, c := range []float64{least / within, most * within} {
		if _, err := m.Speedup(c); err == nil {
			t.Errorf("speedup %g is beyond the range from %g to %g", c, least, most)
		}
	}
}
