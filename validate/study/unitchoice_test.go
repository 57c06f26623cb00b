package study_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// logOfLoad returns 1,000 jobs of the given number of nodes that offer a machine the given load. Their run times differ.
func logOfLoad(nodes, size int, load float64) *joblog.List {
	jobs := new(joblog.List)
	for i := range 1000 {
		jobs.Add(&joblog.Job{Submit: 100 * float64(i), Run: load * 100 * float64(nodes) / float64(size) * (0.5 + float64(i%11)/10),
			Processors: size})
	}
	return jobs
}

// TestDivisionOf: of units with 4 to 10 partitions, the largest number of partitions is taken. Where their load is too high, or the
// nodes have no such units, the machine has 11 to 16 partitions, or 3 or 2. Machines of a prime number of nodes have none.
func TestDivisionOf(t *testing.T) {
	amdahl, err := workload.ParseSpeedup("amdahl:0.01")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		nodes, size int
		load        float64
		unit, usual int // 0: no unit
		stable      int // beside no unit
	}{
		{100, 8, .7, 10, 10, 0},
		{128, 8, .7, 16, 16, 0},
		{64, 64, .9, 8, 8, 0},
		{12, 1, .7, 2, 2, 0},
		{10, 1, .7, 1, 1, 0},
		{2, 1, .7, 1, 1, 0},
		{3, 1, .7, 1, 1, 0},
		{1152, 64, .6, 96, 128, 0}, // in 12: in 9 the load is 39 % above the load of the log
		{338, 8, .7, 26, 26, 0},    // in 13 units, not in 2
		{26, 1, .7, 2, 2, 0},       // in 13
		{46, 1, .1, 23, 23, 0},     // in 2
		{46, 8, .95, 0, 23, 2},     // in 23 units, which are too many
		{256, 1, .8, 16, 32, 0},    // in 16: in 8 the load is 31 % above the load of the log
		{1024, 1, .8, 0, 128, 16},  // in 8 the load would be 1.8
		{1024, 1, 1.2, 64, 128, 0},
		{257, 8, .7, 0, 0, 0},
		{1021, 8, .7, 0, 0, 0},
		{0, 1, .7, 0, 0, 0},
		{-8, 1, .7, 0, 0, 0},
	} {
		d, err := study.DivisionOf(logOfLoad(max(1, c.nodes), c.size, c.load).All(), c.nodes, amdahl)
		if d.Unit != c.unit || d.Usual != c.usual {
			t.Errorf("%d nodes, jobs of %d, load %g: unit %d (load %.3g), usually %d (load %.3g): %v", c.nodes, c.size, c.load, d.Unit,
				d.Load, d.Usual, d.UsualLoad, err)
		}
		if failed := (*study.DivisionError)(nil); errors.As(err, &failed) != (c.unit == 0) || failed != nil && failed.Stable != c.stable {
			t.Errorf("%d nodes, jobs of %d, load %g: the error is %v", c.nodes, c.size, c.load, err)
		}
	}
	if _, err := study.DivisionOf(logOfLoad(1, 1, .7).All(), 1, amdahl); err != study.ErrOneNode {
		t.Errorf("one node: %v", err)
	}
}

// TestLoadOfDivision: the loads of a division are those of the chain that is made in its unit.
func TestLoadOfDivision(t *testing.T) {
	for _, unit := range []int{26, 169} {
		jobs, a := logOfLoad(338, 5, .5), replay.Usual()
		d, err := study.DivisionOf(jobs.All(), 338, a.Speedup)
		if err != nil {
			t.Fatal(err)
		}
		draft, err := study.NewDraft(t.Context(), jobs, policy.Machine{Nodes: 338, Unit: unit}, a, nil)
		if err != nil {
			t.Fatal(err)
		}
		load, logged := draft.System.Load(), draft.LoggedLoad()
		if unit == d.Unit && (math.Abs(d.Load/load-1) > 1e-2 || math.Abs(d.Logged/logged-1) > 1e-9) {
			t.Errorf("unit %d: loads %g and %g, not %g and %g", unit, d.Load, d.Logged, load, logged)
		}
		if unit != d.Unit && load < 1 {
			t.Errorf("unit %d: load %g", unit, load)
		}
	}
}

// TestChainsAtOnce: jobs that all come at once have no load by which a unit could be chosen.
func TestChainsAtOnce(t *testing.T) {
	jobs := new(joblog.List)
	for range 5 {
		jobs.Add(&joblog.Job{Run: 10, Processors: 1})
	}
	if d, err := study.DivisionOf(jobs.All(), 12, nil); d.Unit != 2 || !math.IsInf(d.Load, 1) || !math.IsInf(d.Logged, 1) || err != nil {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := study.DivisionOf(new(joblog.List).All(), 12, nil); d.Unit != 2 || err != nil {
		t.Errorf("an empty log: %+v, %v", d, err)
	}
	jobs.Add(&joblog.Job{Submit: 100, Run: math.Inf(1), Processors: 1})
	if d, err := study.DivisionOf(jobs.All(), 12, nil); err == nil {
		t.Errorf("a run time that is not finite: %+v", d)
	}
	if _, err := study.DivisionOf(nil, 12, nil); err == nil {
		t.Error("no jobs are divided")
	}
}
