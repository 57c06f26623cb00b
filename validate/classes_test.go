package validate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

func TestMain(m *testing.M) { needs.Main(m) }

// mixed is a machine whose jobs are of classes, at a load.
func mixed(tb testing.TB, nodes, minNodes int, load float64, classes ...models.Class) *models.System {
	tb.Helper()
	s := &models.System{Nodes: nodes, MinNodes: minNodes, Arrivals: poisson(tb, 1), Classes: classes}
	var err error
	s.Service, err = s.ServiceTimes()
	if err == nil {
		s, err = s.WithLoad(load)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// randomClasses is a machine with two or three classes, half of them with repartitions that take time.
func randomClasses(tb testing.TB, seed uint64) *models.System {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	minNodes := 1 + r.IntN(2)
	n := 2 + r.IntN(4)
	nodes := n * minNodes
	var classes []models.Class
	for k := range 2 + r.IntN(2) {
		demand := []func(mean float64) phasetype.Dist{exponential, erlang2, hyper}[r.IntN(3)]
		speedup := []workload.Speedup{workload.Linear{}, workload.Amdahl{Serial: .2 * r.Float64()},
			workload.Power{Exponent: .5 + .5*r.Float64()}}[r.IntN(3)]
		classes = append(classes, models.Class{Name: fmt.Sprint("class ", k+1), Share: float64(1 + r.IntN(4)),
			Demand: demand(.5 + 3*r.Float64()), Speedup: speedup, MaxNodes: minNodes + r.IntN(nodes-minNodes+1)})
	}
	s := mixed(tb, nodes, minNodes, .3+.4*r.Float64(), classes...)
	if r.IntN(2) == 0 {
		return s
	}
	for i := range n {
		s.Shrink = append(s.Shrink, exponential(.02))
		if i > 0 {
			s.Expand = append(s.Expand, exponential(.03))
		}
	}
	return s
}

// slowed is a system whose class k is 3 % slower than it should be, on any number of nodes.
func slowed(tb testing.TB, s *models.System, k int) *models.System {
	tb.Helper()
	wrong := *s
	wrong.Classes = append([]models.Class{}, s.Classes...)
	var err error
	if wrong.Classes[k].Demand, err = s.Classes[k].Demand.Scale(1.03); err != nil {
		tb.Fatal(err)
	}
	if wrong.Service, err = wrong.ServiceTimes(); err != nil {
		tb.Fatal(err)
	}
	return &wrong
}

// The chain agrees in all measures, by class, too, with two simulations that divide the nodes by programs of their own: of average
// nodes, and of whole nodes divided into small parts. A class whose jobs run 3 % longer is noticed. Both simulations live
// through the same events ([TestDividedNodesAreAverageNodes]), so that only -study needs both.
func TestChainAndSimulationAgreeOnClasses(t *testing.T) {
	needs.Concurrency(t)
	models, jobs := uint64(1), int64(1_000_000)
	fidelities := []validate.Fidelity{validate.ModelFidelity, validate.DividedFidelity}
	if needs.IsStudy() {
		models, jobs = 12, validate.EnoughJobs
	} else if fidelities = fidelities[1:]; testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	for seed := range models {
		s := randomClasses(t, seed)
		for _, p := range []policy.Policy{dynamic, static(s.Partitions())} {
			exact := solved(t, s, p)
			for _, f := range fidelities {
				sim := simulate(t, s, p, validate.Options{Fidelity: f, Seed: 1, MinJobs: jobs, Precision: studied(.01)})
				if c := validate.Compare(exact, sim, 0); c.Failure() != nil || len(sim.Classes) != len(s.Classes) {
					t.Errorf("model %d, %s, %s: %+v", seed, p, f, c.Failure())
				}
				for k := range s.Classes {
					if c := validate.Compare(solved(t, slowed(t, s, k), p), sim, 0); c.Failure() == nil {
						t.Errorf("model %d, %s, %s: a class %d that is 3 %% slower is not noticed", seed, p, f, k)
					}
				}
			}
		}
	}
}

// agreeOnClasses holds the measures of each class within four standard errors of what is expected.
func agreeOnClasses(t *testing.T, name string, got validate.Simulation, want []models.ClassMeasures) {
	t.Helper()
	if len(got.Classes) != len(want) {
		t.Fatalf("%s: %d classes, want %d", name, len(got.Classes), len(want))
	}
	for k, c := range got.Classes {
		expected := []float64{want[k].MeanResponseTime, want[k].MeanSlowdown, want[k].MeanJobsInService}
		for i, m := range c.Estimates()[:len(expected)] {
			if z := (m.Mean - expected[i]) / m.StdErr; !(math.Abs(z) <= 4) {
				t.Errorf("%s, class %s: %s %v ± %v, want %v", name, c.Name, m.Name, m.Mean, m.StdErr, expected[i])
			}
		}
	}
}

// twoClasses are small jobs and large ones.
func twoClasses(most int) []models.Class {
	return []models.Class{{Name: "small", Share: 3, Demand: exponential(1), Speedup: workload.Power{Exponent: .6}, MaxNodes: most},
		{Name: "large", Share: 1, Demand: hyper(4), Speedup: workload.Amdahl{Serial: .05}}}
}

// Where whole nodes are the nodes of the chain, so are the measures of each class: on a machine of two nodes, where all jobs
// use a unit each, and in static partitions, whatever a job uses of its own.
func TestClassesOnWholeNodes(t *testing.T) {
	needs.Concurrency(t)
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	unit := twoClasses(2)
	unit[1].MaxNodes = 2
	two := mixed(t, 2, 1, .6, twoClasses(2)...) // a job that can use but one node is not resized, and the chain makes it stop
	two.Shrink, two.Expand = repeated(2), repeated(1)
	for name, s := range map[string]*models.System{"two nodes": two, "one of two nodes": mixed(t, 2, 1, .6, twoClasses(1)...),
		"units": mixed(t, 6, 2, .7, unit...), "static": mixed(t, 8, 1, .5, twoClasses(3)...)} {
		p := policy.Policy(dynamic)
		if name == "static" {
			p = static(2)
		}
		o, fidelities := validate.Options{Seed: 1, Precision: .01}, []validate.Fidelity{validate.MachineFidelity, validate.ModelFidelity}
		if !needs.IsStudy() {
			o.Precision, o.Replications, fidelities = .1, 8, fidelities[:1]
		}
		for _, o.Fidelity = range fidelities {
			sim := simulate(t, s, p, o)
			agreeOnClasses(t, fmt.Sprintf("%s, %s", name, o.Fidelity), sim, solved(t, s, p).Classes)
		}
	}
}

func repeated(n int) (all []phasetype.Dist) {
	for range n {
		all = append(all, exponential(.05))
	}
	return all
}

// Rules divide the nodes that are in use by water-filling, too, at any moment.
func TestClassesUnderSmoothing(t *testing.T) {
	needs.Concurrency(t)
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	s := mixed(t, 3, 1, .6, twoClasses(1)...)
	s.Shrink, s.Expand = repeated(3), repeated(2)
	p := policy.Smoothing{Mean: .5, SCV: 1}
	exact := solved(t, s, p)
	sim := simulate(t, s, p, validate.Options{Seed: 1, Precision: coarse(.01)})
	agreeOnClasses(t, "smoothing", sim, exact.Classes)
	if c := validate.Compare(exact, sim, 0); !c.Pass {
		t.Errorf("%+v", c.Failure())
	}
}

// One class is the model without classes, to the last digit, and equal classes are one class.
func TestEqualClassesAreOneClass(t *testing.T) {
	needs.Concurrency(t)
	speedup := workload.Amdahl{Serial: .1}
	class := models.Class{Name: "all", Share: 1, Demand: hyper(1), Speedup: speedup}
	one := mixed(t, 4, 1, .6, class)
	plain := *one
	plain.Classes, plain.Demand, plain.Speedup = nil, hyper(1), speedup
	other := class
	other.Name, other.Share = "others", 2
	equal := mixed(t, 4, 1, .6, class, other)
	for _, f := range []validate.Fidelity{validate.ModelFidelity, validate.MachineFidelity} {
		for _, p := range []policy.Policy{dynamic, static(2)} {
			o := validate.Options{Fidelity: f, Seed: 1, MaxJobs: 32_000}
			want, got, several := simulate(t, &plain, p, o), simulate(t, one, p, o), simulate(t, equal, p, o)
			if !reflect.DeepEqual(got.Measures, want.Measures) {
				t.Errorf("%s %s: one class differs from none:\n%v\n%v", f, p, got.Measures, want.Measures)
			}
			whole := want.Measures[0]
			for _, c := range several.Classes {
				e := c.MeanResponseTime
				if z := (e.Mean - whole.Mean) / math.Hypot(e.StdErr, whole.StdErr); !(math.Abs(z) <= 4) {
					t.Errorf("%s %s: class %s of equal ones: %v ± %v, all jobs %v", f, p, c.Name, e.Mean, e.StdErr, whole.Mean)
				}
			}
		}
	}
}

// Where only the resized jobs stop, small jobs that keep their nodes go on.
func TestClassesOfWhichOnlyTheResizedStop(t *testing.T) {
	needs.Concurrency(t)
	s := mixed(t, 8, 1, .4, twoClasses(1)...)
	s.Shrink, s.Expand = repeated(8), repeated(7)
	o := validate.Options{Fidelity: validate.MachineFidelity, Seed: 1, Precision: coarse(.01), Replications: few(32)}
	everybody, resized := simulate(t, s, dynamic, o), simulate(t, stopping(s, models.ResizedStop), dynamic, o)
	a, b := everybody.Classes[0].MeanResponseTime, resized.Classes[0].MeanResponseTime
	if !(b.High < a.Low) {
		t.Errorf("small jobs: all stop %v, only the resized stop %v", a.Interval, b.Interval)
	}
	o.Fidelity = validate.ModelFidelity
	if _, err := validate.Simulate(ctx, stopping(s, models.ResizedStop), dynamic, o); err == nil {
		t.Error("average nodes of jobs that are not resized: no error")
	}
	o.Fidelity, o.Sample = validate.MachineFidelity, []float64{1, 2}
	if _, err := validate.Simulate(ctx, s, dynamic, o); err == nil {
		t.Error("classes with one sample of demands: no error")
	}
}

// No policy gives a job more nodes than its class can use: the machine refuses that.
func TestPoliciesRespectTheNodesOfAClass(t *testing.T) {
	s := mixed(t, 8, 2, .4, twoClasses(4)...)
	for _, text := range []string{"capped:3", "smoothing:1", "resize:wait=2", "easy-malleable"} {
		p, err := policy.Standard().Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		o := validate.Options{Fidelity: validate.MachineFidelity, Seed: 1, MaxJobs: 40_000, Replications: 2}
		if sim := simulate(t, s, p, o); len(sim.Classes) != 2 || !(sim.Classes[0].MeanSlowdown.Mean >= 1) {
			t.Errorf("%s: %+v", text, sim.Classes)
		}
	}
	for unit, want := range map[int]int{1: 3, 2: 2} { // three nodes are one unit of two
		c := machine.Config{Nodes: 8, Unit: unit, Policy: static(2), Jobs: machine.List{{ID: 1, Kind: workload.Malleable, Max: 3, Work: 6}},
			Done: func(r *machine.Record) {
				if r.Held != want || r.End != 6/float64(want) {
					t.Errorf("units of %d: %d nodes until %v, want %d", unit, r.Held, r.End, want)
				}
			}}
		if _, err := machine.Run(ctx, c, des.Seed(1)); err != nil {
			t.Fatal(err)
		}
	}
}
