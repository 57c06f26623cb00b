package multiserver_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
)

// Methods agree to ten digits up to traffic intensity .99 and to six at 1−1e-6: the moments' condition is 1/(1−ρ), and
// a residual of some 1e-15 is what each of them leaves.
func agreement(rho float64) float64 {
	if rho > 0.99 {
		return 1e-6
	}
	return 1e-10
}

func agree(t *testing.T, label string, q *multiserver.Queue, tol float64) {
	t.Helper()
	var first *multiserver.Solution
	for _, method := range multiserver.Methods() {
		s, err := q.Solve(t.Context(), markov.Settings{Method: method})
		if errors.Is(err, markov.ErrMethod) {
			continue
		}
		if err != nil {
			t.Errorf("%s, %s: %v", label, method, err)
			continue
		}
		if first == nil {
			first = s
		}
		for _, m := range []struct {
			name      string
			got, want float64
		}{
			{"mean", s.Mean(), first.Mean()}, {"variance", s.Variance(), first.Variance()},
			{"P(0)", s.Probability(0), first.Probability(0)}, {"wait", s.ArrivalWaits(), first.ArrivalWaits()},
		} {
			qbdtest.Near(t, label+", "+method+", "+m.name, m.got, m.want, tol)
		}
	}
}

// loaded returns a copy with time of the arrivals rescaled so that the traffic intensity is rho; mean is that of a
// service.
func loaded(alpha []float64, inter *mat.Dense, service multiserver.Phases, c int, rho float64) *multiserver.Queue {
	var t mat.Dense
	t.Scale(phasesMean(alpha, inter)*rho*float64(c)/phasesMean(service.Alpha, mat.DenseCopyOf(service.T)), inter)
	q := renewalQueue(alpha, &t)
	q.Servers, q.Service = c, []multiserver.Phases{service}
	return q
}

func TestMethodsAgree(t *testing.T) {
	t.Parallel()
	h2, h2t := hyperexponential2(1, 9)
	services := map[string]multiserver.Phases{
		"H2": {Alpha: h2, T: h2t},
		"E2": erlang(2, 1), "E3": erlang(3, 1), "E4": erlang(4, 1),
		"H3": h2h(3, 1).Service[0],
	}
	for name, service := range services {
		for _, c := range []int{1, 3, 6} {
			for _, rho := range []float64{0.02, 0.4, 0.8, 0.99, 1 - 1e-6} {
				for arrivals, inter := range map[string]multiserver.Phases{
					"M": erlang(1, 1), "H2": {Alpha: h2, T: h2t},
				} {
					q := loaded(inter.Alpha, mat.DenseCopyOf(inter.T), service, c, rho)
					agree(t, fmt.Sprintf("%s/%s/%d at %g", arrivals, name, c, rho), q, agreement(rho))
				}
			}
		}
	}
}

// With switch-overs of one and two phases, hyperexponential and Erlang service.
func TestMethodsAgreeWithSwitchOvers(t *testing.T) {
	for _, service := range []multiserver.Phases{erlang(3, 1), h2h(3, 1).Service[0]} {
		h2, h2t := hyperexponential2(1, 4)
		q := loaded(h2, h2t, service, 6, 0.7)
		for i := range 6 {
			q.OnArrival = append(q.OnArrival, erlang(1+i%2, 0.3))
			q.OnDeparture = append(q.OnDeparture, erlang(2, 0.1))
		}
		q.OnDeparture = q.OnDeparture[:5]
		agree(t, "with switch-overs", q, agreement(0.7))
	}
}

// Rates over twelve decades: a service that is nearly always short, and switch-overs that take next to no time.
func TestStiff(t *testing.T) {
	service := multiserver.Phases{
		Alpha: []float64{1 - 1e-6, 1e-6},
		T:     mat.NewDense(2, 2, []float64{-1e6, 0, 0, -1e-6}),
	} // mean 1e-6 + 1 − …, scv about 2e6
	q := loaded([]float64{1}, mat.NewDense(1, 1, []float64{-1}), service, 3, 0.5)
	for range 3 {
		q.OnArrival = append(q.OnArrival, erlang(1, 1e-6))
	}
	// three slow jobs block the machine for as long as a million arrivals: the decay rate is 1−1e-6, which costs six
	// digits
	agree(t, "stiff", q, 1e-8)
}

// Many servers by two methods that have nothing in common in the repeating part. Ten digits hold at 128 servers, where
// a basis of eigenvectors that loses its digits in being multiplied out has none.
func TestManyServers(t *testing.T) {
	sizes := []int{48, 128}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, c := range sizes {
		q := h2h2(c)
		modes, err := q.Solve(t.Context(), markov.Settings{Method: multiserver.SpectralExpansion})
		if err != nil {
			t.Fatal(err)
		}
		reduced, err := q.Solve(t.Context(), markov.Settings{Method: markov.CyclicReduction})
		if err != nil {
			t.Fatal(err)
		}
		qbdtest.Near(t, "mean", modes.Mean(), reduced.Mean(), 1e-10)
		qbdtest.Near(t, "variance", modes.Variance(), reduced.Variance(), 1e-10)
		qbdtest.Near(t, "waiting", modes.MeanWaiting(), reduced.MeanWaiting(), 1e-10)
		qbdtest.Near(t, "P(0)", modes.Probability(0), reduced.Probability(0), 1e-10)
		qbdtest.Near(t, "tail", modes.Tail(2*c-1), reduced.Tail(2*c-1), 1e-9)
	}
}

// The rarest state of a large queue, eliminated upward by the solver, is found again by eliminating downward: P(0) of
// H2/H2/64 is 6.6e-16, which an elimination with subtractions gets right to four digits only.
func TestRareStates(t *testing.T) {
	q := h2h2(64)
	s, err := q.Solve(t.Context(), markov.Settings{Method: markov.CyclicReduction})
	if err != nil {
		t.Fatal(err)
	}
	// found once by eliminating levels 1500 … 1 of the truncated chain downward, without subtractions
	qbdtest.Near(t, "P(0)", s.Probability(0), 6.62477008902438e-16, 1e-12)
}

// TestRefusedMethodIsNamedOnce: the error for service without modes names the requested method once. Two equal phases
// side by side have a double eigenvalue.
func TestRefusedMethodIsNamedOnce(t *testing.T) {
	q := mph1(0.5, multiserver.Phases{Alpha: []float64{0.5, 0.5}, T: mat.NewDense(2, 2, []float64{-1, 0, 0, -1})}).Queue
	_, err := q.Solve(t.Context(), markov.Settings{Method: multiserver.SpectralExpansion})
	if !errors.Is(err, markov.ErrMethod) {
		t.Fatalf("error is %v, want an error that wraps %v", err, markov.ErrMethod)
	}
	if n := strings.Count(err.Error(), "spectral expansion"); n != 1 {
		t.Errorf("%q names the method %d times, want once", err, n)
	}
}

// TestIntensityNextToOne: a queue whose intensity differs from one by more than roundings is solved within its bound.
func TestIntensityNextToOne(t *testing.T) {
	for _, room := range []float64{1e-11, 1e-12, 1e-13} {
		lambda := 3 - room
		s, err := mmc(lambda, 1, 3).Queue.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Errorf("λ = 3 − %g: %v", room, err)
			continue
		}
		// The mean of a queue next to saturation is ρ/(1−ρ) up to a few jobs.
		if off := math.Abs(s.Mean()*(3-lambda)/3 - 1); !(off <= s.Diagnostics().ErrorBound+10*room) {
			t.Errorf("λ = 3 − %g: mean %v is off by %.2g, bound %.2g", room, s.Mean(), off, s.Diagnostics().ErrorBound)
		}
	}
	for _, lambda := range []float64{3 - 1e-15, 3} {
		_, err := mmc(lambda, 1, 3).Queue.Solve(t.Context(), markov.Settings{})
		if !errors.Is(err, markov.ErrUnstable) || !strings.Contains(err.Error(), "stable or not cannot be told") {
			t.Errorf("λ = %v: %v", lambda, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	q := mmc(2.5, 1, 2).Queue
	if _, err := q.Solve(t.Context(), markov.Settings{}); !errors.Is(err, markov.ErrUnstable) {
		t.Errorf("unstable queue: %v", err)
	}
	guess := markov.Settings{Method: "guess"}
	if _, err := mmc(1, 1, 2).Queue.Solve(t.Context(), guess); !errors.Is(err, markov.ErrMethod) {
		t.Errorf("unknown method: %v", err)
	}
	if _, err := h2h2(2000).Solve(t.Context(), markov.Settings{}); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("a chain of 2000 servers: %v", err)
	}
	bad := mmc(1, 1, 2).Queue
	bad.D1 = mat.NewDense(1, 1, []float64{math.NaN()})
	var block *markov.BlockError
	if _, err := bad.Solve(t.Context(), markov.Settings{}); !errors.As(err, &block) || block.Block != "D1" {
		t.Errorf("NaN rate: %v", err)
	}
}
