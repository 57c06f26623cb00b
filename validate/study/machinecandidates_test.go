package study

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/replay"
)

// TestMachineOfRealLogs: a log whose jobs wait for their partitions is taken to partitions, and of a log that no candidate
// reproduces the closest machine is taken.
func TestMachineOfRealLogs(t *testing.T) {
	needs.Concurrency(t)
	for _, c := range []struct {
		file       string
		nodes      int
		chosen     Pooling
		reproduced bool
	}{{"slurm-a.txt.gz", 42, Partitions, true}, {"slurm-b.txt.gz", 112, OneMachine, false}} {
		_, log := realLog(t, c.file, c.nodes)
		stretched, err := log.AtLoad(0.8)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []*replay.Log{log, stretched} { // the machine is that of the log, whatever the load of the study
			all, err := machinesOf(t.Context(), of, 0, replay.Usual(), &Settings{})
			if err != nil {
				t.Fatal(err)
			}
			if len(all) != 2 {
				t.Fatalf("%s has %d candidates", c.file, len(all))
			}
			for _, m := range all {
				if m.Chosen != (m.Pooling == c.chosen) || m.Waits.Reproduced != (c.reproduced && m.Chosen) {
					t.Errorf("%s: %s chosen: %v, reproduced: %v", c.file, m.Pooling, m.Chosen, m.Waits.Reproduced)
				}
			}
			for _, asked := range Poolings() {
				only, err := machinesOf(t.Context(), of, 0, replay.Usual(), &Settings{Pooling: asked})
				if err != nil || len(only) != 1 || only[0].Pooling != asked || !only[0].Chosen {
					t.Errorf("%s: with the pooling %s there are %d candidates: %v", c.file, asked, len(only), err)
				}
			}
		}
		if all, err := machinesOf(t.Context(), log, 2, replay.Usual(), &Settings{}); err != nil || len(all) != 1 {
			t.Errorf("%s: partitions of odd numbers of nodes are divided in units of 2: %v", c.file, err)
		}
	}
}

// TestWaitsOfOnlyMachine: the waits on an only candidate for the machine are those of a replay at the logged times, at every
// load of the study, and also if the jobs cannot be replayed with malleable jobs.
func TestWaitsOfOnlyMachine(t *testing.T) {
	needs.Concurrency(t)
	_, log := realLog(t, "slurm-b.txt.gz", 112)
	want, err := waitsOn(t.Context(), log, replay.Usual(), &Settings{})
	if err != nil || want == nil {
		t.Fatalf("waits %v, error %v", want, err)
	}
	for _, s := range []Settings{{}, {Load: 0.6}} {
		s.Pooling = OneMachine
		all, err := machinesOf(t.Context(), log, 0, replay.Usual(), &s)
		if err != nil || len(all) != 1 {
			t.Fatalf("%d candidates, %v", len(all), err)
		}
		for _, present := range []int{0, 1} { // with one job at a time no policy can run the jobs
			w, err := newWork(log, 0, replay.Usual(), s)
			if err != nil {
				t.Fatal(err)
			}
			w.Machines = slices.Clone(all)
			w.replays.Present = present
			if err := cmp.Or(w.describe(t.Context()), w.replayShares(t.Context())); err != nil {
				t.Fatal(err)
			}
			if got := w.Machine().Waits; (w.Gains.Impossible != nil) != (present == 1) || !reflect.DeepEqual(got, want) {
				t.Errorf("load %g: waits %+v, not %+v; impossible: %v", s.Load, got, want, w.Gains.Impossible)
			}
		}
	}
}

func TestClosest(t *testing.T) {
	of := func(w *logstats.Replayed) Machine { return Machine{Waits: w} }
	near, far := &logstats.Replayed{Mean: 90, Logged: 100}, &logstats.Replayed{Mean: 1, Logged: 100}
	same := &logstats.Replayed{Mean: 80, Logged: 100, Reproduced: true}
	for i, c := range []struct {
		all  []Machine
		want int
	}{{[]Machine{of(nil), of(nil)}, 0}, {[]Machine{of(nil), of(far)}, 1}, {[]Machine{of(far), of(near)}, 1}, {[]Machine{of(near), of(near)}, 0},
		{[]Machine{of(near), of(same), of(far)}, 1}} {
		if got := closest(c.all); got != c.want {
			t.Errorf("case %d: machine %d, not %d", i, got, c.want)
		}
	}
}

// TestMachinesAgainstTheChosen: with a stated number of nodes another candidate may agree better with the waits of the
// log than the chosen one. A candidate that agrees better is also as close.
func TestMachinesAgainstTheChosen(t *testing.T) {
	near, far := &logstats.Replayed{Mean: 90, Logged: 100}, &logstats.Replayed{Mean: 1, Logged: 100}
	reproduced := &logstats.Replayed{Mean: 80, Logged: 100, Reproduced: true}
	for i, c := range []struct {
		chosen, other   *logstats.Replayed
		closer, asClose bool
	}{{near, far, false, false}, {near, near, false, true}, {far, near, true, true}, {near, reproduced, true, true},
		{reproduced, near, false, false}, {near, nil, false, false}, {nil, nil, false, true}} {
		m := Machines{{Waits: c.chosen, Chosen: true}, {Waits: c.other}}
		if got := m.Closer() != nil; got != c.closer {
			t.Errorf("case %d: closer: %v", i, got)
		}
		if got := m.AsClose(&m[1]); got != c.asClose {
			t.Errorf("case %d: as close: %v", i, got)
		}
	}
}

// TestSharedNodes: the nodes that partitions share are those of the candidate that has partitions.
func TestSharedNodes(t *testing.T) {
	in := &replay.Log{Pools: &replay.Pools{Shared: 3}}
	if got := (Machines{{Log: &replay.Log{}}, {}, {Log: in}}).SharedNodes(); got != 3 {
		t.Errorf("%d nodes are shared, want 3", got)
	}
	if got := (Machines{{Log: &replay.Log{}}}).SharedNodes(); got != 0 {
		t.Errorf("%d nodes of one machine are shared", got)
	}
}

// TestOneNode: no job can be resized where each machine with jobs has one node.
func TestOneNode(t *testing.T) {
	on := func(nodes int, pools ...replay.PoolRun) *Gains {
		run := &replay.Run{Pools: pools}
		run.Nodes = nodes
		return &Gains{EASY: run}
	}
	pool := func(nodes, jobs int) replay.PoolRun {
		return replay.PoolRun{Pool: replay.Pool{Nodes: nodes, Jobs: jobs}}
	}
	for i, c := range []struct {
		gains *Gains
		want  bool
	}{{nil, false}, {&Gains{}, false}, {on(1), true}, {on(2), false}, {on(9, pool(1, 5), pool(8, 0)), true},
		{on(9, pool(1, 5), pool(8, 1)), false}} {
		if got := c.gains.OneNode(); got != c.want {
			t.Errorf("case %d: %v", i, got)
		}
		if c.gains.HelpsPool("a") {
			t.Errorf("case %d: a partition without a replay gains", i)
		}
	}
}
