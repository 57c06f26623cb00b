package phasetype

import (
	"context"
	"fmt"
	"math"
)

// Difference says how far apart two distributions are.
type Difference struct {
	CDF  float64 // largest |P(X ≤ x) − P(Y ≤ x)|
	At   float64 // the x at which CDF occurs
	Tail float64 // largest |log P(X > x) − log P(Y > x)| / max(1, |logarithm|) where both probabilities exceed 1e-100
}

// comparisons is the number of points at which distributions are compared.
const comparisons = 240

// Within reports whether neither difference is more than tol. Equivalent representations differ by about 1e-15 times
// their orders.
func (c Difference) Within(tol float64) bool { return c.CDF <= tol && c.Tail <= tol }

// Compare compares both distribution functions at 0 and at 240 points, evenly spaced in the logarithm from a thousandth
// of the shortest mean sojourn to where both survival functions are below 1e-100. For distributions of n phases the
// difference has at most 2n − 1 zeros if all eigenvalues are real, so it cannot vanish at more points than that.
//
// With hundreds of phases this takes many seconds. The error is that of ctx if it ends.
//
// Reference for the number of zeros: G. Pólya, G. Szegő, Problems and Theorems in Analysis II, Springer, 1976, part V,
// ch. 1.
func Compare(ctx context.Context, a, b Dist) (Difference, error) {
	if err := begin(ctx); err != nil {
		return Difference{}, err
	}
	d := compareLaws(ctx, NewLaw(a), NewLaw(b))
	if err := begin(ctx); err != nil {
		return Difference{}, err
	}
	return d, nil
}

// begin returns an error if ctx is nil or has ended.
func begin(ctx context.Context) error {
	if ctx == nil {
		return bad("context", -1, -1, "is nil")
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("phasetype: %w", err)
	}
	return nil
}

// compareLaws is Compare on the laws; what it returns after ctx has ended is meaningless.
func compareLaws(ctx context.Context, la, lb *Law) Difference {
	la, lb = la.WithContext(ctx), lb.WithContext(ctx)
	out := Difference{}
	out.compare(la, lb, 0)
	low, high := math.Inf(1), 0.0
	for _, l := range []*Law{la, lb} {
		if l.Dist.IsZero() {
			continue
		}
		low = math.Min(low, 1e-3/l.walk.rate)
		high = math.Max(high, l.InverseSurvival(1e-100))
	}
	if high == 0 {
		return out
	}
	for i := 0; i < comparisons && ctx.Err() == nil; i++ {
		out.compare(la, lb, low*math.Pow(high/low, float64(i)/(comparisons-1)))
	}
	return out
}

// compare includes the point x.
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
