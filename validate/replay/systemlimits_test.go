package replay_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

// TestCarriedOut: without limits a policy is carried out as it decides; with long stops it gains less, and limits must be times.
func TestCarriedOut(t *testing.T) {
	study := lublinStudy(t, policy.EASYMalleable{}, 0.5)
	study.Loads = nil
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ways, err := study.CarriedOut(t.Context(), 0, runs[0], []replay.Limits{{}, {Poll: 60}, {Poll: 60, Shrink: 3600, Expand: 3600}})
	if err != nil {
		t.Fatal(err)
	}
	response := func(i int) float64 { return ways[i].Measures[measure.MeanResponseTime] }
	if response(0) != runs[0].Measures[measure.MeanResponseTime] || ways[0].Baseline != runs[0].Baseline {
		t.Errorf("without limits jobs take %g s, not %g s", response(0), runs[0].Measures[measure.MeanResponseTime])
	}
	if math.Abs(response(1)/response(0)-1) > 0.1 || !(response(2) > response(1)) {
		t.Errorf("jobs take %g s, with polls %g s, with polls and stops of an hour %g s", response(0), response(1), response(2))
	}
	for _, limit := range []replay.Limits{{Poll: -1}, {Shrink: math.NaN()}, {Expand: math.Inf(1)}} {
		if _, err := study.CarriedOut(t.Context(), 0, runs[0], []replay.Limits{limit}); !errors.As(err, new(*replay.SettingError)) {
			t.Errorf("limits %v: %v", limit, err)
		}
	}
	if _, err := study.CarriedOut(t.Context(), 0, nil, nil); err == nil {
		t.Error("a run is missing without an error")
	}
}
