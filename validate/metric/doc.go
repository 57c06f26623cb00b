// Package metric makes measures of what happened to jobs.
//
//	machine.Record → Sums → Measures
//	machine.Record → Log (Sums by month and batch, the span of the log) → Measures, intervals
//
// Every measure of package models/measure that records determine is one function of the sums, in [Of], so that
// it has the same value wherever the same records are summed up.
package metric
