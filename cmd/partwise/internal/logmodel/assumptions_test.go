package logmodel_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/logmodel"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
)

var policies = []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 2}, policy.Static{Partitions: 4}}

// system has four nodes, Poisson arrivals and exponential demands with a mean of an hour, at load ½.
func system(t *testing.T) *models.System {
	t.Helper()
	d, err := phasetype.Exponential(1.0 / 3600)
	if err != nil {
		t.Fatal(err)
	}
	gap, err := phasetype.Exponential(2.0 / 3600)
	if err != nil {
		t.Fatal(err)
	}
	arrivals, err := phasetype.Renewal(gap)
	if err != nil {
		t.Fatal(err)
	}
	s, err := models.NewSystem(4, 1, arrivals, d, workload.Linear{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// logOf draws jobs of the system.
func logOf(t *testing.T, s *models.System, n int) []workload.Job {
	t.Helper()
	source := (&machine.Random{Arrivals: s.Arrivals, Demand: s.Demand, Speedup: s.Speedup}).Jobs(des.Seed(3))
	jobs := make([]workload.Job, n)
	for i := range jobs {
		if err := source.Next(&jobs[i]); err != nil {
			t.Fatal(err)
		}
	}
	return jobs
}

func predicted(t *testing.T, s *models.System) []float64 {
	t.Helper()
	d, err := decide.Solve(t.Context(), s, policies, markov.Settings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var means []float64
	for _, p := range policies {
		means = append(means, d.Of(p).Measures.MeanResponseTime)
	}
	return means
}

var options = logmodel.Options{Draws: 2, Seed: 1}

// For a log of which all assumptions hold, none has an effect, and everybody decides the same.
func TestALogLikeTheModel(t *testing.T) {
	s := system(t)
	c := &logmodel.Case{System: s, Jobs: logOf(t, s, 5000), Hour: 3600}
	r, err := logmodel.Explain(t.Context(), c, policies, predicted(t, s), options)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Agrees() || !r.HasDecision() {
		t.Errorf("%+v", r)
	}
	for _, e := range r.Because {
		for i, f := range e.Factors {
			if math.Abs(f-1) > 0.2 { // 5000 jobs at load ½: some 4 % of standard error each
				t.Errorf("%s: %v times %.2f", e.Assumption.Name, policies[i], f)
			}
		}
	}
	if len(r.Because) != len(logmodel.Table()) {
		t.Errorf("%d effects of %d assumptions", len(r.Because), len(logmodel.Table()))
	}
}

// Jobs that come ten at a time come in bursts of random length, some of them long, where the gaps between them are in
// random order: they wait longer. The explanation is the same for any number of workers.
func TestDependentGaps(t *testing.T) {
	s := system(t)
	jobs := logOf(t, s, 1000)
	for i := range jobs {
		jobs[i].Submit = jobs[i-i%10].Submit
	}
	c := &logmodel.Case{System: s, Jobs: jobs, Hour: 3600}
	means := predicted(t, s)
	one, many := options, options
	one.Workers, many.Workers = 1, 4
	first, err := logmodel.Explain(t.Context(), c, policies, means, one)
	if err != nil {
		t.Fatal(err)
	}
	second, err := logmodel.Explain(t.Context(), c, policies, means, many)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range first.Because {
		for k := range e.Factors {
			if e.Factors[k] != second.Because[i].Factors[k] {
				t.Errorf("%s: %v by one worker, %v by four", e.Assumption.Name, e.Factors[k], second.Because[i].Factors[k])
			}
		}
		if e.Assumption.Name == logmodel.GapOrder && !(e.Factors[0] > 1.2) {
			t.Errorf("gaps in random order: times %.2f", e.Factors[0])
		}
	}
}

// The decision differs if the winner does, not if only the best split does.
func TestAgrees(t *testing.T) {
	for name, c := range map[string]struct {
		predicted, replayed logmodel.Forecast
		want                bool
	}{
		"same":                    {f(1, 2, 3), f(2, 3, 4), true},
		"other winner":            {f(1, 2, 3), f(4, 3, 5), false},
		"other split":             {f(1, 2, 3), f(1, 3, 2), true},
		"no practical difference": {f(1, 2, 3), f(2.002, 3, 2), true},
	} {
		r := logmodel.Report{Policies: policies, Predicted: c.predicted, Replayed: c.replayed}
		if r.Agrees() != c.want {
			t.Errorf("%s: %v", name, r.Agrees())
		}
	}
}

// f is the forecast of means under the policies.
func f(means ...float64) logmodel.Forecast {
	best := 1
	if means[2] < means[1] {
		best = 2
	}
	return logmodel.Forecast{Means: means, Dynamic: 0, Best: best, Ratio: means[best] / means[0]}
}
