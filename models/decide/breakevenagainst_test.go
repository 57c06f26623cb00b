package decide_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// rigidExample is the model of rigid jobs of 1, 4 and 16 nodes, with repartitions of a minute.
func rigidExample(t *testing.T, load string) *models.System {
	m, err := modelfile.Load("../../testdata/examples/rigid.yaml", modelfile.Set{Path: "arrivals.load", Value: load},
		modelfile.Set{Path: "dynamic.overhead", Value: "60s"})
	if err != nil {
		t.Fatal(err)
	}
	return m.System
}

// TestBreakevenAgainstRigidJobs: the time of a repartition up to which resizing takes less time than rigid jobs in their order. The
// figures are those of an independent prototype, with three digits.
func TestBreakevenAgainstRigidJobs(t *testing.T) {
	for _, c := range []struct {
		load string
		want float64
	}{{"0.3", 415}, {"0.5", 262}} {
		b := decide.Breakeven{System: rigidExample(t, c.load), Axis: over("dynamic.overhead"), Against: policy.FCFS{}, Steps: 4}
		a, err := b.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Intervals) != 2 || !a.Intervals[0].Pays || a.Splits != nil {
			t.Fatalf("load %s: intervals %+v, splits %v", c.load, a.Intervals, a.Splits)
		}
		if at := a.Intervals[0].To; math.Abs(at.Value-c.want) > 0.5 || !at.Crossing {
			t.Errorf("load %s: pays up to %v s, want %v", c.load, at.Value, c.want)
		}
	}
}

// TestBreakevenAgainstHoldsOnEveryAxis: at a crossing, dynamic partitioning and its rival take equally long when both are solved
// anew, without the walk.
func TestBreakevenAgainstHoldsOnEveryAxis(t *testing.T) {
	needs.Long(t, "solves hundreds of chains")
	axes := append(decide.Axes(), decide.Axis{Name: "share", Range: [2]float64{0.01, 0.5},
		At: func(s *models.System, p float64) (*models.System, error) { return s.WithShare(2, p) }})
	for _, rival := range []policy.Policy{policy.FCFS{}, policy.FirstFit{Window: 2}, policy.Static{Partitions: 2}, policy.Capped{Jobs: 4}} {
		crossings := 0
		for _, axis := range axes {
			b := decide.Breakeven{System: rigidExample(t, "0.3"), Axis: axis, Against: rival, Steps: 6}
			switch axis.Name {
			case "scv":
				b.System, b.From, b.To = pairs(t), 1, 9
			case "load", "serial", "share":
				b.System = must(over("dynamic.overhead").At(b.System, 6)) // repartitions of six minutes, where rigid jobs are close
			}
			a, err := b.Solve(t.Context())
			if err != nil {
				t.Fatalf("%v over %s: %v", rival, axis.Name, err)
			}
			for _, i := range a.Intervals {
				if !i.To.Crossing {
					continue
				}
				crossings++
				t.Logf("%v over %s: crossing at %v", rival, axis.Name, i.To.Value)
				s, err := axis.At(b.System, i.To.X)
				if err != nil {
					t.Fatal(err)
				}
				d, err := decide.Solve(t.Context(), s, []policy.Policy{policy.Dynamic{}, rival}, markov.Settings{}, 0)
				if err != nil {
					t.Fatal(err)
				}
				if r := d.CompareWith(rival).Ratio; math.Abs(r-1) > 1e-8 {
					t.Errorf("%v over %s: ratio %v at the crossing %v", rival, axis.Name, r, i.To.X)
				}
			}
		}
		if crossings == 0 {
			t.Errorf("%v: no crossings", rival)
		}
	}
}

// pairs is a machine of four nodes whose jobs ask for two nodes.
func pairs(t *testing.T) *models.System {
	demand, overhead := phasetype.Must(phasetype.Exponential(1)), phasetype.Must(phasetype.Exponential(16))
	s, err := models.NewSystem(4, 1, must(phasetype.Renewal(demand)), demand, workload.Linear{})
	if err != nil {
		t.Fatal(err)
	}
	s.JobNodes = 2
	for range 4 {
		s.Shrink, s.Expand = append(s.Shrink, overhead), append(s.Expand, overhead)
	}
	s.Expand = s.Expand[1:]
	return must(s.WithLoad(0.5))
}

// TestBreakevenAgainstOverLoad: rigid jobs saturate at load .715, beyond which dynamic partitioning pays because it alone is stable.
func TestBreakevenAgainstOverLoad(t *testing.T) {
	b := decide.Breakeven{System: rigidExample(t, "0.3"), Axis: over("load"), Against: policy.FCFS{}, From: 0.5, To: 1.5, Steps: 6}
	a, err := b.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.Limit-1) > 1e-12 {
		t.Errorf("no policy is stable from load %v on, want 1", a.Limit)
	}
	for _, p := range a.Probes {
		if stable := p.Comparison.Rival != nil; stable != (p.X < 0.715) {
			t.Errorf("load %v: rigid jobs are stable: %v", p.X, stable)
		}
	}
}

// TestBreakevenAgainstTheOnlySplit: with one number of partitions, the best static policy is that one.
func TestBreakevenAgainstTheOnlySplit(t *testing.T) {
	s := oneServer(t, 0.05, 0.2)
	var want float64
	for _, rival := range []policy.Policy{nil, policy.Static{Partitions: 1}} {
		a, err := (&decide.Breakeven{System: s, Axis: over("dynamic.overhead"), Against: rival}).Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := a.Intervals[0].To.Value
		if rival == nil {
			want = got
		}
		if got != want {
			t.Errorf("against %v: %v, want %v", rival, got, want)
		}
	}
}

func TestBreakevenAgainstRefuses(t *testing.T) {
	s := exponentials(t, 0.5, 1, 2)
	for _, rival := range []policy.Policy{policy.Dynamic{}, policy.FCFS{}, policy.EASY{}, policy.Static{Partitions: 3}} {
		if _, err := (&decide.Breakeven{System: s, Axis: over("load"), Against: rival}).Solve(t.Context()); err == nil {
			t.Errorf("%v was compared", rival)
		} else {
			t.Log(err)
		}
	}
}

// TestWithSerialShare: the serial share is that of all jobs, at the same load, and belongs to the speedup of Amdahl.
func TestWithSerialShare(t *testing.T) {
	s := rigidExample(t, "0.3")
	changed, err := over("serial").At(s, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	again, err := over("serial").At(changed, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(changed.Load()-0.3) > 1e-12 || changed.Classes[1].Speedup != s.Classes[1].Speedup || changed.Classes[0].Speedup == s.Classes[0].Speedup {
		t.Errorf("load %v, %v", changed.Load(), changed.Classes)
	}
	if got, want := again.Service[3].Mean(), changed.Service[3].Mean(); got != want {
		t.Errorf("mean %v, want %v", got, want)
	}
	if _, err := over("serial").At(exponentials(t, 0.5, 1, 2), 0.1); !errors.Is(err, decide.ErrNoSerialShare) {
		t.Errorf("measured service times: %v", err)
	}
	if _, err := over("serial").At(s, 1.1); err == nil {
		t.Error("a serial share above 1")
	}
}
