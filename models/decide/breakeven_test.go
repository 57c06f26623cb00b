package decide_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// rootTol: crossings are solved to 1e-9 of the response times; in these systems the curves cross at slopes of order
// one.
const rootTol = 1e-7

// oneServer is a machine of one partition on which jobs take the mean 1 at arrival rate ½, the first of a busy period
// waiting for a repartition of the mean shrink, each under static partitioning for a set-up of mean setup.
func oneServer(t *testing.T, shrink, setup float64) *models.System {
	s := exponentials(t, 0.5, 1)
	s.Shrink = []phasetype.Dist{phasetype.Must(phasetype.Exponential(1 / shrink))}
	s.Setup = map[int]phasetype.Dist{1: phasetype.Must(phasetype.Exponential(1 / setup))}
	return s
}

// pollaczek is the mean response time of the M/G/1 queue.
func pollaczek(lambda, mean, second float64) float64 { return mean + lambda*second/2/(1-lambda*mean) }

func TestBreakevenOfAStartUpTime(t *testing.T) {
	// Dynamic partitioning into one partition is the M/M/1 queue in which the first job of a busy period waits for an
	// exponential time C: T = 1/(μ−λ) + E[C] (P. D. Welch, Operations Research 12 (1964) 736-752). Static partitioning is
	// M/G/1 with the set-up and the service in series.
	const setup = 0.2
	s := oneServer(t, 0.05, setup)
	static := pollaczek(0.5, 1+setup, 2*(1+setup+setup*setup))
	want := static - 1/(1-0.5)

	b := decide.Breakeven{System: s, Axis: over("dynamic.overhead")}
	a, err := b.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Intervals) != 2 || !a.Intervals[0].Pays || a.Intervals[1].Pays {
		t.Fatalf("intervals %+v, want pays and then not", a.Intervals)
	}
	at := a.Intervals[0].To
	if !at.Crossing || math.Abs(at.Value-want) > rootTol || math.Abs(at.X-want/0.05) > rootTol/0.05 {
		t.Errorf("dynamic pays below %v (%v times), want %v", at.Value, at.X, want)
	}
	if at.Accuracy > 1e-6 {
		t.Errorf("accuracy %v", at.Accuracy)
	}
	if a.Splits != nil {
		t.Errorf("static partitioning does not depend on the overhead: %+v", a.Splits)
	}
}

// TestBreakevenGrowsFromAnyBeginning: a range that begins anywhere and has no end grows as the range of the axis does. Dynamic
// partitioning pays below 0.75 here, see [TestBreakevenOfAStartUpTime]: 7.5 times the overhead of the system.
func TestBreakevenGrowsFromAnyBeginning(t *testing.T) {
	for _, from := range []float64{0, 0.5, 1} {
		b := decide.Breakeven{System: oneServer(t, 0.1, 0.2), Axis: over("dynamic.overhead"), From: from}
		a, err := b.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const want = 0.75
		if len(a.Intervals) != 2 || a.From != from || math.Abs(a.Intervals[0].To.Value-want) > rootTol {
			t.Errorf("from %v: %+v, want a crossing at %v", from, a.Intervals, want)
		}
	}
}

// TestLeastSCV: the chains of 8 partitions are small enough at the least scv, and too large at the next.
func TestLeastSCV(t *testing.T) {
	s := eightNodes()
	b := &decide.Breakeven{System: s, Axis: over("scv")}
	least := b.LeastSCV(t.Context())
	if !(least > 0 && least < 0.5) {
		t.Fatalf("least scv %v", least)
	}
	at := func(scv float64) error {
		refitted, err := b.Axis.At(s, scv)
		if err != nil {
			return err
		}
		return decide.CheckSize(t.Context(), refitted, dynamic, markov.Settings{})
	}
	if err := at(least); err != nil {
		t.Errorf("at the least scv %v: %v", least, err)
	}
	if err := at(1 / (1/least + 1)); !errors.Is(err, markov.ErrTooLarge) && !errors.Is(err, decide.ErrTooManyPhases) {
		t.Errorf("below the least scv %v: %v", least, err)
	}
	var none *decide.Breakeven
	if none.LeastSCV(t.Context()) != 0 || new(decide.Breakeven).LeastSCV(t.Context()) != 0 {
		t.Error("a least scv of no question")
	}
}

func TestBreakevenOverLoad(t *testing.T) {
	// As above; with C = .35 the curves cross where 1/(1−λ) + .35 is the M/G/1 response time, which is found here by
	// halving.
	const setup, shrink = 0.2, 0.35
	differ := func(lambda float64) float64 {
		return pollaczek(lambda, 1+setup, 2*(1+setup+setup*setup)) - 1/(1-lambda) - shrink
	}
	lo, hi := 0.01, 0.8
	for range 60 {
		if mid := (lo + hi) / 2; differ(mid) > 0 {
			hi = mid
		} else {
			lo = mid
		}
	}
	b := decide.Breakeven{System: oneServer(t, shrink, setup), Axis: over("load"), Steps: 7}
	a, err := b.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Intervals) != 2 || a.Intervals[0].Pays || !a.Intervals[1].Pays {
		t.Fatalf("intervals %+v, want not and then pays", a.Intervals)
	}
	if got := a.Intervals[1].From.X; math.Abs(got-lo) > rootTol {
		t.Errorf("dynamic pays from load %v, want %v", got, lo)
	}
	// The static queue saturates at λ = 1/1.2; beyond, dynamic partitioning pays because it alone is stable.
	if last := a.Intervals[1].To; last.Crossing || last.X != 0.99 || last.Decision.Best != nil {
		t.Errorf("the last interval ends at %v", last.X)
	}
}

func TestBreakevenOfEqualPolicies(t *testing.T) {
	// Two exponential partitions that halve the speed: dynamic partitioning is the M/M/1 queue, and so is static
	// partitioning with K = 1. Neither pays.
	b := decide.Breakeven{System: exponentials(t, 0.5, 1, 2), Axis: over("load")}
	a, err := b.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Intervals) != 1 || a.Intervals[0].Pays {
		t.Errorf("%d intervals, the first %v; want one in which neither pays", len(a.Intervals), a.Intervals[0].Pays)
	}
	if len(a.Splits) != 1 || a.Splits[0].Partitions != 1 || a.Splits[0].Switch {
		t.Errorf("best static partitioning %+v, want K = 1 throughout", a.Splits)
	}
}

// erlangC2 is the mean response time of the M/M/2 queue.
func erlangC2(lambda, mu float64) float64 {
	rho := lambda / (2 * mu)
	return 1 / mu / (1 - rho*rho)
}

func TestBestSplits(t *testing.T) {
	needs.Concurrency(t)
	// One partition serves at rate 1, two at rate .7 each: M/M/1 until its curve crosses that of M/M/2.
	s := exponentials(t, 0.5, 1, 1/0.7)
	lo, hi := 0.01, 0.999
	for range 60 {
		if mid := (lo + hi) / 2; 1/(1-mid) < erlangC2(mid, 0.7) {
			lo = mid
		} else {
			hi = mid
		}
	}
	for _, b := range []decide.Breakeven{{From: 0.1, To: 0.9, Steps: 1}, {From: 0.05, To: 0.8, Steps: 3}} {
		b.System, b.Axis, b.Workers = s, over("load"), 2
		a, err := b.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		splits := a.Splits
		if len(splits) != 2 || splits[0].Partitions != 1 || splits[1].Partitions != 2 || !splits[0].Switch ||
			splits[1].Switch {
			t.Fatalf("best static partitionings %+v", splits)
		}
		if want := lo / s.Capacity(); math.Abs(splits[0].To-want) > rootTol {
			t.Errorf("switch at load %v, want %v", splits[0].To, want)
		}
	}
}

// TestBreakevenOfAThinSplit: a number of partitions that is best between two points of the walk only is found.
func TestBreakevenOfAThinSplit(t *testing.T) {
	s, err := modelfile.Load("../../testdata/ips96/w1-sp2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	a, err := (&decide.Breakeven{System: s.System, Axis: over("load"), From: 0.1, To: 0.98, Steps: 1}).Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ks []int
	for i, one := range a.Splits {
		ks = append(ks, one.Partitions)
		if i > 0 && one.From != a.Splits[i-1].To {
			t.Errorf("split %d begins at %v, the one before ends at %v", i, one.From, a.Splits[i-1].To)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 4, 8}, ks); diff != "" {
		t.Errorf("best numbers of partitions by load (-want +got):\n%s", diff)
	}
}

// TestBreakevenSeesCrossingsBetweenPoints: few steps find what many do.
func TestBreakevenSeesCrossingsBetweenPoints(t *testing.T) {
	m, err := modelfile.Load("../../testdata/ips96/w1-sp2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crossings := func(steps int) []float64 {
		a, err := (&decide.Breakeven{System: m.System, Axis: over("load"), Steps: steps}).Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var xs []float64
		for _, i := range a.Intervals[1:] {
			xs = append(xs, i.From.X)
			// The decision at a crossing is a tie, up to the difference that makes none.
			if r := i.From.Decision.Ratio; math.Abs(r-1) > 1e-8 {
				t.Errorf("ratio %v at the crossing %v", r, i.From.X)
			}
		}
		return xs
	}
	few, many := crossings(12), crossings(96)
	if len(few) != len(many) {
		t.Fatalf("crossings %v with 12 steps, %v with 96", few, many)
	}
	for i := range few {
		if math.Abs(few[i]-many[i]) > rootTol {
			t.Errorf("crossing %v with 12 steps, %v with 96", few[i], many[i])
		}
	}
}

func TestBreakevenIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	needs.Concurrency(t)
	m, err := modelfile.Load("../../testdata/ips96/w2-now.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, axis := range decide.Axes() {
		system := m.System
		if axis.Name == "serial" {
			system = rigidExample(t, "0.5") // whose speedups are Amdahl's
		}
		var want []float64
		for _, workers := range []int{1, 3} {
			var calls atomic.Int64
			b := decide.Breakeven{System: system, Axis: axis, Workers: workers, Steps: 9, Progress: func(int) { calls.Add(1) }}
			a, err := b.Solve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if calls.Load() != 10 {
				t.Errorf("%s: progress was told %d times, want 10", axis.Name, calls.Load())
			}
			var got []float64
			for _, p := range a.Probes {
				got = append(got, p.X, p.Value, p.Decision.Ratio)
			}
			for _, s := range a.Splits {
				got = append(got, s.From, s.To, float64(s.Partitions), s.Accuracy)
			}
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %d workers (-one +more):\n%s", axis.Name, workers, diff)
			}
		}
	}
}

func TestBreakevenRefusals(t *testing.T) {
	s := exponentials(t, 0.5, 1, 2)
	_, err := (&decide.Breakeven{System: s, Axis: over("dynamic.overhead")}).Solve(t.Context())
	if !errors.Is(err, decide.ErrNoOverhead) {
		t.Errorf("without overheads: %v", err)
	}
	s.PhaseMap = map[models.Change]*mat.Dense{{From: 1, To: 2}: mat.NewDense(1, 1, []float64{1})}
	_, err = (&decide.Breakeven{System: s, Axis: over("scv")}).Solve(t.Context())
	if !errors.Is(err, decide.ErrPhaseMap) {
		t.Errorf("with a phase map: %v", err)
	}
	s.PhaseMap = nil
	if _, err := over("scv").At(s, 1e-3); !errors.Is(err, decide.ErrTooManyPhases) {
		t.Errorf("at scv 1e-3: %v", err)
	}
	for _, r := range [][2]float64{{0.5, 0.4}, {-1, 1}, {0.5, math.Inf(1)}, {math.NaN(), 1}} {
		b := decide.Breakeven{System: s, Axis: over("load"), From: r[0], To: r[1]}
		if _, err := b.Solve(t.Context()); err == nil {
			t.Errorf("range %v was walked", r)
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = (&decide.Breakeven{System: s, Axis: over("load")}).Solve(done)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	a, err := (&decide.Breakeven{System: s, Axis: over("load"), From: 1.2, To: 1.5}).Solve(t.Context())
	if err != nil || a.Stable() || math.Abs(a.Limit-1) > 1e-12 {
		t.Errorf("beyond saturation: %+v, %v", a, err)
	}
}

// TestBreakevenFindsEveryScallop: with bursty arrivals and overheads a little larger than in the file, the scalloped
// ratio of workload 1 rises above one at the first change of the best K, falls below, and rises again. Steps that are
// wider than the first part on which dynamic partitioning pays find it too.
func TestBreakevenFindsEveryScallop(t *testing.T) {
	for _, steps := range []int{16, 24, 96} {
		m, err := modelfile.Load("../../testdata/ips96/w1-sp2.yaml", modelfile.Set{Path: "arrivals.interarrival",
			Value: "{hyperexponential: {mean: 1, scv: 9}}"})
		if err != nil {
			t.Fatal(err)
		}
		s, err := over("dynamic.overhead").At(m.System, 1.05)
		if err != nil {
			t.Fatal(err)
		}
		a, err := (&decide.Breakeven{System: s, Axis: over("load"), Steps: steps}).Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var pays []bool
		for _, one := range a.Intervals {
			pays = append(pays, one.Pays)
		}
		if diff := cmp.Diff([]bool{false, true, false, true}, pays); diff != "" {
			t.Errorf("%d steps: pays (-want +got):\n%s", steps, diff)
		}
	}
}

// over returns the axis of a name.
func over(name string) decide.Axis {
	all := decide.Axes()
	return all[slices.IndexFunc(all, func(a decide.Axis) bool { return a.Name == name })]
}

// TestBreakevenAccuracyHoldsTheBoundOfTheSolver: the crossings of two single servers, one with a start-up of the mean c, the other
// with a set-up of the mean u of each job, are as near as stated to those of Pollaczek–Khinchine. Service times vary so much that
// response times have eight to fourteen certain digits.
func TestBreakevenAccuracyHoldsTheBoundOfTheSolver(t *testing.T) {
	for _, scv := range []float64{1, 1e4, 1e6, 1e7} {
		for _, u := range []float64{1e-4, 0.01, 0.1} {
			for _, want := range []float64{0.01, 0.1, 0.5} {
				d := phasetype.Must(phasetype.TwoMoments(1, scv))
				// For this c, T_static − T_dynamic is 0 at the wanted load: the difference of two Pollaczek–Khinchine formulas,
				// arranged so that no digits cancel.
				c := u + want*(2*u+2*u*u+want*u*d.Moment(2)/(1-want))/(2*(1-want*(1+u)))
				s := &models.System{Nodes: 1, MinNodes: 1, Service: []phasetype.Dist{d},
					Arrivals: must(phasetype.Renewal(phasetype.Must(phasetype.Exponential(0.5)))),
					Shrink:   []phasetype.Dist{phasetype.Must(phasetype.Exponential(1 / c))},
					Setup:    map[int]phasetype.Dist{1: phasetype.Must(phasetype.Exponential(1 / u))}}
				b := &decide.Breakeven{System: s, Axis: over("load"), Steps: 12}
				a, err := b.Solve(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if len(a.Intervals) != 2 {
					t.Fatalf("scv %g, set-up %g: %d intervals", scv, u, len(a.Intervals))
				}
				if at := a.Intervals[0].To; !(math.Abs(at.X-want) <= at.Accuracy) {
					t.Errorf("scv %g, set-up %g: off by %.2g at load %g, stated %.2g", scv, u, at.X-want, want, at.Accuracy)
				}
			}
		}
	}
}

// A walk does not keep the solutions of its points, only their measures: it has dozens of points, and a solution takes up to
// the memory allowed.
func TestWalksForgetSolutions(t *testing.T) {
	m, err := modelfile.Load("../../testdata/examples/malleable.yaml")
	if err != nil {
		t.Fatal(err)
	}
	b := &decide.Breakeven{System: m.System, Axis: decide.Axes()[0], Steps: 4}
	a, err := b.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range a.Probes {
		for i := range p.Decision.Results {
			waiting, response, _, err := p.Decision.Results[i].Measures.Quantiles(t.Context(), "", []float64{.5})
			if waiting != nil || response != nil || err != nil {
				t.Errorf("at %g the solution of %v is kept", p.X, p.Decision.Results[i].Policy)
			}
		}
	}
}
