package models_test

import (
	"math"
	"sort"
	"testing"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
)

// connecting is the time Charm++ takes to connect the processes of a job again after a rescale to n of them, as
// published (arXiv 2510.15147), linear in between.
func connecting(n float64) float64 {
	nodes := []float64{2, 4, 8, 16, 32, 59}
	seconds := []float64{1.25, 1.49, 3.90, 5.04, 6.95, 12.25}
	i := sort.SearchFloat64s(nodes, n)
	switch i {
	case 0:
		return seconds[0]
	case len(nodes):
		return seconds[i-1]
	}
	return seconds[i-1] + (seconds[i]-seconds[i-1])*(n-nodes[i-1])/(nodes[i]-nodes[i-1])
}

// TestMalleableOverheads recomputes the overheads of the study of elastic jobs from the figures in its comments.
func TestMalleableOverheads(t *testing.T) {
	study, err := modelfile.LoadStudy("../testdata/examples/malleable-costs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const rounding = 0.051 // the files carry one or two decimals
	for i, way := range []struct{ fixed, expand float64 }{{2.9, 2.5}, {30, 1}, {120, 1}} {
		s := study.Series[i].Model.System
		for jobs := 1; jobs <= 16; jobs++ {
			want := way.fixed + connecting(64/float64(jobs))
			if got := s.ShrinkTo(jobs).Mean(); jobs > 1 && math.Abs(got-want) > rounding {
				t.Errorf("%s: shrinking to %d jobs takes %v s, want %v", study.Series[i].Name, jobs, got, want)
			}
			if got := s.ExpandTo(jobs).Mean(); jobs < 16 && math.Abs(got-way.expand*want) > rounding {
				t.Errorf("%s: expanding to %d jobs takes %v s, want %v", study.Series[i].Name, jobs, got, way.expand*want)
			}
		}
	}
}

// TestElasticityPaysIfRestartsAreShort pins what the study shows: resized in place jobs gain at every load, from a
// checkpoint of half a minute only on a quiet machine, and from one of two minutes nowhere.
func TestElasticityPaysIfRestartsAreShort(t *testing.T) {
	w := sweep(t, "../testdata/examples/malleable-costs.yaml")
	for i, want := range [][]bool{{true}, {true, false}, {false}} {
		a, err := (&decide.Breakeven{System: w.Series[i].System, Axis: over("load"), Steps: 24}).Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []bool
		for _, one := range a.Intervals {
			got = append(got, one.Pays)
		}
		if len(got) != len(want) || got[0] != want[0] {
			t.Errorf("%s: pays %v, want %v", w.Series[i].Name, got, want)
		}
	}
}
