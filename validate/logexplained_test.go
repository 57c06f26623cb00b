package validate_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

var compared = []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 2}, policy.Static{Partitions: 4}}

// loggedSystem has four nodes, Poisson arrivals and exponential demands with a mean of an hour, at load ½.
func loggedSystem(t *testing.T) *models.System {
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
	d, err := decide.Solve(t.Context(), s, compared, markov.Settings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var means []float64
	for _, p := range compared {
		means = append(means, d.Of(p).Measures.MeanResponseTime)
	}
	return means
}

// For a log of which all assumptions hold, none has an effect, and everybody decides the same.
func TestALogLikeTheModel(t *testing.T) {
	s := loggedSystem(t)
	c := &validate.LogComparison{System: s, Jobs: machine.List(logOf(t, s, 5000)), Hour: 3600, Draws: 2, Seed: 1}
	r, err := c.Explain(t.Context(), compared, predicted(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Agrees() || !r.HasDecision() {
		t.Errorf("%+v", r)
	}
	for _, e := range r.Because {
		for i, f := range e.Factors {
			if math.Abs(f-1) > 0.2 { // 5000 jobs at load ½: some 4 % of standard error each
				t.Errorf("%s: %v times %.2f", e.Assumption.Name, compared[i], f)
			}
		}
	}
	if len(r.Because) != 7 {
		t.Errorf("%d effects of 7 assumptions", len(r.Because))
	}
}

// Jobs that come ten at a time come in bursts of random length, some of them long, where the gaps between them are in
// random order: they wait longer. The explanation is the same for any number of workers.
func TestDependentGaps(t *testing.T) {
	s := loggedSystem(t)
	jobs := logOf(t, s, 1000)
	for i := range jobs {
		jobs[i].Submit = jobs[i-i%10].Submit
	}
	c := &validate.LogComparison{System: s, Jobs: machine.List(jobs), Hour: 3600, Draws: 2, Seed: 1}
	means := predicted(t, s)
	c.Workers = 1
	first, err := c.Explain(t.Context(), compared, means)
	if err != nil {
		t.Fatal(err)
	}
	c.Workers = 4
	second, err := c.Explain(t.Context(), compared, means)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range first.Because {
		for k := range e.Factors {
			if e.Factors[k] != second.Because[i].Factors[k] {
				t.Errorf("%s: %v by one worker, %v by four", e.Assumption.Name, e.Factors[k], second.Because[i].Factors[k])
			}
		}
		if e.Assumption.Name == "gaps_independent" && !(e.Factors[0] > 1.2) {
			t.Errorf("gaps in random order: times %.2f", e.Factors[0])
		}
	}
}

// The decision differs if the winner does, not if only the best split does.
func TestAgreesOnTheWinner(t *testing.T) {
	for name, c := range map[string]struct {
		predicted, replayed validate.LogForecast
		want                bool
	}{
		"same":                    {forecastOf(1, 2, 3), forecastOf(2, 3, 4), true},
		"other winner":            {forecastOf(1, 2, 3), forecastOf(4, 3, 5), false},
		"other split":             {forecastOf(1, 2, 3), forecastOf(1, 3, 2), true},
		"no practical difference": {forecastOf(1, 2, 3), forecastOf(2.002, 3, 2), true},
	} {
		r := validate.LogReport{Policies: compared, Predicted: c.predicted, Replayed: c.replayed}
		if r.Agrees() != c.want {
			t.Errorf("%s: %v", name, r.Agrees())
		}
	}
}

// forecastOf is the forecast of means under the compared.
func forecastOf(means ...float64) validate.LogForecast {
	best := 1
	if means[2] < means[1] {
		best = 2
	}
	return validate.LogForecast{Means: means, Dynamic: 0, Best: best, Ratio: means[best] / means[0]}
}

// TestLogComparisonWithoutAnHour: the cycle of the log is taken in hours, so that a comparison without the length of an hour is
// refused.
func TestLogComparisonWithoutAnHour(t *testing.T) {
	s := loggedSystem(t)
	for _, hour := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		c := validate.LogComparison{System: s, Jobs: machine.List(logOf(t, s, 20)), Draws: 1, Hour: hour}
		if _, err := c.Explain(t.Context(), compared, make([]float64, len(compared))); err == nil {
			t.Errorf("an hour of %g is taken", hour)
		}
	}
}
