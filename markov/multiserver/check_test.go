package multiserver_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
)

// Every mistake is found where it is: level, block, row and column.
func TestWrongQueuesAreLocated(t *testing.T) {
	good := func() *multiserver.Queue {
		q := h2h2(2)
		q.OnArrival = []multiserver.Phases{erlang(2, 0.1), {}}
		q.PhaseMap = func(i, j int) mat.Matrix { return mat.NewDense(2, 2, []float64{1, 0, 0, 1}) }
		return q
	}
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		spoil func(q *multiserver.Queue)
		want  markov.BlockError
	}{
		"no servers": {func(q *multiserver.Queue) { q.Servers = 0 },
			markov.BlockError{Block: "servers", Row: -1, Col: -1}},
		"sizes": {func(q *multiserver.Queue) { q.D1 = mat.NewDense(3, 3, nil) },
			markov.BlockError{Block: "D1", Row: -1, Col: -1}},
		"negative": {func(q *multiserver.Queue) { q.D1.(*mat.Dense).Set(1, 0, -1) },
			markov.BlockError{Block: "D1", Row: 1, Col: 0}},
		"not a number": {func(q *multiserver.Queue) { q.D0.(*mat.Dense).Set(0, 1, math.NaN()) },
			markov.BlockError{Block: "D0", Row: 0, Col: 1}},
		"infinite": {func(q *multiserver.Queue) { q.D0.(*mat.Dense).Set(1, 1, -inf) },
			markov.BlockError{Block: "D0", Row: 1, Col: 1}},
		"row": {func(q *multiserver.Queue) { q.D0.(*mat.Dense).Set(1, 1, -99) },
			markov.BlockError{Block: "D0", Row: 1, Col: 1}},
		"positive diagonal": {func(q *multiserver.Queue) { q.D0.(*mat.Dense).Set(0, 0, 5) },
			markov.BlockError{Block: "D0", Row: 0, Col: 0}},
		"two classes": {func(q *multiserver.Queue) { apart(q) },
			markov.BlockError{Block: "D0 + D1", Row: -1, Col: -1, Err: markov.ErrReducible}},
		"a phase that is left for good": {func(q *multiserver.Queue) {
			q.D0, q.D1 = mat.NewDense(2, 2, []float64{-3, 1, 0, -1}), mat.NewDense(2, 2, []float64{2, 0, 0, 1})
		}, markov.BlockError{Block: "D0 + D1", Row: 0, Col: -1, Err: markov.ErrReducible}},
		"initial": {func(q *multiserver.Queue) { q.Service[0].Alpha[0] = 0.5 },
			markov.BlockError{Level: 1, Block: "service", Row: -1, Col: -1}},
		"service row": {func(q *multiserver.Queue) { q.Service[0].T.(*mat.Dense).Set(1, 0, 9) },
			markov.BlockError{Level: 1, Block: "service", Row: 1, Col: -1}},
		"list of service": {func(q *multiserver.Queue) { q.Servers = 3; q.Service = append(q.Service, q.Service[0]) },
			markov.BlockError{Level: 1, Block: "service", Row: -1, Col: -1}},
		"switch-over": {func(q *multiserver.Queue) { q.OnArrival[0].T.(*mat.Dense).Set(0, 1, -2) },
			markov.BlockError{Level: 1, Block: "switch-over on arrival", Row: 0, Col: 1}},
		"phase map": {func(q *multiserver.Queue) {
			q.PhaseMap = func(i, j int) mat.Matrix { return mat.NewDense(2, 2, []float64{1, 0, 0.5, 0}) }
		}, markov.BlockError{Level: 1, Block: "phase map", Row: 1, Col: -1}},
	} {
		q := good()
		c.spoil(q)
		_, err := q.Solve(t.Context(), markov.Settings{})
		qbdtest.Located(t, name, err, c.want)
	}
	if _, err := good().Solve(t.Context(), markov.Settings{}); err != nil {
		t.Errorf("a good queue: %v", err)
	}
}

// apart makes the two phases of the arrivals lead back to themselves only.
func apart(q *multiserver.Queue) {
	q.D0 = mat.NewDense(2, 2, []float64{-1, 0, 0, -2})
	q.D1 = mat.NewDense(2, 2, []float64{1, 0, 0, 2})
}
