package phasetype_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// lumped returns a dense chain of n phases and one of two phases of the same law: phases of the two groups lead to each
// other at rates of mixing in total, to the other group at rates of across, whichever phase it is, and to absorption at
// those of exit.
func lumped(n int, mixing, across float64, exit [2]float64) (dense, small phasetype.Dist) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	alpha, moves, leave := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
	for i := range n {
		alpha[i] = float64(1+i%2) / (1.5 * float64(n)) // a third and two thirds
		leave[i] = exit[i%2]
		var to [2]float64
		row := make([]float64, n)
		for j := range n {
			row[j] = r.ExpFloat64()
			if j != i {
				to[j%2] += row[j]
			}
		}
		for j := range n {
			if rate := mixing; j != i {
				if j%2 != i%2 {
					rate = across
				}
				moves.Set(i, j, row[j]*rate/to[j%2])
			}
		}
	}
	return phasetype.Must(phasetype.FromRates(alpha, moves, leave)),
		phasetype.Must(phasetype.FromRates([]float64{1. / 3, 2. / 3}, mat.NewDense(2, 2, []float64{0, across, across, 0}), exit[:]))
}

// A dense chain has the law of the chain of its groups, whether these exchange much or less than a rounding in an event:
// for times from a thousandth of a sojourn to where hardly anything is left, and in the density.
func TestDenseChainsAsGroups(t *testing.T) {
	for _, n := range []int{16, 100} {
		for _, across := range []float64{1, 1e-3, 1e-8, 1e-14} {
			for _, exit := range [][2]float64{{.3, .001}, {1e-9, 1e-6}, {40, .5}} {
				dense, small := lumped(n, 20, across, exit)
				law, want := phasetype.NewLaw(dense), phasetype.NewLaw(small)
				what := fmt.Sprintf("%d phases, %g across, exit %v", n, across, exit)
				for x := 1e-4; x < 1e9; x *= 7 {
					s := want.LogSurvival(x)
					if s < -600 {
						break
					}
					tol := 1e-13 * (1 - s) // roundings of some hundred events, as with the entries one by one
					approx(t, fmt.Sprintf("%s: P(X > %g)", what, x), law.Survival(x), math.Exp(s), tol)
					approx(t, fmt.Sprintf("%s: P(X ≤ %g)", what, x), law.CDF(x), want.CDF(x), tol)
					approx(t, fmt.Sprintf("%s: density at %g", what, x), law.PDF(x), want.PDF(x), tol)
				}
				for _, p := range []float64{.01, .5, .99, .999999} {
					x := want.Quantile(p)
					approx(t, fmt.Sprintf("%s: quantile %g", what, p), law.Quantile(p), x, 1e-13/math.Min(p, 1-p))
				}
			}
		}
	}
}

// What a dense law gives does not depend on what it was asked before.
func TestDenseLawsForgetCalls(t *testing.T) {
	d, _ := lumped(40, 20, 1e-8, [2]float64{.3, .001})
	asked := phasetype.NewLaw(d)
	asked.Quantile(.999)
	for _, x := range []float64{1e-3, 2, 50, 1e4} {
		if fresh := d.Survival(x); asked.Survival(x) != fresh {
			t.Errorf("P(X > %g) is %v, after other calls %v", x, fresh, asked.Survival(x))
		}
	}
}

// Values are those of the methods, and end with their context: in a table that would take many seconds, too.
func TestValues(t *testing.T) {
	d := busy(20)
	law := phasetype.NewLaw(d)
	got, err := law.Values(t.Context(), (*phasetype.Law).Quantile, .5, .99)
	if err != nil || len(got) != 2 || got[0] != law.Quantile(.5) || got[1] != law.Quantile(.99) {
		t.Errorf("quantiles %v, %v", got, err)
	}
	var none context.Context
	if _, err := law.Values(none, (*phasetype.Law).CDF, 1); err == nil {
		t.Error("no context is no error")
	}
	large, _ := lumped(600, 20, 1e-14, [2]float64{.3, 1e-12}) // comes to its table
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	began := time.Now()
	if _, err := phasetype.NewLaw(large).Values(ctx, (*phasetype.Law).Quantile, .999); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a quantile that takes seconds: %v", err)
	}
	if took := time.Since(began); took > 3*time.Second { // .2 s on a machine that does nothing else
		t.Errorf("stopped after %v", took)
	}
}
