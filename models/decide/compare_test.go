package decide_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// of returns a result; a policy that takes no time is unstable.
func of(p policy.Policy, response float64) decide.Solved {
	return decide.Solved{Policy: p, Measures: models.Measures{Stable: response > 0, MeanResponseTime: response}}
}

var (
	dynamic = policy.Dynamic{}
	half    = policy.Static{Partitions: 2}
	quarter = policy.Static{Partitions: 4}
)

func TestCompare(t *testing.T) {
	alone := func(w decide.Winner) decide.Comparison { return decide.Comparison{Winner: w} }
	for name, c := range map[string]struct {
		results []decide.Solved
		want    decide.Comparison
	}{
		"nothing":           {nil, decide.Comparison{}},
		"only dynamic":      {[]decide.Solved{of(dynamic, 10)}, decide.Comparison{}},
		"only static":       {[]decide.Solved{of(half, 10)}, decide.Comparison{}},
		"other policies":    {[]decide.Solved{of(dynamic, 10), of(policy.Capped{Jobs: 2}, 5)}, decide.Comparison{}},
		"dynamic is faster": {[]decide.Solved{of(dynamic, 10), of(half, 20)}, won(decide.DynamicWins, 0.5, 2)},
		"static is faster":  {[]decide.Solved{of(dynamic, 20), of(half, 16)}, won(decide.RivalWins, 0.2, 1.25)},
		"the best static counts": {[]decide.Solved{of(half, 40), of(quarter, 20), of(dynamic, 10)},
			won(decide.DynamicWins, 0.5, 2)},
		"dynamic alone is stable": {[]decide.Solved{of(dynamic, 10), of(half, 0)}, alone(decide.DynamicWins)},
		"static alone is stable":  {[]decide.Solved{of(dynamic, 0), of(half, 10)}, alone(decide.RivalWins)},
		"none is stable":          {[]decide.Solved{of(dynamic, 0), of(half, 0)}, alone(decide.NeitherIsStable)},
		"they are equal":          {[]decide.Solved{of(dynamic, 10), of(half, 10)}, won(decide.NoDifference, 0, 1)},
	} {
		d := decide.NewDecision(c.results)
		got := d.Compare()
		if got.Winner != c.want.Winner || got.BothStable != c.want.BothStable || math.Abs(got.Saving-c.want.Saving) > 1e-15 ||
			math.Abs(got.Speedup-c.want.Speedup) > 1e-15 {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		if got.Dynamic != d.Of(dynamic) || got.Rival != d.Best {
			t.Errorf("%s: %v against %v", name, got.Dynamic, got.Rival)
		}
	}
}

func won(w decide.Winner, saving, speedup float64) decide.Comparison {
	return decide.Comparison{Winner: w, Saving: saving, Speedup: speedup, BothStable: true}
}

// TestPracticalDifference: what saves less than 2 % of the longer response time is no difference, whoever is faster,
// and the comparison says the same when the policies change places.
func TestPracticalDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		longer := rapid.Float64Range(1e-3, 1e6).Draw(t, "longer")
		saving := rapid.Float64Range(0, 0.04).Draw(t, "saving")
		if math.Abs(saving-decide.PracticalDifference) < 1e-9 {
			t.Skip("rounding decides")
		}
		shorter := longer * (1 - saving)
		one := decide.NewDecision([]decide.Solved{of(dynamic, shorter), of(half, longer)})
		other := decide.NewDecision([]decide.Solved{of(dynamic, longer), of(half, shorter)})
		a, b := one.Compare(), other.Compare()
		want, swapped := decide.DynamicWins, decide.RivalWins
		if saving < decide.PracticalDifference {
			want, swapped = decide.NoDifference, decide.NoDifference
		}
		if a.Winner != want || b.Winner != swapped {
			t.Fatalf("saving %v: %v and %v", saving, a.Winner, b.Winner)
		}
		// A saving of some per cent loses two digits to the subtraction from 1.
		if math.Abs(a.Saving-saving) > 1e-13 || math.Abs(a.Saving-b.Saving) > 1e-13 ||
			math.Abs(a.Speedup*(1-saving)-1) > 1e-13 {
			t.Fatalf("saving %v: %+v and %+v", saving, a, b)
		}
	})
}

// times returns a stable result with throughput and, if share is not negative, repartitions.
func times(p policy.Policy, response, share float64) decide.Solved {
	r := of(p, response)
	r.Measures.Throughput = 0.25
	if share >= 0 {
		r.Measures.Repartitions = &models.Repartitions{Probability: share}
	}
	return r
}

func subject(p policy.Policy, name string) decide.Subject {
	return decide.Subject{Policy: p, Measure: measure.Must(name)}
}

func TestValues(t *testing.T) {
	d := decide.NewDecision([]decide.Solved{times(dynamic, 10, 0.1), times(half, 20, -1), of(quarter, 0)})
	for _, c := range []struct {
		subject decide.Subject
		name    string
		value   float64
		exists  bool
	}{
		{subject(dynamic, measure.MeanResponseTime), "dynamic", 10, true},
		{subject(dynamic, measure.ProbabilityRepartition), "dynamic", 0.1, true},
		{subject(nil, measure.MeanResponseTime), "best-static", 20, true},
		{subject(half, measure.Throughput), "static:2", 0.25, true},
		{subject(half, measure.ProbabilityRepartition), "static:2", 0, false},     // it has none
		{subject(quarter, measure.MeanResponseTime), "static:4", 0, false},        // it is unstable
		{subject(policy.Capped{Jobs: 3}, measure.MeanJobs), "capped:3", 0, false}, // it was not solved
	} {
		found := d.Judge(&decide.Expectation{Subject: c.subject})
		if v := found.Found; v != c.value || found.Exists != c.exists || c.subject.PolicyName() != c.name {
			t.Errorf("%s of %s: %v, %v", c.subject.Measure.Name, c.subject.PolicyName(), found.Found, found.Exists)
		}
	}
	none := decide.NewDecision([]decide.Solved{of(dynamic, 10), of(half, 0)})
	if found := none.Judge(&decide.Expectation{Subject: subject(nil, measure.MeanJobs)}); found.Exists {
		t.Errorf("the best static policy of none that is stable has %v jobs", found.Found)
	}
	m := policy.Machine{Nodes: 4, Unit: 1}
	best, one := subject(nil, measure.MeanJobs), subject(quarter, measure.MeanJobs)
	if len(best.Needs(m)) != 3 || len(one.Needs(m)) != 1 || one.Needs(m)[0] != quarter {
		t.Errorf("needs %v and %v", best.Needs(m), one.Needs(m))
	}
}

func TestJudge(t *testing.T) {
	d := decide.NewDecision([]decide.Solved{times(dynamic, 10, 0), of(half, 0)})
	for _, c := range []struct {
		of               policy.Policy
		name             string
		value, tolerance float64
		want             decide.Judgement
	}{
		{dynamic, measure.MeanResponseTime, 10, 0, decide.Judgement{Found: 10, Exists: true, Pass: true}},
		{dynamic, measure.MeanResponseTime, 8, 0.25, decide.Judgement{Found: 10, Exists: true, Relative: 0.25, Pass: true}},
		{dynamic, measure.MeanResponseTime, 8, 0.2, decide.Judgement{Found: 10, Exists: true, Relative: 0.25}},
		{dynamic, measure.MeanResponseTime, 0, 0.2, decide.Judgement{Found: 10, Exists: true, Relative: 10}},
		{dynamic, measure.ProbabilityRepartition, 0, 0, decide.Judgement{Exists: true, Pass: true}},
		{half, measure.MeanResponseTime, 20, 1e9, decide.Judgement{}},
		{nil, measure.MeanResponseTime, 20, 1e9, decide.Judgement{}},
		{dynamic, measure.MeanResponseTime, math.NaN(), 1e9, decide.Judgement{Found: 10, Exists: true, Relative: math.NaN()}},
	} {
		got := d.Judge(&decide.Expectation{Subject: subject(c.of, c.name), Value: c.value, Tolerance: c.tolerance})
		same := got.Relative == c.want.Relative || math.IsNaN(got.Relative) && math.IsNaN(c.want.Relative)
		got.Relative, c.want.Relative = 0, 0
		if !same || got != c.want {
			t.Errorf("%v %s, expected %v: %+v, want %+v", c.of, c.name, c.value, got, c.want)
		}
	}
}

// TestNothingToDecide: what is missing is a judgement of nothing, or an error.
func TestNothingToDecide(t *testing.T) {
	d := decide.NewDecision([]decide.Solved{times(dynamic, 10, 0)})
	if j := d.Judge(nil); j != (decide.Judgement{}) {
		t.Errorf("%+v", j)
	}
	draw := func(int) (*models.System, error) { return nil, nil }
	for _, c := range []struct {
		solved *decide.Decision
		draw   func(int) (*models.System, error)
	}{{&d, nil}, {nil, draw}, {&decide.Decision{}, draw}} {
		if _, err := decide.Bootstrap(t.Context(), c.solved, c.draw, decide.BootstrapOptions{Samples: 2}); err == nil {
			t.Errorf("a bootstrap of %v", c.solved)
		}
	}
}

func TestMeets(t *testing.T) {
	d := decide.NewDecision([]decide.Solved{times(dynamic, 10, 0), of(half, 0)})
	ten, nine, eleven := 10.0, 9.0, 11.0
	for _, c := range []struct {
		of              policy.Policy
		atMost, atLeast *float64
		exists, met     bool
	}{
		{dynamic, nil, nil, true, true},
		{dynamic, &ten, nil, true, true},
		{dynamic, nil, &ten, true, true},
		{dynamic, &nine, nil, true, false},
		{dynamic, nil, &eleven, true, false},
		{dynamic, &eleven, &nine, true, true},
		{dynamic, &eleven, &eleven, true, false},
		{half, &eleven, nil, false, false}, // an unstable policy meets nothing
	} {
		r := decide.Requirement{Subject: subject(c.of, measure.MeanResponseTime), AtMost: c.atMost, AtLeast: c.atLeast}
		if found, exists, met := d.Meets(&r); exists != c.exists || met != c.met || exists && found != 10 {
			t.Errorf("%+v: found %v, %v, met %v", c, found, exists, met)
		}
	}
}

func TestWarnings(t *testing.T) {
	calm, busy, unstable := times(dynamic, 10, 0.25), times(dynamic, 10, 0.3), of(half, 0)
	unstable.Measures.TrafficIntensity, unstable.Measures.MaxArrivalRate = 1.5, 2
	unstable.Measures.Diagnostics.Warnings = []error{unstable.Measures.Unstable()}
	if share, thrashes := calm.Thrashes(); share != 0.25 || thrashes || len(calm.Warnings()) != 0 {
		t.Errorf("a quarter of the time: %v, %v, %v", share, thrashes, calm.Warnings())
	}
	var thrashing *decide.ThrashingError
	if all := busy.Warnings(); len(all) != 1 || !errors.As(all[0], &thrashing) || thrashing.Policy != dynamic ||
		thrashing.Share != 0.3 || all[0].Error() != "thrashing: 30 % of the time goes into repartitioning" {
		t.Errorf("three tenths of the time: %v", all)
	}
	busy.Measures.Stable = false
	if _, thrashes := busy.Thrashes(); thrashes {
		t.Error("an unstable policy thrashes")
	}
	var over *models.UnstableError
	if all := unstable.Warnings(); len(all) != 1 || !errors.As(all[0], &over) || over.TrafficIntensity != 1.5 {
		t.Errorf("unstable: %v", all)
	}
	static := of(half, 10)
	if share, thrashes := static.Thrashes(); share != 0 || thrashes {
		t.Error("a static policy thrashes")
	}
}

// TestNoPolicy: a policy that is nil is named as such.
func TestNoPolicy(t *testing.T) {
	_, err := decide.Solve(t.Context(), oneServer(t, 1, 1), []policy.Policy{nil}, markov.Settings{}, 0)
	if err == nil || err.Error() != "models: the policy is nil" {
		t.Errorf("error %v", err)
	}
}

// TestUnstable: an unstable policy is markov.ErrUnstable, where it is a warning and where it is an error.
func TestUnstable(t *testing.T) {
	s := exponentials(t, 3, 1, 2)
	d, err := decide.Solve(t.Context(), s, policy.Candidates(s.Machine()), markov.Settings{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Results {
		r := &d.Results[i]
		if all := r.Warnings(); len(all) != 1 || !errors.Is(all[0], markov.ErrUnstable) {
			t.Errorf("%v: %v", r.Policy, all)
		}
	}
	if d.Compare().Winner != decide.NeitherIsStable {
		t.Errorf("%+v", d.Compare())
	}
	one := &models.UnstableError{Policy: half, TrafficIntensity: 1.25, MaxArrivalRate: 0.8, TimeUnit: "min"}
	const want = "static:2 is unstable: traffic intensity 1.25; the largest stable arrival rate is 0.8 per min"
	if one.Error() != want || !errors.Is(one, markov.ErrUnstable) {
		t.Errorf("%v, want %s", one, want)
	}
	if _, err := decide.Sensitivity(t.Context(), s, markov.Settings{}, 1); !errors.Is(err, markov.ErrUnstable) {
		t.Errorf("sensitivity: %v", err)
	}
}

// TestPercentiles: of the M/M/1 queue, P(T > t) = e^(−(μ−λ)t) and P(W > t) = ρ·e^(−(μ−λ)t).
func TestPercentiles(t *testing.T) {
	s := exponentials(t, 0.5, 1)
	d, err := decide.Solve(t.Context(), s, []policy.Policy{dynamic, policy.Static{Partitions: 1}}, markov.Settings{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	response := func(p float64) float64 { return -2 * math.Log(1-p) }
	waiting := func(p float64) float64 { return max(0, -2*math.Log((1-p)/0.5)) }
	static, err := d.Results[1].Percentiles(t.Context())
	const exact = 1e-11 // the bound of the chain; quantiles are found by bisection to the last bits
	if err != nil || len(static.Times) != 2 || !(static.Bound > 0 && static.Bound < exact) {
		t.Fatalf("static: %+v, %v", static, err)
	}
	for i, percent := range decide.Percents() {
		checkPercentile(t, static.Times[0], "waiting_time", i, waiting(percent/100), exact)
		checkPercentile(t, static.Times[1], "response_time", i, response(percent/100), exact)
	}
	followed, err := d.Results[0].Percentiles(t.Context())
	if err != nil || len(followed.Times) != 1 || !(followed.Bound > 0 && followed.Bound < 1e-6) {
		t.Fatalf("dynamic: %+v, %v", followed, err)
	}
	for i, percent := range decide.Percents() {
		// The probability is off by the bound at most, which moves a quantile by that over the density, (1−p)/2.
		tol := followed.Bound / ((1 - percent/100) / 2) / response(percent/100)
		checkPercentile(t, followed.Times[0], "response_time", i, response(percent/100), tol)
	}
	unstable := of(dynamic, 0)
	if p, err := unstable.Percentiles(t.Context()); p != nil || err != nil {
		t.Errorf("of an unstable policy: %+v, %v", p, err)
	}
}

// TestNoPercentiles: where the chain follows no job, the error says that percentiles have no chain.
func TestNoPercentiles(t *testing.T) {
	s := exponentials(t, 0.5, 1, 1, 1)
	var policies []policy.Policy
	for _, text := range []string{"capped:2", "smoothing:2", "resize:floor=2", "resize:cap=2,floor=2"} {
		p, err := policy.Standard().Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, p)
	}
	d, err := decide.Solve(t.Context(), s, policies, markov.Settings{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range d.Results {
		if p, err := r.Percentiles(t.Context()); p != nil || !errors.Is(err, models.ErrNoChain) ||
			!strings.HasPrefix(fmt.Sprint(err), r.Policy.String()) {
			t.Errorf("%v: %v, %v", r.Policy, p, err)
		}
	}
}

func checkPercentile(t *testing.T, got decide.TimePercentiles, name string, i int, want, tol float64) {
	t.Helper()
	if got.Name != name || math.Abs(got.Values[i]-want) > tol*max(want, 1) {
		t.Errorf("percentile %g of the %s: %v, want %v", decide.Percents()[i], got.Name, got.Values[i], want)
	}
}

// TestWaitsOfRigidClasses: jobs that all ask for the whole machine are an M/M/1 queue, whose waits are P(W > t) = ρ·e^(−(1−ρ)t) in
// every class. A class of fewer nodes than another waits less.
func TestWaitsOfRigidClasses(t *testing.T) {
	for _, nodes := range []int{4, 1} { // of jobs of the second class
		s := exponentials(t, 0.8, 1, 1, 1, 1)
		s.Service = nil
		for k, asked := range []int{4, nodes} {
			s.Classes = append(s.Classes, models.Class{Name: string(rune('a' + k)), Share: 1, Nodes: asked,
				Demand: phasetype.Must(phasetype.Exponential(0.25)), Speedup: workload.Linear{}})
			if asked == 1 {
				s.Classes[k].Demand = phasetype.Must(phasetype.Exponential(1))
			}
		}
		var err error
		if s.Service, err = s.ServiceTimes(); err != nil {
			t.Fatal(err)
		}
		d, err := decide.Solve(t.Context(), s, []policy.Policy{policy.FCFS{}}, markov.Settings{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Results[0].Percentiles(t.Context())
		if err != nil || len(p.Classes) != 2 {
			t.Fatal(p, err)
		}
		large, small := p.Classes[0].Of("waiting_time"), p.Classes[1].Of("waiting_time")
		if large == nil || small == nil {
			t.Fatal("a class has no percentiles of its wait")
		}
		for i, percent := range decide.Percents() {
			want := max(0, math.Log(0.8/(1-percent/100))/0.2)
			if nodes == 4 && (math.Abs(large[i]-want) > 1e-6 || math.Abs(small[i]-want) > 1e-6) {
				t.Errorf("percentile %g: %v and %v, want %v", percent, large[i], small[i], want)
			}
			if nodes < 4 && large[i] > 0 && small[i] >= large[i] {
				t.Errorf("percentile %g: jobs of 1 node wait %v, of 4 nodes %v", percent, small[i], large[i])
			}
		}
	}
}

// TestPercentilesInHeavyTraffic: the response time of a machine that is hardly ever empty is exponential, but for terms of
// the order of 1 − ρ, however fast the repartitions are.
func TestPercentilesInHeavyTraffic(t *testing.T) {
	needs.Concurrency(t)
	s, err := exponentials(t, 0.5, 1, 1.8, 2.4, 3, 3.6, 4.2, 4.8, 5.4).WithLoad(0.999)
	if err != nil {
		t.Fatal(err)
	}
	d, err := decide.Solve(t.Context(), s, []policy.Policy{dynamic}, markov.Settings{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Results[0].Percentiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, percent := range decide.Percents() {
		checkPercentile(t, got.Times[0], "response_time", i, -d.Results[0].Measures.MeanResponseTime*math.Log1p(-percent/100), 0.01)
	}
}

// Two per cent of the longer time make no practical difference, whichever that is.
func TestNegligible(t *testing.T) {
	for ratio, want := range map[float64]bool{1: true, 1.02: true, 1.021: false, 0.981: true, 0.979: false, 2: false} {
		if got := decide.Negligible(ratio); got != want {
			t.Errorf("%v: %v", ratio, got)
		}
	}
}
