package phasetype_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// thirdMomentBounds returns the bounds of the third moment of acyclic distributions of the given order with the moments m1
// and m2, by table 1 of A. Bobbio, A. Horváth, M. Telek, Stochastic Models 21 (2005) 303–326, in terms of the normalised
// moments n2 = m2/m1² and n3 = m3/(m1·m2). ok is false if there is no such distribution.
func thirdMomentBounds(order int, m1, m2 float64) (low, high float64, ok bool) {
	n, n2 := float64(order), m2/(m1*m1)
	if n2 < (n+1)/n {
		return 0, 0, false
	}
	low, high = (n+1)/n*n2, math.Inf(1)
	if n2 < (n+4)/(n+1) {
		p := (n + 1) * (n2 - 2) / (3 * n2 * (n - 1)) * (-2*math.Sqrt(n+1)/math.Sqrt(4*(n+1)-3*n*n2) - 1)
		a := (n2 - 2) / (p*(1-n2) + math.Sqrt(p*p+p*n*(n2-2)/(n-1)))
		low = ((3+a)*(n-1)+2*a)/((n-1)*(1+a*p)) - 2*a*(n+1)/(2*(n-1)+a*p*(n*a+2*n-2))
	}
	if n2 <= n/(n-1) {
		high = (2*(n-2)*(n*n2-n-1)*math.Sqrt(1+n*(n2-2)/(n-1)) + (n+2)*(3*n*n2-2*n-2)) / (n * n * n2)
	}
	return low * m1 * m2, high * m1 * m2, true
}

// TestThreeMomentsRoundTrip matches random points between the bounds of the third moment of orders 2 to 40, also at the
// bounds and in any unit of time, and checks the moments of the result. Of 60,000 points the worst is off by 5e-13.
func TestThreeMomentsRoundTrip(t *testing.T) {
	points := 500
	if needs.IsLong() {
		points = 3000
	}
	r := rand.New(rand.NewPCG(1, 2))
	var worst float64
	for range points {
		order := 2 + r.IntN(39)
		k := float64(order)
		m1 := math.Pow(10, 12*r.Float64()-6)
		n2 := (k + 1) / k * (1 + math.Pow(10, 8*r.Float64()-6)) // from 1e-6 above the least to a hundred times that
		low, high, ok := thirdMomentBounds(order, 1, n2)
		if !ok {
			t.Fatalf("order %d has no second moment %g", order, n2)
		}
		high = math.Min(high, 1e4*low)
		m3 := low + (high-low)*math.Pow(r.Float64(), 3)
		allowed := order
		switch r.IntN(20) {
		case 0:
			m3, allowed = low, order+1 // a bound may not be attained, and rounding decides on which side it is
		case 1:
			m3, allowed = high, order+1
		}
		want := [3]float64{m1, n2 * m1 * m1, m3 * m1 * m1 * m1}
		d, err := phasetype.ThreeMoments(want[0], want[1], want[2])
		if err != nil {
			t.Fatalf("order %d, n2 %.17g, third moment %.17g between %.17g and %.17g: %v", order, n2, m3, low, high, err)
		}
		if d.Phases() > allowed {
			t.Errorf("%d phases where %d do", d.Phases(), allowed)
		}
		for i, m := range want {
			worst = math.Max(worst, math.Abs(d.Moment(i+1)/m-1))
		}
	}
	t.Logf("largest relative error of a moment %.2g", worst)
	if worst > 1e-12 { // next to an edge the parameters hardly determine the moments
		t.Errorf("relative error %g", worst)
	}
}

// TestThreeMomentsNearest: infeasible moments are refused with the nearest feasible ones: the same mean, the same
// second moment if possible, and the third moment at the bound that it violates. Those can be matched.
func TestThreeMomentsNearest(t *testing.T) {
	const points, order = 10, phasetype.MaxPhases
	r := rand.New(rand.NewPCG(3, 4))
	var longest time.Duration
	refused := 0
	for range points {
		m1 := math.Pow(10, 4*r.Float64()-2)
		n2 := 1 + math.Pow(10, 4*r.Float64()-3)
		n3 := n2 * math.Pow(10, 2*r.Float64()-1)
		want := [3]float64{m1, n2 * m1 * m1, n2 * n3 * m1 * m1 * m1}
		begin := time.Now()
		_, err := phasetype.ThreeMoments(want[0], want[1], want[2])
		longest = max(longest, time.Since(begin))
		var e *phasetype.MomentsError
		if err == nil {
			continue
		}
		refused++
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		if e.Nearest[0] != m1 || e.Needed > order {
			t.Errorf("%v up to %d: nearest %v with %d phases", want, order, e.Nearest, e.Needed)
		}
		d, err := phasetype.ThreeMoments(e.Nearest[0], e.Nearest[1], e.Nearest[2])
		if err != nil {
			t.Errorf("%v up to %d: nearest %v is not feasible: %v", want, order, e.Nearest, err)
			continue
		}
		if d.Phases() != e.Needed {
			t.Errorf("%v: nearest %v needs %d phases, not %d", want, e.Nearest, d.Phases(), e.Needed)
		}
		low, high, ok := thirdMomentBounds(order, m1, want[1])
		if ok { // only the third moment is out of bounds, and the nearest is at the bound
			edge := high
			if want[2] < low {
				edge = low
			}
			if e.Nearest[1] != want[1] || math.Abs(e.Nearest[2]/edge-1) > 2e-8 {
				t.Errorf("%v up to %d: third moment between %g and %g, nearest %v", want, order, low, high, e.Nearest)
			}
		}
	}
	begin := time.Now()
	if _, err := phasetype.ThreeMoments(1, 1.0015, 1); err == nil {
		t.Error("a third moment below the second is matched")
	}
	t.Logf("%d of %d refused, the slowest in %v; with up to %d phases %v", refused, points, longest, phasetype.MaxPhases,
		time.Since(begin))
}
