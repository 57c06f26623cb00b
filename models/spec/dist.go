package spec

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// families are the keys of a distribution.
var families = []string{
	"exponential", "erlang", "hyperexponential", "coxian", "moments", "phase_type", "mixture", "sum", "scale",
	"fit", "file",
}

// dist reads a distribution.
func (c *cursor) dist() (phasetype.Dist, bool) {
	if c.kind != mapping {
		c.expected("a distribution", "write one such as {exponential: {mean: 30}}")
		return phasetype.Dist{}, false
	}
	o, _ := c.object(families...)
	name, body, ok := o.oneOf(families...)
	if !ok || !o.ok {
		return phasetype.Dist{}, false
	}
	switch name {
	case "exponential":
		return body.exponential()
	case "erlang":
		return body.erlang()
	case "hyperexponential":
		return body.hyperexponential()
	case "coxian":
		return body.coxian()
	case "moments":
		return body.moments()
	case "phase_type":
		return body.phaseType()
	case "mixture":
		return body.mixture()
	case "sum":
		return body.sum()
	case "scale":
		return body.scale()
	case "fit":
		return body.fit()
	}
	return body.distFile()
}

// positiveDist reads a distribution of times that are never zero.
func (c *cursor) positiveDist(what string) (phasetype.Dist, bool) {
	d, ok := c.dist()
	if ok && d.Atom() > 0 {
		c.fail(fmt.Sprintf("is zero with probability %.12g", d.Atom()),
			what+" takes time; only repartitions and set-ups may take none")
		return d, false
	}
	return d, ok
}

// made returns d, or notes at the parameter concerned why it could not be made.
func (c *cursor) made(d phasetype.Dist, err error) (phasetype.Dist, bool) {
	if err != nil {
		c.invalid(err)
	}
	return d, err == nil
}

// invalid notes an error of package phasetype at the element it concerns, as far as that is written below c.
func (c *cursor) invalid(err error) {
	var e *phasetype.Error
	if !errors.As(err, &e) {
		c.fail(err.Error(), "")
		return
	}
	v := c.lookup(e.Field)
	if v == nil {
		c.fail(e.Where()+": "+e.Problem, "")
		return
	}
	at := c.child(e.Field, v)
	at.element(e.Problem, e.Row, e.Col)
}

// element notes a problem at an entry of a list or of a list of lists.
func (c *cursor) element(problem string, indices ...int) {
	if len(indices) > 0 && c.kind == list && indices[0] >= 0 && indices[0] < len(c.items) {
		at := c.item(indices[0])
		at.element(problem, indices[1:]...)
		return
	}
	c.fail(problem, "")
}

func (c *cursor) exponential() (phasetype.Dist, bool) {
	o, ok := c.object("mean", "rate")
	if !ok {
		return phasetype.Dist{}, false
	}
	name, v, ok := o.oneOf("mean", "rate")
	if !ok || !o.ok {
		return phasetype.Dist{}, false
	}
	if name == "rate" {
		rate, ok := v.positiveRate("a rate")
		if !ok {
			return phasetype.Dist{}, false
		}
		return c.made(phasetype.Exponential(rate))
	}
	mean, ok := v.positiveTime("a time")
	if !ok {
		return phasetype.Dist{}, false
	}
	return c.made(phasetype.Erlang(1, mean))
}

func (c *cursor) erlang() (phasetype.Dist, bool) {
	o, ok := c.object("mean", "phases")
	if !ok {
		return phasetype.Dist{}, false
	}
	mean, okMean := o.mean("mean")
	phases, okPhases := 0, false
	if v, ok := o.need("phases", "say how many phases"); ok {
		phases, okPhases = v.whole("the number of phases", 1, phasetype.MaxPhases)
	}
	if !okMean || !okPhases || !o.ok {
		return phasetype.Dist{}, false
	}
	return c.made(phasetype.Erlang(phases, mean))
}

// mean reads a time greater than zero that must be there.
func (o *object) mean(key string) (float64, bool) {
	v, ok := o.need(key, "")
	if !ok {
		return 0, false
	}
	return v.positiveTime("a time")
}

func (c *cursor) hyperexponential() (phasetype.Dist, bool) {
	o, ok := c.object("mean", "scv", "weights", "means")
	if !ok {
		return phasetype.Dist{}, false
	}
	if o.names("weights") || o.names("means") {
		return o.weightedMeans()
	}
	mean, okMean := o.mean("mean")
	scv, okSCV := o.plain("scv", (*cursor).number)
	if okSCV && scv < 1 {
		v, _ := o.field("scv")
		v.fail(v.got()+" is less than 1, the least of a hyperexponential",
			"use {moments: {mean: ..., scv: ...}} for less variable times")
		return phasetype.Dist{}, false
	}
	if !okMean || !okSCV || !o.ok {
		return phasetype.Dist{}, false
	}
	return c.made(phasetype.BalancedHyperexponential(mean, scv))
}

func (o *object) weightedMeans() (phasetype.Dist, bool) {
	for _, key := range []string{"mean", "scv"} {
		if v := o.lookup(key); v != nil {
			at := o.child(key, v)
			at.fail("cannot stand beside weights and means", "give either mean and scv, or weights and means")
			return phasetype.Dist{}, false
		}
	}
	weights, okWeights := o.list("weights", "number", (*cursor).nonnegative)
	means, okMeans := o.list("means", "time", (*cursor).positiveTime)
	if !okWeights || !okMeans || !o.ok || !o.sameLength("means", len(means), "weights", len(weights)) {
		return phasetype.Dist{}, false
	}
	return o.made(phasetype.Hyperexponential(weights, means))
}

// sameLength checks that a list has as many entries as another.
func (o *object) sameLength(key string, n int, other string, m int) bool {
	if n != m {
		at, _ := o.field(key)
		at.fail(fmt.Sprintf("has %s, %s has %d", count(n, "entry", "entries"), other, m), "")
	}
	return n == m
}

// list reads a list of numbers that must be there.
func (o *object) list(key, what string, read func(*cursor, string) (float64, bool)) ([]float64, bool) {
	v, ok := o.need(key, "")
	if !ok {
		return nil, false
	}
	return v.numbers(what, read)
}

// plain reads a number that must be there.
func (o *object) plain(key string, read func(*cursor, string) (float64, bool)) (float64, bool) {
	v, ok := o.need(key, "")
	if !ok {
		return 0, false
	}
	return read(&v, "a number")
}

func (c *cursor) coxian() (phasetype.Dist, bool) {
	o, ok := c.object("rates", "continue")
	if !ok {
		return phasetype.Dist{}, false
	}
	rates, okRates := o.list("rates", "rate", (*cursor).positiveRate)
	cont, okCont := []float64(nil), true
	if v, ok := o.need("continue", "give the probability of going on after each phase but the last"); !ok {
		okCont = false
	} else if v.kind != list || len(v.items) > 0 { // a single phase has none
		cont, okCont = v.numbers("probability", (*cursor).probability)
	}
	if !okRates || !okCont || !o.ok {
		return phasetype.Dist{}, false
	}
	return c.made(phasetype.Coxian(rates, cont))
}

// probability reads a number between 0 and 1.
func (c *cursor) probability(what string) (float64, bool) {
	v, ok := c.number(what)
	if ok && (v < 0 || v > 1) {
		c.fail(c.got()+" is not a probability", "")
		return 0, false
	}
	return v, ok
}

func (c *cursor) phaseType() (phasetype.Dist, bool) {
	o, ok := c.object("alpha", "T")
	if !ok {
		return phasetype.Dist{}, false
	}
	alpha, okAlpha := o.list("alpha", "probability", (*cursor).nonnegative)
	t, okT := o.matrix("T")
	if !okAlpha || !okT || !o.ok {
		return phasetype.Dist{}, false
	}
	return c.made(phasetype.New(alpha, t))
}

// matrix reads a list of rows that must be there.
func (o *object) matrix(key string) (*mat.Dense, bool) {
	v, ok := o.need(key, "")
	if !ok {
		return nil, false
	}
	return v.matrix()
}

// matrix reads a list of rows of one length.
func (c *cursor) matrix() (*mat.Dense, bool) {
	rows, ok := c.sequence("rows")
	if !ok {
		return nil, false
	}
	if len(rows) == 0 {
		c.fail("is empty", "")
		return nil, false
	}
	var data []float64
	for i := range rows {
		v, fine := rows[i].numbers("number", (*cursor).number)
		if fine && len(v) != len(rows[0].items) {
			have := count(len(v), "entry", "entries")
			rows[i].fail(fmt.Sprintf("has %s, the first row has %d", have, len(rows[0].items)), "")
			fine = false
		}
		data, ok = append(data, v...), ok && fine
	}
	if !ok {
		return nil, false
	}
	return mat.NewDense(len(rows), len(rows[0].items), data), true
}

// count writes a number of things.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (c *cursor) mixture() (phasetype.Dist, bool) {
	items, ok := c.sequence("components {weight: ..., of: ...}")
	if !ok {
		return phasetype.Dist{}, false
	}
	if len(items) == 0 {
		c.fail("is empty", "")
		return phasetype.Dist{}, false
	}
	weights := make([]float64, len(items))
	parts := make([]phasetype.Dist, len(items))
	phases := 0
	for i := range items {
		w, d, fine := items[i].component()
		weights[i], parts[i], ok = w, d, ok && fine
		phases += d.Phases()
	}
	if !ok || !c.fits(phases) {
		return phasetype.Dist{}, false
	}
	d, err := phasetype.Mixture(weights, parts)
	if e := (*phasetype.Error)(nil); errors.As(err, &e) {
		c.fail("the weights "+e.Problem, "")
		return d, false
	}
	return c.made(d, err)
}

// component reads an entry of a mixture.
func (c *cursor) component() (weight float64, d phasetype.Dist, ok bool) {
	o, ok := c.object("name", "weight", "of")
	if !ok {
		return 0, d, false
	}
	if v, named := o.field("name"); named {
		_, ok = v.text("a name")
	}
	weight, okWeight := o.plain("weight", (*cursor).nonnegative)
	v, okOf := o.need("of", "name the distribution of the component")
	if okOf {
		d, okOf = v.dist()
	}
	return weight, d, ok && okWeight && okOf && o.ok
}

// fits checks the order of a compound before it is made.
func (c *cursor) fits(phases int) bool {
	if phases > phasetype.MaxPhases {
		c.fail(fmt.Sprintf("has %d phases, at most %d are supported", phases, phasetype.MaxPhases), "")
		return false
	}
	return true
}

func (c *cursor) sum() (phasetype.Dist, bool) {
	items, ok := c.sequence("distributions")
	if !ok {
		return phasetype.Dist{}, false
	}
	if len(items) == 0 {
		c.fail("is empty", "")
		return phasetype.Dist{}, false
	}
	parts := make([]phasetype.Dist, len(items))
	phases := 0
	for i := range items {
		d, fine := items[i].dist()
		parts[i], ok = d, ok && fine
		phases += d.Phases()
	}
	if !ok || !c.fits(phases) {
		return phasetype.Dist{}, false
	}
	return c.made(phasetype.Sum(parts...))
}

func (c *cursor) scale() (phasetype.Dist, bool) {
	o, ok := c.object("by", "of")
	if !ok {
		return phasetype.Dist{}, false
	}
	by, okBy := o.plain("by", (*cursor).positive)
	v, okOf := o.need("of", "name the distribution to scale")
	if !okOf {
		return phasetype.Dist{}, false
	}
	d, okOf := v.dist()
	if !okBy || !okOf || !o.ok {
		return phasetype.Dist{}, false
	}
	return c.made(d.Scale(by))
}
