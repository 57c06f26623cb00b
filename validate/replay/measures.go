package replay

import "github.com/partwise/partwise/models/measure"

// P95 is the measure by which machines of different sizes are compared.
const P95 = "response_time_p95"

// Measures returns the names of the measures of a replay, in the order of results. Months have the same measures.
func Measures() []string {
	return []string{measure.OfferedLoad, measure.MeanResponseTime, measure.MeanWaitingTime, measure.MeanRunTime,
		measure.MeanSlowdown, measure.MeanBoundedSlowdown, measure.Utilization, measure.Efficiency, measure.UsefulUtilization,
		measure.BackfilledShare, measure.KilledShare}
}

// LogMeasures returns the names of the measures that only a whole log has, in the order of results.
func LogMeasures() []string {
	return []string{measure.ResponseTimePercentile(0.5), measure.ResponseTimePercentile(0.9), P95,
		measure.ResponseTimePercentile(0.99), measure.MedianSlowdown, measure.P90Slowdown, measure.P95Slowdown,
		measure.P99Slowdown, measure.CVSlowdownBySize, measure.ProbabilityLate}
}
