package machine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
)

// Each job of a replay may have a speedup of its own. The first, which gains nothing from a second node, does 1 of its 4
// alone on four nodes until 2, when the second comes, and goes on at the same speed on two until 5. The second, of linear
// speedup, has done 6 of its 10 by then, and the rest on four nodes by 6.
func TestSpeedupsOfTheirOwn(t *testing.T) {
	var ends []float64
	serial, err := workload.NewAmdahl(1)
	if err != nil {
		t.Fatal(err)
	}
	r := &machine.Recorder{To: 100, Departed: func(v machine.Visit) { ends = append(ends, v.Departed) }}
	m, err := machine.New(machine.Config{Nodes: 4, Unit: 1, Speed: []float64{0, 1, 2, 3, 4}, Observe: r.Observe,
		Replay: []machine.Request{{Arrival: 1, Demand: 4, Speedup: serial}, {Arrival: 2, Demand: 10}},
		Policy: named(t, "dynamic", "")})
	if err != nil {
		t.Fatal(err)
	}
	var tally machine.Tally
	if err := m.Start(des.Seed(1)).Advance(3, &tally); !errors.Is(err, machine.ErrEnded) {
		t.Fatal(err)
	}
	if want := []float64{5, 6}; !slices.Equal(ends, want) {
		t.Errorf("ends %v, want %v", ends, want)
	}
}
