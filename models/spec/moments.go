package spec

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/phasetype"
)

// moments reads {mean, scv}, {mean, scv, skewness} or {m1, m2, m3}.
func (c *cursor) moments() (phasetype.Dist, bool) {
	o, ok := c.object("mean", "scv", "skewness", "m1", "m2", "m3")
	if !ok {
		return phasetype.Dist{}, false
	}
	if o.names("m1") || o.names("m2") || o.names("m3") {
		return o.rawMoments()
	}
	mean, okMean := o.mean("mean")
	scv, okSCV := o.plain("scv", (*cursor).positive)
	skewness, three, okSkewness := 0.0, o.names("skewness"), true
	if v, there := o.field("skewness"); there {
		skewness, okSkewness = v.number("a number")
	}
	if !okMean || !okSCV || !okSkewness || !o.ok {
		return phasetype.Dist{}, false
	}
	if !three {
		return c.made(phasetype.TwoMoments(mean, scv))
	}
	sigma := mean * math.Sqrt(scv)
	m2 := mean*mean + sigma*sigma
	m3 := skewness*sigma*sigma*sigma + 3*mean*sigma*sigma + mean*mean*mean
	if m3 <= 0 {
		at, _ := o.field("skewness")
		at.fail(at.got()+" is too small: the third moment of a positive time is positive", "")
		return phasetype.Dist{}, false
	}
	return o.threeMoments("skewness", mean, m2, m3)
}

// rawMoments reads {m1, m2, m3}: E[X] as a time, E[X²] and E[X³] as numbers in powers of the unit of the file.
func (o *object) rawMoments() (phasetype.Dist, bool) {
	for _, key := range []string{"mean", "scv", "skewness"} {
		if v := o.lookup(key); v != nil {
			at := o.child(key, v)
			at.fail("cannot stand beside m1, m2 and m3", "give either mean, scv and skewness, or m1, m2 and m3")
			return phasetype.Dist{}, false
		}
	}
	m1, ok1 := o.mean("m1")
	m2, ok2 := o.plain("m2", (*cursor).positive)
	m3, ok3 := o.plain("m3", (*cursor).positive)
	if !ok1 || !ok2 || !ok3 || !o.ok {
		return phasetype.Dist{}, false
	}
	return o.threeMoments("m3", m1, m2, m3)
}

// threeMoments makes a distribution with three moments; if there is none, the last parameter is the one to change.
func (o *object) threeMoments(last string, m1, m2, m3 float64) (phasetype.Dist, bool) {
	d, err := phasetype.ThreeMoments(m1, m2, m3)
	var e *phasetype.MomentsError
	if !errors.As(err, &e) {
		return o.made(d, err)
	}
	at, _ := o.field(last)
	at.fail(fmt.Sprintf("no distribution has the moments %.6g, %.6g, %.6g", m1, m2, m3), nearestMoments(last, e))
	return d, false
}

// nearestMoments names the nearest moments that there are, in the terms of the file.
func nearestMoments(last string, e *phasetype.MomentsError) string {
	phases := count(e.Needed, "phase", "phases")
	m1, m2, m3 := e.Nearest[0], e.Nearest[1], e.Nearest[2]
	if last == "m3" {
		return fmt.Sprintf("the nearest are about m2: %.6g, m3: %.6g, with %s", m2, m3, phases)
	}
	variance := m2 - m1*m1
	skewness := (m3 - 3*m1*variance - m1*m1*m1) / (variance * math.Sqrt(variance))
	return fmt.Sprintf("the nearest are about scv: %.6g, skewness: %.6g, with %s", variance/(m1*m1), skewness, phases)
}
