package validate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate"
)

// mistaken is a system whose demands are in microseconds and whose repartitions are in seconds: jobs come by the million
// during one repartition.
func mistaken(tb testing.TB, stops models.Stops) *models.System {
	s := cluster(tb, 8, 0.5)
	for i := range s.Shrink {
		s.Shrink[i] = exponential(1e7)
	}
	s.Expand, s.Stops = make([]phasetype.Dist, 7), stops
	return s
}

// A simulation whose jobs do not fit into memory says so, whatever the machine, and one that is stopped between two
// departures ends at once.
func TestLimits(t *testing.T) {
	t.Parallel()
	smoothing := policy.Smoothing{Mean: 1, SCV: 1}
	for _, c := range []struct {
		stops models.Stops
		p     policy.Policy
		f     validate.Fidelity
	}{{models.AllStop, dynamic, validate.ModelFidelity}, {models.ResizedStop, dynamic, validate.ModelFidelity},
		{models.AllStop, smoothing, validate.ModelFidelity}, {models.AllStop, dynamic, validate.MachineFidelity}} {
		s := mistaken(t, c.stops)
		o := validate.Options{Fidelity: c.f, Replications: 2, Memory: 1 << 20}
		if _, err := validate.Simulate(t.Context(), s, c.p, o); !parallel.IsShortOf(err, parallel.Memory) {
			t.Errorf("%v %s %s: %v", c.p, c.stops, c.f, err)
		}
		o.Memory = 1 << 36 // more than jobs fill before the simulation is stopped
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		began := time.Now()
		_, err := validate.Simulate(ctx, s, c.p, o)
		cancel()
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > time.Second {
			t.Errorf("%v %s %s: stopped after 20 ms, it ended after %v: %v", c.p, c.stops, c.f, took, err)
		}
	}
	if _, err := validate.Simulate(t.Context(), cluster(t, 8, 0.5), dynamic, validate.Options{Memory: -1}); err == nil {
		t.Error("a negative memory is accepted")
	}
}
