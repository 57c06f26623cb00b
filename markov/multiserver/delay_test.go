package multiserver_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/qbdtest"

	"github.com/partwise/partwise/markov/multiserver"
)

// delayTol: percentiles are found by bisection to the last bit of a sum whose terms were multiplied up to some twenty
// times.
const delayTol = 1e-11

// must is a number that comes with an error.
func must(v float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return v
}

func TestDelaysOfMMc(t *testing.T) {
	for _, c := range []int{1, 4, 16} {
		lambda, mu := 0.9*float64(c), 1.0
		known := mmc(lambda, mu, c)
		s, err := known.Queue.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		waiting, response, err := s.Delays(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rate := float64(c)*mu - lambda // W is exponential with this rate, given that it is not zero
		for _, x := range []float64{0, 0.1, 1, 30} {
			got := must(waiting.Survival(t.Context(), x))
			qbdtest.Near(t, fmt.Sprintf("c=%d P(W>%g)", c, x), got, known.Wait*math.Exp(-rate*x), delayTol)
		}
		for _, p := range []float64{0.5, 0.9, 0.99} {
			want := math.Max(0, math.Log(known.Wait/(1-p))/rate)
			got := must(waiting.Quantile(t.Context(), p))
			qbdtest.Near(t, fmt.Sprintf("c=%d quantile %g", c, p), got, want, delayTol)
		}
		qbdtest.Near(t, "mean", must(response.Mean(t.Context())), known.Mean/lambda, delayTol)
		if c == 1 {
			got := must(response.Quantile(t.Context(), 0.95))
			qbdtest.Near(t, "response", got, -math.Log(0.05)/(mu-lambda), delayTol)
		}
	}
}

// Little: the mean waiting time is the mean queue over λ, whatever the phases.
func TestDelaysObeyLittle(t *testing.T) {
	for _, q := range []*multiserver.Queue{h2h2(4), h2h(3, 3)} {
		s, err := q.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		waiting, response, err := s.Delays(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		qbdtest.Near(t, "waiting", must(waiting.Mean(t.Context())), s.MeanWaiting()/s.ArrivalRate(), delayTol)
		qbdtest.Near(t, "response", must(response.Mean(t.Context())), s.Mean()/s.ArrivalRate(), delayTol)
		qbdtest.Near(t, "P(W>0)", must(waiting.Survival(t.Context(), 0)), s.ArrivalWaits(), delayTol)
		for _, p := range []float64{0.5, 0.9, 0.99, 0.9999} {
			q := must(response.Quantile(t.Context(), p))
			qbdtest.Near(t, "survival of quantile", must(response.Survival(t.Context(), q)), 1-p, delayTol)
		}
		// mean = ∫ P(T > t) dt, by the trapezoidal rule on a grid fine enough for six digits
		h, integral := 0.01, 0.5*must(response.Survival(t.Context(), 0))
		for x := h; ; x += h {
			v := must(response.Survival(t.Context(), x))
			integral += v
			if v < 1e-9 {
				break
			}
		}
		qbdtest.Near(t, "integral", integral*h, must(response.Mean(t.Context())), 1e-5)
	}
}

// Many servers are solved by modes, whose matrix T is then made by reduction.
func TestDelaysOfManyServers(t *testing.T) {
	s, err := h2h2(72).Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	waiting, _, err := s.Delays(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	qbdtest.Near(t, "waiting", must(waiting.Mean(t.Context())), s.MeanWaiting()/s.ArrivalRate(), 1e-9)
	qbdtest.Near(t, "P(W>0)", must(waiting.Survival(t.Context(), 0)), s.ArrivalWaits(), 1e-9)
	q := must(waiting.Quantile(t.Context(), 0.99))
	qbdtest.Near(t, "survival of quantile", must(waiting.Survival(t.Context(), q)), 0.01, 1e-9)
}

func TestDelaysNeedOneService(t *testing.T) {
	q := mmc(1, 1, 2).Queue
	q.OnArrival = []multiserver.Phases{{}, erlang(1, 0.1)}
	s, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Delays(t.Context()); !errors.Is(err, markov.ErrMethod) {
		t.Errorf("a queue with switch-overs gave delays, error %v", err)
	}
}
