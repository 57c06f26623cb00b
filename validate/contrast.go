package validate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
)

// Contrast is the difference of a measure between two simulations.
type Contrast struct {
	Estimate      // of the first minus the second
	Policy, Minus policy.Policy
	// VarianceReduction is the variance that the difference would have if the simulations were independent, over the one
	// it has: how many times as long independent ones would have to run.
	VarianceReduction float64
}

// difference estimates measure m of a minus that of b, replication by replication. With common random numbers, that is the
// same seed and point, both see the same arrivals and demands, and the difference is known better than either measure.
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

// Differences estimates measure name of each simulation minus that of the first. It leaves out simulations without such
// an estimate, and those with another number of replications: an interrupted simulation has fewer, and a replay may be
// divided into other parts. It needs two replications.
func Differences(runs []Simulation, name string) []Contrast {
	var all []Contrast
	k := slices.IndexFunc(formulas, func(m formula) bool { return m.name == name })
	for i := 1; i < len(runs); i++ {
		a, b := runs[i], runs[0]
		if n := len(a.sums); k < 0 || n < 2 || len(b.sums) != n || a.Replications != b.Replications {
			continue
		}
		if c := formulas[k].difference(a, b); !math.IsInf(c.HalfWidth, 0) && !math.IsNaN(c.Mean) {
			all = append(all, c)
		}
	}
	return all
}
