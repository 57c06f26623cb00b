package advise_test

import (
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
)

// The settings for a log have the nodes of its machine and the median size of its jobs.
func TestSettingsOfLog(t *testing.T) {
	var jobs []joblog.Job
	for i, nodes := range []int{1, 2, 8} {
		jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(i), Run: 10, Processors: nodes})
	}
	log, err := replay.FromJobs(jobs, 16)
	if err != nil {
		t.Fatal(err)
	}
	all, err := advise.SettingsOfLog(log, advise.MalleableJobs{Share: 0.2, Least: 0.5, Most: 2}, 2, 4)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d settings, %v", len(all), err)
	}
	if s := all[0]; s.Nodes != 16 || s.Unit != 2 || s.GPUs != 4 || s.Malleable.Typical != 2 || s.Malleable.Partition != "elastic" ||
		s.Malleable.Share != 0.2 {
		t.Errorf("%+v, %+v", s, s.Malleable)
	}
	if _, err := advise.SettingsOfLog(nil, advise.MalleableJobs{}, 1, 0); err == nil {
		t.Error("settings without a log")
	}
}
