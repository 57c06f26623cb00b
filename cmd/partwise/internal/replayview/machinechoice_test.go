package replayview

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// logInCPUs returns a job log, and the same log in CPUs with each partition as a machine of its own.
func logInCPUs(t *testing.T, name string, nodes int) (inNodes, inCPUs *replay.Log) {
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
	inNodes, err = replay.ChooseList(list, replay.Choice{Name: name, Nodes: nodes, Range: joblog.Range{Names: source.Names}})
	if err != nil {
		t.Fatal(err)
	}
	if inCPUs, _, err = inNodes.InCPUs(); err != nil {
		t.Fatal(err)
	}
	if inCPUs, err = inCPUs.InPools(); err != nil {
		t.Fatal(err)
	}
	return inNodes, inCPUs
}

// TestOtherUnit: page and summary say the same of the other unit, here with which shares of malleable jobs resizing pays.
// They say nothing where its replay does not reproduce the log.
func TestOtherUnit(t *testing.T) {
	needs.Concurrency(t)
	inNodes, inCPUs := logInCPUs(t, "slurm-a.txt.gz", 46)
	s := replay.Study{Log: inCPUs, Policies: []policy.Policy{policy.EASYMalleable{}}, Shares: replay.ForecastShares(), Assumptions: replay.Usual()}
	runs, err := s.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	runs = slices.DeleteFunc(runs, func(run *replay.Run) bool { return !run.Resizes() })
	all := runs[len(runs)-1]
	same, other := &logstats.Replayed{Mean: 90, Logged: 100, Reproduced: true}, &logstats.Replayed{Mean: 1, Logged: 100}
	machines := func(waits *logstats.Replayed) Machines {
		return Machines{study.Machines{{Unit: joblog.InNodes, Log: inNodes, Waits: same, Chosen: true},
			{Unit: joblog.InCPUs, Log: inCPUs, Waits: waits, Runs: runs}}}
	}
	m := machines(same)
	const want = ", whether resizing pays depends on how many jobs are malleable: jobs take 45 % more time than under EASY with 20 % malleable, " +
		"108 % more with 50 % and 7 % less with 100 %."
	for _, text := range []string{m.OtherUnit(all), m.OtherUnitSummary(all)} {
		if !strings.HasSuffix(text, want) {
			t.Errorf("%q does not end in %q", text, want)
		}
	}
	m = machines(other)
	if text := m.OtherUnit(all) + m.OtherUnitSummary(all); text != "" {
		t.Errorf("a replay that does not reproduce the log says %q", text)
	}
}
