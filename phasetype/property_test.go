package phasetype_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestNewAgain: New returns the same distribution, bit by bit, for its own representation.
func TestNewAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := phtest.Dist(t, 12)
		d, err := phasetype.New(drawn.Alpha(), drawn.T())
		if err != nil {
			t.Skip("an exit rate below 1e-12 of its row counts as none")
		}
		again, err := phasetype.New(d.Alpha(), d.T())
		if err != nil {
			t.Fatal(err)
		}
		alpha, exit := again.Alpha(), again.Exit()
		for i, a := range d.Alpha() {
			if a != alpha[i] || d.Exit()[i] != exit[i] {
				t.Fatalf("phase %d: alpha %v, exit %v; again %v, %v", i, a, d.Exit()[i], alpha[i], exit[i])
			}
		}
		if !mat.Equal(d.T(), again.T()) || d.Atom() != again.Atom() || d.Mean() != again.Mean() {
			t.Fatal("T, atom or mean differ")
		}
	})
}

// TestThreeMomentsOfAcyclic: moments of a chain with n phases are matched by n phases or fewer.
func TestThreeMomentsOfAcyclic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "phases")
		alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
		var total float64
		for i := range n {
			alpha[i] = rapid.Float64Range(0.01, 1).Draw(t, "alpha")
			total += alpha[i]
			rate := math.Exp(rapid.Float64Range(-3, 3).Draw(t, "log rate"))
			if i == n-1 {
				exit[i] = rate
			} else {
				moves.Set(i, i+1, rate)
			}
		}
		for i := range alpha {
			alpha[i] /= total
		}
		d, err := phasetype.FromRates(alpha, moves, exit)
		if err != nil {
			t.Fatal(err)
		}
		e, err := phasetype.ThreeMoments(d.Mean(), d.Moment(2), d.Moment(3))
		if err != nil {
			t.Fatal(err)
		}
		if e.Phases() > n {
			t.Errorf("%d phases for moments that %d have", e.Phases(), n)
		}
		for k := 1; k <= 3; k++ {
			if math.Abs(e.Moment(k)/d.Moment(k)-1) > 1e-9 { // what ThreeMoments promises, and Scale's rounding
				t.Errorf("moment %d is %g, want %g", k, e.Moment(k), d.Moment(k))
			}
		}
	})
}

func TestThreeMoments(t *testing.T) {
	for _, c := range []struct {
		m      [3]float64
		phases int
	}{
		{[3]float64{1, 2, 6}, 1}, {[3]float64{1, 1.5, 3}, 2}, {[3]float64{2, 5, 1e9}, 6},
		{[3]float64{1, 2, 5.5}, 3}, {[3]float64{1, 2, 1e6}, 3}, {[3]float64{1, 1000, 2e6}, 2},
	} {
		d, err := phasetype.ThreeMoments(c.m[0], c.m[1], c.m[2])
		if err != nil || d.Phases() != c.phases {
			t.Errorf("%v: %d phases, want %d; %v", c.m, d.Phases(), c.phases, err)
		}
		for k, m := range c.m {
			approx(t, "moment", d.Moment(k+1), m, 1e-9)
		}
	}
	for _, m := range [][3]float64{{1, 3, 8}, {1, 1.5, 2.2}, {1, 0.5, 1}, {1, 1.0001, 1.1}, {1, 1.2, 1}} {
		_, err := phasetype.ThreeMoments(m[0], m[1], m[2])
		var e *phasetype.MomentsError
		if !errors.As(err, &e) {
			t.Errorf("%v: %v", m, err)
			continue
		}
		d, err := phasetype.ThreeMoments(e.Nearest[0], e.Nearest[1], e.Nearest[2])
		if err != nil || d.Phases() != e.Needed {
			t.Errorf("%v: nearest %v, said to need %d phases: %d, %v", m, e.Nearest, e.Needed, d.Phases(), err)
		}
	}
}
