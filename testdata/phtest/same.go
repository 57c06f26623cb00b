// Package phtest supports tests of phase-type distributions and of what is made of them, also in other programs.
//
// [Dist] and [MAP] draw random distributions and arrival processes. [CheckSame] compares distributions. [Prompt] checks that a
// call ends with its context. [HoldPage] and [HoldClaims] compare documents with what they are generated from.
package phtest

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/phasetype"
)

// CheckSame returns an error if the distribution functions of a and b differ by more than tol at 0 or at one of 240 points.
// The points are evenly spaced in the logarithm. They reach from a thousandth of the shortest mean sojourn to where both
// survival functions are below 1e-100. The logarithms of survival functions above 1e-100 may differ by at most tol·max(1,
// |logarithm|). Equivalent representations differ by about 1e-15 times their orders.
//
// For n phases whose eigenvalues are all real, the difference has at most 2n − 1 zeros. So it vanishes at no more points.
//
// Reference for the number of zeros: G. Pólya, G. Szegő, Problems and Theorems in Analysis II, Springer, 1976, part V, ch. 1.
func CheckSame(a, b phasetype.Dist, tol float64) error {
	const count = 240
	la, lb := phasetype.NewLaw(a), phasetype.NewLaw(b)
	xs := []float64{0}
	low, high := math.Inf(1), max(la.InverseSurvival(1e-100), lb.InverseSurvival(1e-100))
	for _, d := range []phasetype.Dist{a, b} {
		for i := range d.Phases() {
			low = min(low, -1e-3/d.Rate(i, i))
		}
	}
	for i := 0; i < count && high > 0; i++ {
		xs = append(xs, low*math.Pow(high/low, float64(i)/(count-1)))
	}
	floor := math.Log(1e-100)
	for _, x := range xs {
		s, r := la.LogSurvival(x), lb.LogSurvival(x)
		top := max(s, r)
		if diff := -math.Expm1(min(s, r)-top) * math.Exp(top); diff > tol {
			return fmt.Errorf("phtest: distribution functions differ by %.2g at %g", diff, x)
		}
		if diff := math.Abs(s - r); s > floor && r > floor && diff > tol*max(1, -min(s, r)) {
			return fmt.Errorf("phtest: logarithms of survival functions differ by %.2g at %g", diff, x)
		}
	}
	return nil
}
