package block

import (
	"math"
	"slices"
)

// Wide is a nonnegative number m·2^e, m being zero or at least a half and less than one: probabilities whose ratios no
// number holds are found one from the other with it.
type Wide struct {
	m float64
	e int
}

// WideOf returns x as a wide number.
func WideOf(x float64) Wide {
	m, e := math.Frexp(x)
	return Wide{m, e}
}

// AddProduct adds rate·v.
func (w *Wide) AddProduct(v Wide, rate float64) {
	p := WideOf(v.m * rate)
	p.e += v.e
	switch {
	case p.m == 0:
		return
	case w.m == 0:
		*w = p
		return
	case p.e > w.e:
		*w, p = p, *w
	}
	sum := WideOf(w.m + math.Ldexp(p.m, p.e-w.e))
	*w = Wide{sum.m, sum.e + w.e}
}

// Narrowed returns the numbers as multiples of one power of two, the largest being about one; what is too small for that
// is zero.
func Narrowed(x []Wide) []float64 {
	largest := math.MinInt
	for _, w := range x {
		if w.m > 0 {
			largest = max(largest, w.e)
		}
	}
	y := make([]float64, len(x))
	for i, w := range x {
		y[i] = math.Ldexp(w.m, w.e-largest)
	}
	return y
}

// OutOfRange reports whether products with some of the positive numbers, or with what has become zero or infinite of
// them, may have lost digits.
func OutOfRange(x []float64) bool {
	const least, most = 0x1p-500, 0x1p500
	return slices.ContainsFunc(x, func(v float64) bool { return !(v <= most) || v > 0 && v < least })
}
