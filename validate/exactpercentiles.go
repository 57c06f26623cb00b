package validate

import (
	"math"
	"slices"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
)

// showPercentiles adds a row for each simulated percentile of run to the comparison: of all jobs, and of each class. The analytic
// value of a row is the exact percentile, or NaN if exact is nil or lacks the percentile. solved names the classes of exact; it
// may be nil if exact is nil.
func (c *Comparison) showPercentiles(run *Simulation, solved *decide.Solved, exact *decide.Percentiles) {
	for _, e := range run.Measures {
		if isPercentile(e.Name) {
			c.show("", exactPercentile(exact, e.Name), e)
		}
	}
	for _, class := range run.Classes {
		of := percentilesOfClass(solved, exact, class.Name)
		for _, e := range class.Percentiles {
			c.show(class.Name, exactPercentile(of, e.Name), e)
		}
	}
}

// percentilesOfClass returns the percentiles in exact of the jobs of the class with the given name. It returns nil if exact is
// nil or lacks the class. solved names the classes of exact; it may be nil if exact is nil.
func percentilesOfClass(solved *decide.Solved, exact *decide.Percentiles, name string) *decide.Percentiles {
	if exact == nil {
		return nil
	}
	for k, of := range exact.Classes {
		if solved.Measures.Classes[k].Name == name {
			return of
		}
	}
	return nil
}

// isPercentile reports whether a measure is a percentile of response or waiting times.
func isPercentile(name string) bool {
	return slices.ContainsFunc(measure.ResponseTimePercentiles(), func(p float64) bool {
		return name == measure.ResponseTimePercentile(p) || name == measure.WaitingTimePercentile(p)
	})
}

// exactPercentile returns the percentile of response or waiting times that a measure names, such as response_time_p95. It returns
// NaN if of is nil or lacks these percentiles, or if name is another measure.
func exactPercentile(of *decide.Percentiles, name string) float64 {
	times := []struct {
		values []float64
		name   func(p float64) string
	}{{of.Of("response_time"), measure.ResponseTimePercentile}, {of.Of("waiting_time"), measure.WaitingTimePercentile}}
	for _, time := range times {
		for k, percent := range decide.Percents() {
			if time.values != nil && name == time.name(percent/100) {
				return time.values[k]
			}
		}
	}
	return math.NaN()
}
