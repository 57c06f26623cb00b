package study

import (
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// TestDynamicIsSolvedOnce: the chain by which the classes of a draft were chosen is not solved again, unless only resized jobs stop. The
// decision is that of decide.Solve on the system of the draft.
func TestDynamicIsSolvedOnce(t *testing.T) {
	policies := []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 2}, policy.Static{Partitions: 4}}
	for _, c := range []struct {
		name  string
		sizes []int
		cost  replay.Cost
		stops models.Stops
		kept  bool
	}{
		{"one class, free", []int{4}, replay.Cost{}, models.ResizedStop, true},
		{"one class, all stop", []int{4}, replay.Cost{Seconds: 60}, models.AllStop, true},
		{"one class, resized jobs stop", []int{4}, replay.Cost{Seconds: 60}, models.ResizedStop, false},
		{"two classes", []int{1, 4}, replay.Cost{Seconds: 60}, models.ResizedStop, true},
	} {
		jobs := new(joblog.List)
		for i := range 400 {
			jobs.Add(&joblog.Job{Submit: float64(2000 * i), Run: float64(100 + 37*(i%50)), Processors: c.sizes[i/3%len(c.sizes)]})
		}
		d, err := NewDraft(t.Context(), jobs, policy.Machine{Nodes: 4, Unit: 1}, replay.Assumptions{Most: 1, Cost: c.cost, Stops: c.stops}, nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if kept := d.dynamic != nil; kept != c.kept || len(d.classes) > 1 != (len(c.sizes) > 1) {
			t.Errorf("%s: the solution was kept: %v; %d classes", c.name, kept, len(d.classes))
		}
		got, err := d.solve(t.Context(), policies, markov.Settings{Method: markov.Auto}, 1)
		if err != nil {
			t.Fatal(c.name, err)
		}
		want, err := decide.Solve(t.Context(), d.System, policies, markov.Settings{Method: markov.Auto}, 1)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got.Best == nil || got.Best.Policy != want.Best.Policy || got.Ratio != want.Ratio {
			t.Errorf("%s: best %v, ratio %v; want %v, %v", c.name, got.Best, got.Ratio, want.Best.Policy, want.Ratio)
		}
		for i, r := range want.Results {
			if g := got.Results[i]; g.Policy != r.Policy || math.Float64bits(g.Measures.MeanResponseTime) != math.Float64bits(r.Measures.MeanResponseTime) {
				t.Errorf("%s: %v has %v, want %v with %v", c.name, g.Policy, g.Measures.MeanResponseTime, r.Policy, r.Measures.MeanResponseTime)
			}
		}
	}
}
