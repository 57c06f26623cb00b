package phasetype

import (
	"math"
	"math/rand/v2"
)

// quantileTable draws values as quantiles of a uniform variable, by a table of x over y = −log P(X > x): cubic pieces with the
// values and slopes of the function at their ends, halved until they agree with it in the middle.
type quantileTable struct {
	law    *Law
	first  float64 // y at x = 0, of an atom
	last   float64 // y at the end of the table
	pieces []piece
	guide  []int32 // the piece in which each of so many equal parts of the probability begins
}

// piece is x = x0 + u·(c1 + u·(c2 + u·c3)), u = y − y0.
type piece struct{ y0, x0, c1, c2, c3 float64 }

const (
	tableTol    = 1e-9 // relative error of x in the middle of a piece
	tableEnd    = 40   // y of the end: e^(−40) is met once in 2·10¹⁷ draws
	guideSize   = 1024
	finestPiece = 1e-12 // length in x, relative to the mean
)

// knot is a point of the function.
type knot struct{ x, y, slope float64 }

func newQuantileTable(d Dist) *quantileTable {
	v := &quantileTable{law: NewLaw(d), first: -math.Log1p(-d.atom)}
	p := v.law.newPoint()
	at := func(x float64) knot {
		v.law.at(p, x)
		return knot{x, -p.log, 1 / dot(d.exit, p.v)}
	}
	x := v.law.InverseSurvival(math.Exp(-math.Max(tableEnd, v.first+1)))
	a := at(0)
	// Where the density is 0 at 0 the slope is infinite: the table begins a little later, and before that draws are
	// quantiles proper.
	if !(a.slope < 1e6*d.mean) {
		a = at(v.law.Quantile(d.atom + (1-d.atom)*1e-6))
	}
	v.first = a.y
	b := at(x)
	v.cover(at, a, b, 64)
	v.last = b.y
	v.index()
	return v
}

// cover adds pieces from a to b.
func (v *quantileTable) cover(at func(float64) knot, a, b knot, depth int) {
	middle := a.x + (b.x-a.x)/2
	if a.x > 0 && b.x > 2*a.x {
		middle = math.Sqrt(a.x) * math.Sqrt(b.x)
	}
	m := at(middle)
	c := hermite(a, b)
	if depth == 0 || b.x-a.x <= finestPiece*v.law.d.mean || math.Abs(c.at(m.y)-m.x) <= tableTol*m.x {
		v.pieces = append(v.pieces, c)
		return
	}
	v.cover(at, a, m, depth-1)
	v.cover(at, m, b, depth-1)
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

// index notes where in the table equal parts of the probability begin.
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
