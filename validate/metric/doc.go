// Package metric makes measures of what happened to jobs.
//
//	machine.Record → Sums → Measures
//	machine.Record → Log (Sums by month and part, the span of the log) → Measures, intervals
//
// Every measure of package models/measure that records determine is one function of the sums, in [Of]. So it has the
// same value wherever the same records are summed up.
//
// # Intervals
//
// A replication adds up a vector of sums. [Jackknife] turns the vectors of all replications into an estimate of any
// function of the sums, with a Student interval. A [Histogram] counts values for their quantiles; [SectionQuantile]
// gives quantiles an interval.
//
// Results depend on the numbers and their order only, never on the number of workers.
package metric
