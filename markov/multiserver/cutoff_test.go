package multiserver_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/qbdtest"
	"gonum.org/v1/gonum/mat"
)

// An infinite queue cut off far out is the infinite one, whatever the sizes of its levels.
func TestFiniteQBDCutOff(t *testing.T) {
	e := &explicit{q: qbdtest.H2H2(3)}
	infinite := e.qbd()
	want, err := infinite.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	cut := &markov.FiniteQBD{Levels: infinite.Boundary}
	for range 1500 { // .967^1500 is 1e-22
		cut.Levels = append(cut.Levels, infinite.Repeating)
	}
	last := &cut.Levels[len(cut.Levels)-1]
	*last = markov.Level{Local: last.Local, Down: last.Down}
	got, err := cut.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	qbdtest.Near(t, "mean", got.Mean(), want.Mean(), 1e-12)
	qbdtest.Near(t, "variance", got.Variance(), want.Variance(), 1e-12)
	for i := range 10 {
		qbdtest.Near(t, fmt.Sprintf("P(%d)", i), got.Probability(i), want.Probability(i), 1e-12)
	}
	var block *markov.BlockError
	cut.Levels[7].Down.(*mat.Dense).Set(1, 0, -1)
	if _, err := cut.Solve(t.Context(), markov.Settings{}); !errors.As(err, &block) || block.Block != "down" || block.Row != 1 {
		t.Errorf("a negative rate: %v", err)
	}
}
