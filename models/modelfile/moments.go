package modelfile

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/phasetype"
)

// moments reads {mean, scv}, {mean, scv, skewness} or {m1, m2, m3}.
func moments(c *tree.Cursor) (d phasetype.Dist, err error) {
	c.Keys("mean", "scv", "skewness", "m1", "m2", "m3")
	if c.Has("m1") || c.Has("m2") || c.Has("m3") {
		return rawMoments(c)
	}
	mean, scv := c.Need("mean", "").PositiveTime(), c.Need("scv", "").Positive()
	v := c.Field("skewness")
	if !c.Has("skewness") {
		return phasetype.TwoMoments(mean, scv)
	}
	sigma := mean * math.Sqrt(scv)
	m2 := mean*mean + sigma*sigma
	m3 := v.Number()*sigma*sigma*sigma + 3*mean*sigma*sigma + mean*mean*mean
	if c.Valid() && m3 <= 0 {
		v.Failf("%s is too small: the third moment of a positive time is positive", v.Got())
	}
	return threeMoments(c, "skewness", mean, m2, m3)
}

// rawMoments reads {m1, m2, m3}: E[X] as a time, E[X²] and E[X³] as numbers in powers of the unit of the file.
func rawMoments(c *tree.Cursor) (d phasetype.Dist, err error) {
	const problem, remedy = "cannot stand beside m1, m2 and m3", "give either mean, scv and skewness, or m1, m2 and m3"
	if !c.Excludes(problem, remedy, "mean", "scv", "skewness") {
		return d, nil
	}
	return threeMoments(c, "m3", c.Need("m1", "").PositiveTime(), c.Need("m2", "").Positive(), c.Need("m3", "").Positive())
}

// threeMoments returns a distribution with the moments m1, m2 and m3. If no distribution has them, the error stands at m2, at the scv
// or at the field named last, whichever breaks a bound.
func threeMoments(c *tree.Cursor, last string, m1, m2, m3 float64) (phasetype.Dist, error) {
	d, err := phasetype.ThreeMoments(m1, m2, m3)
	if e := (*phasetype.MomentsError)(nil); c.Valid() && errors.As(err, &e) {
		at, problem := last, fmt.Sprintf("no distribution has the moments %.6g, %.6g, %.6g", m1, m2, m3)
		switch least := 1 / float64(phasetype.MaxPhases); {
		case last == "m3":
			at, problem = infeasibleMoment(m1, m2, m3)
		case m2/(m1*m1)-1 < least*(1-1e-9): // the scv itself, to its roundings
			at, problem = "scv", fmt.Sprintf("%s is below %.6g, the least that %s reach", c.Field("scv").Got(), least,
				words.Count(phasetype.MaxPhases, "phase"))
		}
		c.FailField(at, problem, nearestMoments(last, e))
	}
	return d, err
}

// infeasibleMoment returns the name of the moment that breaks a bound, and the problem in words. The bounds are
//
//   - m2 ≥ m1²: the variance is not negative;
//   - m2 ≥ m1²·(n+1)/n, with n the largest number of phases;
//   - m3 ≥ m2²/m1, the inequality of Cauchy and Schwarz.
//
// If all of them hold, no acyclic distribution of n phases has the third moment.
func infeasibleMoment(m1, m2, m3 float64) (name, problem string) {
	const most = phasetype.MaxPhases
	switch least := m2 / m1 * m2; {
	case m2 < m1*m1:
		return "m2", fmt.Sprintf("%.6g is below m1² = %.6g: the variance would be negative", m2, m1*m1)
	case m2 < m1*m1*(most+1)/most:
		return "m2", fmt.Sprintf("%.6g is below %.6g, the least that %s reach", m2, m1*m1*(most+1)/most, words.Count(most, "phase"))
	case m3 < least:
		return "m3", fmt.Sprintf("no distribution has the moments %.6g, %.6g, %.6g: m3 is below m2²/m1 = %.6g", m1, m2, m3, least)
	}
	return "m3", fmt.Sprintf("no distribution has the moments %.6g, %.6g, %.6g", m1, m2, m3)
}

// nearestMoments names the nearest moments that there are, in the terms of the file.
func nearestMoments(last string, e *phasetype.MomentsError) string {
	phases := words.Count(e.Needed, "phase")
	m1, m2, m3 := e.Nearest[0], e.Nearest[1], e.Nearest[2]
	if last == "m3" {
		return fmt.Sprintf("the nearest are about m2: %.6g, m3: %.6g, with %s", m2, m3, phases)
	}
	variance := m2 - m1*m1
	skewness := (m3 - 3*m1*variance - m1*m1*m1) / (variance * math.Sqrt(variance))
	return fmt.Sprintf("the nearest are about scv: %.6g, skewness: %.6g, with %s", variance/(m1*m1), skewness, phases)
}
