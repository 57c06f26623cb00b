package replay_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/replay"
)

// TestMadeLog: the same seed makes the same jobs; a load is offered by stretching, and requested run times change nothing else.
func TestMadeLog(t *testing.T) {
	entry, err := workload.JobModelNamed("lublin99")
	if err != nil {
		t.Fatal(err)
	}
	model, err := entry.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := replay.MadeLog{Model: model, Nodes: 64, Jobs: 300, Seed: 7}
	plain, err := m.Make()
	if err != nil || len(plain) != 300 {
		t.Fatalf("%d jobs, %v", len(plain), err)
	}
	if again, _ := m.Make(); !reflect.DeepEqual(plain, again) {
		t.Error("the same seed makes other jobs")
	}
	estimator, err := workload.ParseEstimator("times:2")
	if err != nil {
		t.Fatal(err)
	}
	m.Load, m.Estimator = 0.5, estimator()
	jobs, err := m.Make()
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs {
		j, was := &jobs[i], &plain[i]
		if j.Run != was.Run || j.Estimate != math.Ceil(2*j.Run) || j.Submit != math.Round(j.Submit) {
			t.Fatalf("job %d: %+v, was %+v", i, j, was)
		}
	}
	log, err := replay.FromJobs(jobs, 64)
	if err != nil || math.Abs(log.Load()-0.5) > 0.01 {
		t.Errorf("load %v, %v", log.Load(), err)
	}
	m.Nodes = 1
	if _, err := m.Make(); !errors.As(err, new(*workload.ParameterError)) {
		t.Errorf("one node: %v", err)
	}
}
