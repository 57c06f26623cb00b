package switchover_test

import (
	"errors"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/blocktest"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
	"github.com/partwise/partwise/markov/multiserver/internal/switchover"
)

func TestMain(m *testing.M) { os.Exit(blocktest.Run(m)) }

// exponential is a switch-over with the given rate that takes no time with probability atom.
func exponential(rate, atom float64) statespace.PhaseType {
	return statespace.PhaseType{Alpha: []float64{1 - atom}, T: mat.NewDense(1, 1, []float64{-rate})}
}

func TestExponentialSwitchOverUnderPoissonArrivals(t *testing.T) {
	const lambda, theta, atom = 2.0, 3.0, 0.25
	ar, err := statespace.NewArrivals(t.Context(), mat.NewDense(1, 1, []float64{-lambda}), mat.NewDense(1, 1, []float64{lambda}))
	if err != nil {
		t.Fatal(err)
	}
	g, err := switchover.NewUncut(t.Context(), ar, exponential(theta, atom), 1, "switch-over")
	if err != nil {
		t.Fatal(err)
	}
	const both = lambda + theta // the first of an arrival and the end of the switch-over
	for _, v := range []struct {
		name      string
		got, want float64
	}{
		{"Atom", g.Atom, atom},
		{"End", g.End.At(0, 0), atom + (1-atom)*theta/both},
		{"Cut", g.Cut.At(0, 0), (1 - atom) * lambda / both},
		{"Time", g.Time[0], (1 - atom) / both},
		{"Next", g.Next.At(0, 0), lambda / both},
		{"Ending", g.Ending.At(0, 0), theta / both},
		{"Stay", g.Stay[0], 1 / both},
		{"Slowest", g.Slowest, theta},
	} {
		if !scalar.EqualWithinRel(v.got, v.want, 1e-15) {
			t.Errorf("%s is %v, want %v", v.name, v.got, v.want)
		}
	}
}

// TestSwitchOverUnderMarkovianArrivals compares with the formulas of New and NewUncut, where gonum inverts the matrix.
// The arrivals have two phases and two classes, and the switch-over has two phases.
func TestSwitchOverUnderMarkovianArrivals(t *testing.T) {
	d0, d1 := mat.NewDense(2, 2, []float64{-3, 1, 0, -5}), mat.NewDense(2, 2, []float64{1.5, 0.5, 3, 2})
	c := mat.NewDense(2, 2, []float64{-2, 1.5, 0, -4})
	ar, err := statespace.NewArrivals(t.Context(), d0, d1)
	if err != nil {
		t.Fatal(err)
	}
	time := statespace.PhaseType{Alpha: []float64{0.75, 0.125}, T: c}
	g, err := switchover.NewUncut(t.Context(), ar, time, 1, "switch-over")
	if err != nil {
		t.Fatal(err)
	}
	f, a, one := dense(ar.F), dense(ar.A), mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	gamma, exit := mat.NewDense(1, 2, time.Alpha), mat.NewDense(2, 1, []float64{0.5, 4})
	var b mat.Dense
	if err := b.Inverse(product(-1, sum(kron(d0, one), kron(one, c)))); err != nil {
		t.Fatal(err)
	}
	fromStart, fromArrival := product(1, kron(one, gamma), &b), product(1, kron(a, one), &b)
	ends, arrivals := kron(one, exit), kron(f, mat.NewDense(2, 1, []float64{1, 1}))
	all := mat.NewDense(4, 1, []float64{1, 1, 1, 1})
	for _, v := range []struct {
		name      string
		got, want mat.Matrix
	}{
		{"End", dense(g.End), sum(product(0.125, one), product(1, fromStart, ends))},
		{"Cut", dense(g.Cut), product(1, fromStart, arrivals)},
		{"Time", mat.NewDense(2, 1, g.Time), product(1, fromStart, all)},
		{"Next", dense(g.Next), product(1, fromArrival, kron(f, one))},
		{"Ending", dense(g.Ending), product(1, fromArrival, ends)},
		{"Stay", mat.NewDense(4, 1, g.Stay), product(1, fromArrival, all)},
	} {
		if !mat.EqualApprox(v.got, v.want, 1e-14) {
			t.Errorf("%s is\n%v, want\n%v", v.name, mat.Formatted(v.got), mat.Formatted(v.want))
		}
	}
}

func TestInstantaneousSwitchOver(t *testing.T) {
	ar, err := statespace.NewArrivals(t.Context(), mat.NewDense(1, 1, []float64{-1}), mat.NewDense(1, 1, []float64{1}))
	if err != nil {
		t.Fatal(err)
	}
	g := switchover.Instantaneous(ar)
	x := []float64{1, 2, 3}
	g.AddEnded(x, []float64{4, 5, 6}, 3)
	if x[0] != 5 || x[1] != 7 || x[2] != 9 || g.Phases != 0 || !math.IsInf(g.Slowest, 1) {
		t.Errorf("service begins at rates %v after a switch-over of %d phases that ends at rate %v", x, g.Phases, g.Slowest)
	}
}

func TestWrongSwitchOvers(t *testing.T) {
	ar, err := statespace.NewArrivals(t.Context(), mat.NewDense(1, 1, []float64{-1}), mat.NewDense(1, 1, []float64{1}))
	if err != nil {
		t.Fatal(err)
	}
	for name, time := range map[string]statespace.PhaseType{
		"probabilities sum to more than one": {Alpha: []float64{0.75, 0.5}, T: mat.NewDense(2, 2, []float64{-1, 0, 0, -1})},
		"a rate is negative":                 {Alpha: []float64{1, 0}, T: mat.NewDense(2, 2, []float64{-1, -2, 0, -1})},
		"exit rates disagree":                {Alpha: []float64{1}, T: mat.NewDense(1, 1, []float64{-1}), Exit: []float64{2}},
	} {
		_, err := switchover.New(t.Context(), ar, time, 3, "switch-over")
		if wrong := (*markov.BlockError)(nil); !errors.As(err, &wrong) || wrong.Level != 3 || wrong.Block != "switch-over" {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func dense(m block.Matrix) *mat.Dense {
	d := mat.NewDense(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		d.SetRow(i, m.Row(i))
	}
	return d
}

func kron(a, b mat.Matrix) *mat.Dense {
	var m mat.Dense
	m.Kronecker(a, b)
	return &m
}

func sum(a, b mat.Matrix) *mat.Dense {
	var m mat.Dense
	m.Add(a, b)
	return &m
}

// product returns a multiple of the product of the matrices.
func product(by float64, factors ...mat.Matrix) *mat.Dense {
	var m mat.Dense
	m.Scale(by, factors[0])
	for _, f := range factors[1:] {
		var next mat.Dense
		next.Mul(&m, f)
		m = next
	}
	return &m
}
