package decide_test

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
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// exponentials is a machine of n partitions on which a job takes the mean times[i-1] while i jobs share it.
func exponentials(t *testing.T, rate float64, times ...float64) *models.System {
	t.Helper()
	arrivals, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(rate)))
	if err != nil {
		t.Fatal(err)
	}
	s := &models.System{Nodes: len(times), MinNodes: 1, Arrivals: arrivals}
	for _, mean := range times {
		s.Service = append(s.Service, phasetype.Must(phasetype.Exponential(1/mean)))
	}
	return s
}

// numbers returns all measures of points, in order.
func numbers(points []decide.Point) []float64 {
	var all []float64
	for _, p := range points {
		all = append(all, p.Load, p.ArrivalRate, p.Decision.Ratio)
		for _, r := range p.Decision.Results {
			for _, q := range models.Table() {
				if v, ok := r.Measures.Of(q.Name); ok {
					all = append(all, v)
				}
			}
		}
	}
	return all
}

func TestSolveNamesTheBestStaticPolicy(t *testing.T) {
	// Two partitions that double the service time: M/M/1 at rate 1 against M/M/2 at rate 1/2 each. One server is better by
	// the textbook: T = 1/(1 − .5) = 2 against 2/(1 − .5²) = 2.666…
	s := exponentials(t, 0.5, 1, 2)
	d, err := decide.Solve(t.Context(), s, policy.Candidates(s.Machine()), markov.Settings{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d.Best == nil || d.Best.Policy != (policy.Static{Partitions: 1}) {
		t.Fatalf("best static policy %v, want static:1", d.Best)
	}
	// Dynamic partitioning is the same M/M/1: its total rate is always 1. The solver is good for 1e-12 or so.
	const tol = 1e-10
	if d.Ratio < 1-tol || d.Ratio > 1+tol {
		t.Errorf("ratio %v, want 1", d.Ratio)
	}
}

func TestSolveHasNoRatioWithoutDynamic(t *testing.T) {
	s := exponentials(t, 0.5, 1, 2)
	d, err := decide.Solve(t.Context(), s, []policy.Policy{policy.Static{Partitions: 2}}, markov.Settings{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if d.Best == nil || d.Best.Partitions() != 2 || d.Ratio != 0 {
		t.Errorf("best %v, ratio %v; want static:2 and no ratio", d.Best, d.Ratio)
	}
}

func TestSolveLeavesOutWhatIsUnstable(t *testing.T) {
	s := exponentials(t, 1.5, 1, 1.2) // one partition serves at rate 1, two at 1/1.2 each
	d, err := decide.Solve(t.Context(), s, policy.Candidates(s.Machine()), markov.Settings{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if one := d.Of(policy.Static{Partitions: 1}); one == nil || one.Measures.Stable {
		t.Errorf("static:1 at traffic intensity 1.5: %+v", one)
	}
	if d.Best == nil || d.Best.Partitions() != 2 || !d.Stable() {
		t.Errorf("best static policy %v, want static:2", d.Best)
	}
	over, err := s.WithLoad(1.1)
	if err != nil {
		t.Fatal(err)
	}
	d, err = decide.Solve(t.Context(), over, policy.Candidates(over.Machine()), markov.Settings{}, 2)
	if err != nil || d.Stable() || d.Best != nil || d.Ratio != 0 {
		t.Errorf("at load 1.1: stable %v, best %v, ratio %v, error %v", d.Stable(), d.Best, d.Ratio, err)
	}
}

func TestSolveSaysWhichPolicyFailed(t *testing.T) {
	s := exponentials(t, 0.5, 1, 2)
	_, err := decide.Solve(t.Context(), s, []policy.Policy{policy.Static{Partitions: 7}}, markov.Settings{}, 1)
	var failed *decide.SolveError
	if !errors.As(err, &failed) || failed.Policy != (policy.Static{Partitions: 7}) {
		t.Errorf("error %v, want one about static:7", err)
	}
}

func TestSweepIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	needs.Concurrency(t)
	sweep := decide.Sweep{
		Series: []decide.Series{
			{Name: "own", System: exponentials(t, 1, 1, 1.8, 2.5, 3.1)},
			{Name: "other", System: exponentials(t, 1, 2, 3, 4, 5), Capacity: 1},
		},
		Loads: []float64{0.1, 0.5, 0.79, 0.95},
	}
	var want []decide.Point
	for _, workers := range []int{1, 2, 5} {
		calls := 0
		sweep.Workers = workers
		sweep.Each = func(int, *decide.Point) error { calls++; return nil }
		points, err := sweep.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if calls != len(points) {
			t.Errorf("%d workers: Each was called %d times for %d points", workers, calls, len(points))
		}
		if want == nil {
			want = points
		}
		if diff := cmp.Diff(numbers(want), numbers(points)); diff != "" {
			t.Errorf("%d workers (-one +more):\n%s", workers, diff)
		}
	}
	if p := want[4]; p.Series != "other" || p.ArrivalRate != 0.1 {
		t.Errorf("the fifth point is %s at rate %v, want other at load .1 of its capacity 1", p.Series, p.ArrivalRate)
	}
	// The other machine saturates at 4/5 of the capacity it is measured by.
	for _, p := range want[4:] {
		if stable := p.Decision.Stable(); stable != (p.Load < 0.8) {
			t.Errorf("other at load %v: stable %v", p.Load, stable)
		}
	}
}

func TestSweepKeepsWhatWasDoneWhenInterrupted(t *testing.T) {
	needs.Concurrency(t)
	ctx, cancel := context.WithCancel(t.Context())
	sweep := decide.Sweep{
		Series:  []decide.Series{{Name: "a", System: exponentials(t, 1, 1, 1.8)}},
		Loads:   []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6},
		Workers: 1,
		Each:    func(int, *decide.Point) error { cancel(); return nil },
	}
	points, err := sweep.Solve(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	done := 0
	for _, p := range points {
		if p.Done {
			done++
		}
	}
	if done == 0 || done == len(points) {
		t.Errorf("%d of %d points are done", done, len(points))
	}
}

func TestSweepSolvesWhatIsToBeDone(t *testing.T) {
	full := errors.New("the disk is full")
	sweep := decide.Sweep{
		Series: []decide.Series{
			{Name: "a", System: exponentials(t, 0.5, 1, 1.8), Policies: []policy.Policy{policy.Dynamic{}}},
			{Name: "b", System: exponentials(t, 0.25, 1, 1.8)},
		},
		Todo: []int{1},
	}
	points, err := sweep.Solve(t.Context())
	if err != nil || len(points) != 2 || points[0].Done || !points[1].Done {
		t.Fatalf("points %+v, error %v; want the second only", points, err)
	}
	// Without loads a series stands at the rate of its system, of a capacity of 2/1.8.
	for i, want := range []float64{0.45, 0.225} {
		if got := points[i].Load; math.Abs(got-want) > 1e-15 {
			t.Errorf("point %d: load %v, want %v", i, got, want)
		}
	}
	if b := points[1]; b.ArrivalRate != 0.25 || len(b.Decision.Results) != 3 {
		t.Errorf("the second point: %+v", b)
	}
	sweep.Todo = []int{0, 2}
	if points, err := sweep.Solve(t.Context()); fmt.Sprint(err) != "decide: there is no point 2 to solve; there are 2" || points[0].Done {
		t.Errorf("points %+v, error %v; want none solved", points, err)
	}
	sweep.Todo, sweep.Loads = nil, []float64{0.1, 0.2, 0.3}
	sweep.Workers = 1
	sweep.Each = func(i int, p *decide.Point) error {
		if i == 1 {
			return full
		}
		return nil
	}
	points, err = sweep.Solve(t.Context())
	if !errors.Is(err, full) || !points[1].Done || points[5].Done || len(points[0].Decision.Results) != 1 {
		t.Errorf("error %v, want that of Each after the second point: %+v", err, points)
	}
}

func TestNewDecisionIsThatOfSolve(t *testing.T) {
	s := exponentials(t, 0.5, 1, 1.8)
	d, err := decide.Solve(t.Context(), s, policy.Candidates(s.Machine()), markov.Settings{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	again := decide.NewDecision(slices.Clone(d.Results))
	if again.Ratio != d.Ratio || again.Best == nil || again.Best.Policy != d.Best.Policy {
		t.Errorf("ratio %v and best %v, were %v and %v", again.Ratio, again.Best, d.Ratio, d.Best)
	}
}

func TestThinLoads(t *testing.T) {
	var loads []float64
	for i := range 49 {
		loads = append(loads, float64(i+1)/50)
	}
	for _, c := range []struct {
		seconds float64
		want    int
		first   float64
	}{{0.1, 49, 0.02}, {1, 24, 0.04}, {3, 9, 0.1}, {5, 4, 0.2}, {100, 3, 0.32}} {
		if few := decide.ThinLoads(loads, c.seconds, 30); len(few) != c.want || few[0] != c.first {
			t.Errorf("%v s a load: %v", c.seconds, few)
		}
	}
	if few := decide.ThinLoads(nil, 1, 30); few != nil {
		t.Errorf("of no loads: %v", few)
	}
}
