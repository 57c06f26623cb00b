package workload_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/workload"
	_ "github.com/partwise/partwise/testdata/phtest"
	"pgregory.net/rapid"
)

// TestDowneySizes compares with equations 6 and 7 by hand; equation 7 with 2A − 1, where equation 1 reaches A.
func TestDowneySizes(t *testing.T) {
	for _, c := range []struct {
		a, sigma         float64
		knee, saturation float64
	}{
		{64, 0, 64, 64},
		{64, 0.5, 64, 127},
		{64, 128. / 191, 64, 127},
		{64, 0.8, 0.8 * 63.5 / 0.6, 127},
		{64, 1, 127, 127},
		{64, 2, 95, 190},
		{1, 0.5, 1, 1},
		{1, 2, 1, 1},
	} {
		d := workload.Downey{A: c.a, Sigma: c.sigma}
		if got := d.Knee(); math.Abs(got-c.knee) > 1e-12*c.knee {
			t.Errorf("%+v: knee %v, want %v", d, got, c.knee)
		}
		if got := d.Saturation(); math.Abs(got-c.saturation) > 1e-12*c.saturation {
			t.Errorf("%+v: saturation %v, want %v", d, got, c.saturation)
		}
	}
	d := workload.Downey{A: 64, Sigma: 2}
	if got := d.Restrained(1); got != 1 {
		t.Errorf("%+v at load 1: %v, want 1", d, got)
	}
	if got := d.Restrained(0.5); got != 32.5 {
		t.Errorf("%+v at load .5: %v, want 32.5", d, got)
	}
}

// TestDowneySizesAreWhatTheyMean looks for a size with more power than the knee has, for a smaller one that saturates,
// and holds the speedup to the bound of equation 3, to which it tends as sigma grows.
func TestDowneySizesAreWhatTheyMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(1, 200).Draw(t, "A")
		sigma := rapid.Float64Range(0, 3).Draw(t, "sigma")
		n := rapid.Float64Range(1, 1000).Draw(t, "n")
		d := workload.Downey{A: a, Sigma: sigma}
		power := func(n float64) float64 { return d.At(n) * d.At(n) / n }
		const rounding = 1 + 1e-12
		knee := d.Knee()
		if power(n) > power(knee)*rounding {
			t.Fatalf("power %v at %v, %v at the knee %v", power(n), n, power(knee), knee)
		}
		full := d.Saturation()
		if got := d.At(full); math.Abs(got-a) > 1e-12*a {
			t.Fatalf("S(%v) = %v at saturation, A = %v", full, got, a)
		}
		if less := full * 0.999; less >= 1 && sigma > 0.01 && d.At(less) >= a {
			t.Fatalf("saturated at %v, before %v", less, full)
		}
		if d.At(n) < d.LowerBound(n)/rounding {
			t.Fatalf("S(%v) = %v below %v", n, d.At(n), d.LowerBound(n))
		}
		steep := workload.Downey{A: a, Sigma: 1e9} // differs from the limit by a share of about 1/sigma
		if got, want := steep.At(n), d.LowerBound(n); math.Abs(got-want) > 1e-6*want {
			t.Fatalf("S(%v) = %v for a large sigma, want %v", n, got, want)
		}
		if r := d.Restrained(rapid.Float64Range(0, 2).Draw(t, "load")); !(r >= 1 && r <= a*rounding) {
			t.Fatalf("restrained to %v of %v", r, a)
		}
	})
}
