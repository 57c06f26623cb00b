package replayview

import "github.com/partwise/partwise/models/measure"

// p95 is the measure of the objective p95.
const p95 = "response_time_p95"

// monthMeasures returns the names of the measures of a replay, in the order of results. Months have the same measures.
func monthMeasures() []string {
	return []string{measure.OfferedLoad, measure.MeanResponseTime, measure.MeanWaitingTime, measure.MeanRunTime,
		measure.MeanSlowdown, measure.MeanBoundedSlowdown, measure.Utilization, measure.Efficiency, measure.UsefulUtilization,
		measure.BackfilledShare, measure.KilledShare}
}

// logMeasures returns the names of the measures that only a whole log has, in the order of results.
func logMeasures() []string {
	return []string{measure.ResponseTimePercentile(0.5), measure.ResponseTimePercentile(0.9), p95,
		measure.ResponseTimePercentile(0.99), measure.MedianSlowdown, measure.P90Slowdown, measure.P95Slowdown,
		measure.P99Slowdown, measure.CVSlowdownBySize, measure.ProbabilityLate}
}
