package replay_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/replay"
)

// sized returns jobs of random run times that ask for the sizes, one after the other.
func sized(n int, sizes ...int) (jobs []joblog.Job) {
	r := rand.New(rand.NewPCG(1, 0))
	for i := range n {
		jobs = append(jobs, joblog.Job{ID: i, Submit: float64(i), Run: 100 * r.ExpFloat64(), Processors: sizes[i%len(sizes)]})
	}
	return jobs
}

// inUnits is a machine of nodes in units of 8 at a load of work with linear speedup of so much on average.
func inUnits(t *testing.T, nodes int, work, load float64) *models.System {
	t.Helper()
	demand := phasetype.Must(phasetype.Exponential(1 / work))
	arrivals, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(load * float64(nodes) / work)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := models.NewSystemOfClasses(nodes, 8, arrivals, []models.Class{{Share: 1, Demand: demand, Speedup: workload.Linear{}}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func classesOf(t *testing.T, s *models.System, jobs []joblog.Job, within float64) *models.System {
	t.Helper()
	with, err := replay.Classes(t.Context(), s, jobs, replay.Assumptions{Most: 2}, within, markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return with
}

// Jobs that ask for 1 to 4 nodes can use a unit, and those that ask for 32 or more all nodes: the values are twice the sizes,
// in units of 8. Linear speedups make the work of a job what it held.
func TestClassesOfALog(t *testing.T) {
	if got := classesOf(t, inUnits(t, 64, 400, .5), sized(1000, 4, 3), .01).Classes; len(got) != 1 || got[0].MaxNodes != 8 {
		t.Errorf("jobs that can use a unit: %+v", got)
	}
	jobs := sized(3000, 2, 40, 4)
	work := 0.0
	for _, j := range jobs {
		work += j.Run * float64(j.Processors) / 3000
	}
	with := classesOf(t, inUnits(t, 64, work, .5), jobs, .01)
	got := with.Classes
	if len(got) != 2 || got[0].MaxNodes != 8 || got[1].MaxNodes != 64 || got[0].Share != 2*got[1].Share {
		t.Fatalf("jobs that can use a unit, and all nodes: %+v", got)
	}
	// 1e-9: sums of thousands of work times.
	mean := (2*got[0].Demand.Mean() + got[1].Demand.Mean()) / 3
	if math.Abs(mean/work-1) > 1e-9 || math.Abs(with.Load()-.5) > 1e-9 {
		t.Errorf("mean work %v and load %v, want %v and 0.5", mean, with.Load(), work)
	}
}

// Few classes answer what as many classes as there are sizes answer: sizes that are alike are merged. 10 % is what two steps
// of at most 5 % leave.
func TestClassesAreFew(t *testing.T) {
	jobs := sized(4000, 2, 5, 10, 15)
	s := inUnits(t, 32, 800, .6)
	few, all := classesOf(t, s, jobs, .05), classesOf(t, s, jobs, 0)
	if len(few.Classes) >= len(all.Classes) || len(all.Classes) != 4 {
		t.Errorf("%d classes of %d", len(few.Classes), len(all.Classes))
	}
	var means []float64
	for _, s := range []*models.System{few, all} {
		m, err := (&models.DEP{System: s}).Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		means = append(means, m.MeanResponseTime)
	}
	t.Logf("%d classes: %v, %d classes: %v", len(few.Classes), means[0], len(all.Classes), means[1])
	if math.Abs(means[0]/means[1]-1) > .1 {
		t.Errorf("mean response times %v", means)
	}
}

func TestClassesNeedJobsThatTheMachineKeepsUpWith(t *testing.T) {
	s := inUnits(t, 64, 400, .5)
	if _, err := replay.Classes(t.Context(), s, nil, replay.Assumptions{Most: 2}, .01, markov.Settings{}); err == nil {
		t.Error("no jobs: no error")
	}
	if _, err := replay.Classes(t.Context(), s, sized(10, 1), replay.Assumptions{}, .01, markov.Settings{}); err == nil {
		t.Error("jobs on no nodes: no error")
	}
	var unstable *models.UnstableError
	_, err := replay.Classes(t.Context(), s, sized(1000, 64), replay.Assumptions{Most: 2}, .01, markov.Settings{})
	if !errors.As(err, &unstable) {
		t.Errorf("jobs of sixteen times the work: %v", err)
	}
}
