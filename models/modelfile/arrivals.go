package modelfile

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// Arrivals reads the arrival process and the load to which the arrivals are to be rescaled, 0 if there is none.
func (r *distributionReader) Arrivals(c *tree.Cursor) (m phasetype.MAP, load float64, ok bool) {
	kinds := []string{"interarrival", "map", "mmpp", "rate"}
	o, _ := c.Object(append(kinds, "load")...)
	load = tree.Optional(o, "load", 0, tree.As((*tree.Cursor).Load, "a load"))
	name, v, _ := o.OneOf(kinds...)
	var err error
	switch name {
	case "interarrival":
		d, _ := r.Positive(v, "every gap between arrivals")
		m, err = phasetype.Renewal(d)
	case "map":
		m, err = r.arrivalMAP(v)
	case "mmpp":
		m, err = mmpp(v)
	case "rate":
		rate, _ := v.PositiveRate("a rate")
		m, err = phasetype.NewMAP(mat.NewDense(1, 1, []float64{-rate}), mat.NewDense(1, 1, []float64{rate}))
	}
	return m, load, accept(o, v, err)
}

func (r *distributionReader) arrivalMAP(c *tree.Cursor) (m phasetype.MAP, err error) {
	o, _ := c.Object("D0", "D1", "file")
	v, ok := o.Field("file")
	switch {
	case !ok:
		return arrivalMatrices(o)
	case o.Has("D0") || o.Has("D1"):
		v.Fail("cannot stand beside D0 and D1", "give either the matrices or the file")
		return m, nil
	}
	if m, err = r.mapFile(v); err != nil {
		fail(v, err)
	}
	return m, nil
}

// arrivalMatrices reads D0 and D1.
func arrivalMatrices(o *tree.Object) (phasetype.MAP, error) {
	return phasetype.NewMAP(o.Matrix("D0"), o.Matrix("D1"))
}

func mmpp(c *tree.Cursor) (m phasetype.MAP, err error) {
	o, _ := c.Object("Q", "rates")
	q, rates := o.Matrix("Q"), o.Numbers("rates", "rate", (*tree.Cursor).NonnegativeRate)
	if o.Valid() {
		o.SameLength("rates", len(rates), "Q", q.RawMatrix().Rows)
	}
	if !o.Valid() || !generator(o, "Q", q) {
		return m, nil
	}
	if m, err = phasetype.MMPP(q, rates); err != nil {
		failMMPP(o, err)
	}
	return m, nil
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
		fail(o.Cursor, err)
	}
}
