package main

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
)

// leastCertain returns the result with the greatest bound of its relative error; nil if none is stable.
func leastCertain(results []models.Solved) *models.Solved {
	var least *models.Solved
	for i := range results {
		r := &results[i]
		if r.Measures.Stable && (least == nil || r.Measures.Diagnostics.ErrorBound > least.Measures.Diagnostics.ErrorBound) {
			least = r
		}
	}
	return least
}

// certain says how far the means are known that are no less certain than those of a result.
func certain(least *models.Solved) string {
	d := &least.Measures.Diagnostics
	if d.Digits() == 1 {
		return "Of every mean at least one digit is certain"
	}
	return fmt.Sprintf("Of every mean at least %d digits are certain", d.Digits())
}

// errorBound is the column that bounds the error of a point: the bound of its least certain policy.
func errorBound(p *models.Point) value {
	v := value{name: "error_bound"}
	if least := leastCertain(p.Decision.Results); least != nil {
		v.v, v.ok = least.Measures.Diagnostics.ErrorBound, true
	}
	return v
}

// certainty says how many digits of all means are certain, and where there are fewest; "" if no point is stable.
func (c *curves) certainty() string {
	text, bound := "", -1.0
	for i := range c.Series {
		for j := range c.points[i] {
			p := &c.points[i][j]
			least := leastCertain(p.Decision.Results)
			if least == nil || least.Measures.Diagnostics.ErrorBound <= bound {
				continue
			}
			bound = least.Measures.Diagnostics.ErrorBound
			text = fmt.Sprintf("%s; the greatest bound of a relative error is %s, of %v at load %s (%s).", certain(least),
				output.Round(bound, 2), least.Policy, loadText(p.Load), c.Series[i].Name)
		}
	}
	return text
}
