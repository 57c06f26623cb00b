package machine_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
)

// Three jobs on four nodes with a point every 2, whose repartitions take 1 from the last point on. The first comes to a
// point at 4, for the second; the third, which has come meanwhile, is heard of at 5, when both go on. Then the second, on
// two nodes, comes to a point at 7 and shares them from 8 on, while the first works. Both end at 12; the first, which has
// worked for 11, comes to a point at 13 and has four nodes from 14 on, for the last 8 of its work.
func TestTogether(t *testing.T) {
	for name, costs := range map[string]machine.Costs{"all at once": aTime(1), "each for itself": resizes(t, 1)} {
		records, out := lived(t, machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Costs: costs,
			Points: machine.Points{Every: []float64{2}, Together: true},
			Jobs:   machine.List{malleable(1, 0, 40), malleable(2, 3, 8), malleable(3, 3.5, 4)}})
		want := map[int][2]float64{1: {0, 16}, 2: {4, 12}, 3: {7, 12}} // start and end
		for _, r := range records {
			if got := [2]float64{r.Start, r.End}; got != want[r.ID] {
				t.Errorf("%s: job %d runs from and to %v, want %v", name, r.ID, got, want[r.ID])
			}
		}
		if got := out.Tally[simulation.PausedTime]; got != 7 || out.Tally[simulation.Repartitions] != 3 {
			t.Errorf("%s: %v repartitions took %v, want 3 and 7", name, out.Tally[simulation.Repartitions], got)
		}
	}
}

// aTime is what a change of running jobs takes.
type aTime float64

func (c aTime) Pause(x *machine.Change, _ *des.Ahead) machine.Pause {
	return machine.Pause{Reconfigures: x.Resized > 0, Time: float64(c), Kind: simulation.Shrinks}
}

// A job that is to be resized may end before it comes to a point; the others then wait for it no longer, and what ends
// during a repartition has ended then, and not when the policy hears of it.
func TestTogetherUntilTheEnd(t *testing.T) {
	records, _ := lived(t, machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Points: machine.Points{Every: []float64{10}, Together: true},
		Jobs: machine.List{malleable(1, 0, 24), malleable(2, 1, 4), malleable(3, 2, 9)}})
	// 1: the first is to shrink, but ends at 6, and the second begins on two nodes. The third is heard of then, too, and
	// gets the others; the second ends at 8, and the third does without two nodes more.
	want := map[int][2]float64{1: {0, 6}, 2: {6, 8}, 3: {6, 10.5}}
	for _, r := range records {
		if got := [2]float64{r.Start, r.End}; got != want[r.ID] {
			t.Errorf("job %d runs from and to %v, want %v", r.ID, got, want[r.ID])
		}
	}
}

// On two nodes a point comes every 2, on four every 3. The first job has done 1⅓ pieces when it is to shrink, and stops at 6;
// the other one ends at 7, and the first has four nodes again at its next point, at 8.
func TestPointsByNodes(t *testing.T) {
	records, _ := lived(t, machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Points: machine.Points{Every: []float64{1, 2, 3, 3}},
		Jobs: machine.List{malleable(1, 0, 40), malleable(2, 4, 2)}})
	// 6: the first has done 24, the second begins and ends at 7. 8: the first has done 28, and needs 3 more.
	want := map[int][2]float64{1: {0, 11}, 2: {6, 7}}
	for _, r := range records {
		if got := [2]float64{r.Start, r.End}; got != want[r.ID] {
			t.Errorf("job %d runs from and to %v, want %v", r.ID, got, want[r.ID])
		}
	}
	for _, wrong := range []machine.Points{{Every: []float64{}}, {Every: []float64{1, 0}}, {Every: []float64{1}, Number: 1},
		{Together: true}} {
		if _, err := machine.New(machine.Config{Nodes: 1, Jobs: machine.List{}, Policy: policy.FCFS{}, Points: wrong}); err == nil {
			t.Errorf("%+v: no error", wrong)
		}
	}
}

// With points close to each other and no costs it does not matter whether jobs wait for each other.
func TestTogetherWithoutWaiting(t *testing.T) {
	jobs := manyJobs(300)
	response := func(q machine.Points) float64 {
		_, out := lived(t, machine.Config{Nodes: 8, Policy: policy.Dynamic{}, Points: q, Jobs: jobs})
		return out.Tally[simulation.ResponseSum] / float64(len(jobs))
	}
	anywhere := response(machine.Points{})
	for every, off := range map[float64]float64{1e-3: 2e-3, 1e-5: 2e-5} {
		if got := response(machine.Points{Every: []float64{every}, Together: true}); math.Abs(got-anywhere) > off*anywhere {
			t.Errorf("a point every %v: mean response time %v, without points %v", every, got, anywhere)
		}
	}
}

// manyJobs returns malleable jobs that come and need times at random.
func manyJobs(n int) (all machine.List) {
	key := des.Seed(5)
	s, now := key.Stream(), 0.0
	for i := range n {
		now += 2 * s.Exp()
		all = append(all, workload.Job{ID: i + 1, Submit: now, Kind: workload.Malleable, Work: 8 * s.Exp()})
	}
	return all
}
