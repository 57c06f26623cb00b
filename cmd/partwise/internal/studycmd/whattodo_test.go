package studycmd

import (
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// TestKeepEASY: the step names the share with which resizing pays, if a larger share harms.
func TestKeepEASY(t *testing.T) {
	runOf := func(share, time float64, easy *replay.Run) *replay.Run {
		log := metric.NewLog(metric.Machine{Nodes: 1}, nil)
		for n := range 1000 {
			log.Add(&machine.Record{Number: n, End: time + math.Sin(float64(n)), Promised: math.NaN()})
		}
		return &replay.Run{Setting: replay.Setting{Policy: policy.EASYMalleable{}, Nodes: 8, Share: share}, Baseline: easy, Log: log,
			Measures: metric.Values{measure.MeanResponseTime: time}}
	}
	easy := runOf(0, 1000, nil)
	for few, want := range map[float64]string{800: "Keep EASY backfilling, or make 20 % of the jobs malleable and no more",
		1100: "do not resize running jobs"} {
		if got := keepEASY([]*replay.Run{runOf(0.2, few, easy), runOf(1, 2000, easy)}).text; !strings.Contains(got, want) {
			t.Errorf("%g s with few malleable jobs: %q, want %q", few, got, want)
		}
	}
}
