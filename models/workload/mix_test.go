package workload_test

import (
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Jobs that are malleable at a share are so at each larger one; bounds are whole nodes, and none are at share 0.
func TestMixesAreNested(t *testing.T) {
	draws := []float64{0.9, 0.1, 0.5, 0.3}
	before := -1
	for _, share := range []float64{0, 0.2, 0.4, 1} {
		n := 0
		for i, x := range draws {
			shape := workload.Shape{Mix: &workload.Mix{Share: share, Least: 0.5, Most: 2, Draw: func(k int) float64 { return draws[k] }}}
			j, err := shape.Job(i, &joblog.Job{ID: i + 1, Run: 10, Processors: 5})
			if err != nil {
				t.Fatal(err)
			}
			if malleable := j.Kind == workload.Malleable; malleable != (x < share) || malleable && (j.Min != 3 || j.Max != 10) {
				t.Errorf("share %v: job %d is %v of %d to %d nodes", share, i, j.Kind, j.Min, j.Max)
			}
			if j.Kind == workload.Malleable {
				n++
			}
		}
		if n <= before {
			t.Errorf("share %v: %d malleable jobs, %d at the share before", share, n, before)
		}
		before = n
	}
	for _, m := range []workload.Mix{{Share: -1, Most: 1}, {Share: 1.1, Most: 1}, {Least: 2, Most: 2}, {Most: 0.5}, {Least: -1, Most: 1}} {
		if m.Check() == nil {
			t.Errorf("%+v: no error", m)
		}
	}
}

// A malleable job that asks for more nodes than there are asks for all of them, and runs longer; a rigid one cannot.
func TestJobsWithinAMachine(t *testing.T) {
	j := workload.Job{Kind: workload.Malleable, Nodes: 8, Run: 10, Work: 80, Estimate: 20, Requested: 20}
	j.Within(4)
	if j.Nodes != 4 || j.Run != 20 || j.Estimate != 40 || j.Requested != 40 || j.Work != 80 {
		t.Errorf("%+v", j)
	}
	j.Kind = workload.Rigid
	if j.Within(2); j.Nodes != 4 {
		t.Errorf("%+v", j)
	}
}
