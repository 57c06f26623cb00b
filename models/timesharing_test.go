package models_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

func renewal(d phasetype.Dist) phasetype.MAP {
	m, err := phasetype.Renewal(d)
	if err != nil {
		panic(err)
	}
	return m
}

func poissonTimeShared(rate float64) phasetype.MAP { return renewal(exponential(1 / rate)) }

func exponential(mean float64) phasetype.Dist {
	return phasetype.Must(phasetype.Exponential(1 / mean))
}

func moments(mean, scv float64) phasetype.Dist {
	return phasetype.Must(phasetype.TwoMoments(mean, scv))
}

func solve(t testing.TB, classes ...models.TimeSharedClass) *models.TimeSharedSolution {
	t.Helper()
	m := models.TimeSharedMachine{Classes: classes}
	s, err := m.Solve(context.Background(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func nearTimeShared(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s = %.12g, want %.12g within %g", what, got, want, tolerance)
	}
}

// One class without switch-overs is the queue MAP/PH/c, however its time is sliced.
func TestOneClassIsTheMultiserverQueue(t *testing.T) {
	for _, c := range []int{1, 3} {
		for _, scv := range []float64{0.5, 1, 4} {
			service, arrivals := moments(1, scv), renewal(moments(1/(0.8*float64(c)), 2))
			q := multiserver.Queue{D0: arrivals.D0(), D1: arrivals.D1(), Servers: c, Service: []multiserver.Phases{
				{Alpha: service.Alpha(), T: service.T()}}}
			want, err := q.Solve(context.Background(), markov.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			for _, hold := range []bool{false, true} {
				m := models.TimeSharedMachine{HoldSlices: hold, Classes: []models.TimeSharedClass{{Partitions: c, Arrivals: arrivals,
					Service: service, Quantum: moments(0.3, 0.5)}}}
				s, err := m.Solve(context.Background(), markov.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				got := s.Classes[0]
				nearTimeShared(t, "jobs", got.MeanJobs, want.Mean(), 1e-10)
				nearTimeShared(t, "variance", got.VarianceJobs, want.Variance(), 1e-10)
				nearTimeShared(t, "decay rate", got.DecayRate, want.DecayRate(), 1e-10)
				nearTimeShared(t, "throughput", got.Throughput, arrivals.Rate(), 1e-10)
				if s.Warnings != nil {
					t.Errorf("one class is exact, but there are warnings: %v", s.Warnings)
				}
			}
		}
	}
}

// A slice of exponential length is an interruption of a job that comes at a rate while it is served, and the switch-over
// to a job that finds the machine empty is a set-up. With completion times B' = B and a compound Poisson number of
// switch-overs D, the mean response time is
//
//	E[B'] + λ·E[B'²]/(2·(1 − λ·E[B'])) + (2·E[D] + λ·E[D²])/(2·(1 + λ·E[D])).
//
// References: B. Avi-Itzhak, P. Naor, Some queuing problems with the service station subject to breakdown, Oper. Res. 11
// (1963) 303–320, for completion times; P. D. Welch, On a generalized M/G/1 queuing process in which the first customer of
// each busy period receives exceptional service, Oper. Res. 12 (1964) 736–752, for set-ups.
func TestOneClassWithSwitchOversIsInterruptedService(t *testing.T) {
	needs.Concurrency(t)
	const rate = 0.5
	for _, serviceSCV := range []float64{0.4, 1, 5} {
		for _, quantum := range []float64{0.2, 1, 1e9} {
			for _, over := range []phasetype.Dist{moments(0.05, 0.3), exponential(0.1), moments(0.02, 3)} {
				b := moments(1, serviceSCV)
				mean := 1 + over.Mean()/quantum
				// E[B'²] = E[B²]·(1 + γ·E[D])² + E[B]·γ·E[D²], γ = 1/quantum
				square := b.Moment(2)*mean*mean + over.Moment(2)/quantum
				want := mean + rate*square/(2*(1-rate*mean)) +
					(2*over.Mean()+rate*over.Moment(2))/(2*(1+rate*over.Mean()))
				s := solve(t, models.TimeSharedClass{Partitions: 1, Arrivals: poissonTimeShared(rate), Service: b,
					Quantum: exponential(quantum), SwitchOver: over})
				nearTimeShared(t, "response time", s.Classes[0].MeanResponseTime, want, 1e-9)
				nearTimeShared(t, "slices", s.Classes[0].SliceShare, rate, 1e-10)
			}
		}
	}
}

// A class that is served until it has no job, beside one that always has jobs, is a queue with vacations, whose waiting
// time is that without vacations and what is left of one at a random moment.
//
// Reference: S. W. Fuhrmann, R. B. Cooper, Stochastic decompositions in the M/G/1 queue with generalized vacations, Oper.
// Res. 33 (1985) 1117–1129.
func TestBesideASaturatedClassIsAQueueWithVacations(t *testing.T) {
	for _, scv := range []float64{0.2, 1, 4} {
		service, vacation := moments(1, scv), moments(3, scv)
		s := solve(t, models.TimeSharedClass{Partitions: 1, Arrivals: poissonTimeShared(0.6), Service: service, Quantum: exponential(1e9)},
			models.TimeSharedClass{Partitions: 1, Arrivals: poissonTimeShared(5), Service: exponential(1), Quantum: vacation})
		want := 1 + 0.6*service.Moment(2)/(2*0.4) + vacation.Moment(2)/(2*vacation.Mean())
		// service is cut short once in 1e9
		nearTimeShared(t, "response time", s.Classes[0].MeanResponseTime, want, 1e-7)
		if s.Classes[1].Stable {
			t.Error("five jobs come to the second class in the time of one")
		}
	}
}

func TestMeasuresAgreeWithEachOther(t *testing.T) {
	classes := []models.TimeSharedClass{
		{Partitions: 2, Arrivals: poissonTimeShared(0.6), Service: moments(1, 2), Quantum: moments(0.5, 0.2), SwitchOver: exponential(0.01)},
		{Partitions: 1, Arrivals: renewal(moments(4, 3)), Service: moments(1, 0.5), Quantum: moments(0.7, 1), SwitchOver: exponential(0.02)},
		{Partitions: 4, Arrivals: poissonTimeShared(0.5), Service: exponential(1), Quantum: exponential(0.4)},
	}
	for _, hold := range []bool{false, true} {
		m := models.TimeSharedMachine{Classes: classes, HoldSlices: hold}
		s, err := m.Solve(context.Background(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Warnings) != 1 || !errors.Is(s.Warnings[0], models.ErrApproximate) {
			t.Errorf("warnings %v, want that it is an approximation", s.Warnings)
		}
		for i := range s.Classes {
			got, c := &s.Classes[i], classes[i]
			nearTimeShared(t, "throughput", got.Throughput, c.Arrivals.Rate(), 1e-9)
			nearTimeShared(t, "running jobs", got.MeanExecuting, c.Arrivals.Rate()*c.Service.Mean(), 1e-9)
			p, err := got.LevelProbabilities(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			sum, mean := 0.0, 0.0
			for n, x := range p {
				sum, mean = sum+x, mean+float64(n)*x
			}
			nearTimeShared(t, "all levels", sum, 1, 1e-11)
			nearTimeShared(t, "jobs", mean, got.MeanJobs, 1e-8)
			nearTimeShared(t, "Little's law", got.MeanResponseTime*c.Arrivals.Rate(), got.MeanJobs, 1e-12)
			if got.SwitchOverShare > 0 && hold { // a visit is a whole switch-over and a whole slice
				nearTimeShared(t, "switch-overs", got.SwitchOverShare/got.SliceShare, c.SwitchOver.Mean()/c.Quantum.Mean(), 1e-9)
				nearTimeShared(t, "visit", got.MeanVisit, c.SwitchOver.Mean()+c.Quantum.Mean(), 1e-9)
			}
		}
	}
}

// twoClasses is the chain of two classes with exponential times, all at once: exact but for a bound of the numbers of jobs.
type twoClasses struct {
	arrival, service, quantum, over [2]float64 // rates; no switch-over has the rate 0
	most                            int
}

type twoState struct {
	n         [2]int
	with      int // −1: the machine waits
	switching bool
}

// jobs returns the mean numbers of jobs.
func (c twoClasses) jobs(t testing.TB) (mean [2]float64) {
	t.Helper()
	begin := func(s twoState, with int) twoState {
		s.with, s.switching = with, c.over[with] > 0
		return s
	}
	next := func(s twoState) twoState { // after a visit of s.with
		switch o := 1 - s.with; {
		case s.n[o] > 0:
			return begin(s, o)
		case s.n[s.with] > 0:
			return begin(s, s.with)
		}
		return twoState{with: -1}
	}
	q, states, err := markov.Explore(context.Background(), []twoState{{with: -1}}, 1_000_000,
		func(s twoState, add func(to twoState, rate float64), _ func(float64)) {
			for p := range 2 {
				if to := s; s.n[p] < c.most {
					to.n[p]++
					if s.with < 0 {
						to = begin(to, p)
					}
					add(to, c.arrival[p])
				}
			}
			switch {
			case s.with < 0:
			case s.switching:
				to := s
				to.switching = false
				add(to, c.over[s.with])
			default:
				add(next(s), c.quantum[s.with])
				to := s
				to.n[s.with]--
				if to.n[s.with] == 0 {
					to = next(to)
				}
				add(to, c.service[s.with])
			}
		})
	if err != nil {
		t.Fatal(err)
	}
	pi, _, err := q.Stationary(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range states {
		mean[0] += pi[i] * float64(s.n[0])
		mean[1] += pi[i] * float64(s.n[1])
	}
	return mean
}

// cases of two classes, and the largest relative error of a mean number of jobs that the fixed point has.
var twoCases = []struct {
	name  string
	c     twoClasses
	error float64
}{
	{"alike, slices of .1", twoClasses{[2]float64{.4, .4}, [2]float64{1, 1}, [2]float64{10, 10}, [2]float64{}, 32}, .20},
	{"alike, slices of 1", twoClasses{[2]float64{.4, .4}, [2]float64{1, 1}, [2]float64{1, 1}, [2]float64{}, 32}, .22},
	{"alike, slices of 10", twoClasses{[2]float64{.4, .4}, [2]float64{1, 1}, [2]float64{.1, .1}, [2]float64{}, 32}, .18},
	{"alike, half the load", twoClasses{[2]float64{.2, .2}, [2]float64{1, 1}, [2]float64{1, 1}, [2]float64{}, 16}, .03},
	{"long and short jobs", twoClasses{[2]float64{.1, 2}, [2]float64{.25, 10}, [2]float64{1, 1}, [2]float64{}, 28}, .18},
	{"switch-overs", twoClasses{[2]float64{.3, .3}, [2]float64{1, 1}, [2]float64{1, 1}, [2]float64{10, 10}, 28}, .10},
	{"unlike slices", twoClasses{[2]float64{.3, .3}, [2]float64{1, 1}, [2]float64{1, 4}, [2]float64{20, 20}, 22}, .12},
}

// The fixed point against the chain of both classes. The bounds are what was found, not what would be wished: each class
// takes the other's periods with jobs for geometric numbers of visits, when they are more variable than that, and longer
// while it has many jobs itself. So there are too few jobs in every case. Of two classes that are alike, without
// switch-overs, the chain of both is that of M/M/1: work is done as fast as there.
func TestTwoClassesAgainstTheChainOfBoth(t *testing.T) {
	needs.Concurrency(t)
	for _, k := range twoCases {
		if k.c.most > 22 && !needs.IsLong() { // the chain of both takes a second and more
			continue
		}
		var classes []models.TimeSharedClass
		for p := range 2 {
			c := models.TimeSharedClass{Partitions: 1, Arrivals: poissonTimeShared(k.c.arrival[p]), Service: exponential(1 / k.c.service[p]),
				Quantum: exponential(1 / k.c.quantum[p])}
			if k.c.over[p] > 0 {
				c.SwitchOver = exponential(1 / k.c.over[p])
			}
			classes = append(classes, c)
		}
		s, want := solve(t, classes...), k.c.jobs(t)
		if k.c.over[0] == 0 && k.c.service[0] == k.c.service[1] {
			load := (k.c.arrival[0] + k.c.arrival[1]) / k.c.service[0]
			nearTimeShared(t, k.name+": all jobs", want[0]+want[1], load/(1-load), 1e-3) // those beyond the bound are lost
		}
		for p, w := range want {
			got := s.Classes[p].MeanJobs
			t.Logf("%s, class %d: %.4f jobs, exact %.4f: %+.1f %%, %d iterations", k.name, p, got, w, 100*(got/w-1), s.Iterations)
			nearTimeShared(t, fmt.Sprintf("%s, class %d: jobs", k.name, p), got, w, k.error)
		}
	}
}

// The work of two classes that are served to the end, without switch-overs, is that of one queue M/G/1:
//
//	Σ_p ρ_p·E[W_p] = ρ·Σ_p λ_p·E[S_p²]/(2·(1 − ρ)).
//
// Reference: O. J. Boxma, W. P. Groenendijk, Pseudo-conservation laws in cyclic-service systems, J. Appl. Probab. 24 (1987)
// 949–964.
func TestLongSlicesConserveWork(t *testing.T) {
	for _, k := range []struct{ scv, load, error float64 }{{1, .3, .001}, {1, .6, .002}, {4, .6, .01}, {1, .8, .02}, {1, .9, .08}} {
		left, right := 0.0, 0.0
		var classes []models.TimeSharedClass
		for _, mean := range []float64{1, 3} {
			c := models.TimeSharedClass{Partitions: 1, Arrivals: poissonTimeShared(k.load / 2 / mean), Service: moments(mean, k.scv),
				Quantum: exponential(1e6)}
			classes = append(classes, c)
			right += k.load / (2 * (1 - k.load)) * c.Arrivals.Rate() * c.Service.Moment(2)
		}
		s := solve(t, classes...)
		for p, c := range classes {
			left += k.load / 2 * (s.Classes[p].MeanResponseTime - c.Service.Mean())
		}
		t.Logf("load %g, scv %g: %+.1f %%, %d iterations", k.load, k.scv, 100*(left/right-1), s.Iterations)
		nearTimeShared(t, fmt.Sprintf("load %g, scv %g: work", k.load, k.scv), left, right, k.error)
	}
}

func TestMachinesThatAreWrong(t *testing.T) {
	good := models.TimeSharedClass{Partitions: 1, Arrivals: poissonTimeShared(0.5), Service: exponential(1), Quantum: exponential(1)}
	for field, spoil := range map[string]func(*models.TimeSharedClass){
		"Partitions": func(c *models.TimeSharedClass) { c.Partitions = 0 },
		"Arrivals":   func(c *models.TimeSharedClass) { c.Arrivals = phasetype.MAP{} },
		"Service":    func(c *models.TimeSharedClass) { c.Service = phasetype.Dist{} },
		"Quantum":    func(c *models.TimeSharedClass) { c.Quantum = phasetype.Dist{} },
	} {
		bad := good
		spoil(&bad)
		m := models.TimeSharedMachine{Classes: []models.TimeSharedClass{good, bad}}
		_, err := m.Solve(context.Background(), markov.Settings{})
		if err == nil || !strings.HasPrefix(err.Error(), "models: Classes[1]."+field+": ") {
			t.Errorf("wrong %s: error %v", field, err)
		}
	}
	var none *models.TimeSharedMachine
	if _, err := none.Solve(context.Background(), markov.Settings{}); err == nil {
		t.Error("no machine was solved")
	}
	m := models.TimeSharedMachine{Classes: []models.TimeSharedClass{good, good}}
	m.Classes[0].Arrivals = poissonTimeShared(0.3)
	m.Classes[1].Arrivals = poissonTimeShared(0.3)
	if _, err := m.SolveWithin(context.Background(), 2); !errors.Is(err, markov.ErrNoConvergence) {
		t.Errorf("two iterations: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Solve(ctx, markov.Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: error %v", err)
	}
	m.Classes[0].Arrivals = poissonTimeShared(2)
	s, err := m.Solve(context.Background(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Classes[0].Stable || !s.Classes[1].Stable {
		t.Errorf("a class of load 2 beside one of .3: stable %v, %v", s.Classes[0].Stable, s.Classes[1].Stable)
	}
}

func ExampleMachine() {
	poisson, _ := phasetype.Renewal(phasetype.Must(phasetype.Exponential(0.3)))
	class := models.TimeSharedClass{Partitions: 1, Arrivals: poisson, Service: phasetype.Must(phasetype.Exponential(1)),
		Quantum: phasetype.Must(phasetype.Erlang(2, 0.5)), SwitchOver: phasetype.Must(phasetype.Exponential(100))}
	wide := class
	wide.Partitions = 4 // four small jobs at a time
	m := models.TimeSharedMachine{Classes: []models.TimeSharedClass{class, wide}}
	s, err := m.Solve(context.Background(), markov.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range s.Classes {
		fmt.Printf("response time %.2f, in slices for %.0f %% of the time\n", c.MeanResponseTime, 100*c.SliceShare)
	}
	fmt.Println(s.Warnings[0])
	// Output:
	// response time 2.18, in slices for 30 % of the time
	// response time 1.41, in slices for 25 % of the time
	// an approximation: each class knows of the others whether they have jobs, not how many
}

// TestTimeSharingKeepsWithinItsMemory: near load 1 visits have millions of states. The solve ends before its states take more
// memory than allowed.
func TestTimeSharingKeepsWithinItsMemory(t *testing.T) {
	m := models.TimeSharedMachine{Classes: []models.TimeSharedClass{
		{Partitions: 1, Arrivals: poissonTimeShared(0.9999), Service: exponential(1), Quantum: moments(10, 0.1)}}}
	_, err := m.Solve(t.Context(), markov.Settings{Memory: markov.NewMemory(32 << 20)})
	if !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("error %v, want one of a chain that is too large", err)
	}
}
