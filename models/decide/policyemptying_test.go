package decide_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// An improved policy may never let the machine become empty, and be better than the one before it: policy iteration goes
// on. The optimum of two nodes is by an enumeration of all policies.
func TestPoliciesThatNeverEmptyTheMachine(t *testing.T) {
	two := &models.System{Nodes: 2, MinNodes: 1, Arrivals: must(phasetype.Renewal(must(phasetype.Exponential(1.1)))),
		Service: []phasetype.Dist{exponential(1), exponential(1.26)},
		Shrink:  []phasetype.Dist{exponential(2), exponential(.37)}, Expand: []phasetype.Dist{exponential(1.5)}}
	near(t, "two nodes", optimum(t, two, 0).MeanResponseTime, 2.780355828866, 1e-12)

	example, err := modelfile.Load("../../testdata/examples/malleable.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := must(example.System.WithLoad(.6))
	for k := range s.Shrink {
		s.Shrink[k] = exponential(120)
	}
	for k := range s.Expand {
		s.Expand[k] = exponential(120)
	}
	s.Stops = models.AllStop
	o := optimum(t, s, 17)
	if least := response(t, s, policy.Static{Partitions: 16}); !(o.Lower <= o.MeanResponseTime && o.MeanResponseTime <= least) {
		t.Errorf("resizes of 120 s: at least %v, best %v, static:16 %v", o.Lower, o.MeanResponseTime, least)
	}
}

// All random machines, 60 or with -long 300, launches of up to a hundred service times among them, have an optimum between its
// bounds.
func TestRandomOptima(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	drawn := func(decades float64) phasetype.Dist { return exponential(math.Pow(10, decades*(r.Float64()-.5))) }
	machines := 60
	if needs.IsLong() {
		machines = 300
	}
	for i := range machines {
		n := 2 + r.IntN(2)
		s := &models.System{Nodes: n, MinNodes: 1}
		largest := 0.0
		for k := 1; k <= n; k++ {
			s.Service = append(s.Service, exponential(math.Pow(float64(k), .2+r.Float64())))
			largest = max(largest, float64(k)/s.Service[k-1].Mean())
			s.Shrink, s.Expand = append(s.Shrink, drawn(2)), append(s.Expand, drawn(2))
		}
		s.Shrink[0], s.Expand = drawn(4), s.Expand[:n-1]
		s.Arrivals = must(phasetype.Renewal(must(phasetype.Exponential(largest * (.05 + .8*r.Float64())))))
		o, err := decide.Optimal(t.Context(), s, decide.OptimumSettings{})
		if err != nil {
			t.Errorf("machine %d: %v", i, err)
		} else if !(o.Lower <= o.MeanResponseTime && o.Lower >= .99*o.MeanResponseTime) {
			t.Errorf("machine %d: lower bound %v, optimum %v", i, o.Lower, o.MeanResponseTime)
		}
	}
}
