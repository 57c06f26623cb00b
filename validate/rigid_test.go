package validate_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
)

// rigidModel is a machine with rigid jobs of several classes, at a load relative to the largest stable arrival rate of its policy.
type rigidModel struct {
	policy    policy.Queued
	intensity float64 // traffic intensity
	nodes     int
	arrivals  string   // as in a model file
	classes   []string // likewise
}

// system returns the machine, with jobs that arrive at the rate of the traffic intensity.
func (m *rigidModel) system(t *testing.T) *models.System {
	t.Helper()
	text := fmt.Sprintf("version: 1\nmachine: {nodes: %d}\narrivals: %s\njobs:\n  classes:\n", m.nodes, m.arrivals)
	for k, c := range m.classes {
		text += fmt.Sprintf("    - {name: c%d, %s}\n", k, c)
	}
	file, err := modelfile.Parse("rigid.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := file.System.WithArrivalRate(m.intensity * solveRigid(t, file.System, m.policy).MaxArrivalRate)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// solveRigid solves the chain of a policy.
func solveRigid(t *testing.T, s *models.System, p policy.Policy) models.Measures {
	t.Helper()
	chain, err := s.Chain(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := chain.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// rigidModels are twelve models of two and three classes. Run times are exponential, Erlang and hyperexponential; arrivals are
// Poisson, renewal and Markov-modulated; windows have one to four jobs.
func rigidModels() []rigidModel {
	fcfs, window := policy.FCFS{}, func(w int) policy.Queued { return policy.FirstFit{Window: w} }
	return []rigidModel{
		{fcfs, .6, 16, "{rate: 1}", []string{
			"share: 14, nodes: 1, demand: {exponential: {mean: 1200}}, speedup: {amdahl: {serial: 0.05}}",
			"share: 5, nodes: 4, demand: {exponential: {mean: 7200}}, speedup: {amdahl: {serial: 0.02}}",
			"share: 1, nodes: 16, demand: {exponential: {mean: 57600}}, speedup: {amdahl: {serial: 0.005}}"}},
		{fcfs, .8, 8, "{rate: 1}", []string{
			"share: 3, nodes: 1, demand: {hyperexponential: {mean: 10, scv: 4}}, speedup: linear",
			"share: 1, nodes: 8, demand: {erlang: {mean: 40, phases: 2}}, speedup: \"amdahl:0.1\""}},
		{fcfs, .7, 12, "{interarrival: {hyperexponential: {mean: 1, scv: 3}}}", []string{
			"share: 2, nodes: 2, demand: {exponential: {mean: 5}}, speedup: \"power:0.8\"",
			"share: 1, nodes: 6, demand: {exponential: {mean: 30}}, speedup: \"power:0.8\""}},
		{fcfs, .5, 5, "{interarrival: {erlang: {mean: 1, phases: 3}}}", []string{
			"share: 1, nodes: 2, demand: {erlang: {mean: 4, phases: 2}}, speedup: linear",
			"share: 1, nodes: 3, demand: {exponential: {mean: 6}}, speedup: linear"}},
		{fcfs, .6, 6, "{mmpp: {rates: [3, 0.5], Q: [[-0.2, 0.2], [0.1, -0.1]]}}", []string{
			"share: 4, nodes: 1, demand: {exponential: {mean: 1}}, speedup: linear",
			"share: 2, nodes: 3, demand: {exponential: {mean: 4}}, speedup: linear",
			"share: 1, nodes: 6, demand: {exponential: {mean: 9}}, speedup: linear"}},
		{fcfs, .85, 32, "{rate: 1}", []string{
			"share: 1, nodes: 8, demand: {exponential: {mean: 100}}, speedup: \"amdahl:0.05\"",
			"share: 1, nodes: 32, demand: {exponential: {mean: 100}}, speedup: \"amdahl:0.05\""}},
		{window(2), .6, 16, "{rate: 1}", []string{
			"share: 14, nodes: 1, demand: {exponential: {mean: 1200}}, speedup: {amdahl: {serial: 0.05}}",
			"share: 5, nodes: 4, demand: {exponential: {mean: 7200}}, speedup: {amdahl: {serial: 0.02}}",
			"share: 1, nodes: 16, demand: {exponential: {mean: 57600}}, speedup: {amdahl: {serial: 0.005}}"}},
		{window(4), .7, 8, "{rate: 1}", []string{
			"share: 3, nodes: 1, demand: {exponential: {mean: 1}}, speedup: linear",
			"share: 2, nodes: 3, demand: {exponential: {mean: 5}}, speedup: linear",
			"share: 1, nodes: 8, demand: {exponential: {mean: 12}}, speedup: linear"}},
		{window(3), .8, 6, "{rate: 1}", []string{
			"share: 1, nodes: 1, demand: {hyperexponential: {mean: 2, scv: 5}}, speedup: linear",
			"share: 1, nodes: 4, demand: {exponential: {mean: 8}}, speedup: linear"}},
		{window(2), .5, 10, "{interarrival: {hyperexponential: {mean: 1, scv: 4}}}", []string{
			"share: 2, nodes: 2, demand: {erlang: {mean: 6, phases: 2}}, speedup: linear",
			"share: 1, nodes: 5, demand: {exponential: {mean: 10}}, speedup: linear"}},
		{window(2), .7, 4, "{mmpp: {rates: [4, 1], Q: [[-0.3, 0.3], [0.2, -0.2]]}}", []string{
			"share: 3, nodes: 1, demand: {exponential: {mean: 1}}, speedup: linear",
			"share: 1, nodes: 3, demand: {erlang: {mean: 3, phases: 2}}, speedup: linear"}},
		{window(4), .6, 24, "{rate: 1}", []string{
			"share: 5, nodes: 4, demand: {exponential: {mean: 20}}, speedup: \"power:0.9\"",
			"share: 2, nodes: 8, demand: {exponential: {mean: 60}}, speedup: \"power:0.9\"",
			"share: 1, nodes: 24, demand: {exponential: {mean: 200}}, speedup: \"power:0.9\""}},
	}
}

// TestRigidJobsAgreeWithTheirChains: simulations of rigid jobs from a model agree with the exact chains, for all jobs and by
// class. The study has ten million jobs of each model; Holm's procedure rejects a right chain with a probability of at most 1 %.
func TestRigidJobsAgreeWithTheirChains(t *testing.T) {
	jobs, all := int64(320_000), rigidModels()
	switch {
	case needs.IsStudy():
		jobs = validate.EnoughJobs
	case needs.IsLong():
		jobs = 1_000_000
	default:
		all = []rigidModel{all[1], all[4], all[7]}
	}
	for i, m := range all {
		s := m.system(t)
		begin := time.Now()
		sim, err := validate.Simulate(t.Context(), s, m.policy, validate.Options{Fidelity: validate.MachineFidelity, MinJobs: jobs, Precision: .5,
			Seed: uint64(i + 1), Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		c := validate.Compare(solveRigid(t, s, m.policy), sim, 0)
		judged, least := 0, c.Rows[0]
		for _, r := range c.Rows {
			if r.Judged {
				judged++
			}
			if r.P < least.P {
				least = r
			}
		}
		t.Logf("model %d, %v, traffic %g: pass %v, %d rows, smallest p %.3g (%s %s, z = %.2f), %d jobs in %.1f s", i+1, m.policy, m.intensity,
			c.Pass, judged, least.P, least.Class, least.Measure, least.Z, sim.Jobs, time.Since(begin).Seconds())
		if !c.Pass {
			t.Errorf("model %d, %v: %s %s: solved %v, simulated %v, z = %v", i+1, m.policy, least.Class, least.Measure, least.Analytic,
				least.Simulated, least.Z)
		}
		if row := c.OfClass("c0", measure.ProbabilityWait); row == nil || !row.Judged {
			t.Errorf("model %d, %v: P(wait) of class c0 is not compared", i+1, m.policy)
		}
		if math.Abs(sim.Intensity-m.intensity) > 1e-9 {
			t.Errorf("model %d, %v: traffic intensity %v, want %v", i+1, m.policy, sim.Intensity, m.intensity)
		}
	}
}

// TestWrongRunTimesOfRigidJobsAreNoticed: a chain whose jobs of one class run 3 % longer than in the simulation is rejected.
func TestWrongRunTimesOfRigidJobsAreNoticed(t *testing.T) {
	jobs := int64(320_000)
	if needs.IsLong() {
		jobs = validate.EnoughJobs
	}
	m := rigidModels()[7]
	s := m.system(t)
	sim, err := validate.Simulate(t.Context(), s, m.policy, validate.Options{Fidelity: validate.MachineFidelity, MinJobs: jobs, Precision: .5})
	if err != nil {
		t.Fatal(err)
	}
	for k := range s.Classes {
		wrong := *s
		wrong.Classes = append([]models.Class{}, s.Classes...)
		if wrong.Classes[k].Demand, err = s.Classes[k].Demand.Scale(1.03); err != nil {
			t.Fatal(err)
		}
		if wrong.Service, err = wrong.ServiceTimes(); err != nil {
			t.Fatal(err)
		}
		c := validate.Compare(solveRigid(t, &wrong, m.policy), sim, 0)
		row := c.OfClass(s.Classes[k].Name, "mean_jobs_in_service")
		t.Logf("class %d: pass %v, jobs in service z = %.1f", k, c.Pass, row.Z)
		if c.Pass || row.Pass {
			t.Errorf("run times of class %d are 3 %% too long in the chain, which is not noticed: z = %v", k, row.Z)
		}
	}
}

// TestRigidJobsOfOneSize: jobs of a model without classes ask for jobs.nodes. With half of the nodes each they are M/M/2. So they are
// under EASY, because jobs of one size never overtake.
func TestRigidJobsOfOneSize(t *testing.T) {
	const rho = .5
	s, err := models.NewSystem(8, 1, poisson(t, 2*rho), exponential(3), workload.Power{Exponent: math.Log(3) / math.Log(4)})
	if err != nil {
		t.Fatal(err)
	}
	s.JobNodes = 4 // S(4) = 3, so that the mean run time is 1
	want := erlangC(2, 2*rho)/(2*(1-rho)) + 1
	for _, p := range []policy.Policy{policy.FCFS{}, policy.FirstFit{Window: 3}, policy.EASY{}, policy.Conservative{}} {
		sim := simulate(t, s, p, validate.Options{Fidelity: validate.MachineFidelity, Precision: coarse(.01)})
		e, _ := sim.Measure(measure.MeanResponseTime)
		if !(math.Abs(e.Mean-want) < 4*e.StdErr) {
			t.Errorf("%v: mean response time %v ± %v, want %v", p, e.Mean, e.StdErr, want)
		}
		if _, queued := p.(policy.Queued); queued == math.IsNaN(sim.Intensity) {
			t.Errorf("%v: traffic intensity %v", p, sim.Intensity)
		}
	}
}

// TestEASYGainsByOrderAlone: at the same jobs, EASY is faster than fcfs, and large jobs are not slower.
func TestEASYGainsByOrderAlone(t *testing.T) {
	m := rigidModels()[0]
	s := m.system(t)
	o := validate.Options{Fidelity: validate.MachineFidelity, Precision: coarse(.02)}
	ordered, easy := simulate(t, s, m.policy, o), simulate(t, s, policy.EASY{}, o)
	for _, class := range []string{"", "c0", "c2"} {
		a, _ := ordered.OfClass(class, measure.MeanResponseTime)
		b, ok := easy.OfClass(class, measure.MeanResponseTime)
		if !ok || b.High > a.Low {
			t.Errorf("class %q: mean response time %v under EASY, %v under fcfs", class, b.Interval, a.Interval)
		}
	}
	c := validate.Unsolved(easy)
	row := c.OfClass("c2", measure.MeanWaitingTime)
	if c.Failure() != nil || row == nil || row.Judged || !math.IsNaN(row.Analytic) {
		t.Errorf("row of EASY, which has no solution: %+v", row)
	}
}

// TestRigidJobsThatAreTooMany: above the largest stable arrival rate a simulation is refused with the traffic intensity. Under
// EASY it is found out by the simulation.
func TestRigidJobsThatAreTooMany(t *testing.T) {
	m := rigidModels()[7]
	m.intensity = 1.02
	s := m.system(t)
	var unstable *models.UnstableError
	_, err := validate.Simulate(t.Context(), s, m.policy, validate.Options{Fidelity: validate.MachineFidelity})
	if !errors.As(err, &unstable) || math.Abs(unstable.TrafficIntensity-1.02) > 1e-9 {
		t.Errorf("first-fit: %v", err)
	}
	if s, err = s.WithArrivalRate(1.5 * s.Arrivals.Rate()); err != nil {
		t.Fatal(err)
	}
	_, err = validate.Simulate(t.Context(), s, policy.EASY{}, validate.Options{Fidelity: validate.MachineFidelity, Replications: 8})
	if !errors.As(err, &unstable) || !(unstable.TrafficIntensity > 1) {
		t.Errorf("easy: %v", err)
	}
}

// TestSilentJobsAreNotRigid: policies of rigid jobs refuse a system whose jobs do not say how many nodes they ask for.
func TestSilentJobsAreNotRigid(t *testing.T) {
	s, err := models.NewSystem(4, 1, poisson(t, .1), exponential(1), workload.Linear{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []policy.Policy{policy.FCFS{}, policy.EASY{}} {
		_, err := validate.Simulate(t.Context(), s, p, validate.Options{Fidelity: validate.MachineFidelity})
		if !errors.As(err, new(*models.RigidityError)) {
			t.Errorf("%v: error %v", p, err)
		}
	}
}

// TestRigidJobsOfAPublishedTable: chain and simulation agree with mean response times that another group computed with a program
// of its own. The machine has 1,024 nodes, small jobs ask for 8 and large jobs for 512. 90 % of the jobs are small. Run times are
// exponential with means of 1 and 10. The size of small jobs follows from the utilization in the table.
//
// The table is that of the file docker-prerun/mg/MGEXP-N1024_T512_ps0.9_mus1_mub0.1.csv of
// github.com/UniVe-NeDS-Lab/mjqm-simulator, the program of A. Anggraito, D. Olliaro, A. Marin, M. Ajmone Marsan, MASCOTS 2024.
func TestRigidJobsOfAPublishedTable(t *testing.T) {
	needs.Long(t, "solves and simulates a machine of 1,024 nodes")
	m := rigidModel{policy: policy.FCFS{}, nodes: 1024, arrivals: "{rate: 1}", intensity: .5, classes: []string{
		"share: 9, nodes: 8, demand: {exponential: {mean: 1}}, speedup: \"amdahl:1\"",
		"share: 1, nodes: 512, demand: {exponential: {mean: 10}}, speedup: \"amdahl:1\""}}
	s := m.system(t)
	for _, c := range []struct {
		intensity, rate float64
		inService       float64 // of large jobs, λ·0.1·10 but for what the table has lost
		mean            float64 // response time,
		byClass         [2]float64
	}{
		{.025, 0.0414705728588346, 0.04147057285845743, 1.9044705810632223, [2]float64{1.0043217578804913, 10.0058099897078}},
		{.4, 0.6635291657413535, 0.663529163671265, 3.421904354791761, [2]float64{2.481029614511467, 11.889777017314408}},
		{.75, 1.2441171857650377, 1.244117121228559, 13.421810119938906, [2]float64{12.395109341183009, 22.662117128741965}},
		{.975, 1.617352341494549, 1.6173516321377193, 187.76417159024496, [2]float64{186.66694561229374, 197.63920539180603}},
	} {
		var err error
		if s, err = s.WithArrivalRate(c.rate); err != nil {
			t.Fatal(err)
		}
		solved := solveRigid(t, s, m.policy)
		// The error of a response time is about that of the utilization over 1 − ρ; four times as much leaves room for its factor. In the
		// table, response times differ from waiting times plus run times by up to 6e-11.
		tol := max(1e-10, 4*(1-c.inService/c.rate)/(1-c.intensity))
		got := []float64{solved.TrafficIntensity, solved.MeanResponseTime, solved.Classes[0].MeanResponseTime, solved.Classes[1].MeanResponseTime}
		for k, want := range []float64{c.intensity, c.mean, c.byClass[0], c.byClass[1]} {
			if !(math.Abs(got[k]/want-1) < tol) {
				t.Errorf("λ = %v: solved %v, the table has %v; relative tolerance %.1g", c.rate, got[k], want, tol)
			}
		}
		if c.intensity > .5 && !needs.IsStudy() {
			continue // near saturation a simulation takes long
		}
		sim := simulate(t, s, m.policy, validate.Options{Fidelity: validate.MachineFidelity, Precision: coarse(.01)})
		for k, class := range []string{"", "c0", "c1"} {
			e, _ := sim.OfClass(class, measure.MeanResponseTime)
			if want := []float64{c.mean, c.byClass[0], c.byClass[1]}[k]; !(math.Abs(e.Mean-want) < 4*e.StdErr) {
				t.Errorf("λ = %v, class %q: simulated %v ± %v, the table has %v", c.rate, class, e.Mean, e.StdErr, want)
			}
		}
	}
}

// TestSlowdownsOfClassesAreOnAskedNodes: chains and simulations relate the slowdown of a class to the nodes that its jobs ask for,
// under policies that give these nodes and under others. Rigid jobs are at least as long as alone.
func TestSlowdownsOfClassesAreOnAskedNodes(t *testing.T) {
	s := rigidModels()[0].system(t)
	for _, p := range []policy.Policy{policy.FCFS{}, policy.FirstFit{Window: 2}, policy.Dynamic{}} {
		solved := solveRigid(t, s, p)
		o := validate.Options{Fidelity: validate.MachineFidelity, Seed: 1, MaxJobs: 4000, Replications: 2}
		simulated := simulate(t, s, p, o)
		for k, c := range s.Classes {
			run := c.Demand.Mean() / c.Speedup.At(float64(c.Nodes))
			exact, estimate := solved.Classes[k], simulated.Classes[k]
			if want := exact.MeanResponseTime / run; math.Abs(exact.MeanSlowdown/want-1) > 1e-12 {
				t.Errorf("%s, class %s: slowdown %v, want %v", p, c.Name, exact.MeanSlowdown, want)
			}
			if want := estimate.MeanResponseTime.Mean / run; math.Abs(estimate.MeanSlowdown.Mean/want-1) > 1e-12 {
				t.Errorf("%s, class %s: simulated slowdown %v, want %v", p, c.Name, estimate.MeanSlowdown.Mean, want)
			}
			if rigid := p != (policy.Dynamic{}); rigid && exact.MeanSlowdown < 1 {
				t.Errorf("%s, class %s: slowdown %v below 1", p, c.Name, exact.MeanSlowdown)
			}
		}
	}
}
