package validate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
)

// Contrast is the difference of a measure between two simulations with common random numbers.
type Contrast struct {
	Estimate      // of the first minus the second
	Policy, Minus policy.Policy
	// VarianceReduction is the variance that the difference would have if the simulations were independent, over its
	// actual variance. Independent simulations would have to run so many times as long.
	VarianceReduction float64
}

// difference estimates measure m of a minus measure m of b, replication by replication. Both must have as many
// replications. With the same seed and point, both have the same arrivals and demands (common random numbers). The
// difference is then known better than either measure.
func (m formula) difference(a, b Simulation) Contrast {
	x, y := metric.PseudoValues(a.sums, m.of), metric.PseudoValues(b.sums, m.of)
	apart := stat.Variance(x, nil) + stat.Variance(y, nil)
	for r := range x {
		x[r] -= y[r]
	}
	c := Contrast{Estimate: Estimate{Name: m.name, Interval: metric.Student(x, a.Confidence)}, Policy: a.Policy,
		Minus: b.Policy, VarianceReduction: 1}
	if v := stat.Variance(x, nil); v > 0 {
		c.VarianceReduction = apart / v
	}
	return c
}

// Differences estimates the named measure of each simulation minus the same measure of the first simulation. It needs
// at least two replications. Simulations without the measure are left out. Simulations with another number of
// replications are left out too: interrupted ones have fewer, and replays may be divided into other parts.
func Differences(runs []Simulation, name string) []Contrast {
	var all []Contrast
	k := slices.IndexFunc(formulas, func(m formula) bool { return m.name == name })
	for i := 1; i < len(runs); i++ {
		a, b := runs[i], runs[0]
		if n := len(a.sums); k < 0 || n < 2 || len(b.sums) != n || a.Replications != b.Replications {
			continue
		}
		if c := formulas[k].difference(a, b); c.IsKnown() && !math.IsNaN(c.Mean) {
			all = append(all, c)
		}
	}
	return all
}
