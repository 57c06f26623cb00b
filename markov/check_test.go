package markov_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/qbdtest"
	"gonum.org/v1/gonum/mat"
)

// Every mistake is found where it is: level, block, row and column.
func TestWrongQueuesAreLocated(t *testing.T) {
	good := func() *markov.Multiserver {
		q := qbdtest.H2H2(2)
		q.OnArrival = []markov.Phases{qbdtest.Erlang(2, 0.1), {}}
		q.Redraw = func(i, j int) mat.Matrix { return mat.NewDense(2, 2, []float64{1, 0, 0, 1}) }
		return q
	}
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		spoil func(q *markov.Multiserver)
		want  markov.BlockError
	}{
		"no servers": {func(q *markov.Multiserver) { q.Servers = 0 },
			markov.BlockError{Block: "servers", Row: -1, Col: -1}},
		"sizes": {func(q *markov.Multiserver) { q.D1 = mat.NewDense(3, 3, nil) },
			markov.BlockError{Block: "D0, D1", Row: -1, Col: -1}},
		"negative": {func(q *markov.Multiserver) { q.D1.(*mat.Dense).Set(1, 0, -1) },
			markov.BlockError{Block: "D1", Row: 1, Col: 0}},
		"not a number": {func(q *markov.Multiserver) { q.D0.(*mat.Dense).Set(0, 1, math.NaN()) },
			markov.BlockError{Block: "D0", Row: 0, Col: 1}},
		"infinite": {func(q *markov.Multiserver) { q.D0.(*mat.Dense).Set(1, 1, -inf) },
			markov.BlockError{Block: "D0", Row: 1, Col: 1}},
		"row": {func(q *markov.Multiserver) { q.D0.(*mat.Dense).Set(1, 1, -99) },
			markov.BlockError{Block: "D0", Row: 1, Col: 1}},
		"two classes": {func(q *markov.Multiserver) { apart(q) },
			markov.BlockError{Block: "D0 + D1", Row: -1, Col: -1, Err: markov.ErrReducible}},
		"initial": {func(q *markov.Multiserver) { q.Service[0].Alpha[0] = 0.5 },
			markov.BlockError{Level: 1, Block: "service", Row: -1, Col: -1}},
		"service row": {func(q *markov.Multiserver) { q.Service[0].T.(*mat.Dense).Set(1, 0, 9) },
			markov.BlockError{Level: 1, Block: "service", Row: 1, Col: -1}},
		"list of service": {func(q *markov.Multiserver) { q.Servers = 3; q.Service = append(q.Service, q.Service[0]) },
			markov.BlockError{Level: 1, Block: "service", Row: -1, Col: -1}},
		"switch-over": {func(q *markov.Multiserver) { q.OnArrival[0].T.(*mat.Dense).Set(0, 1, -2) },
			markov.BlockError{Level: 1, Block: "switch-over on arrival", Row: 0, Col: 1}},
		"redrawing": {func(q *markov.Multiserver) {
			q.Redraw = func(i, j int) mat.Matrix { return mat.NewDense(2, 2, []float64{1, 0, 0.5, 0}) }
		}, markov.BlockError{Level: 1, Block: "redraw", Row: 1, Col: -1}},
	} {
		q := good()
		c.spoil(q)
		_, err := q.Solve(markov.Settings{})
		located(t, name, err, c.want)
	}
	if _, err := good().Solve(markov.Settings{}); err != nil {
		t.Errorf("a good queue: %v", err)
	}
}

// apart makes the two phases of the arrivals lead back to themselves only.
func apart(q *markov.Multiserver) {
	q.D0 = mat.NewDense(2, 2, []float64{-1, 0, 0, -2})
	q.D1 = mat.NewDense(2, 2, []float64{1, 0, 0, 2})
}

func TestWrongBlocksAreLocated(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(q *markov.QBD)
		want  markov.BlockError
	}{
		"no boundary": {func(q *markov.QBD) { q.Boundary = nil },
			markov.BlockError{Block: "local", Row: -1, Col: -1}},
		"missing": {func(q *markov.QBD) { q.Repeating.Down = nil },
			markov.BlockError{Level: -1, Block: "down", Row: -1, Col: -1}},
		"size": {func(q *markov.QBD) { q.Boundary[0].Up = mat.NewDense(3, 2, nil) },
			markov.BlockError{Block: "up", Row: -1, Col: -1}},
		"order": {func(q *markov.QBD) { q.Boundary[0].Local = mat.NewDense(2, 2, nil) },
			markov.BlockError{Block: "local", Row: -1, Col: -1}},
		"negative": {func(q *markov.QBD) { q.Repeating.Down.(*mat.Dense).Set(0, 2, -3) },
			markov.BlockError{Level: -1, Block: "down", Row: 0, Col: 2}},
		"diagonal": {func(q *markov.QBD) { q.Repeating.Local.(*mat.Dense).Set(1, 1, -50) },
			markov.BlockError{Level: -1, Block: "local", Row: 1, Col: 1}},
		"two classes": {func(q *markov.QBD) {
			q.Repeating = markov.Level{Up: identity(3), Local: identity(3), Down: identity(3)}
		},
			markov.BlockError{Level: -1, Block: "up + local + down", Row: -1, Col: -1, Err: markov.ErrReducible}},
	} {
		q := qbdtest.Dense(3, 0.5)
		c.spoil(q)
		_, err := q.Solve(markov.Settings{})
		located(t, name, err, c.want)
	}
}

func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

func located(t *testing.T, name string, err error, want markov.BlockError) {
	t.Helper()
	var got *markov.BlockError
	if !errors.As(err, &got) {
		t.Errorf("%s: error %v has no place", name, err)
		return
	}
	if got.Level != want.Level || got.Block != want.Block || got.Row != want.Row || got.Col != want.Col {
		t.Errorf("%s: %v, want level %d, block %s, row %d, column %d", name, got, want.Level, want.Block, want.Row, want.Col)
	}
	if want.Err != nil && !errors.Is(err, want.Err) {
		t.Errorf("%s: %v is not %v", name, err, want.Err)
	}
}
