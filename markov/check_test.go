package markov_test

import (
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
	"gonum.org/v1/gonum/mat"
)

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
		"below the lowest level": {func(q *markov.QBD) { q.Boundary[0].Down = identity(3) },
			markov.BlockError{Block: "down", Row: -1, Col: -1}},
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
		_, err := q.Solve(t.Context(), markov.Settings{})
		qbdtest.Located(t, name, err, c.want)
	}
}

func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}
