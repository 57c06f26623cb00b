package replay_test

import (
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// TestRunsThatWereNotReplayed: searches that take runs of a study refuse runs without results or of other machines.
// They neither panic nor return numbers for them.
func TestRunsThatWereNotReplayed(t *testing.T) {
	jobs := []joblog.Job{
		{ID: 1, Partition: 1, Submit: 0, Run: 100, Processors: 2},
		{ID: 2, Partition: 2, Submit: 1, Run: 50, Processors: 2},
		{ID: 3, Partition: 2, Submit: 2, Run: 50, Processors: 1},
	}
	log := chosen(t, jobs, 4)
	pools, err := log.InPools()
	if err != nil {
		t.Fatal(err)
	}
	s := &replay.Study{Log: log, Policies: []policy.Policy{policy.EASYMalleable{}}, Assumptions: replay.Usual()}
	inPools := *s
	inPools.Log = pools
	onOneMachine, err := s.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, runs := range map[string][]*replay.Run{"zero": {{}}, "not replayed": s.Runs(), "beside a run": {onOneMachine[0], {}}} {
		if s.FewestNodes(t.Context(), 1, runs) == nil {
			t.Error("FewestNodes takes runs that were", name)
		}
		if s.Foretell(t.Context(), 1, runs) == nil {
			t.Error("Foretell takes runs that were", name)
		}
		if s.WorthInNodes(t.Context(), 1, runs) == nil {
			t.Error("WorthInNodes takes runs that were", name)
		}
	}
	if sample, err := s.DrawSample(s.Runs()[0]); sample != nil || err == nil {
		t.Error("DrawSample takes a run that was not replayed")
	}
	if inPools.WorthInNodes(t.Context(), 1, onOneMachine) == nil {
		t.Error("WorthInNodes on a log in pools takes runs of one machine")
	}
}
