package overheads_test

import (
	"math"
	"slices"
	"testing"

	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/lab/internal/overheads"
	"pgregory.net/rapid"
)

// table1 is IPS96 table 1.
var table1 = [][]int{
	{}, {8}, {4, 4}, {3, 3, 2}, {2, 2, 2, 2}, {2, 2, 2, 1, 1}, {2, 2, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 1, 1},
	{1, 1, 1, 1, 1, 1, 1, 1},
}

func phases(t *testing.T, s overheads.Steps, nodes, unit int) (shrink, expand []overheads.Row) {
	t.Helper()
	shrink, expand, err := s.Phases(nodes, unit)
	if err != nil {
		t.Fatal(err)
	}
	return shrink, expand
}

func TestPhasesFollowTable1(t *testing.T) {
	shrink, expand := phases(t, overheads.Environments()[0].Steps, 8, 1)
	if len(shrink) != 8 || len(expand) != 7 {
		t.Fatalf("%d and %d points", len(shrink), len(expand))
	}
	for k, row := range shrink {
		if row.Jobs != k+1 || !slices.Equal(row.Before, table1[k]) || !slices.Equal(row.After, table1[k+1]) {
			t.Errorf("shrink to %d: %v to %v", row.Jobs, row.Before, row.After)
		}
	}
	for k, row := range expand {
		if row.Jobs != k+1 || !slices.Equal(row.Before, table1[k+2]) || !slices.Equal(row.After, table1[k+1]) {
			t.Errorf("expand to %d: %v to %v", row.Jobs, row.Before, row.After)
		}
	}
	// From {4,4} to {3,3,2} both give a node; the last step takes one node from one application of two.
	if shrink[2].Interrupted != 2 || shrink[2].Moving != 2 || shrink[7].Interrupted != 1 || shrink[7].Moving != 1 {
		t.Errorf("%+v, %+v", shrink[2], shrink[7])
	}
}

// The split {2} → {1,1} and the join {1,1} → {2}, added up by hand from steps that are powers of two.
func TestStepsAddUp(t *testing.T) {
	s := overheads.Steps{overheads.Message: 1, overheads.Kill: 2, overheads.Update: 4, overheads.Launch: 8, overheads.Boot: 16,
		overheads.Phase: 96, overheads.Checkpoint: 64, overheads.Connect: 128, overheads.Congestion: 0.5, overheads.Assign: 256}
	split := overheads.Repartition{Interrupted: []overheads.Resize{{From: 2, To: 1}}, Launched: 1}
	// notice 1, to two workers 2, the longer of two phases 64, two checkpoints 128, answer 1; kill 2, two updates 8,
	// launch 8 and boot 16; connection 128 and work 256 of the new one, which is later than the old one.
	if got, want := s.Time(split), 1+2+64+128+1+2+8+8+16+128+256.0; got != want {
		t.Errorf("split: %v, want %v", got, want)
	}
	join := overheads.Repartition{Interrupted: []overheads.Resize{{From: 1, To: 2}}, Departed: true}
	// notice 1, to a worker 1, half a phase 48, checkpoint 64, answer 1; meanwhile the old worker connects (192) and the
	// new one is started (8 + 8 + 16), which is sooner; then the new one connects, and both get work.
	if got, want := s.Time(join), 1+1+48+64+1+192+192+512.0; got != want {
		t.Errorf("join: %v, want %v", got, want)
	}
	// The first application has nobody to wait for.
	if got, want := s.Time(overheads.Repartition{Launched: 1}), 4+8+16+128+256.0; got != want {
		t.Errorf("launch: %v, want %v", got, want)
	}
}

// What section 5.1 says of figures 3 to 7, for the costs that stand in for the measurements.
func TestWhatTheFiguresSay(t *testing.T) {
	for _, nodes := range []int{4, 8, 12} {
		var totals [2][]float64
		for e, environment := range overheads.Environments() {
			shrink, expand := phases(t, environment.Steps, nodes, 1)
			for i, row := range expand {
				// The comparable step leads from i to i+1 applications.
				if other := shrink[i+1]; row.Total <= other.Total {
					t.Errorf("%s, %d nodes: expanding %v to %v takes %v, shrinking back %v", environment.Name, nodes,
						row.Before, row.After, row.Total, other.Total)
				}
			}
			last := shrink[len(shrink)-1]
			if shrink[1].Total < 1.5*last.Total || expand[0].Total < 1.5*expand[len(expand)-1].Total {
				t.Errorf("%s, %d nodes: few large applications do not cost more than many small ones", environment.Name, nodes)
			}
			// Towards the end one partition of the least size is concerned, whose cost is fixed.
			if before := shrink[len(shrink)-2]; nodes > 4 && math.Abs(before.Total/last.Total-1) > 0.05 {
				t.Errorf("%s, %d nodes: the last steps cost %v and %v", environment.Name, nodes, before.Total, last.Total)
			}
			for _, row := range slices.Concat(shrink, expand) {
				if row.System <= 0 || row.Application <= 0 || math.Abs(row.System+row.Application-row.Total) > 1e-12*row.Total {
					t.Errorf("%+v", row)
				}
				totals[e] = append(totals[e], row.Total)
			}
		}
		for i, now := range totals[0] {
			if ratio := now / totals[1][i]; ratio < 2 || ratio > 4 {
				t.Errorf("%d nodes, point %d: the SP2 is %.2f times as fast", nodes, i, ratio)
			}
		}
	}
}

// A step that costs more makes no repartition cheaper, and the system's share does not depend on the application's
// steps.
func TestCostsAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := overheads.Environments()[rapid.IntRange(0, 1).Draw(t, "environment")].Steps
		names, ofApplications := overheads.Names, overheads.OfApplications
		k := rapid.IntRange(0, len(names)-1).Draw(t, "step")
		unit := rapid.IntRange(1, 3).Draw(t, "unit")
		nodes := unit * rapid.IntRange(1, 12).Draw(t, "partitions")
		dearer, err := steps.With(names[k], steps[k]+rapid.Float64Range(0, 5).Draw(t, "more"))
		if err != nil {
			t.Fatal(err)
		}
		a, c, _ := steps.Phases(nodes, unit)
		b, d, _ := dearer.Phases(nodes, unit)
		a, b = append(a, c...), append(b, d...)
		for i := range a {
			if b[i].Total < a[i].Total || slices.Contains(ofApplications, k) && b[i].System != a[i].System {
				t.Fatalf("dearer %s: %+v became %+v", names[k], a[i], b[i])
			}
		}
	})
}

func TestMistakes(t *testing.T) {
	s := overheads.Environments()[0].Steps
	for _, m := range [][2]int{{0, 1}, {8, 3}, {8, 0}, {1 << 20, 1}} {
		if _, _, err := s.Phases(m[0], m[1]); err == nil {
			t.Errorf("%d nodes in units of %d: no error", m[0], m[1])
		}
	}
	for name, cost := range map[string]float64{"walk": 1, "kill": -1, "boot": math.NaN(), "launch": math.Inf(1)} {
		if _, err := s.With(name, cost); err == nil {
			t.Errorf("%s = %v: no error", name, cost)
		}
	}
}

// TestManyPartitions: the lists of a machine of many partitions take a moment, because equal applications are counted together. The
// expected number of nodes that an application of n/(i+1) nodes on average leaves behind is what moves.
func TestManyPartitions(t *testing.T) {
	const n = 400
	_, expand, err := overheads.Environments()[0].Steps.Phases(n, 1)
	if err != nil || len(expand) != n-1 {
		t.Fatalf("%d rows, %v", len(expand), err)
	}
	for _, row := range expand {
		if want := float64(n) / float64(row.Jobs+1); math.Abs(row.Moving/want-1) > 1e-9 {
			t.Errorf("%d nodes move when %d applications are left, want %g", int(row.Moving), row.Jobs, want)
		}
	}
}
