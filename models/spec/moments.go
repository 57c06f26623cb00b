package spec

import "github.com/partwise/partwise/phasetype"

// moments reads {mean, scv}.
func (c *cursor) moments() (phasetype.Dist, bool) {
	o, ok := c.object("mean", "scv")
	if !ok {
		return phasetype.Dist{}, false
	}
	mean, okMean := o.mean("mean")
	scv, okSCV := o.plain("scv", (*cursor).positive)
	if !okMean || !okSCV || !o.ok {
		return phasetype.Dist{}, false
	}
	return c.made(phasetype.TwoMoments(mean, scv))
}
