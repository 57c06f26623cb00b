package division_test

import (
	"testing"

	"github.com/partwise/partwise/models/internal/division"
	"github.com/partwise/partwise/models/workload"
)

// TestFewJobsChangePartitions: ten units are divided as 3, 3, 2, 2 and, among five jobs, as 2 each. So the two jobs of 2 units
// continue when a fifth job arrives. When one of five jobs leaves, two of the others keep their 2 units and continue.
func TestFewJobsChangePartitions(t *testing.T) {
	four, five := division.Among(10, 4), division.Among(10, 5)
	four.Speed, five.Speed = [2]float64{1, 1}, [2]float64{1, 1}
	if want := (division.Working{2, 2}); four.Units != [2]int{2, 3} || four.Jobs != want {
		t.Errorf("ten units are divided among four jobs as %v of %v units", four.Jobs, four.Units)
	}
	if p := four.Pace(four.Jobs); p != (division.Pace{Speed: 1, Jobs: 4, Nodes: 1}) {
		t.Errorf("four jobs that all make progress: %+v", p)
	}
	if kept, want := four.Arrive(&five, four.Jobs), (division.Working{2, 0}); kept != want {
		t.Errorf("%v jobs continue when a fifth arrives, not %v", kept, want)
	}
	if kept, want := five.Depart(&four, five.Jobs), (division.Working{2, 0}); kept != want {
		t.Errorf("%v jobs continue when one of five leaves, not %v", kept, want)
	}
}

// TestNodesRiseToTheSameLevel: of 12 nodes, two jobs that can use 2 nodes get 2 each, and one that can use all gets the other 8
// instead of its even share of 4.
func TestNodesRiseToTheSameLevel(t *testing.T) {
	f := division.WaterFilling{Nodes: 12, Classes: []division.Class{
		{From: 0, To: 1, Most: 2, Speedup: workload.Linear{}}, {From: 1, To: 3, Most: 12, Speedup: workload.Linear{}},
	}}
	speed := make([]float64, 3)
	f.Speed([]int32{2, 1, 0}, 3, speed)
	for j, want := range []float64{1, 2, 2} {
		if speed[j] != want {
			t.Errorf("a job in phase %d runs %v times as fast as on an even share, not %v times", j, speed[j], want)
		}
	}
	if least := f.LeastMost(); least != 2 {
		t.Errorf("every class can use %v nodes, not 2", least)
	}
}
