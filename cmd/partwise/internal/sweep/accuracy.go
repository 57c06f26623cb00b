package sweep

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile/tree"
)

// errorBound is the column that bounds the error of a point: the bound of its least accurate policy.
func errorBound(p *decide.Point) value {
	v := value{name: "error_bound"}
	if least := decide.LeastAccurate(p.Decision.Results); least != nil {
		v.v, v.ok = least.Measures.Diagnostics.ErrorBound, true
	}
	return v
}

// Accuracy says how accurate all means are, and where they are least accurate; "" if no point is stable.
func (c *Curves) Accuracy() string {
	text, bound := "", -1.0
	for i := range c.Series {
		for j := range c.Points[i] {
			p := &c.Points[i][j]
			least := decide.LeastAccurate(p.Decision.Results)
			if least == nil || least.Measures.Diagnostics.ErrorBound <= bound {
				continue
			}
			d := &least.Measures.Diagnostics
			bound = d.ErrorBound
			text = fmt.Sprintf("All means are accurate to at least %s; the largest bound of a relative error is %s, of %v at "+
				"load %s (%s).", tree.Count(d.Digits(), "digit", "digits"), output.Round(bound, 2), least.Policy,
				output.Load(p.Load), c.Series[i].Name)
		}
	}
	return text
}
