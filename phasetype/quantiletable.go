package phasetype

import (
	"math"
	"math/rand/v2"
)

// quantileTable draws values as quantiles of a uniform variable. It interpolates x as a function of y = −log P(X > x)
// by cubic pieces with the values and slopes of the function at their ends, halved until they agree with it in between.
type quantileTable struct {
	law    *Law
	first  float64 // y at the beginning of the table
	last   float64 // y at the end of the table
	pieces []piece
	guide  []int32 // the piece in which each of guideSize equal parts of the probability begins
}

// piece is x = x0 + u·(c1 + u·(c2 + u·c3)), u = y − y0.
type piece struct{ y0, x0, c1, c2, c3 float64 }

const (
	tableTol  = 1e-9 // relative error of x at the points where a piece is checked
	tableEnd  = 40   // y at the end of the table; one in 2·10¹⁷ draws is beyond it
	guideSize = 1024
	mostParts = 1 << 16 // number of pieces; functions that need more are evaluated by the law
)

// knot is a point of the function.
type knot struct{ x, y, slope float64 }

// newQuantileTable returns the table of a law, nil if it had too many pieces.
func newQuantileTable(law *Law) *quantileTable {
	v := &quantileTable{law: law}
	d := law.Dist
	p := newPoint(d.n)
	at := func(x float64) knot {
		v.law.at(p, x)
		return knot{x, -p.log, 1 / dot(d.exit, p.v)}
	}
	// If the density is 0 at 0, the slope there is infinite. Then the table begins at a small quantile, and the law
	// evaluates the quantiles below it.
	low := v.law.Quantile(d.atom + (1-d.atom)*1e-6)
	a := at(0)
	if !(a.slope < 1e6*d.mean) {
		a = at(low)
	}
	v.first = a.y
	high := v.law.InverseSurvival((1 - d.atom) * math.Exp(-tableEnd))
	// Between points a quarter of an octave apart, the function is smooth.
	steps := math.Ceil(4 * math.Log2(high/low))
	for i := 1.0; i <= steps; i++ {
		b := at(low * math.Pow(high/low, i/steps))
		if !v.cover(at, a, b) {
			return nil
		}
		a = b
	}
	v.last = a.y
	v.index()
	return v
}

// cover adds pieces from a to b.
func (v *quantileTable) cover(at func(float64) knot, a, b knot) bool {
	c := hermite(a, b)
	good := true
	var middle knot
	for _, part := range []float64{0.5, 0.25, 0.75} {
		m := at(a.x + part*(b.x-a.x))
		if part == 0.5 {
			middle = m
		}
		// The rounding of y may be more than the tolerance of x, near an atom or far in the tail.
		noise := 0x1p-50 * (1 + m.y) * m.slope
		if good = math.Abs(c.at(m.y)-m.x) <= tableTol*m.x+noise; !good {
			break
		}
	}
	switch {
	case good || !(middle.x > a.x && middle.x < b.x):
		v.pieces = append(v.pieces, c)
		return len(v.pieces) <= mostParts
	default:
		return v.cover(at, a, middle) && v.cover(at, middle, b)
	}
}

// hermite returns the cubic with the values and slopes of a and b.
func hermite(a, b knot) piece {
	h := b.y - a.y
	secant := (b.x - a.x) / h
	return piece{a.y, a.x, a.slope, (3*secant - 2*a.slope - b.slope) / h, (a.slope + b.slope - 2*secant) / (h * h)}
}

func (c *piece) at(y float64) float64 {
	u := y - c.y0
	return c.x0 + u*(c.c1+u*(c.c2+u*c.c3))
}

// index sets the guide.
func (v *quantileTable) index() {
	v.guide = make([]int32, guideSize)
	k := 0
	for g := range v.guide {
		y := -math.Log1p(-float64(g) / guideSize)
		for k+1 < len(v.pieces) && v.pieces[k+1].y0 <= y {
			k++
		}
		v.guide[g] = int32(k)
	}
}

func (v *quantileTable) draw(r *rand.Rand) float64 {
	q := 1 - r.Float64() // the probability to exceed the value
	y := -math.Log(q)
	if y < v.first || y >= v.last {
		return v.law.InverseSurvival(q)
	}
	k := int(v.guide[int((1-q)*guideSize)])
	for k+1 < len(v.pieces) && v.pieces[k+1].y0 <= y {
		k++
	}
	return v.pieces[k].at(y)
}
