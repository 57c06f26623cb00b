package phasetype_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
)

// compare is phasetype.Compare without a context to end it.
func compare(a, b phasetype.Dist) phasetype.Difference {
	d, err := phasetype.Compare(context.Background(), a, b)
	if err != nil {
		panic(err)
	}
	return d
}

// reduce is Dist.Reduce without a context to end it.
func reduce(d phasetype.Dist) phasetype.Dist {
	return phasetype.Must(d.Reduce(context.Background(), 0))
}

func TestCompare(t *testing.T) {
	ok := must(t)
	a := ok(phasetype.TwoMoments(1, 4))
	for _, by := range []float64{1e-3, 1e-6, 1e-9} {
		b := ok(a.Scale(1 + by))
		if compare(a, b).Within(by / 10) {
			t.Errorf("scaled by 1 + %g counts as the same to %g", by, by/10)
		}
		if !compare(a, b).Within(2 * by) { // x·f(x)·by, and by in the logarithm of the tail
			t.Errorf("scaled by 1 + %g counts as different to %g: %+v", by, 2*by, compare(a, b))
		}
	}
	exp := ok(phasetype.Exponential(1))
	// F differs by x·e^(−x) between Erlang-2 of rate 1 and an exponential of that rate: 1/e at 1.
	diff := compare(exp, ok(phasetype.Erlang(2, 2)))
	if math.Abs(diff.CDF-1/math.E) > 2e-3 || math.Abs(diff.At-1) > 0.05 { // the points are 5 % apart
		t.Errorf("%+v", diff)
	}
	if d := compare(exp, phasetype.Dist{}); d.CDF < 0.999 {
		t.Errorf("exponential and zero differ by %+v", d)
	}
	if d := compare(phasetype.Dist{}, phasetype.Dist{}); d != (phasetype.Difference{}) {
		t.Errorf("zero and zero differ by %+v", d)
	}
}

// TestContextEnds: with hundreds of phases, which take many seconds, calls return soon after the end of their context.
func TestContextEnds(t *testing.T) {
	for name, d := range map[string]phasetype.Dist{"dense": busy(300), "chain": ladder(300)} {
		for call, run := range map[string]func(ctx context.Context) error{
			"compare": func(ctx context.Context) error {
				_, err := phasetype.Compare(ctx, d, d)
				return err
			},
			"reduce": func(ctx context.Context) error {
				twice := phasetype.Must(phasetype.Mixture([]float64{1, 2}, []phasetype.Dist{d, d}))
				_, err := twice.Reduce(ctx, 0)
				return err
			},
		} {
			phtest.Prompt(t, name+", "+call, func(ctx context.Context) error {
				err := run(ctx)
				if err != nil && err.Error() != "phasetype: context deadline exceeded" {
					t.Errorf("%s, %s: %v, want the error of the context", name, call, err)
				}
				return err
			}, 200*time.Millisecond)
		}
	}
}
