package phasetype

import "math"

// Difference tells how far apart two distributions are.
type Difference struct {
	CDF  float64 // largest |P(X ≤ x) − P(Y ≤ x)|
	At   float64 // the x of it
	Tail float64 // largest |log P(X > x) − log P(Y > x)| where both exceed 1e-100, over the larger |log| where above 1
}

// comparisons is the number of points at which distributions are compared.
const comparisons = 240

// Compare looks at both distribution functions at 0 and at 240 points, evenly spaced in the logarithm from where the
// fastest phase has hardly begun to end to where a survival function is 1e-100. Between distributions of n phases the
// difference has at most 2n − 1 zeros if all eigenvalues are real, so no more than that many points can hide it.
//
// Reference for the number of zeros: G. Pólya, G. Szegő, Problems and Theorems in Analysis II, Springer, 1976, part V,
// ch. 1.
func Compare(a, b Dist) Difference { return compareLaws(NewLaw(a), NewLaw(b)) }

func compareLaws(la, lb *Law) Difference {
	out := Difference{}
	out.compare(la, lb, 0)
	low, high := math.Inf(1), 0.0
	for _, l := range []*Law{la, lb} {
		if l.d.IsZero() {
			continue
		}
		low = math.Min(low, 1e-3/l.walk.rate)
		high = math.Max(high, l.InverseSurvival(1e-100))
	}
	if high == 0 {
		return out
	}
	for i := range comparisons {
		out.compare(la, lb, low*math.Pow(high/low, float64(i)/(comparisons-1)))
	}
	return out
}

// compare takes the point x into account.
func (c *Difference) compare(a, b *Law, x float64) {
	const floor = -230.2585092994046 // log 1e-100
	la, lb := a.LogSurvival(x), b.LogSurvival(x)
	diff := math.Abs(math.Expm1(lb-la)) * math.Exp(la)
	if lb > la {
		diff = math.Abs(math.Expm1(la-lb)) * math.Exp(lb)
	}
	if diff > c.CDF {
		c.CDF, c.At = diff, x
	}
	if la > floor && lb > floor {
		c.Tail = math.Max(c.Tail, math.Abs(la-lb)/math.Max(1, -math.Min(la, lb)))
	}
}

// within tells whether both differences are at most tol.
func (c Difference) within(tol float64) bool { return c.CDF <= tol && c.Tail <= tol }

// Equivalent reports whether a and b are one distribution, whatever their representations: whether neither the
// distribution functions nor, relatively, the logarithms of the survival functions differ by more than tol, in the
// sense of [Compare]. Representations that say the same differ by about 1e-15 times their orders.
func Equivalent(a, b Dist, tol float64) bool { return Compare(a, b).within(tol) }
