package study

import (
	"fmt"

	answer "github.com/partwise/partwise/cmd/partwise/internal/decide"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
)

// errorBound is the column that bounds the error of a point: the bound of its least certain policy.
func errorBound(p *decide.Point) value {
	v := value{name: "error_bound"}
	if least := decide.LeastAccurate(p.Decision.Results); least != nil {
		v.v, v.ok = least.Measures.Diagnostics.ErrorBound, true
	}
	return v
}

// Accuracy says how many digits of all means are certain, and where there are fewest; "" if no point is stable.
func (c *Curves) Accuracy() string {
	text, bound := "", -1.0
	for i := range c.Series {
		for j := range c.Points[i] {
			p := &c.Points[i][j]
			least := decide.LeastAccurate(p.Decision.Results)
			if least == nil || least.Measures.Diagnostics.ErrorBound <= bound {
				continue
			}
			bound = least.Measures.Diagnostics.ErrorBound
			text = fmt.Sprintf("%s; the greatest bound of a relative error is %s, of %v at load %s (%s).",
				answer.AccuracySentence(least),
				output.Round(bound, 2), least.Policy, output.Load(p.Load), c.Series[i].Name)
		}
	}
	return text
}
