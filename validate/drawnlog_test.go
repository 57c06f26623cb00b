package validate

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

// jobsOf returns all jobs of a workload.
func jobsOf(t *testing.T, of machine.Workload) (jobs []workload.Job) {
	t.Helper()
	source, j := of.Jobs(des.Key{}), workload.Job{}
	for source.Next(&j) == nil {
		jobs = append(jobs, j)
	}
	return jobs
}

// TestDrawnLogs: each assumption keeps what it does not draw, and each run of a drawn log has the same jobs.
func TestDrawnLogs(t *testing.T) {
	demand, err := phasetype.Exponential(2)
	if err != nil {
		t.Fatal(err)
	}
	arrivals, err := phasetype.Renewal(demand)
	if err != nil {
		t.Fatal(err)
	}
	system := &models.System{Nodes: 8, MinNodes: 1, Arrivals: arrivals, Demand: demand, Speedup: workload.Linear{}}
	var logged []workload.Job
	for i := range 50 {
		logged = append(logged, workload.Job{ID: 100 + i, Submit: float64(i * i), Kind: workload.Malleable, Max: 4, Work: float64(i + 1)})
	}
	c := &LogComparison{System: system, Jobs: machine.List(logged), Hour: 60}
	works := func(jobs []workload.Job) (all []float64) {
		for i := range jobs {
			all = append(all, jobs[i].Work)
		}
		return all
	}
	gaps := func(jobs []workload.Job) (all []float64) {
		for i := 1; i < len(jobs); i++ {
			all = append(all, jobs[i].Submit-jobs[i-1].Submit)
		}
		return all
	}
	sorted := func(list []float64) []float64 { return slices.Sorted(slices.Values(list)) }
	if got := jobsOf(t, asLogged(c.Jobs)); !slices.Equal(got, logged) {
		t.Error("jobs that are not drawn differ from the log")
	}
	for _, j := range jobsOf(t, asLogged(unbounded{c.Jobs})) {
		if j.Max != 0 {
			t.Errorf("an unbounded job uses at most %d nodes", j.Max)
		}
	}
	const logAsIs = source(0)
	buffer := newLogBuffer(len(logged))
	for _, a := range logAssumptions {
		drawn := a.jobs(c, des.Seed(1), buffer)
		got := jobsOf(t, drawn)
		if again := jobsOf(t, drawn); !slices.Equal(got, again) {
			t.Errorf("%s: another run has other jobs", a.Name)
		}
		if len(got) != len(logged) || got[0].ID != 1 || got[0].Submit != logged[0].Submit {
			t.Errorf("%s: %d jobs, the first %+v", a.Name, len(got), got[0])
		}
		ordered, kept := slices.Equal(works(got), works(logged)), slices.Equal(sorted(works(got)), works(logged))
		if ordered != (a.work == logAsIs) || kept != (a.work != fitted) {
			t.Errorf("%s: works in the order of the log: %v; works of the log: %v", a.Name, ordered, kept)
		}
		ordered, kept = slices.Equal(gaps(got), gaps(logged)), slices.Equal(sorted(gaps(got)), gaps(logged))
		if cycle := a.Name == noDailyCycle; ordered != (a.gaps == logAsIs && !cycle) || kept != (a.gaps != fitted && !cycle) {
			t.Errorf("%s: gaps in the order of the log: %v; gaps of the log: %v", a.Name, ordered, kept)
		}
	}
}
