package multiserver_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
)

// What is nil, zero or missing is an error that says where, with the name of the package once.
func TestNothingIsAnError(t *testing.T) {
	var none *mat.Dense
	good := func() *multiserver.Queue { return h2h2(2) }
	for name, spoil := range map[string]func(q *multiserver.Queue){
		"zero queue":         func(q *multiserver.Queue) { *q = multiserver.Queue{} },
		"only servers":       func(q *multiserver.Queue) { *q = multiserver.Queue{Servers: 3} },
		"no arrivals":        func(q *multiserver.Queue) { q.D0, q.D1 = nil, nil },
		"nil pointer to D1":  func(q *multiserver.Queue) { q.D1 = none },
		"empty arrivals":     func(q *multiserver.Queue) { q.D0, q.D1 = new(mat.Dense), new(mat.Dense) },
		"no service":         func(q *multiserver.Queue) { q.Service = nil },
		"zero service":       func(q *multiserver.Queue) { q.Service = make([]multiserver.Phases, 2) },
		"service without T":  func(q *multiserver.Queue) { q.Service[0].T = nil },
		"service with nil T": func(q *multiserver.Queue) { q.Service[0].T = none },
		"switch-over without T": func(q *multiserver.Queue) {
			q.OnArrival = []multiserver.Phases{{Alpha: []float64{1}}}
		},
		"switch-over more than 1": func(q *multiserver.Queue) { q.OnArrival = []multiserver.Phases{twice()} },
	} {
		q := good()
		spoil(q)
		_, err := q.Solve(t.Context(), markov.Settings{})
		var block *markov.BlockError
		if !errors.As(err, &block) {
			t.Errorf("%s: %v is no BlockError", name, err)
		} else if !prefixedOnce(err) {
			t.Errorf("%s: %q", name, err)
		}
	}
	var block *markov.BlockError
	if _, err := (*multiserver.Queue)(nil).Solve(t.Context(), markov.Settings{}); !errors.As(err, &block) {
		t.Errorf("nil queue: %v", err)
	}
	if _, err := (*multiserver.Queue)(nil).DecayRate(t.Context()); !errors.As(err, &block) || !prefixedOnce(err) {
		t.Errorf("decay rate of a nil queue: %v", err)
	}
	q := good()
	q.PhaseMap = func(i, j int) mat.Matrix { return none }
	if _, err := q.Solve(t.Context(), markov.Settings{}); err != nil {
		t.Errorf("a phase map that is a nil pointer keeps phases: %v", err)
	}
	q.Servers = math.MaxInt
	if _, err := q.Solve(t.Context(), markov.Settings{}); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("no end of servers: %v", err)
	}
}

// prefixedOnce reports whether a message names this package once, and markov nowhere.
func prefixedOnce(err error) bool {
	text := err.Error()
	return strings.HasPrefix(text, "multiserver: ") && strings.Count(text, "multiserver: ") == 1 &&
		!strings.Contains(text, "markov: ")
}

// twice has initial probabilities that sum to two.
func twice() multiserver.Phases {
	p := erlang(2, 1)
	p.Alpha = []float64{1, 1}
	return p
}

func TestErrorsSayOnceWhoTheyAreFrom(t *testing.T) {
	ended, stop := context.WithCancel(t.Context())
	stop()
	solve := func(q *multiserver.Queue, s markov.Settings) error {
		_, err := q.Solve(t.Context(), s)
		return err
	}
	_, canceled := h2h2(2).Solve(ended, markov.Settings{})
	s, err := h2h2(2).Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, delays := s.Delays(ended)
	closed := mmc(0.5, 1, 1).Queue
	closed.Service = []multiserver.Phases{{Alpha: []float64{1, 0}, T: mat.NewDense(2, 2, []float64{-1, 1, 1, -1})}}
	for _, c := range []struct{ err, want error }{
		{solve(mmc(2, 1, 1).Queue, markov.Settings{}), markov.ErrUnstable},
		{solve(h2h2(2), markov.Settings{Method: "guess"}), markov.ErrMethod},
		{solve(h2h2(2), markov.Settings{Tolerance: 1e-30}), markov.ErrInaccurate},
		{solve(h2h2(3000), markov.Settings{}), markov.ErrTooLarge},
		{solve(closed, markov.Settings{}), markov.ErrReducible},
		{canceled, context.Canceled}, {delays, context.Canceled},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%v is not %v", c.err, c.want)
		} else if !prefixedOnce(c.err) {
			t.Errorf("%q has another prefix, or more of them", c.err)
		}
	}
}
