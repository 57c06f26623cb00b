package models_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/refs"
)

// classCases are models with classes of jobs, solved by an independent program that walks the states one by one, and checked
// against a simulation.
type classCase struct {
	Model    json.RawMessage
	Expected struct {
		Dynamic struct {
			classResults
			Classes []classResults
		}
		Static map[string]classResults
	}
}

type classResults struct {
	Mean      float64 `json:"mean_response_time"`
	Jobs      float64 `json:"mean_jobs"`
	Variance  float64 `json:"variance_jobs"`
	Waiting   float64 `json:"mean_waiting_time"`
	Wait      float64 `json:"probability_wait"`
	Empty     float64 `json:"probability_empty"`
	Resizes   float64 `json:"probability_repartition"`
	InService float64 `json:"mean_jobs_in_service"`
}

// classTol: ten digits, as of the other reference instances.
const classTol = 1e-10

func TestReferenceClasses(t *testing.T) {
	needs.Concurrency(t)
	data, err := refs.Files.ReadFile("classes.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []classCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		m, err := modelfile.Parse("classes.json", c.Model)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(m.Title, func(t *testing.T) {
			want := c.Expected.Dynamic
			got := chained(t, m.System, policy.Dynamic{})
			compareClasses(t, "dynamic", got, want.classResults)
			for k, class := range want.Classes {
				near(t, "mean response time of a class", got.Classes[k].MeanResponseTime, class.Mean, classTol)
				near(t, "jobs of a class in service", got.Classes[k].MeanJobsInService, class.InService, classTol)
			}
			for k, want := range c.Expected.Static {
				compareClasses(t, "static:"+k, chained(t, m.System, parsed(t, "static:"+k)), want)
			}
		})
	}
}

func compareClasses(t *testing.T, label string, got models.Measures, want classResults) {
	t.Helper()
	near(t, label+": mean response time", got.MeanResponseTime, want.Mean, classTol)
	near(t, label+": mean waiting time", got.MeanWaitingTime, want.Waiting, classTol)
	if want.Jobs == 0 {
		return
	}
	near(t, label+": mean jobs", got.MeanJobs, want.Jobs, classTol)
	near(t, label+": variance", got.VarianceJobs, want.Variance, classTol)
	near(t, label+": probability to wait", got.ProbabilityWait, want.Wait, classTol)
	near(t, label+": probability of an empty machine", got.ProbabilityEmpty, want.Empty, classTol)
	near(t, label+": probability of a repartition", got.Repartitions.Probability, want.Resizes, classTol)
}

// classSystem is a machine with jobs of several classes and exponential repartitions.
func classSystem(t *testing.T, nodes int, load float64, classes ...models.Class) *models.System {
	t.Helper()
	s := must(models.NewSystemOfClasses(nodes, 1, poisson(1), classes))
	for i := 1; i <= s.Partitions(); i++ {
		s.Shrink = append(s.Shrink, must(phasetype.Erlang(1, 0.02*float64(i))))
		if i < s.Partitions() {
			s.Expand = append(s.Expand, must(phasetype.Erlang(1, 0.03)))
		}
	}
	return must(s.WithLoad(load))
}

func smallAndLarge() []models.Class {
	return []models.Class{
		{Name: "small", Share: 4, Demand: must(phasetype.Erlang(2, 1)), Speedup: workload.Linear{}, MaxNodes: 1},
		{Name: "large", Share: 1, Demand: must(phasetype.TwoMoments(10, 4)), Speedup: workload.Power{Exponent: 0.8}},
	}
}

// TestClassesReduce: what is no difference between jobs makes none.
func TestClassesReduce(t *testing.T) {
	needs.Concurrency(t)
	demand, speedup := must(phasetype.TwoMoments(3, 2)), workload.Amdahl{Serial: 0.05}
	alike := func(names ...string) (all []models.Class) {
		for i, name := range names {
			all = append(all, models.Class{Name: name, Share: float64(i + 1), Demand: demand, Speedup: speedup})
		}
		return all
	}
	one := classSystem(t, 4, 0.7, alike("all")...)
	plain := must(models.NewSystem(4, 1, one.Arrivals, demand, speedup))
	plain.Shrink, plain.Expand = one.Shrink, one.Expand
	want := chained(t, plain, policy.Dynamic{})
	if got := chained(t, one, policy.Dynamic{}); got.MeanResponseTime != want.MeanResponseTime {
		t.Errorf("one class: mean response time %v, without classes %v", got.MeanResponseTime, want.MeanResponseTime)
	}
	equal := chained(t, classSystem(t, 4, 0.7, alike("a", "b")...), policy.Dynamic{})
	near(t, "equal classes: mean response time", equal.MeanResponseTime, want.MeanResponseTime, classTol)
	for _, c := range equal.Classes {
		near(t, "equal classes: mean response time of "+c.Name, c.MeanResponseTime, want.MeanResponseTime, classTol)
	}
	rare := append(alike("all"), models.Class{Name: "none", Demand: must(phasetype.Erlang(3, 9)), Speedup: speedup})
	none := chained(t, classSystem(t, 4, 0.7, rare...), policy.Dynamic{})
	near(t, "a class of share 0: mean response time", none.MeanResponseTime, want.MeanResponseTime, classTol)

	narrow := smallAndLarge()
	narrow[1].MaxNodes = 1
	s := classSystem(t, 5, 0.8, narrow...)
	s.Shrink, s.Expand = nil, nil
	queue := chained(t, s, policy.Static{Partitions: 5})
	dynamic := chained(t, s, policy.Dynamic{})
	near(t, "jobs of one node: mean response time", dynamic.MeanResponseTime, queue.MeanResponseTime, classTol)
	for k, c := range dynamic.Classes {
		near(t, "jobs of one node: "+c.Name, c.MeanResponseTime, queue.Classes[k].MeanResponseTime, classTol)
	}
}

// TestClassesInAnotherOrder: the measures of classes do not depend on their order, nor on how one class is cut into several.
func TestClassesInAnotherOrder(t *testing.T) {
	needs.Concurrency(t)
	two := smallAndLarge()
	part := two[1]
	part.Name, part.Share, two[1].Share = "part", 0.75, 0.25
	const small, large = 0, 1
	want := chained(t, classSystem(t, 4, 0.7, smallAndLarge()...), policy.Dynamic{})
	got := chained(t, classSystem(t, 4, 0.7, part, two[1], two[0]), policy.Dynamic{})
	near(t, "mean response time", got.MeanResponseTime, want.MeanResponseTime, classTol)
	near(t, "variance", got.VarianceJobs, want.VarianceJobs, classTol)
	for k, of := range []int{large, large, small} {
		near(t, got.Classes[k].Name, got.Classes[k].MeanResponseTime, want.Classes[of].MeanResponseTime, classTol)
	}
}

// TestClassesByOtherWays: the chain written out state by state gives what the structured one gives, and so does a rule that
// divides the nodes among all jobs.
func TestClassesByOtherWays(t *testing.T) {
	needs.Concurrency(t)
	for name, arrivals := range map[string]phasetype.MAP{"Poisson": poisson(1),
		"renewal": must(phasetype.Renewal(must(phasetype.BalancedHyperexponential(1, 4)))),
		"bursts":  must(phasetype.MMPP(mat.NewDense(2, 2, []float64{-.2, .2, .1, -.1}), []float64{.2, 3}))} {
		t.Run(name, func(t *testing.T) { classesByOtherWays(t, arrivals) })
	}
}

func classesByOtherWays(t *testing.T, arrivals phasetype.MAP) {
	s := *classSystem(t, 4, 0.7, smallAndLarge()...)
	s.Arrivals = arrivals
	s = *must(s.WithLoad(0.7))
	want := chained(t, &s, policy.Dynamic{})
	rule := chained(t, &s, parsed(t, "resize"))
	near(t, "rule: mean response time", rule.MeanResponseTime, want.MeanResponseTime, classTol)
	for k, c := range rule.Classes {
		near(t, "rule: "+c.Name, c.MeanResponseTime, want.Classes[k].MeanResponseTime, classTol)
	}
	written, err := s.StateChain(t.Context(), policy.Dynamic{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := written.QBD.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "written out: mean jobs", sol.Mean(), want.MeanJobs, classTol)
	near(t, "written out: variance", sol.Variance(), want.VarianceJobs, classTol)
}

// TestResponseTimesOfClasses: a job of each class that is followed, and one in a static partition,
// takes as long on average as Little's law says of its class. The response time of any job is the mixture of those of the classes.
func TestResponseTimesOfClasses(t *testing.T) {
	needs.Concurrency(t)
	s := classSystem(t, 2, 0.5, smallAndLarge()...)
	s.Setup = map[int]phasetype.Dist{2: must(phasetype.Erlang(1, 0.1))}
	d, dynamic, split := &models.DEP{System: s}, chained(t, s, policy.Dynamic{}), chained(t, s, policy.Static{Partitions: 2})
	type distribution struct {
		name     string
		of       models.Measures
		mean     func(class string) float64
		survival func(class string, x float64) (low, high float64)
	}
	transform := map[string]*models.Response{}
	for _, class := range []string{"", "small", "large"} {
		transform[class] = must(d.ResponseTime(t.Context(), class, nil))
	}
	followed := distribution{"followed", dynamic, func(class string) float64 { return must(transform[class].Mean(t.Context())) },
		func(class string, x float64) (low, high float64) { return transform[class].At(x) }}
	delay := func(class string) *multiserver.Delay {
		_, response, err := (&models.SP{System: s, Partitions: 2}).Delays(t.Context(), class)
		return must(response, err)
	}
	static := distribution{"static", split, func(class string) float64 { return must(delay(class).Mean(t.Context())) },
		func(class string, x float64) (low, high float64) {
			v := must(delay(class).Survival(t.Context(), x))
			return v, v
		}}
	for _, d := range []distribution{followed, static} {
		for _, c := range d.of.Classes {
			near(t, d.name+": mean of "+c.Name, d.mean(c.Name), c.MeanResponseTime, 1e-5)
		}
		for _, x := range []float64{0.1, 1, 3, 10, 40} {
			least, most := d.survival("", x)
			low, high := 0.0, 0.0
			for _, c := range d.of.Classes {
				l, h := d.survival(c.Name, x)
				low, high = low+c.Share*l, high+c.Share*h
			}
			const rounding = 1e-9
			if high < least-rounding || low > most+rounding {
				t.Errorf("%s: P(T > %v) in [%v, %v], of the classes [%v, %v]", d.name, x, least, most, low, high)
			}
		}
	}
	if _, err := d.ResponseTime(t.Context(), "none", nil); err == nil {
		t.Error("a class that does not exist is followed")
	}
	// The measures mix the classes where a job of any class was followed here.
	p := []float64{0.5, 0.9, 0.99}
	for _, class := range []string{"", "small", "large"} {
		_, response, bound, err := dynamic.Quantiles(t.Context(), class, p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			low, high := transform[class].At(response[i])
			if off := bound + 1e-9; !(low-off <= 1-p[i] && 1-p[i] <= high+off) {
				t.Errorf("class %q: P(T > %v) in [%v, %v] is followed, mixed it is %v", class, response[i], low, high, 1-p[i])
			}
		}
	}
}

// TestClassesWithoutChain: a chain that would give the wrong answer is refused.
func TestClassesWithoutChain(t *testing.T) {
	needs.Concurrency(t)
	s := classSystem(t, 4, 0.7, smallAndLarge()...)
	for _, p := range []policy.Policy{policy.Capped{Jobs: 2}, parsed(t, "resize:cap=2")} {
		if err := solveError(t, s, p); !errors.Is(err, models.ErrNoChain) {
			t.Errorf("%v: %v", p, err)
		}
	}
	s.Stops = models.ResizedStop
	if err := solveError(t, s, policy.Dynamic{}); !errors.Is(err, models.ErrNoChain) {
		t.Errorf("resized jobs stop: %v", err)
	}
}

func solveError(t *testing.T, s *models.System, p policy.Policy) error {
	t.Helper()
	m, err := s.Chain(p)
	if err == nil {
		_, err = m.Solve(t.Context(), markov.Settings{})
	}
	return err
}

// BenchmarkClasses solves dynamic partitioning for small jobs of one node and large ones, by nodes and phases of service.
func BenchmarkClasses(b *testing.B) {
	for _, c := range []struct{ nodes, phases int }{{8, 4}, {16, 4}, {32, 2}} {
		b.Run(fmt.Sprintf("nodes=%d/phases=%d", c.nodes, c.phases), func(b *testing.B) {
			scv := 1.0
			if c.phases == 4 {
				scv = 4
			}
			small, large := must(phasetype.TwoMoments(1, scv)), must(phasetype.TwoMoments(10, scv))
			s := must(models.NewSystemOfClasses(c.nodes, 1, poisson(1), []models.Class{
				{Name: "small", Share: 4, Demand: small, Speedup: workload.Linear{}, MaxNodes: 1},
				{Name: "large", Share: 1, Demand: large, Speedup: workload.Power{Exponent: 0.8}},
			}))
			for range c.nodes {
				s.Shrink = append(s.Shrink, must(phasetype.Erlang(1, 0.05)))
			}
			s.Expand = s.Shrink[:c.nodes-1]
			d := &models.DEP{System: must(s.WithLoad(0.7))}
			for b.Loop() {
				if _, err := d.Solve(b.Context(), markov.Settings{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// drawnClasses draws two or three classes of jobs, whose shares and demands differ up to a millionfold and a thousandfold, on up to
// seven nodes at a load from 1e-6 to 1 − 1e-8. Two repartitions of three take time.
func drawnClasses(t *testing.T, r *rand.Rand) *models.System {
	t.Helper()
	n := 2 + r.IntN(6)
	var classes []models.Class
	phases := 0
	for k := range 2 + r.IntN(2) {
		scv := []float64{1, .5, 1 + math.Pow(10, 2*r.Float64())}[r.IntN(3)]
		c := models.Class{Name: fmt.Sprint("class ", k+1), Share: math.Pow(10, -6*r.Float64()*float64(r.IntN(2))), MaxNodes: 1 + r.IntN(n),
			Demand: must(phasetype.TwoMoments(math.Pow(10, 3*r.Float64()-1.5), scv)), Speedup: workload.Power{Exponent: .3 + .7*r.Float64()}}
		if phases += c.Demand.Phases(); phases > 4 && n > 4 {
			n = 4
		}
		classes = append(classes, c)
	}
	for k := range classes {
		classes[k].MaxNodes = min(classes[k].MaxNodes, n)
	}
	arrivals := poisson(1)
	if r.IntN(2) == 0 {
		arrivals = must(phasetype.Renewal(must(phasetype.BalancedHyperexponential(1, 1+10*r.Float64()))))
	}
	s := must(models.NewSystemOfClasses(n, 1, arrivals, classes))
	if r.IntN(3) > 0 {
		cost := must(phasetype.BalancedHyperexponential(math.Pow(10, 4*r.Float64()-3), math.Pow(10, 4*r.Float64())))
		s.Shrink = slices.Repeat([]phasetype.Dist{cost}, n)
		s.Expand = s.Shrink[1:]
	}
	load := math.Pow(10, -6*r.Float64())
	if r.IntN(3) == 0 {
		load = 1 - math.Pow(10, -1-7*r.Float64())
	}
	return must(s.WithLoad(load))
}

// No measure of random machines with classes of jobs differs, from the method that is chosen to the one that subtracts nothing, by
// more than their bounds add up to: over all jobs, and of each class.
func TestBoundsOfRandomClasses(t *testing.T) {
	needs.Concurrency(t)
	r := rand.New(rand.NewPCG(35, 35))
	worst := 0.0
	machines := 16
	if needs.IsStudy() {
		machines = 1000
	}
	for i := range machines {
		d := &models.DEP{System: drawnClasses(t, r)}
		fast, err := d.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Errorf("machine %d: %v", i, err)
			continue
		}
		slow := must(d.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree}))
		bound := fast.Diagnostics.ErrorBound + slow.Diagnostics.ErrorBound
		worst = max(worst, bound)
		for _, q := range models.Table() {
			x, _ := fast.Of(q.Name)
			y, _ := slow.Of(q.Name)
			most := bound
			if q.Name == measure.VarianceJobs { // of a square
				most *= 2
			}
			near(t, fmt.Sprintf("machine %d: %s", i, q.Name), x, y, most)
		}
		for k, c := range fast.Classes {
			what := fmt.Sprintf("machine %d: %s of share %.2g: ", i, c.Name, c.Share)
			near(t, what+"mean response time", c.MeanResponseTime, slow.Classes[k].MeanResponseTime, bound)
			near(t, what+"jobs in service", c.MeanJobsInService, slow.Classes[k].MeanJobsInService, bound)
		}
	}
	t.Logf("largest sum of two bounds: %.1e", worst)
}
