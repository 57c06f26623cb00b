package markovtest_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/testdata/markovtest"
)

// TestDelaysOfMMc: jobs of an M/M/c queue wait with probability C, and then for an exponential time.
func TestDelaysOfMMc(t *testing.T) {
	number := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	const lambda = 2.7
	d := markovtest.NewDelays(&markovtest.Queue{D0: number(-lambda), D1: number(lambda), Servers: 3, Alpha: []float64{1}, T: number(-1),
		Exit: []float64{1}})
	wait := d.Waiting(0)
	last := math.Pow(lambda, 3) / 6 / (1 - lambda/3)
	if want := last / (1 + lambda + lambda*lambda/2 + last); math.Abs(wait/want-1) > 1e-15 {
		t.Errorf("P(W > 0) = %.17g, want %.17g", wait, want)
	}
	for _, x := range []float64{.01, 1, 10, 100} {
		want := wait * math.Exp((lambda-3)*x)
		if got := d.Waiting(x); math.Abs(got/want-1) > 1e-14*(1+x) { // 3 − λ is rounded
			t.Errorf("P(W > %v) = %.17g, want %.17g", x, got, want)
		}
		// Response: exponential service at rate 1 after a wait of rate 3 − λ = .3.
		r := 3 - lambda
		want = (1-wait)*math.Exp(-x) + wait*(math.Exp(-r*x)-r*math.Exp(-x))/(1-r)
		if got := d.Response(x); math.Abs(got/want-1) > 1e-14*(1+x) {
			t.Errorf("P(T > %v) = %.17g, want %.17g", x, got, want)
		}
	}
}

// TestWalkOfErlang: the time of two steps at rate 1 has an Erlang distribution. A third state keeps a small share for long.
// Without it, long times have few epochs.
func TestWalkOfErlang(t *testing.T) {
	w := markovtest.NewWalk([]float64{1, 0, 1. / 1024}, []markovtest.Move{{0, 1, 1}, {1, -1, 1}, {2, -1, 1. / 4}})
	for _, x := range []float64{0, .01, 1, 30} {
		want := (1+x)*math.Exp(-x) + math.Exp(-x/4)/1024
		if got := w.Survival(x); math.Abs(got/want-1) > 4e-16*(1+x) { // of the exponential function
			t.Errorf("P(T > %v) = %.17g, want %.17g", x, got, want)
		}
	}
	w = markovtest.NewWalk([]float64{1, 0}, []markovtest.Move{{0, 1, 1}, {1, -1, 1}})
	for _, x := range []float64{30, 100, 500} {
		want := (1 + x) * math.Exp(-x)
		if got := w.Survival(x); math.Abs(got/want-1) > 4e-16*(1+x) {
			t.Errorf("two steps: P(T > %v) = %.17g, want %.17g", x, got, want)
		}
	}
}
