package markovtest

import (
	"math"
	"slices"
)

// twofold is an unevaluated sum hi + lo of two doubles, |lo| at most half a unit in the last place of hi: 106 bits, or 31 digits.
// All that are added here are nonnegative, so that every operation has a relative error of a few 2⁻¹⁰⁴.
//
// Reference: T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18 (1971) 224–242.
type twofold struct{ hi, lo float64 }

func double(v float64) twofold { return twofold{hi: v} }

// sum returns hi + lo as a twofold number, |lo| being small beside |hi|.
func sum(hi, lo float64) twofold {
	s := hi + lo
	return twofold{s, lo - (s - hi)}
}

func (a twofold) plus(b twofold) twofold {
	s := a.hi + b.hi
	v := s - a.hi
	return sum(s, (a.hi-(s-v))+(b.hi-v)+(a.lo+b.lo))
}

func (a twofold) times(b twofold) twofold {
	p := a.hi * b.hi
	return sum(p, math.FMA(a.hi, b.hi, -p)+(a.hi*b.lo+a.lo*b.hi))
}

func (a twofold) over(b twofold) twofold {
	q := a.hi / b.hi
	rest := math.FMA(-q, b.hi, a.hi) + a.lo - q*b.lo
	return sum(q, rest/b.hi)
}

// minus returns a − b, with an error of some 2⁻¹⁰⁴ of the larger.
func (a twofold) minus(b twofold) twofold { return a.plus(twofold{-b.hi, -b.lo}) }

// scaled returns a·2^k.
func (a twofold) scaled(k int) twofold { return twofold{math.Ldexp(a.hi, k), math.Ldexp(a.lo, k)} }

// float returns the nearest double.
func (a twofold) float() float64 { return a.hi + a.lo }

// matrix is a matrix of twofold numbers, row by row.
type matrix struct {
	rows, cols int
	v          []twofold
}

func newMatrix(rows, cols int) *matrix { return &matrix{rows, cols, make([]twofold, rows*cols)} }

func (m *matrix) clone() *matrix { return &matrix{m.rows, m.cols, slices.Clone(m.v)} }

func (m *matrix) row(i int) []twofold { return m.v[i*m.cols : (i+1)*m.cols] }

// addMultiple adds f·x to z.
func addMultiple(z []twofold, f twofold, x []twofold) {
	if f.hi == 0 {
		return
	}
	for i, v := range x {
		if v.hi != 0 {
			z[i] = z[i].plus(f.times(v))
		}
	}
}

// addProduct adds a·b to m.
func (m *matrix) addProduct(a, b *matrix) *matrix {
	for i := range a.rows {
		for k, f := range a.row(i) {
			addMultiple(m.row(i), f, b.row(k))
		}
	}
	return m
}

func (m *matrix) times(b *matrix) *matrix { return newMatrix(m.rows, b.cols).addProduct(m, b) }

// left returns x·m.
func (m *matrix) left(x []twofold) []twofold {
	y := make([]twofold, m.cols)
	for i, f := range x {
		addMultiple(y, f, m.row(i))
	}
	return y
}

func total(x []twofold) (s twofold) {
	for _, v := range x {
		s = s.plus(v)
	}
	return s
}

// largest returns the largest entry, rounded.
func largest(x []twofold) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, v.hi)
	}
	return most
}
