package machine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
)

// Pieces of the schedule do not overlap, add up to the records, and hold as many nodes as jobs had.
func TestRecorderKeepsTheBooks(t *testing.T) {
	var nodeTime, paused float64
	r := &machine.Recorder{From: 0, To: math.Inf(1)}
	config := machinetest.Eight(0.05)
	config.Observe = r.Observe
	config.Done = func(r *machine.Record) { nodeTime += r.NodeTime; paused += r.Paused }
	run(t, config, 4, 2000)
	busy := make([]float64, 8) // when each node is free again
	var pieces, stopped float64
	slices.SortStableFunc(r.Pieces, func(a, b machine.Piece) int {
		if a.From < b.From {
			return -1
		}
		return 1
	})
	for _, p := range r.Pieces {
		pieces += (p.To - p.From) * float64(len(p.Nodes))
		if p.Paused {
			stopped += p.To - p.From
		}
		for _, i := range p.Nodes {
			if p.From < busy[i]-1e-9 {
				t.Fatalf("node %d is given to job %d at %v, busy until %v", i, p.Number, p.From, busy[i])
			}
			busy[i] = p.To
		}
	}
	// What is missing belongs to jobs that have not left.
	if d := pieces/nodeTime - 1; d < -1e-9 || d > 0.02 {
		t.Errorf("pieces %v, records %v", pieces, nodeTime)
	}
	if d := stopped/paused - 1; paused == 0 || d < -1e-9 || d > 0.02 {
		t.Errorf("paused: pieces %v, records %v", stopped, paused)
	}
}
