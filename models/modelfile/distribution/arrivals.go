package distribution

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// Arrivals reads the arrival process and, if it is there, the load it is to be rescaled to (0 if not).
func (r *Reader) Arrivals(c *tree.Cursor) (m phasetype.MAP, load float64, ok bool) {
	kinds := []string{"interarrival", "map", "mmpp", "rate"}
	o, ok := c.Object(append(kinds, "load")...)
	if !ok {
		return m, 0, false
	}
	load = tree.Optional(o, "load", 0, tree.As((*tree.Cursor).Load, "a load"))
	name, v, ok := o.OneOf(kinds...)
	if !ok {
		return m, 0, false
	}
	switch name {
	case "interarrival":
		m, ok = r.renewal(v)
	case "map":
		m, ok = r.arrivalMAP(v)
	case "mmpp":
		m, ok = mmpp(v)
	case "rate":
		m, ok = poisson(v)
	}
	return m, load, ok && o.Valid()
}

func (r *Reader) renewal(c *tree.Cursor) (m phasetype.MAP, ok bool) {
	d, ok := r.Positive(c, "every gap between arrivals")
	if !ok {
		return m, false
	}
	m, err := phasetype.Renewal(d)
	return m, accept(c, err)
}

func poisson(c *tree.Cursor) (m phasetype.MAP, ok bool) {
	rate, ok := c.PositiveRate("a rate")
	if !ok {
		return m, false
	}
	m, err := phasetype.NewMAP(mat.NewDense(1, 1, []float64{-rate}), mat.NewDense(1, 1, []float64{rate}))
	return m, accept(c, err)
}

func (r *Reader) arrivalMAP(c *tree.Cursor) (m phasetype.MAP, ok bool) {
	o, ok := c.Object("D0", "D1", "file")
	if !ok {
		return m, false
	}
	v, ok := o.Field("file")
	if !ok {
		return arrivalMatrices(o)
	}
	if o.Has("D0") || o.Has("D1") {
		v.Fail("cannot stand beside D0 and D1", "give either the matrices or the file")
		return m, false
	}
	m, ok = r.mapFile(v)
	return m, ok && o.Valid()
}

// arrivalMatrices reads D0 and D1.
func arrivalMatrices(o *tree.Object) (m phasetype.MAP, ok bool) {
	d0, d1 := o.Matrix("D0"), o.Matrix("D1")
	return made(o, func() (phasetype.MAP, error) { return phasetype.NewMAP(d0, d1) })
}

func mmpp(c *tree.Cursor) (m phasetype.MAP, ok bool) {
	o, ok := c.Object("Q", "rates")
	if !ok {
		return m, false
	}
	q := o.Matrix("Q")
	rates := o.Numbers("rates", "rate", (*tree.Cursor).NonnegativeRate)
	if !o.Valid() || !o.SameLength("rates", len(rates), "Q", q.RawMatrix().Rows) {
		return m, false
	}
	if !generator(o, "Q", q) {
		return m, false
	}
	m, err := phasetype.MMPP(q, rates)
	if err != nil {
		failMMPP(o, err)
	}
	return m, err == nil
}

// generator checks that the rates between states are not negative and the rows sum to zero, to the accuracy that
// package phasetype asks of an arrival process.
func generator(o *tree.Object, key string, q *mat.Dense) bool {
	at, _ := o.Field(key)
	n, columns := q.Dims()
	if n != columns {
		at.Fail(fmt.Sprintf("is %d×%d, not square", n, columns), "")
		return false
	}
	for i := range n {
		var sum float64
		for j := range n {
			v := q.At(i, j)
			if i != j && v < 0 {
				at.FailAt(fmt.Sprintf("negative rate %g", v), i, j)
				return false
			}
			sum += v
		}
		if math.Abs(sum) > 1e-9*math.Abs(q.At(i, i)) {
			at.FailAt(fmt.Sprintf("sums to %.12g, not to 0", sum), i)
			return false
		}
	}
	return true
}

// failMMPP notes in the terms of Q and rates why there is no such process.
func failMMPP(o *tree.Object, err error) {
	var e *phasetype.Error
	states, _ := o.Field("Q")
	rates, _ := o.Field("rates")
	switch {
	case errors.As(err, &e) && e.Field == "D0" && e.Row >= 0:
		states.FailAt(fmt.Sprintf("state %d and state 0 do not reach one another", e.Row), e.Row)
	case errors.As(err, &e) && e.Field == "D1":
		rates.Fail("are all zero: no arrivals", "")
	default:
		Fail(o.Cursor, err)
	}
}
