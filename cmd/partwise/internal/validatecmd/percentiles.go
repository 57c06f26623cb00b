package validatecmd

import (
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate"
)

// showPercentiles adds the simulated percentiles to a comparison, beside the exact percentiles of a solution. Exact percentiles are
// absent if the policy has none, is not solved (solved is nil), or following a job would take too long; the latter is a warning. The
// error is that of an interrupt.
func showPercentiles(inv *cli.Invocation, c *validate.Comparison, s *validate.Simulation, solved *decide.Solved) error {
	exact, err := solved.Percentiles(inv.Context)
	switch {
	case inv.Context.Err() != nil:
		return inv.Context.Err()
	case err != nil:
		inv.Warnf("%v; only the simulation has them", err)
	}
	for _, e := range s.Measures {
		if isPercentile(e.Name) {
			c.Show("", exactPercentile(exact, e.Name), e)
		}
	}
	for _, class := range s.Classes {
		var of *decide.Percentiles
		for k := 0; exact != nil && k < len(exact.Classes); k++ {
			if solved.Measures.Classes[k].Name == class.Name {
				of = exact.Classes[k]
			}
		}
		for _, e := range class.Percentiles {
			c.Show(class.Name, exactPercentile(of, e.Name), e)
		}
	}
	return nil
}

// isPercentile reports whether a measure is a percentile of response or waiting times.
func isPercentile(name string) bool {
	for _, p := range measure.ResponseTimePercentiles() {
		if name == measure.ResponseTimePercentile(p) || name == measure.WaitingTimePercentile(p) {
			return true
		}
	}
	return false
}

// exactPercentile returns the percentile that a measure names; NaN if it is not known.
func exactPercentile(of *decide.Percentiles, name string) float64 {
	for _, time := range []string{"response_time", "waiting_time"} {
		values := of.Of(time)
		for k, percent := range decide.Percents() {
			if values != nil && name == time+"_p"+output.Shortest(percent) {
				return values[k]
			}
		}
	}
	return math.NaN()
}
