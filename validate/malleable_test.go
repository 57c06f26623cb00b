package validate_test

import (
	"context"
	"math"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/machine"
)

// Two jobs of linear speedup on four nodes under equi-partitioning. The first, 10 s on two nodes, has all four for 2 s
// and has done 8 of its 20 node-seconds; then both have two. It ends at 2 + 12/2 = 8; the second, 10 s on two nodes as
// well, has then done 12 of 20 and ends at 8 + 8/4 = 10.
func TestMalleable(t *testing.T) {
	entry, _ := machine.Named("dynamic")
	policy, err := entry.New("")
	if err != nil {
		t.Fatal(err)
	}
	m := validate.Malleable{Nodes: 4, Unit: 1, Policy: policy, Speedup: workload.Linear{}}
	jobs := []batch.Request{
		{ID: 1, Submit: 100, Nodes: 2, Run: 10},
		{ID: 2, Submit: 102, Nodes: 2, Run: 10},
	}
	want := []float64{108, 110}
	i := 0
	err = m.Run(context.Background(), jobs, func(r *batch.Record) {
		if r.ID != i+1 || math.Abs(r.End-want[i]) > 1e-9 || r.Start != r.Submit || math.Abs(r.NodeTime-20) > 1e-9 {
			t.Errorf("%+v, want the end at %v", *r, want[i])
		}
		i++
	})
	if err != nil || i != 2 {
		t.Errorf("%d jobs ended, %v", i, err)
	}
}
