package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// reductionTol: both sides are found without subtractions; twelve digits remain of fifteen after the sums over levels.
const reductionTol = 1e-12

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func poisson(rate float64) phasetype.MAP {
	return must(phasetype.Renewal(must(phasetype.Exponential(rate))))
}

// machine returns a system of n nodes with service B_i = demand/speedup(n/i) and no overheads.
func machine(n int, arrivals phasetype.MAP, demand phasetype.Dist, speedup func(float64) float64) *models.System {
	s := &models.System{Nodes: n, MinNodes: 1, Arrivals: arrivals}
	for i := 1; i <= n; i++ {
		s.Service = append(s.Service, must(demand.Scale(1/speedup(float64(n)/float64(i)))))
	}
	return s
}

func linear(n float64) float64 { return n }

func dynamic(t *testing.T, s *models.System) models.Measures {
	t.Helper()
	return solved(t, &models.DEP{System: s})
}

func static(t *testing.T, s *models.System, k int) models.Measures {
	t.Helper()
	return solved(t, &models.SP{System: s, Partitions: k})
}

// parsed returns the policy that text names.
func parsed(t testing.TB, text string) policy.Policy {
	t.Helper()
	p, err := policy.Standard().Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// chained solves the chain of a policy.
func chained(t *testing.T, s *models.System, p policy.Policy) models.Measures {
	t.Helper()
	m, err := s.Chain(p)
	if err != nil {
		t.Fatal(err)
	}
	return solved(t, m)
}

func solved(t *testing.T, m models.Model) models.Measures {
	t.Helper()
	r, err := m.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Stable {
		t.Fatal("unstable")
	}
	return r
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.15g, want %.15g (relative %.1e)", what, got, want, got/want-1)
	}
}

func TestPollaczekKhinchine(t *testing.T) {
	for _, scv := range []float64{0.3, 1, 8} {
		b := must(phasetype.TwoMoments(2, scv))
		lambda := 0.35
		rho := 2 * lambda
		m := dynamic(t, machine(1, poisson(lambda), b, linear))
		near(t, "E[N]", m.MeanJobs, rho+rho*rho*(1+scv)/(2*(1-rho)), reductionTol)
		near(t, "P(0)", m.ProbabilityEmpty, 1-rho, reductionTol)
	}
}

// erlangC returns the probability of waiting in M/M/c with offered load a.
func erlangC(c int, a float64) float64 {
	term, sum := 1.0, 0.0
	for i := range c {
		sum += term
		term *= a / float64(i+1)
	}
	tail := term / (1 - a/float64(c))
	return tail / (sum + tail)
}

func TestErlangC(t *testing.T) {
	n, mu := 6, 0.5
	for _, rho := range []float64{0.1, 0.7, 0.97} {
		lambda := rho * float64(n) * mu
		same := machine(n, poisson(lambda), must(phasetype.Exponential(mu)), func(float64) float64 { return 1 })
		c := erlangC(n, lambda/mu)
		want := lambda/mu + c*rho/(1-rho)
		near(t, "dynamic, equal rates", dynamic(t, same).MeanJobs, want, reductionTol)
		near(t, "static", static(t, same, n).MeanJobs, want, reductionTol)
		near(t, "P(wait)", static(t, same, n).ProbabilityWait, c, reductionTol)
	}
}

func TestPhaseTypeArrivals(t *testing.T) { // PH/M/N: level at arrivals is geometric with σ = f_A(Nμ(1−σ))
	n, mu := 4, 1.0
	arrivals := must(phasetype.Renewal(must(phasetype.BalancedHyperexponential(1/2.8, 4))))
	m := dynamic(t, machine(n, arrivals, must(phasetype.Exponential(mu)), func(float64) float64 { return 1 }))
	p := (1 + math.Sqrt(3.0/5)) / 2
	r1, r2 := 2*p*2.8, 2*(1-p)*2.8
	sigma := 0.5
	for range 10000 {
		s := float64(n) * mu * (1 - sigma)
		sigma = p*r1/(r1+s) + (1-p)*r2/(r2+s)
	}
	near(t, "decay", m.DecayRate, sigma, reductionTol)
	near(t, "E[waiting]", m.MeanWaitingTime, m.ProbabilityWait/(float64(n)*mu*(1-sigma)), reductionTol)
}

func TestOneFastServer(t *testing.T) { // i·μ_i constant: M/M/1
	rho := 0.8
	s := machine(5, poisson(rho), must(phasetype.Exponential(1)), linear)
	near(t, "capacity", s.Capacity(), 5, reductionTol)
	s = must(s.WithLoad(rho))
	near(t, "E[N]", dynamic(t, s).MeanJobs, rho/(1-rho), reductionTol)
}

// With many partitions the machine is a processor sharing queue, insensitive to the service distribution. What is left
// at N is of the order of P(level > N) = ρ^N: 0.6^40 = 1e-9.
func TestProcessorSharing(t *testing.T) {
	rho := 0.6
	for _, scv := range []float64{0.5, 1, 5} {
		s := machine(40, poisson(1), must(phasetype.TwoMoments(1, scv)), linear)
		m := dynamic(t, must(s.WithLoad(rho)))
		near(t, fmt.Sprintf("E[N], scv %g", scv), m.MeanJobs, rho/(1-rho), 1e-7)
	}
}

func TestTinyOverheadsAreContinuous(t *testing.T) {
	s := machine(4, poisson(2.5), must(phasetype.BalancedHyperexponential(1, 3)),
		func(n float64) float64 { return math.Pow(n, 0.8) })
	free := dynamic(t, s)
	for _, mean := range []float64{1e-6, 1e-9} {
		tiny := must(phasetype.Erlang(2, mean))
		s.Shrink = []phasetype.Dist{tiny, tiny, tiny, tiny}
		s.Expand = []phasetype.Dist{tiny, tiny, tiny}
		m := dynamic(t, s)
		// first order in the overhead: a few repartitions a job, each costing it and those that queue behind the mean
		near(t, "T", m.MeanResponseTime, free.MeanResponseTime, 100*mean)
		if p := m.Repartitions.Probability; p > 10*mean || p <= 0 {
			t.Errorf("p_r = %g with overheads of %g", p, mean)
		}
		if m.Repartitions.Rate < 1 {
			t.Errorf("repartitions that cost a little are counted: rate %g", m.Repartitions.Rate)
		}
	}
	if r := free.Repartitions; r.Rate != 0 || r.Probability != 0 {
		t.Errorf("free repartitions are not counted: %+v", *r)
	}
}

// EQUI, exponential, nothing costs: no static split is better when S is nondecreasing and S(n)/n nonincreasing.
func TestDynamicIsBestWhenFree(t *testing.T) {
	for name, speedup := range map[string]workload.Speedup{
		"amdahl": must(workload.NewSpeedup("amdahl", 0.05)), "power": must(workload.NewSpeedup("power", 0.7)), "linear": workload.Linear{},
	} {
		for _, load := range []float64{0.1, 0.5, 0.9} {
			s := must(machine(12, poisson(1), must(phasetype.Exponential(0.01)), speedup.At).WithLoad(load))
			td := dynamic(t, s).MeanResponseTime
			for _, k := range s.Machine().Divisors() {
				r, err := (&models.SP{System: s, Partitions: k}).Solve(t.Context(), markov.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				if r.Stable && td > r.MeanResponseTime*(1+reductionTol) {
					t.Errorf("%s at %g: T_DEP = %g, T_SP(%d) = %g", name, load, td, k, r.MeanResponseTime)
				}
			}
		}
	}
}

// full is a system with everything in it.
func full(r *rand.Rand, order []int) *models.System {
	n, m := 3, len(order)
	rates := make([][]float64, m)
	alpha := make([]float64, m)
	for i := range m {
		rates[i] = make([]float64, m)
		for j := range m {
			rates[i][j] = r.Float64()
		}
		alpha[i] = r.Float64()
	}
	dist := func(scale float64) phasetype.Dist {
		a, t := make([]float64, m), mat.NewDense(m, m, nil)
		total := 0.0
		for i := range m {
			total += alpha[i]
		}
		for i := range m {
			a[order[i]] = alpha[i] / total
			out := 0.3
			for j := range m {
				if j != i {
					t.Set(order[i], order[j], scale*rates[i][j])
					out += rates[i][j]
				}
			}
			t.Set(order[i], order[i], -scale*out)
		}
		return must(phasetype.New(a, t))
	}
	s := &models.System{Nodes: n, MinNodes: 1, PhaseMap: map[models.Change]*mat.Dense{}}
	for i := 1; i <= n; i++ {
		s.Service = append(s.Service, dist(1/float64(i)))
		s.Shrink = append(s.Shrink, dist(20))
		if i < n {
			s.Expand = append(s.Expand, dist(30))
		}
	}
	s.Arrivals = must(phasetype.Renewal(dist(0.4)))
	phi := mat.NewDense(m, m, nil)
	for i := range m {
		for j := range m {
			phi.Set(order[i], order[j], 0.1/float64(m))
		}
		phi.Set(order[i], order[i], phi.At(order[i], order[i])+0.9)
	}
	s.PhaseMap[models.Change{From: 2, To: 1}] = phi
	return s
}

func TestRelabelledPhases(t *testing.T) {
	a := dynamic(t, must(full(rand.New(rand.NewPCG(1, 2)), []int{0, 1, 2}).WithLoad(0.7)))
	b := dynamic(t, must(full(rand.New(rand.NewPCG(1, 2)), []int{2, 0, 1}).WithLoad(0.7)))
	for _, q := range models.Table() {
		x, _ := a.Of(q.Name)
		y, _ := b.Of(q.Name)
		near(t, q.Name, y, x, reductionTol)
	}
}

// Another representation of the same distribution in the arrivals, the overheads and one demand scaled by speedups.
func TestOtherRepresentations(t *testing.T) {
	erlang := must(phasetype.Erlang(2, 1))
	// the same distribution with a third phase that copies the second: half of the jobs pass through the copy
	copied := must(phasetype.New([]float64{1, 0, 0}, mat.NewDense(3, 3, []float64{-2, 1, 1, 0, -2, 0, 0, 0, -2})))
	system := func(d phasetype.Dist) *models.System {
		s := machine(4, must(phasetype.Renewal(d)), d, func(n float64) float64 { return math.Pow(n, 0.9) })
		for range 4 {
			s.Shrink = append(s.Shrink, must(d.Scale(0.02)))
			s.Expand = append(s.Expand, must(d.Scale(0.01)))
		}
		s.Expand = s.Expand[:3]
		return must(s.WithLoad(0.8))
	}
	a, b := dynamic(t, system(erlang)), dynamic(t, system(copied))
	for _, q := range models.Table() {
		x, _ := a.Of(q.Name)
		y, _ := b.Of(q.Name)
		near(t, q.Name, y, x, reductionTol)
	}
}

func TestSaturation(t *testing.T) {
	s := machine(4, poisson(1), must(phasetype.BalancedHyperexponential(1, 3)),
		func(n float64) float64 { return math.Pow(n, 0.8) })
	c := must(phasetype.Exponential(10))
	s.Shrink, s.Expand = []phasetype.Dist{c, c, c, c}, []phasetype.Dist{c, c, c}
	last := math.Inf(1)
	for _, gap := range []float64{1e-2, 1e-3, 1e-4, 1e-5} {
		at := must(s.WithLoad(1 - gap))
		d, sp := dynamic(t, at), static(t, at, 4)
		// p_r is the mass below level N and just above it, which vanishes like the gap
		if p := d.Repartitions.Probability; p > 3*gap {
			t.Errorf("p_r = %g at load 1−%g", p, gap)
		}
		off := math.Abs(d.MeanResponseTime/sp.MeanResponseTime - 1)
		if off > last/5 {
			t.Errorf("T_DEP/T_SP(N) is %g from 1 at load 1−%g, %g at ten times the gap", off, gap, last)
		}
		last = off
	}
}

func TestUnstable(t *testing.T) {
	s := machine(2, poisson(5), must(phasetype.Exponential(1)), linear)
	m, err := (&models.DEP{System: s}).Solve(t.Context(), markov.Settings{})
	if err != nil || m.Stable || m.TrafficIntensity != 2.5 || m.MaxArrivalRate != 2 || len(m.Diagnostics.Warnings) != 1 {
		t.Errorf("got %+v, %v", m, err)
	}
}

// TestMeanOverhead: the launch of a busy period and the repartitions between one and two jobs, weighted by how often
// they start. In this system repartitions begin at every arrival that finds less than two jobs and at every departure
// that leaves one, which is as often as arrivals find one.
func TestMeanOverhead(t *testing.T) {
	s := machine(2, poisson(0.5), must(phasetype.Exponential(0.5)), linear)
	mean := func(x float64) phasetype.Dist { return must(phasetype.Exponential(1 / x)) }
	s.Shrink = []phasetype.Dist{mean(0.1), mean(0.2)}
	s.Expand = []phasetype.Dist{mean(0.4)}
	m := dynamic(t, s)
	p, err := m.LevelProbabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	launches, shrinks := 0.5*p[0], 0.5*p[1]
	want := (0.1*launches + 0.2*shrinks + 0.4*shrinks) / (launches + 2*shrinks)
	near(t, "mean overhead", m.Repartitions.MeanOverhead, want, 1e-10) // sums of a few terms of a solution good to 1e-12
	near(t, "rate of repartitions", m.Repartitions.Rate, launches+2*shrinks, 1e-10)
	s.Shrink, s.Expand = nil, nil
	if got := dynamic(t, s).Repartitions.MeanOverhead; got != 0 {
		t.Errorf("mean overhead %v without any", got)
	}
}
