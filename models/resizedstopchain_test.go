package models_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// overheads gives every repartition the same distribution.
func overheads(s *models.System, d phasetype.Dist) *models.System {
	for range s.Partitions() {
		s.Shrink = append(s.Shrink, d)
		s.Expand = append(s.Expand, d)
	}
	s.Expand = s.Expand[:s.Partitions()-1]
	return s
}

// stopping returns the system with that reading of who stops.
func stopping(s *models.System, stops models.Stops) *models.System {
	other := *s
	other.Stops = stops
	return &other
}

// same compares all measures of two solutions.
func same(t *testing.T, a, b models.Measures, tol float64) {
	t.Helper()
	for _, q := range models.Table() {
		x, okX := a.Of(q.Name)
		y, okY := b.Of(q.Name)
		if okX != okY {
			t.Errorf("%s: %v, %v", q.Name, okX, okY)
		}
		near(t, q.Name, x, y, tol)
	}
}

// With two partitions every repartition resizes all jobs, and partitions are whole: stopping all and stopping those that
// are resized is the same, solved by two methods that share nothing but the moves of jobs.
func TestTwoPartitionsAreResizedTogether(t *testing.T) {
	needs.Concurrency(t)
	arrivals := must(phasetype.Renewal(must(phasetype.BalancedHyperexponential(1, 3))))
	s := machine(2, arrivals, must(phasetype.Erlang(3, 1)), func(n float64) float64 { return math.Pow(n, 0.7) })
	s = must(overheads(s, must(phasetype.New([]float64{0.7, 0}, mat.NewDense(2, 2, []float64{-3, 3, 0, -3})))).WithLoad(0.7))
	same(t, dynamic(t, stopping(s, models.ResizedStop)), dynamic(t, s), 1e-11)
	one := must(overheads(machine(1, arrivals, must(phasetype.Erlang(3, 1)), linear), must(phasetype.Exponential(4))).WithLoad(0.7))
	same(t, dynamic(t, stopping(one, models.ResizedStop)), dynamic(t, one), 1e-11)
}

// IPS96 table 1 on eight nodes: from four jobs to five one shrinks and one starts, three go on; from five to four the one
// that leaves has two nodes with odds 6 : 2 of the speeds, and two grow, or one node, and one grows.
func TestDivisionOfEightNodes(t *testing.T) {
	s := machine(8, poisson(1), must(phasetype.Exponential(1)), linear)
	// Long repartitions after a fifth job alone: what goes on in them shows in the utilization.
	slow := must(phasetype.Exponential(0.5))
	s.Shrink = make([]phasetype.Dist, 8)
	s.Shrink[4] = slow
	m := dynamic(t, stopping(must(s.WithLoad(0.5)), models.ResizedStop))
	near(t, "going on", 1-(1-m.ProbabilityEmpty-m.Utilization)/m.Repartitions.Probability, 6.0/8, reductionTol)
	s.Shrink, s.Expand = nil, make([]phasetype.Dist, 7)
	s.Expand[3] = slow
	m = dynamic(t, stopping(must(s.WithLoad(0.5)), models.ResizedStop))
	near(t, "going on", 1-(1-m.ProbabilityEmpty-m.Utilization)/m.Repartitions.Probability, 6.0/8*4/8+2.0/8*6/8,
		reductionTol)
}

// Where repartitions cost nothing nobody stops, and with linear speedup whole partitions are as good as average ones.
func TestFreeRepartitionsStopNobody(t *testing.T) {
	s := must(machine(6, poisson(1), must(phasetype.BalancedHyperexponential(1, 4)), linear).WithLoad(0.8))
	s.Speedup, s.Demand = nil, phasetype.Dist{}
	same(t, dynamic(t, stopping(s, models.ResizedStop)), dynamic(t, s), reductionTol)
}

// Eliminated level by level, by the phases in which levels are entered, the chain has the solution that it has in dense
// blocks: where jobs pass their phases in turn, and where phases of the arrivals or of the overheads lead back to each
// other; where there are so many phases that passages are found for vectors, and where repartitions are too long for that.
// 1e-12: both are sums of a few hundred terms.
func TestResizedByDenseBlocks(t *testing.T) {
	cyclic := must(phasetype.New([]float64{0.5, 0.2}, mat.NewDense(2, 2, []float64{-9, 4, 3, -5})))
	bursty := must(phasetype.MMPP(mat.NewDense(2, 2, []float64{-0.1, 0.1, 0.3, -0.3}), []float64{0.2, 2}))
	for name, s := range map[string]*models.System{
		"Erlang": overheads(machine(5, poisson(1), must(phasetype.Erlang(3, 1)), linear), must(phasetype.Exponential(4))),
		"MMPP":   overheads(machine(4, bursty, must(phasetype.Erlang(2, 1)), linear), cyclic),
		"free":   machine(3, poisson(1), must(phasetype.BalancedHyperexponential(1, 4)), linear),
		"large":  overheads(machine(7, poisson(1), must(phasetype.Erlang(3, 1)), linear), must(phasetype.Exponential(20))),
		"long":   overheads(machine(7, poisson(1), must(phasetype.Erlang(3, 1)), linear), must(phasetype.Exponential(2))),
	} {
		for _, load := range []float64{0.05, 0.5, 0.95} {
			s := stopping(must(s.WithLoad(load)), models.ResizedStop)
			chain := must(s.StateChain(t.Context(), policy.Dynamic{}, nil))
			dense := must(chain.QBD.Solve(t.Context(), markov.Settings{}))
			m := dynamic(t, s)
			near(t, name+": jobs", m.MeanJobs, dense.Mean(), 1e-12)
			near(t, name+": variance", m.VarianceJobs, dense.Variance(), 1e-12)
			near(t, name+": empty", m.ProbabilityEmpty, dense.Probability(0), 1e-12)
			near(t, name+": decay", m.DecayRate, must(dense.DecayRate(t.Context())), 1e-12)
		}
	}
}

// Whether systems share their states makes no difference, to the last bit: at other loads, with other overheads, other phase
// maps and other arrivals. A chain at another arrival rate has the measures of the system with that rate, to the accuracy of
// the solutions.
func TestSharedStates(t *testing.T) {
	needs.Concurrency(t)
	bursty := must(phasetype.MMPP(mat.NewDense(2, 2, []float64{-0.1, 0.1, 0.3, -0.3}), []float64{0.2, 2}))
	h2 := must(phasetype.BalancedHyperexponential(1, 4))
	mapped := overheads(machine(4, bursty, h2, linear), must(phasetype.Exponential(4)))
	mapped.PhaseMap = map[models.Change]*mat.Dense{{2, 3}: mat.NewDense(2, 2, []float64{0.5, 0.5, 0, 1})}
	var shared markov.Shared
	for i, s := range []*models.System{
		overheads(machine(4, bursty, h2, linear), must(phasetype.Exponential(4))),
		overheads(machine(4, bursty, h2, linear), must(phasetype.Exponential(5))),
		overheads(machine(4, poisson(1), h2, linear), must(phasetype.Exponential(4))), mapped,
	} {
		chain := must(stopping(s, models.ResizedStop).Chain(policy.Dynamic{})).(interface {
			WithArrivalRate(lambda float64) (models.Model, error)
		})
		for _, load := range []float64{0.3, 0.8, 1.2} {
			at := must(s.WithLoad(load))
			d := must(chain.WithArrivalRate(at.Arrivals.Rate()))
			a := must(d.Solve(t.Context(), markov.Settings{}))
			b := must(d.Solve(t.Context(), markov.Settings{Shared: &shared}))
			if a.MeanJobs != b.MeanJobs || a.VarianceJobs != b.VarianceJobs || a.ProbabilityEmpty != b.ProbabilityEmpty {
				t.Errorf("system %d at load %v: %v alone, %v with shared states", i, load, a.MeanJobs, b.MeanJobs)
			}
			same(t, a, must((&models.DEP{System: stopping(at, models.ResizedStop)}).Solve(t.Context(), markov.Settings{})), 1e-12)
		}
	}
}

// A saying of nothing is a saying of all, to the last bit.
func TestNothingSaidStopsAll(t *testing.T) {
	s := must(overheads(machine(4, poisson(1), must(phasetype.Exponential(1)), linear),
		must(phasetype.Exponential(5))).WithLoad(0.6))
	same(t, dynamic(t, stopping(s, models.AllStop)), dynamic(t, s), 0)
}

// Fewer jobs stop, so jobs are faster, and more of them are at work; with less to pay the difference goes.
func TestStoppingFewerIsFaster(t *testing.T) {
	for _, mean := range []float64{0.5, 0.05, 0.0005} {
		s := must(overheads(machine(8, poisson(1), must(phasetype.Exponential(1)), linear),
			must(phasetype.Exponential(1/mean))).WithLoad(0.6))
		all, resized := dynamic(t, s), dynamic(t, stopping(s, models.ResizedStop))
		if !(resized.MeanResponseTime < all.MeanResponseTime) || !(resized.Utilization < 1) {
			t.Errorf("overheads of %v: %v if the resized stop, %v if all do", mean, resized.MeanResponseTime,
				all.MeanResponseTime)
		}
		// a job of 0.3 on average meets some six repartitions
		if gain := all.MeanResponseTime/resized.MeanResponseTime - 1; gain > 12*mean {
			t.Errorf("overheads of %v: all take %v longer", mean, gain)
		}
	}
}

// As the load grows the machine is full all the time: nothing is divided, as if all stopped. A node does nothing while
// its job stands still and otherwise all that it can, so that utilization is throughput over capacity where speedup is
// linear.
func TestResizedLimits(t *testing.T) {
	s := must(overheads(machine(5, poisson(1), must(phasetype.Exponential(1)), linear),
		must(phasetype.Exponential(3))).WithLoad(0.999))
	m := dynamic(t, stopping(s, models.ResizedStop))
	if p := m.Repartitions.Probability; p > 0.01 {
		t.Errorf("probability of repartitions %v", p)
	}
	for _, load := range []float64{0.3, 0.7} {
		s := must(s.WithLoad(load))
		m := dynamic(t, stopping(s, models.ResizedStop))
		near(t, "utilization", m.Utilization, load, reductionTol)
		r := m.Repartitions
		if r.AbandonedRate <= 0 || r.AbandonedRate >= r.Rate {
			t.Errorf("%v of %v repartitions abandoned", r.AbandonedRate, r.Rate)
		}
		near(t, "overhead", r.MeanOverhead, 1.0/3, reductionTol)
	}
}

// Restarts of 30 s at load 0.5: stopping all, static partitioning wins; stopping the resized, dynamic does, as the
// simulator of whole nodes says (648 s with overheads by nodes, 607.8 ± 3.6 s with these).
func TestWhoStopsDecides(t *testing.T) {
	m, err := modelfile.Load("../testdata/examples/gpu-training.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := must(m.System.WithLoad(0.5))
	k4 := static(t, s, 4).MeanResponseTime
	all, resized := dynamic(t, s).MeanResponseTime, dynamic(t, stopping(s, models.ResizedStop)).MeanResponseTime
	if !(resized < k4 && k4 < all) {
		t.Errorf("resized %v, static %v, all %v", resized, k4, all)
	}
	near(t, "resized", resized, 607.8, 0.01)
}

func TestResizedRefuses(t *testing.T) {
	s := overheads(machine(4, poisson(0.5), must(phasetype.Exponential(1)), linear), must(phasetype.Exponential(5)))
	s.Stops = "some"
	var wrong *models.SystemError
	if _, err := s.Chain(policy.Dynamic{}); !errors.As(err, &wrong) || wrong.Field != "Stops" {
		t.Errorf("%v", err)
	}
	s.Stops = models.ResizedStop
	if _, err := s.Chain(parsed(t, "smoothing:5")); !errors.Is(err, models.ErrNoChain) {
		t.Errorf("smoothing: %v", err)
	}
	if _, err := (&models.DEP{System: s}).ResponseTime(t.Context(), "", nil); !errors.Is(err, models.ErrNoChain) {
		t.Errorf("response times: %v", err)
	}
	if _, err := (&models.DEP{System: s}).Queue(); !errors.Is(err, models.ErrNoChain) {
		t.Errorf("queue: %v", err)
	}
	full := *s
	full.Arrivals = poisson(9)
	if m, err := (&models.DEP{System: &full}).Solve(t.Context(), markov.Settings{}); err != nil || m.Stable {
		t.Errorf("unstable: %+v, %v", m, err)
	}
	wide := stopping(overheads(machine(30, poisson(0.5), must(phasetype.Erlang(4, 1)), linear),
		must(phasetype.Exponential(5))), models.ResizedStop)
	if _, err := (&models.DEP{System: wide}).Solve(t.Context(), markov.Settings{}); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}

// More jobs than a byte counts: 300 servers of load 0.9, on which some 270 jobs run, are an M/M/300 however they are solved.
func TestMoreJobsThanAByteCounts(t *testing.T) {
	const n = 300
	s := machine(n, poisson(0.9*n), must(phasetype.Exponential(1)), func(float64) float64 { return 1 })
	want := dynamic(t, s)
	same(t, dynamic(t, stopping(s, models.ResizedStop)), want, 1e-9)
	if got := must(responseOf(t, s).Mean(t.Context())); math.Abs(got/want.MeanResponseTime-1) > 1e-6 {
		t.Errorf("the jobs' mean response time is %v, that of Little's law %v", got, want.MeanResponseTime)
	}
}
