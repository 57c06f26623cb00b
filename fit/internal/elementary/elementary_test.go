package elementary

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestElementaryFunctions compares the functions by tables with those of package math: at drawn arguments, at the ends
// of their ranges and of intervals of their tables, and where they leave the work to package math.
func TestElementaryFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	special := []float64{
		0, 1, 2, -1, 1 - 0x1p-53, 1 + 0x1p-52, 2 - 0x1p-52, 0x1.69p0, 0x1.69p1, 700, -700, 701, -701, 708, -708, 709.7, 710, -745, -746, -747,
		5e-324, 1e-310, 0x1p-1022, 0x1.fffffffffffffp-1023, math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(),
	}
	check := func(name string, got, want, tolerance float64, x float64) {
		t.Helper()
		same := got == want || math.IsNaN(got) && math.IsNaN(want)
		if !same && !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s(%v) is %v, want %v", name, x, got, want)
		}
	}
	exps, logs := append([]float64{}, special...), append([]float64{}, special...)
	for range 200_000 {
		exps = append(exps, 1500*(r.Float64()-.5), r.NormFloat64(), 1e-9*r.NormFloat64())
		logs = append(logs, math.Exp(709*(2*r.Float64()-1)), 1+50*r.Float64(), 1+1e-3*r.NormFloat64(), r.Float64())
	}
	for i := range 20 * expSteps { // half-way between two powers of the table
		x := (float64(i-10*expSteps) + .5) * math.Ln2 / expSteps
		exps = append(exps, x, math.Nextafter(x, 1e3), math.Nextafter(x, -1e3))
	}
	for i := range 1 << logTableBits { // where intervals of the table end
		x := math.Float64frombits(lowestFraction + uint64(i)<<(mantissaBits-logTableBits))
		logs = append(logs, x, 2*x, math.Nextafter(2*x, 0), x/1024, math.Nextafter(x, 0))
	}
	for _, x := range exps {
		want := math.Exp(x)
		check("Exp", Exp(x), want, 1e-15*want, x)
	}
	for _, x := range logs {
		want := math.Log(x)
		check("Log", Log(x), want, 1e-15*max(1, math.Abs(want)), x)
	}
}
