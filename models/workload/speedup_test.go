package workload_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"pgregory.net/rapid"
)

// must returns a speedup whose parameters are right.
func must[S workload.Speedup](s S, err error) workload.Speedup {
	if err != nil {
		panic(err)
	}
	return s
}

// TestSpeedupValues compares with values computed by hand from the formulas.
func TestSpeedupValues(t *testing.T) {
	for _, c := range []struct {
		s    workload.Speedup
		n, v float64
	}{
		{workload.Linear{}, 7.5, 7.5},
		{must(workload.NewSpeedup("amdahl", 0.25)), 3, 2},
		{must(workload.NewSpeedup("amdahl", 1)), 64, 1},
		{must(workload.NewSpeedup("power", 0.5)), 9, 3},
		{must(workload.NewSpeedup("dowdy", 3)), 9, 3},
		{must(workload.NewSpeedup("dowdy-static", 3, 8)), 4, 16. / 7},
		{must(workload.NewSpeedup("dowdy-static", 3, 8)), 3, 4 * 3 / 6. * 8 / 9},
		{must(workload.NewSpeedup("dowdy-static", 3, 8)), 8. / 3, 4 * (8. / 3) / (3 + 8./3)},
		{must(workload.NewSpeedup("dowdy-static", 3, 8)), 20, 32. / 11},
		{must(workload.NewSpeedup("downey", 8, 0)), 5, 5},
		{must(workload.NewSpeedup("downey", 8, 0)), 20, 8},
		{must(workload.NewSpeedup("downey", 8, 0.5)), 5, 40. / 9},
		{must(workload.NewSpeedup("downey", 8, 0.5)), 12, 96 / (0.5*7.5 + 12*0.75)},
		{must(workload.NewSpeedup("downey", 8, 0.5)), 15, 8},
		{must(workload.NewSpeedup("downey", 8, 2)), 4, 4 * 8 * 3 / (8. + 16 - 2 + 8)},
		{must(workload.NewSpeedup("downey", 8, 2)), 22, 8},
		{must(workload.NewSpeedup("table", 4, 3.7, 1, 1, 2, 1.95)), 2, 1.95},
		{must(workload.NewSpeedup("table", 4, 3.7, 1, 1, 2, 1.95)), 3, (1.95 + 3.7) / 2},
	} {
		if got := c.s.At(c.n); math.Abs(got-c.v) > 1e-15*c.v*4 { // a few roundings
			t.Errorf("%#v at %v: %v, want %v", c.s, c.n, got, c.v)
		}
	}
}

// TestDowneyLaws checks what holds for every profile: it starts at 1, never falls, never exceeds n or A, is continuous,
// and its two families meet at sigma = 1.
func TestDowneyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(1, 200).Draw(t, "A")
		sigma := rapid.Float64Range(0, 3).Draw(t, "sigma")
		n := rapid.Float64Range(1, 500).Draw(t, "n")
		s := must(workload.NewSpeedup("downey", a, sigma))
		if got := s.At(1); math.Abs(got-1) > 1e-14 {
			t.Fatalf("S(1) = %v", got)
		}
		v := s.At(n)
		if v > math.Min(n, a)*(1+1e-12) || v < 1-1e-12 || s.At(n*1.01) < v*(1-1e-12) {
			t.Fatalf("S(%v) = %v, then %v", n, v, s.At(n*1.01))
		}
		for _, knee := range []float64{a, 2*a - 1, a + a*sigma - sigma} {
			if knee > 1 && math.Abs(s.At(knee*(1+1e-10))-s.At(knee*(1-1e-10))) > 1e-8*a {
				t.Fatalf("jump at %v", knee)
			}
		}
		low := must(workload.NewSpeedup("downey", a, math.Nextafter(1, 0))).At(n)
		if high := must(workload.NewSpeedup("downey", a, 1)).At(n); math.Abs(low-high) > 1e-12*high {
			t.Fatalf("at sigma 1: %v from below, %v from above", low, high)
		}
	})
}

// TestDowdyStatic holds the speedup to the formula of the report.
func TestDowdyStatic(t *testing.T) {
	for threads := 1; threads <= 130; threads++ {
		s := must(workload.NewSpeedup("dowdy-static", 30, float64(threads)))
		for n := 1; n <= threads; n++ {
			low, high, over := threads/n, (threads+n-1)/n, threads%n
			factor := (float64(low)/float64(high)*float64(n-over) + float64(over)) / float64(n)
			want := must(workload.NewSpeedup("dowdy", 30)).At(float64(n)) * factor
			if got := s.At(float64(n)); math.Abs(got-want) > 1e-14*want {
				t.Errorf("%d threads on %d nodes: %v, want %v", threads, n, got, want)
			}
		}
	}
}

// TestSpeedupLaws checks S(1) = 1 and 1 ≤ S(n) ≤ n of the others.
func TestSpeedupLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Float64Range(1, 1000).Draw(t, "n")
		unit := rapid.Float64Range(0, 1).Draw(t, "parameter")
		for _, s := range []workload.Speedup{
			must(workload.NewSpeedup("amdahl", unit)), must(workload.NewSpeedup("power", unit)), must(workload.NewSpeedup("dowdy", 1000*unit)),
		} {
			if one, v := s.At(1), s.At(n); math.Abs(one-1) > 1e-14 || v < 1-1e-12 || v > n*(1+1e-12) {
				t.Fatalf("%#v: S(1) = %v, S(%v) = %v", s, one, n, v)
			}
		}
	})
}

func TestTableRange(t *testing.T) {
	s, err := workload.NewSpeedup("table", 2, 1.5, 8, 4)
	if err != nil {
		t.Fatal(err)
	}
	table := s.(workload.Ranged)
	low, high := table.Range()
	if low != 2 || high != 8 || table.Covers(1) || !table.Covers(2) || !math.IsNaN(s.At(9)) || s.At(8) != 4 {
		t.Errorf("range %v to %v", low, high)
	}
}

func TestWrongSpeedups(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	var all []error
	try := func(_ workload.Speedup, err error) { all = append(all, err) }
	for _, v := range []float64{-0.1, 1.1, nan, inf} {
		s, err := workload.NewSpeedup("amdahl", v)
		try(s, err)
		p, err := workload.NewSpeedup("power", v)
		try(p, err)
	}
	for _, v := range []float64{-1, nan, inf} {
		d, err := workload.NewSpeedup("dowdy", v)
		try(d, err)
		a, err := workload.NewSpeedup("downey", v, 1)
		try(a, err)
		a, err = workload.NewSpeedup("downey", 2, v)
		try(a, err)
		s, err := workload.NewSpeedup("table", 1, 1, 2, v)
		try(s, err)
		s, err = workload.NewSpeedup("table", 1, 1, v, 2)
		try(s, err)
	}
	for _, points := range [][]float64{{}, {1, 1, 2}, {1, 1, 1, 1}, {1, 2}, {0.5, 1}, {2, 0}} {
		s, err := workload.NewSpeedup("table", points...)
		try(s, err)
	}
	for i, err := range all {
		var e *workload.ParameterError
		if !errors.As(err, &e) || e.Parameter == "" || e.Problem == "" {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

func ExampleNewSpeedup() {
	s, err := workload.NewSpeedup("downey", 64, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range []float64{1, 16, 64, 128} {
		fmt.Printf("S(%g) = %.2f\n", n, s.At(n))
	}
	// Output:
	// S(1) = 1.00
	// S(16) = 14.32
	// S(64) = 42.89
	// S(128) = 64.00
}
