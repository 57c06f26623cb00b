package prediction_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/experiment/prediction"
	"github.com/partwise/partwise/validate/testbed"
)

func TestMain(m *testing.M) {
	if testbed.IsNode() {
		if err := testbed.Serve(context.Background(), os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, "node:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestPredictionComesTrue(t *testing.T) {
	m, err := testbed.Start(t.Context(), testbed.Config{Nodes: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	interarrival, err := phasetype.Exponential(1)
	if err != nil {
		t.Fatal(err)
	}
	demand, err := phasetype.TwoMoments(0.8, 1)
	if err != nil {
		t.Fatal(err)
	}
	speedup, err := workload.NewAmdahl(0.1)
	if err != nil {
		t.Fatal(err)
	}
	s := prediction.Study{Nodes: 4, Interarrival: interarrival, Demand: demand, Speedup: speedup, Phase: 20 * time.Millisecond,
		Elements: 1024, Times: 10, Gap: 100 * time.Millisecond}
	measured, err := s.Measure(t.Context(), m, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range measured.Cost {
		t.Logf("%d %d: %.2f ± %.2f ms", measured.Transitions[i].Why, measured.Transitions[i].Running, 1e3*c.Mean, 1e3*c.HalfWidth)
	}
	for i, c := range measured.Alone {
		t.Logf("%d nodes: %.4f ± %.4f s", measured.Nodes[i], c.Mean, c.HalfWidth)
	}
	sys, err := s.System(measured)
	if err != nil {
		t.Fatal(err)
	}
	es, err := s.Experiments(sys, []float64{0.6}, []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 2}}, 3, 40, des.Seed(2))
	if err != nil {
		t.Fatal(err)
	}
	var ps []prediction.Prediction
	var real [][]prediction.Measures
	for _, e := range es {
		p, err := s.Predict(t.Context(), sys, e, 1)
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	for _, e := range es {
		var all []prediction.Measures
		for r := range e.Jobs {
			g, err := s.Run(t.Context(), m, e, r)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, g)
		}
		real = append(real, all)
	}
	for _, c := range prediction.Compare(ps, real) {
		t.Logf("%s %v %s: chain %.4f, resized %.4f, sim %.4f ± %.4f, real %.4f ± %.4f, diff %.4f ± %.4f %v", c.Policy, c.Load, c.Measure,
			c.AllStop, c.ResizedStop, c.Simulated.Mean, c.Simulated.HalfWidth, c.Real.Mean, c.Real.HalfWidth, c.Difference.Mean, c.Difference.HalfWidth, c.Agrees)
	}
}
