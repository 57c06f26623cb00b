package validate

import (
	"fmt"
	"math"

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

// difference estimates measure name of a minus that of b, replication by replication. With common random numbers, that
// is the same seed and point, both see the same arrivals and demands, and the difference is known better than either
// measure. Both must have the same number of replications, two or more.
func difference(a, b Simulation, name string) (Contrast, error) {
	n := len(a.sums)
	if n < 2 || len(b.sums) != n || a.Replications != b.Replications {
		return Contrast{}, fmt.Errorf("validate: difference of %d and %d replications: need equally many, at least two",
			a.Replications, b.Replications)
	}
	for _, m := range formulas {
		if m.name != name {
			continue
		}
		x, y := metric.PseudoValues(a.sums, m.of), metric.PseudoValues(b.sums, m.of)
		apart := stat.Variance(x, nil) + stat.Variance(y, nil)
		for r := range x {
			x[r] -= y[r]
		}
		c := Contrast{Estimate: Estimate{Name: name, Interval: metric.Student(x, a.Confidence)}, Policy: a.Policy,
			Minus: b.Policy, VarianceReduction: 1}
		if v := stat.Variance(x, nil); v > 0 {
			c.VarianceReduction = apart / v
		}
		return c, nil
	}
	return Contrast{}, fmt.Errorf("validate: no measure %q", name)
}

// Differences estimates measure name of each simulation minus that of the first. It leaves out simulations without such
// an estimate: an interrupted simulation has fewer replications, and a replay may be divided into other parts.
func Differences(runs []Simulation, name string) []Contrast {
	var all []Contrast
	for i := 1; i < len(runs); i++ {
		c, err := difference(runs[i], runs[0], name)
		if err == nil && !math.IsInf(c.HalfWidth, 0) && !math.IsNaN(c.Mean) {
			all = append(all, c)
		}
	}
	return all
}
