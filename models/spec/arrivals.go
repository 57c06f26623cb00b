package spec

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// arrivals reads the arrival process and, if it is there, the load it is to be rescaled to (0 if not).
func (c *cursor) arrivals() (m phasetype.MAP, load float64, ok bool) {
	kinds := []string{"interarrival", "map", "mmpp", "rate"}
	o, ok := c.object(append(kinds, "load")...)
	if !ok {
		return m, 0, false
	}
	okLoad := true
	if v, ok := o.field("load"); ok {
		load, okLoad = v.positive("a load")
	}
	name, v, ok := o.oneOf(kinds...)
	if !ok {
		return m, 0, false
	}
	switch name {
	case "interarrival":
		m, ok = v.renewal()
	case "map":
		m, ok = v.arrivalMAP()
	case "mmpp":
		m, ok = v.mmpp()
	case "rate":
		m, ok = v.poisson()
	}
	return m, load, ok && okLoad && o.ok
}

func (c *cursor) renewal() (phasetype.MAP, bool) {
	d, ok := c.positiveDist("every gap between arrivals")
	if !ok {
		return phasetype.MAP{}, false
	}
	return c.process(phasetype.Renewal(d))
}

// process returns m, or notes why it could not be made.
func (c *cursor) process(m phasetype.MAP, err error) (phasetype.MAP, bool) {
	if err != nil {
		c.invalid(err)
	}
	return m, err == nil
}

func (c *cursor) poisson() (phasetype.MAP, bool) {
	rate, ok := c.positiveRate("a rate")
	if !ok {
		return phasetype.MAP{}, false
	}
	return c.process(phasetype.NewMAP(mat.NewDense(1, 1, []float64{-rate}), mat.NewDense(1, 1, []float64{rate})))
}

func (c *cursor) arrivalMAP() (phasetype.MAP, bool) {
	o, ok := c.object("D0", "D1", "file")
	if !ok {
		return phasetype.MAP{}, false
	}
	if v, ok := o.field("file"); ok {
		if o.names("D0") || o.names("D1") {
			v.fail("cannot stand beside D0 and D1", "give either the matrices or the file")
			return phasetype.MAP{}, false
		}
		m, ok := v.mapFile()
		return m, ok && o.ok
	}
	d0, ok0 := o.matrix("D0")
	d1, ok1 := o.matrix("D1")
	if !ok0 || !ok1 || !o.ok {
		return phasetype.MAP{}, false
	}
	return c.process(phasetype.NewMAP(d0, d1))
}

func (c *cursor) mmpp() (phasetype.MAP, bool) {
	o, ok := c.object("Q", "rates")
	if !ok {
		return phasetype.MAP{}, false
	}
	q, okQ := o.matrix("Q")
	rates, okRates := o.list("rates", "rate", (*cursor).nonnegativeRate)
	if !okQ || !okRates || !o.ok || !o.sameLength("rates", len(rates), "Q", q.RawMatrix().Rows) {
		return phasetype.MAP{}, false
	}
	if !o.generator("Q", q) {
		return phasetype.MAP{}, false
	}
	m, err := phasetype.MMPP(q, rates)
	return m, err == nil || o.badMMPP(err)
}

// generator checks that the rates between states are not negative and the rows sum to zero, to the accuracy that
// package phasetype asks of an arrival process.
func (o *object) generator(key string, q *mat.Dense) bool {
	at, _ := o.field(key)
	n, columns := q.Dims()
	if n != columns {
		at.fail(fmt.Sprintf("is %d×%d, not square", n, columns), "")
		return false
	}
	for i := range n {
		var sum float64
		for j := range n {
			v := q.At(i, j)
			if i != j && v < 0 {
				at.element(fmt.Sprintf("negative rate %g", v), i, j)
				return false
			}
			sum += v
		}
		if math.Abs(sum) > 1e-9*math.Abs(q.At(i, i)) {
			at.element(fmt.Sprintf("sums to %.12g, not to 0", sum), i)
			return false
		}
	}
	return true
}

// badMMPP notes in the terms of Q and rates why there is no such process, and returns false.
func (o *object) badMMPP(err error) bool {
	var e *phasetype.Error
	states, _ := o.field("Q")
	rates, _ := o.field("rates")
	switch {
	case errors.As(err, &e) && e.Field == "D0" && e.Row >= 0:
		states.element(fmt.Sprintf("state %d and state 0 do not reach one another", e.Row), e.Row)
	case errors.As(err, &e) && e.Field == "D1":
		rates.fail("are all zero: no arrivals", "")
	default:
		o.invalid(err)
	}
	return false
}
