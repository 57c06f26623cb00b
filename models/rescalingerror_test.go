package models_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
)

// TestRescalingEnds: arrivals can be rescaled to the values at the ends of the range that the error names, and not beyond. One of
// the two phases of the bursts is left a million times as fast as the other.
func TestRescalingEnds(t *testing.T) {
	bursts := must(phasetype.Renewal(must(phasetype.Hyperexponential([]float64{0.5, 0.5}, []float64{1e-6, 1}))))
	s := machine(2, bursts, must(phasetype.Exponential(3)), linear)
	for name, rescale := range map[string]func(float64) (*models.System, error){"load": s.WithLoad, "arrival rate": s.WithArrivalRate} {
		for _, v := range []float64{1e-300, 1e300, math.SmallestNonzeroFloat64} {
			_, err := rescale(v)
			var e *models.RescalingError
			if !errors.As(err, &e) || e.Quantity != name || e.Value != v {
				t.Errorf("%s %g: %v", name, v, err)
				continue
			}
			const within = 1 + 1e-12
			if _, err := rescale(e.Least * within); err != nil {
				t.Errorf("%s %g: %v", name, e.Least, err)
			}
			if _, err := rescale(e.Most / within); err != nil {
				t.Errorf("%s %g: %v", name, e.Most, err)
			}
			for _, beyond := range []float64{e.Least / within, e.Most * within} {
				if _, err := rescale(beyond); !errors.As(err, &e) {
					t.Errorf("%s %g: %v", name, beyond, err)
				}
			}
		}
	}
}
