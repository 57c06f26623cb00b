package models_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/qbdtest"
)

func smoothed(t *testing.T, s *models.System, text string) models.Measures {
	t.Helper()
	return chained(t, s, parsed(t, "smoothing:"+text))
}

// With free repartitions and next to no time between them, smoothing is equi-partitioning: what is left is of the order
// of the minimum time over a response time.
func TestSmoothingTendsToDynamic(t *testing.T) {
	for _, load := range []float64{0.2, 0.8} {
		s := must(machine(4, poisson(1), must(phasetype.BalancedHyperexponential(1, 3)),
			func(n float64) float64 { return math.Pow(n, 0.8) }).WithLoad(load))
		d, sm := dynamic(t, s), smoothed(t, s, "1e-9")
		near(t, "T", sm.MeanResponseTime, d.MeanResponseTime, 1e-7)
		near(t, "var", sm.VarianceJobs, d.VarianceJobs, 1e-7)
		near(t, "decay", sm.DecayRate, d.DecayRate, 1e-9)
		near(t, "executing", sm.MeanExecuting, d.MeanExecuting, 1e-7)
	}
}

// One partition is never divided: smoothing adds nothing to dynamic partitioning, whose launch an arrival cannot cut
// short.
func TestSmoothingOfOnePartition(t *testing.T) {
	s := machine(1, poisson(0.4), must(phasetype.Erlang(3, 1)), linear)
	s.Shrink = []phasetype.Dist{must(phasetype.Exponential(4))}
	d, sm := dynamic(t, s), smoothed(t, s, "5,0.5")
	for _, q := range models.Table() {
		x, _ := d.Of(q.Name)
		y, _ := sm.Of(q.Name)
		near(t, q.Name, y, x, reductionTol)
	}
}

// With free repartitions the chains of smoothing and of the rule with its cooldown differ only where no job runs but some wait: the
// rule divides the machine at once. One job at a time never shows that, and no cooldown neither.
func TestSmoothingIsSlowerThanTheCooldown(t *testing.T) {
	s := must(machine(4, poisson(1), must(phasetype.Exponential(1)), workload.Amdahl{Serial: .5}.At).WithLoad(.6))
	for _, c := range []struct {
		cooldown                string
		smoothing, rule, within float64
	}{
		// both tend to dynamic partitioning as the cooldown tends to 0
		{"1e-9", .9947183, .9947183, 1e-7},
		// the simulations at the fidelities of model and machine give 3.73 ± .08 and, with all free nodes for one job, 1.35 ± .03
		{"10", 3.763125, 1.547485, 1e-6},
	} {
		near(t, "smoothing", smoothed(t, s, c.cooldown).MeanResponseTime, c.smoothing, c.within)
		near(t, "rule", chained(t, s, parsed(t, "resize:cooldown="+c.cooldown+",scv=1")).MeanResponseTime, c.rule, c.within)
	}
}

// chainless is a policy that brings no chain.
type chainless struct{ policy.Dynamic }

func (chainless) Chain(*models.System) (models.Model, error) { return nil, nil }

// smoothSim is the smoothed machine once more, job by job, with exponential times only.
type smoothSim struct {
	s           *models.System
	r           *rand.Rand
	n           int
	minimum     float64 // mean of the minimum time between repartitions
	q           int
	jobs        int // in the system
	held        int // holding a partition
	calm, shape bool
	cost        float64 // rate of the repartition under way
}

func (m *smoothSim) rate(d phasetype.Dist) float64 { return 1 / d.Mean() }

func (m *smoothSim) divide() {
	q := min(m.jobs, m.n)
	if q == m.q || q == 0 {
		return
	}
	c := m.s.ShrinkTo(q)
	if q < m.q {
		c = m.s.ExpandTo(q)
	}
	m.q, m.held, m.calm = q, q, true
	m.start(c)
}

func (m *smoothSim) start(c phasetype.Dist) {
	if !c.IsZero() {
		m.shape, m.cost = true, m.rate(c)
	}
}

// run returns the mean number of jobs and the share of time spent repartitioning, over a number of events.
func (m *smoothSim) run(lambda float64, events int) (jobs, shape float64) {
	now := 0.0
	for range events {
		var mu, timer, end float64
		if m.shape {
			end = m.cost
		} else if m.held > 0 {
			mu = float64(m.held) * m.rate(m.s.Service[m.q-1])
		}
		if m.calm {
			timer = 1 / m.minimum
		}
		all := lambda + mu + timer + end
		dt := m.r.ExpFloat64() / all
		now += dt
		jobs += dt * float64(m.jobs)
		if m.shape {
			shape += dt
		}
		switch u := m.r.Float64() * all; {
		case u < lambda:
			m.arrival()
		case u < lambda+mu:
			m.departure()
		case u < lambda+mu+timer:
			m.calm = false
			if !m.shape {
				m.divide()
			}
		default:
			m.shape = false
			if !m.calm {
				m.divide()
			}
		}
	}
	return jobs / now, shape / now
}

func (m *smoothSim) arrival() {
	m.jobs++
	switch {
	case m.jobs == 1:
		m.q, m.held = 1, 1
		m.start(m.s.ShrinkTo(1))
	case m.shape:
	case m.calm && m.jobs <= m.q:
		m.held++
	case !m.calm:
		m.divide()
	}
}

func (m *smoothSim) departure() {
	m.jobs--
	switch {
	case m.jobs == 0:
		m.q, m.held = 0, 0
	case m.jobs >= m.q: // someone waited
	default:
		m.held--
		if !m.calm {
			m.divide()
		}
	}
}

func TestSmoothingAgainstSimulation(t *testing.T) {
	const runs = 16
	events := 100_000
	if needs.IsStudy() {
		events = 400_000
	}
	for i, minimum := range []float64{0.05, 1.5} {
		s := machine(4, poisson(1), must(phasetype.Exponential(1)), func(n float64) float64 { return math.Pow(n, 0.7) })
		for k := range 4 {
			s.Shrink = append(s.Shrink, must(phasetype.Exponential(20/float64(1+k))))
			s.Expand = append(s.Expand, must(phasetype.Exponential(15)))
		}
		s.Expand = s.Expand[:3]
		s = must(s.WithLoad(0.6))
		want := smoothed(t, s, fmt.Sprint(minimum))
		var sums, squares [2]float64
		for run := range runs {
			m := &smoothSim{s: s, n: 4, minimum: minimum, r: rand.New(rand.NewPCG(uint64(i), uint64(run)))}
			jobs, shape := m.run(s.Arrivals.Rate(), events)
			for k, v := range []float64{jobs, shape} {
				sums[k] += v
				squares[k] += v * v
			}
		}
		for k, w := range []float64{want.MeanJobs, want.Repartitions.Probability} {
			mean := sums[k] / runs
			se := math.Sqrt((squares[k]/runs - mean*mean) / (runs - 1))
			if math.Abs(mean-w) > 4*se {
				t.Errorf("minimum time %g, measure %d: solved %g, simulated %g ± %g", minimum, k, w, mean, se)
			}
		}
	}
}

func TestCapped(t *testing.T) {
	s := must(machine(6, poisson(1), must(phasetype.BalancedHyperexponential(1, 2)),
		func(n float64) float64 { return math.Pow(n, 0.8) }).WithLoad(0.4))
	near(t, "cap N", chained(t, s, policy.Capped{Jobs: 6}).MeanJobs, dynamic(t, s).MeanJobs, reductionTol)
	near(t, "cap 1", chained(t, s, policy.Capped{Jobs: 1}).MeanJobs, static(t, s, 1).MeanJobs, reductionTol)
}

func TestPoliciesWithoutAChain(t *testing.T) {
	s := machine(8, poisson(1), must(phasetype.Exponential(1)), linear)
	for _, e := range policy.Standard() {
		_, err := s.Chain(parsed(t, e.Example))
		if hasChain := e.RunsOn&policy.Chain != 0; errors.Is(err, models.ErrNoChain) == hasChain {
			t.Errorf("%s: error %v, the table says that it runs on %v", e.Example, err, e.RunsOn)
		}
	}
	if _, err := s.Chain(nil); err == nil {
		t.Error("no policy has a chain")
	}
	if _, err := s.Chain(chainless{}); !errors.Is(err, models.ErrNoChain) {
		t.Errorf("a policy that returns no chain: %v", err)
	}
	if _, err := s.Chain(policy.Static{Partitions: 5}); !errors.As(err, new(*policy.ParameterError)) {
		t.Errorf("five partitions of eight nodes: %v", err)
	}
	large := machine(30, poisson(1), must(phasetype.Erlang(6, 1)), linear)
	st := markov.Settings{Memory: markov.NewMemory(16 << 20)}
	if needs.IsStudy() {
		st.Memory = nil // it is the phases of a level that are too many
	}
	_, err := (&models.Smoothed{System: large, Minimum: must(phasetype.Exponential(1))}).Solve(t.Context(), st)
	if !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("a chain that is too large: %v", err)
	}
}

// resizable is a machine of four whose repartitions take time, but for a launch of the empty machine.
func resizable(load float64) *models.System {
	s := machine(4, must(phasetype.Renewal(must(phasetype.BalancedHyperexponential(1, 2)))),
		must(phasetype.BalancedHyperexponential(1, 3)), func(n float64) float64 { return math.Pow(n, 0.7) })
	for k := range 4 {
		s.Shrink = append(s.Shrink, must(phasetype.Exponential(20/float64(1+k))))
		s.Expand = append(s.Expand, must(phasetype.Erlang(2, .07)))
	}
	s.Shrink[0], s.Expand = phasetype.Dist{}, s.Expand[:3]
	return must(s.WithLoad(load))
}

// Rules that are a policy with a chain of its own have its measures: all of them where nobody is resized but by them. A
// static split reports no repartitions.
func TestRulesThatArePolicies(t *testing.T) {
	for rule, same := range map[string]string{
		"resize": "dynamic", "resize:cap=3": "capped:3", "resize:cap=4": "dynamic", "resize:batch=1,wait=1": "dynamic",
		"resize:floor=4": "static:4", "resize:floor=2,cap=2": "static:2", "resize:cap=1,cooldown=3,scv=1": "static:1",
	} {
		for _, load := range []float64{.2, .45} {
			s := resizable(load)
			want, got := chained(t, s, parsed(t, same)), chained(t, s, parsed(t, rule))
			for _, q := range models.Table() {
				v, ok := want.Of(q.Name)
				if w, _ := got.Of(q.Name); ok {
					near(t, rule+" as "+same+": "+q.Name, w, v, 1e-11)
				}
			}
		}
	}
}

// A rule whose cooldown is next to nothing is the rule without one, and one that waits for more jobs than ever come never
// makes jobs smaller.
func TestRulesInTheLimit(t *testing.T) {
	s := resizable(.5)
	for _, rule := range []string{"hysteresis=1.5", "wait=2,batch=2", "on=departures"} {
		with, without := chained(t, s, parsed(t, "resize:"+rule+",cooldown=1e-9,scv=.5")), chained(t, s, parsed(t, "resize:"+rule))
		near(t, rule, with.MeanResponseTime, without.MeanResponseTime, 1e-7) // of the order of the cooldown
	}
	// A cooldown that outlasts everything goes on while the machine is empty: running jobs are as good as never resized, as
	// by a rule that does so when there are forty times as many as shares.
	calm := must(s.WithLoad(.2))
	rare, never := chained(t, calm, parsed(t, "resize:cooldown=1e9,scv=1")), chained(t, calm, parsed(t, "resize:hysteresis=40"))
	near(t, "a long cooldown", rare.MeanResponseTime, never.MeanResponseTime, 1e-7)
	quiet := must(s.WithLoad(1e-6)) // where hardly a second job ever comes
	patient, single := chained(t, quiet, parsed(t, "resize:wait=30")), chained(t, quiet, parsed(t, "static:1"))
	near(t, "wait=30", patient.MeanResponseTime, single.MeanResponseTime, 1e-5)
}

func TestRulesWithoutAChain(t *testing.T) {
	s := resizable(.5)
	for _, d := range []*models.Resizing{
		{System: s, Rule: policy.Resize{Cooldown: 5}},
		{System: stopping(s, models.ResizedStop), Rule: policy.Resize{Batch: 2}},
	} {
		if _, err := d.Solve(t.Context(), markov.Settings{}); !errors.Is(err, models.ErrNoChain) {
			t.Errorf("%v: error %v", d.Rule, err)
		}
	}
	if _, err := s.Chain(policy.Resize{Cooldown: 5}); !errors.Is(err, models.ErrNoChain) {
		t.Errorf("a fixed cooldown: %v", err)
	}
	for name, d := range map[string]*models.Resizing{
		"no system": {}, "a cap that is too large": {System: s, Rule: policy.Resize{Cap: 9}},
	} {
		if _, err := d.Solve(t.Context(), markov.Settings{}); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
	m, err := (&models.Resizing{System: must(s.WithLoad(.9)), Rule: policy.Resize{Cap: 1}}).Solve(t.Context(), markov.Settings{})
	if err != nil || m.Stable {
		t.Errorf("one job at a time at load .9: %v, %v", m.Stable, err)
	}
}

// Levels alone, without their states, take memory. There are as many levels as a queue has jobs before the rule divides
// the machine. Numbers of levels beyond all integers are refused with any memory.
func TestRulesOfManyLevelsAreRefused(t *testing.T) {
	s := resizable(.5)
	taken := qbdtest.Peak(func() {
		for rule, memory := range map[string]int64{
			"wait=1000000": 64 << 20, "hysteresis=1e6": 64 << 20, "hysteresis=1e6,batch=1e9": 1 << 20, "wait=2147483647": 4 << 30,
			"hysteresis=1e22": 1 << 60, "hysteresis=1e300": 1 << 60,
		} {
			_, err := must(s.Chain(parsed(t, "resize:"+rule))).Solve(t.Context(), markov.Settings{Memory: markov.NewMemory(memory)})
			if !errors.As(err, new(*parallel.LimitError)) || !errors.Is(err, markov.ErrTooLarge) {
				t.Errorf("%s: %v", rule, err)
			}
		}
	})
	if taken > 8<<20 {
		t.Errorf("%.3g MiB taken", taken/(1<<20))
	}
}

// The memory that is reserved for chains of rules covers the memory that solves take, and is not many times as large.
// The chains have many small levels, many entries of which few are followed at a time, or few large levels.
func TestEstimatesOfRulesCoverWhatIsTaken(t *testing.T) {
	if testing.Short() {
		t.Skip("sizes, not concurrency")
	}
	const small = 4 << 20 // garbage that the collector has left in the heap
	rules := []string{"resize:wait=300"}
	if needs.IsLong() {
		rules = append(rules, "resize:wait=1400", "resize:batch=12")
	}
	s := must(machine(8, poisson(1), must(phasetype.Erlang(2, 1)), workload.Amdahl{Serial: .1}.At).WithLoad(.5))
	for _, rule := range rules {
		chain := must(s.Chain(parsed(t, rule)))
		limit, taken := 1.0, 0.0
		var err error
		var refused *parallel.LimitError
		for limit < 1<<32 { // raised to the memory that the last refusal named
			taken = qbdtest.Peak(func() {
				_, err = chain.Solve(t.Context(), markov.Settings{Memory: markov.NewMemory(int64(limit))})
			})
			if !errors.As(err, &refused) {
				break
			}
			limit = max(2*limit, math.Ceil(refused.Takes))
		}
		t.Logf("%s: %.3g MiB estimated, %.3g MiB taken", rule, limit/(1<<20), taken/(1<<20))
		if err != nil || taken > limit+small || limit > 3*taken+small {
			t.Errorf("%s: %.3g MiB reserved, %.3g MiB taken: %v", rule, limit/(1<<20), taken/(1<<20), err)
		}
	}
}
