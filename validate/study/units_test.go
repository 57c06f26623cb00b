package study

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/replay"
)

// logWithCPUs returns a log of Slurm on its nodes, with the CPUs of its jobs. merged is how many nodes, in the order of
// their names, become one larger node, so that jobs of one node share it.
func logWithCPUs(t *testing.T, name string, nodes, merged int) *replay.Log {
	t.Helper()
	f, err := os.Open(needs.JobLog(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	source, list, err := joblog.Pack(f, name, joblog.Options{NodeNames: true, CPUs: true})
	if err != nil {
		t.Fatal(err)
	}
	mergeNodes(source.Names.NodeLists, merged)
	choice := replay.Choice{Name: name, Nodes: nodes}
	choice.Range.Names = source.Names
	log, err := replay.ChooseList(list, choice)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// mergeNodes gives the same name to merged nodes, in the order of their names. Lists of several nodes stay as they are.
func mergeNodes(lists []string, merged int) {
	if merged == 1 {
		return
	}
	sorted := slices.Sorted(slices.Values(lists))
	for i, list := range lists {
		if at, _ := slices.BinarySearch(sorted, list); !strings.ContainsAny(list, "[,") {
			lists[i] = fmt.Sprintf("large%d", at/merged)
		}
	}
}

// TestUnitsOfRealLogs: on both logs nearly all jobs of one node have all CPUs that were in use on it, so that sizes
// count nodes. CPUs join the candidates if several nodes become one, of which most jobs then use a part. A machine of
// nodes is the closest in all cases. A unit and a pooling fix the candidate.
func TestUnitsOfRealLogs(t *testing.T) {
	needs.Concurrency(t)
	for _, c := range []struct {
		file                string
		merged, nodes, cpus int
		candidates          int
		reproduced          bool
	}{
		{"slurm-a.txt.gz", 1, 46, 351, 2, true},
		{"slurm-b.txt.gz", 1, 105, 1228, 2, false},
		{"slurm-a.txt.gz", 8, 43, 415, 4, true},
		{"slurm-b.txt.gz", 2, 70, 1420, 4, false},
	} {
		log := logWithCPUs(t, c.file, c.nodes, c.merged)
		all, err := machinesOf(t.Context(), log, 0, replay.Usual(), &Settings{})
		if err != nil || len(all) != c.candidates {
			t.Fatalf("%s has %d candidates: %v", c.file, len(all), err)
		}
		stated, err := machinesOf(t.Context(), logWithCPUs(t, c.file, 10, c.merged), 0, replay.Usual(), &Settings{NodesStated: true})
		if err != nil || !stated[0].Chosen || stated[0].Log.Nodes != 10 {
			t.Errorf("%s: a stated number of nodes is not kept: %v", c.file, err)
		}
		reproduced := false
		for _, m := range all {
			reproduced = reproduced || m.Chosen && m.Waits.Reproduced
			if m.Chosen && m.Unit != joblog.InNodes {
				t.Errorf("%s: sizes count %s", c.file, m.Unit)
			}
			if want := map[joblog.Unit]int{joblog.InNodes: c.nodes, joblog.InCPUs: c.cpus}[m.Unit]; m.Log.Nodes != want {
				t.Errorf("%s: %d %s, not %d", c.file, m.Log.Nodes, m.Unit, want)
			}
		}
		if reproduced != c.reproduced {
			t.Errorf("%s is reproduced: %v", c.file, reproduced)
		}
		w, err := newWork(all[closest(all)].Log, 0, replay.Usual(), Settings{})
		if err != nil {
			t.Fatal(err)
		}
		w.Machines = all
		if err := w.replayOtherUnit(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, m := range w.Machines {
			if other := !m.Chosen && m.Pooling == w.Machine().Pooling; (len(m.Runs) == len(replay.ForecastShares())) != other {
				t.Errorf("%s: %s, %s: %d runs", c.file, m.Unit, m.Pooling, len(m.Runs))
			}
		}
		only, err := machinesOf(t.Context(), log, 0, replay.Usual(), &Settings{Unit: joblog.InCPUs, Pooling: Partitions})
		if err != nil || len(only) != 1 || only[0].Unit != joblog.InCPUs || only[0].Pooling != Partitions {
			t.Errorf("%s in CPUs by partition: %d candidates, %v", c.file, len(only), err)
		}
	}
}

// TestUnitThatALogDoesNotTell: sizes of a log without CPUs cannot be counted in CPUs.
func TestUnitThatALogDoesNotTell(t *testing.T) {
	log, err := replay.FromJobs([]joblog.Job{{ID: 1, Run: 10, Processors: 1}, {ID: 2, Submit: 5, Run: 10, Processors: 2}}, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []joblog.Unit{joblog.InCPUs, joblog.InGPUs} {
		if _, err := machinesOf(t.Context(), log, 0, replay.Usual(), &Settings{Unit: unit}); !errors.As(err, new(*replay.SettingError)) {
			t.Errorf("sizes in %s: %v", unit, err)
		}
	}
}

// TestNoRuleForOneNode: there is no rule by which to divide a machine of one node.
func TestNoRuleForOneNode(t *testing.T) {
	log, err := replay.FromJobs([]joblog.Job{{ID: 1, Run: 10, Processors: 1}, {ID: 2, Submit: 5, Run: 10, Processors: 1}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWork(log, 0, replay.Usual(), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	w.oneMachine, w.weeksOfOne = log, log
	if err := w.findRule(t.Context()); err != ErrOneNode {
		t.Errorf("the error is %v, not %v", err, ErrOneNode)
	}
}
