package modelfile

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// Arrivals reads the arrival process and the load to which the arrivals are to be rescaled, 0 if there is none.
func (r *distributionReader) Arrivals(c *tree.Cursor) (m phasetype.MAP, load float64) {
	kinds := []string{"interarrival", "map", "mmpp", "rate"}
	c.Keys(append(kinds, "load")...)
	load = c.Field("load").Load()
	if len(c.Entries) == 1 && c.Has("load") {
		c.Fail("exactly one of interarrival, map, mmpp or rate is needed beside load",
			"add rate: 1 for a Poisson process; load rescales it")
		return m, load
	}
	name, v := c.OneOf(kinds...)
	var err error
	switch name {
	case "interarrival":
		m, err = phasetype.Renewal(r.Positive(v, "every gap between arrivals"))
	case "map":
		m, err = r.arrivalMAP(v)
	case "mmpp":
		m, err = mmpp(v)
	case "rate":
		rate := v.PositiveRate()
		m, err = phasetype.NewMAP(mat.NewDense(1, 1, []float64{-rate}), mat.NewDense(1, 1, []float64{rate}))
		v, err = c, atRate(err)
	}
	fail(v, err)
	if load > 0 {
		warnOfRate(c)
	}
	return m, load
}

// warnOfRate warns of a rate, or a mean time between arrivals, that --set gives beside a load.
func warnOfRate(arrivals *tree.Cursor) {
	rates := []*tree.Cursor{arrivals.Field("rate"), arrivals.Field("interarrival").Field("mean")}
	for _, e := range arrivals.Field("interarrival").Entries {
		rates = append(rates, arrivals.Field("interarrival").Field(e.Key.Value).Field("mean"))
	}
	for _, rate := range rates {
		if rate.There() && rate.IsSet() {
			rate.Warn("changes nothing: arrivals.load rescales the arrivals; leave it out by --set arrivals.load=null")
		}
	}
}

// atRate returns an error about the only rate of a process or a distribution as an error about its field rate.
func atRate(err error) error {
	if e := new(phasetype.Error); errors.As(err, &e) {
		return &phasetype.Error{Field: "rate", Row: -1, Col: -1, Problem: strings.TrimPrefix(e.Problem, "rate ")}
	}
	return err
}

func (r *distributionReader) arrivalMAP(c *tree.Cursor) (m phasetype.MAP, err error) {
	c.Keys("D0", "D1", "file")
	v := c.Field("file")
	switch {
	case !v.There():
		return arrivalMatrices(c)
	case c.Has("D0") || c.Has("D1"):
		v.Fail("cannot stand beside D0 and D1", "give either the matrices or the file")
		return m, nil
	}
	m, err = r.mapFile(v)
	fail(v, err)
	return m, nil
}

// arrivalMatrices reads D0 and D1.
func arrivalMatrices(c *tree.Cursor) (phasetype.MAP, error) {
	return phasetype.NewMAP(c.Need("D0", "").Matrix(), c.Need("D1", "").Matrix())
}

func mmpp(c *tree.Cursor) (m phasetype.MAP, err error) {
	c.Keys("Q", "rates")
	states, rates := c.Need("Q", ""), c.Need("rates", "")
	q, r := states.Matrix(), rates.Numbers("rates", (*tree.Cursor).NonnegativeRate)
	c.SameLength("rates", len(rates.Items), "Q", len(states.Items))
	if !c.Valid() || !generator(states, q) {
		return m, nil
	}
	m, err = phasetype.MMPP(q, r)
	var e *phasetype.Error
	switch {
	case !errors.As(err, &e):
	case e.Field == "D0" && e.Row >= 0:
		states.FailAt(fmt.Sprintf("state %d and state 0 do not reach one another", e.Row), e.Row)
	case e.Field == "D1":
		rates.Failf("are all zero: no arrivals")
	}
	return m, err
}

// generator checks that the rates between states are not negative and the rows sum to zero, to the accuracy that
// package phasetype asks of an arrival process.
func generator(c *tree.Cursor, q *mat.Dense) bool {
	n, columns := q.Dims()
	if n != columns {
		c.Failf("is %d×%d, not square", n, columns)
		return false
	}
	for i := range n {
		var sum float64
		for j := range n {
			v := q.At(i, j)
			if i != j && v < 0 {
				c.FailAt(fmt.Sprintf("negative rate %g", v), i, j)
				return false
			}
			sum += v
		}
		if math.Abs(sum) > 1e-9*math.Abs(q.At(i, i)) {
			c.FailAt(fmt.Sprintf("sums to %.12g, not to 0", sum), i)
			return false
		}
	}
	return true
}
