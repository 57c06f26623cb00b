package validate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
)

// planned returns the steps of a validation in words, such as "1/2 dynamic model", and the names of its variants.
func planned(t *testing.T, v *validate.Validation) (all []string) {
	t.Helper()
	var names []string
	for _, one := range v.Variants {
		names = append(names, one.Name)
	}
	err := v.Simulate(func(i, n int, s validate.Simulator, p policy.Policy) (validate.Simulations, error) {
		all = append(all, fmt.Sprintf("%d/%d %s %s", i+1, n, p, s.Fidelity))
		return validate.Simulations{Runs: []validate.Simulation{{Policy: p, Fidelity: s.Fidelity}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(all, fmt.Sprint(names))
}

// Which machines a validation simulates follows from the fidelity, the policies and the jobs.
func TestWhatAValidationSimulates(t *testing.T) {
	s := at(t, "ips96/w1-now.yaml", 0.5)
	both := []policy.Policy{dynamic, static(2)}
	for _, c := range []struct {
		fidelity validate.Fidelity
		policies []policy.Policy
		given    validate.Simulator
		want     []string
	}{
		{validate.ModelFidelity, both, validate.Simulator{}, []string{"1/2 dynamic model", "2/2 static:2 model", "[]"}},
		{validate.MachineFidelity, both, validate.Simulator{},
			[]string{"1/3 dynamic divided", "2/3 static:2 divided", "3/3 dynamic machine", "[ machine]"}},
		{validate.BothFidelities, both, validate.Simulator{}, []string{"1/4 dynamic model", "2/4 static:2 model", "3/4 dynamic divided",
			"4/4 dynamic machine", "[ divided machine]"}},
		{validate.ModelFidelity, both[:1], validate.Simulator{Options: validate.Options{Sample: []float64{1}}},
			[]string{"1/2 dynamic model", "2/2 dynamic machine", "[ demands]"}},
		{validate.ModelFidelity, both[:1], validate.Simulator{Replay: []workload.Job{{}}}, []string{"1/2 dynamic model", "2/2 dynamic machine", "[ log]"}},
	} {
		model := validate.Simulator{System: s, Options: validate.Options{Fidelity: c.fidelity}}
		if diff := cmp.Diff(c.want, planned(t, validate.NewValidation(c.policies, model, c.given))); diff != "" {
			t.Errorf("%s, %v (-want +got):\n%s", c.fidelity, c.policies, diff)
		}
	}
}

// An interrupted validation has the runs so far, and an interrupt before the first run is an error.
func TestInterruptedValidation(t *testing.T) {
	model := validate.Simulator{System: at(t, "ips96/w1-now.yaml", 0.5), Options: validate.Options{Fidelity: validate.ModelFidelity}}
	for _, complete := range []int{0, 1} {
		v := validate.NewValidation([]policy.Policy{dynamic, static(2)}, model, validate.Simulator{})
		err := v.Simulate(func(i, _ int, _ validate.Simulator, p policy.Policy) (validate.Simulations, error) {
			if i == complete {
				return validate.Simulations{}, context.Canceled
			}
			return validate.Simulations{Runs: []validate.Simulation{{Policy: p}}}, nil
		})
		if len(v.Runs(false)) != complete || v.Interrupted != (complete > 0) || errors.Is(err, context.Canceled) != (complete == 0) {
			t.Errorf("%d runs of %d, interrupted %v, %v", len(v.Runs(false)), complete, v.Interrupted, err)
		}
	}
}

// A row stands once for each measure of a policy, with what divided nodes say of it. A row fails if either simulation does. Policies
// that cannot keep up have their traffic intensity alone.
func TestRowsOfAValidation(t *testing.T) {
	mean, other := validate.Row{Measure: "mean_jobs", Pass: true}, validate.Row{Measure: "mean_jobs"}
	v := &validate.Validation{
		Variants: []*validate.Variant{
			{Tested: true, Comparisons: []validate.Comparison{{Policy: dynamic, Rows: []validate.Row{mean}}, {Policy: static(1), Rows: []validate.Row{mean}}}},
			{Name: "divided", Tested: true, Comparisons: []validate.Comparison{{Policy: dynamic, Fidelity: validate.DividedFidelity,
				Rows: []validate.Row{other}}}},
		},
		Unstable: []decide.Solved{{Policy: static(4), Measures: models.Measures{TrafficIntensity: 1.5}}},
	}
	var got []string
	for _, r := range v.Rows() {
		got = append(got, fmt.Sprint(r.Policy, " ", r.Measure, " ", r.Passes(), " ", r.Analytic))
	}
	want := []string{"dynamic mean_jobs false 0", "static:1 mean_jobs true 0", "static:4 traffic_intensity true 1.5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if needed := v.JobsNeeded(); needed != 0 || new(validate.Validation).JobsNeeded() != 0 {
		t.Errorf("simulations that are long enough need %d jobs", needed)
	}
	if c, row := v.Failure(); c == nil || c.Policy != dynamic || row.Measure != "mean_jobs" {
		t.Errorf("failed: %+v, %+v", c, row)
	}
}

// Simulated percentiles stand beside exact ones, of which a static policy has some; and a policy that cannot keep up is not
// simulated.
func TestValidationWithPercentiles(t *testing.T) {
	s := at(t, "ips96/w1-now.yaml", 0.3)
	model := validate.Simulator{System: s, Options: validate.Options{Precision: 0.1, Replications: 4, Percentiles: true,
		Fidelity: validate.ModelFidelity}}
	v := validate.NewValidation([]policy.Policy{static(2)}, model, model)
	err := v.Simulate(func(_, _ int, one validate.Simulator, p policy.Policy) (validate.Simulations, error) {
		return one.Simulate(ctx, []policy.Policy{p}, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := decide.Solve(ctx, s, []policy.Policy{static(2)}, markov.Settings{}, 1)
	if err == nil {
		err = v.Compare(ctx, &d, func(err error) { t.Error(err) })
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"response_time_p95", "waiting_time_p99"} {
		row := v.Variants[0].Comparisons[0].OfClass("", name)
		if row == nil || !(math.Abs(row.Difference()) < 0.5) {
			t.Errorf("%s: %+v", name, row)
		}
	}
	model.System = at(t, "ips96/w1-now.yaml", 3)
	all, err := model.Simulate(ctx, []policy.Policy{static(2)}, nil)
	if err != nil || len(all.Runs) > 0 || len(all.Refused) != 1 ||
		!slices.ContainsFunc(all.Unstable, func(s validate.Simulation) bool { return s.Intensity > 1 }) {
		t.Errorf("overloaded: %+v, %v", all, err)
	}
}
