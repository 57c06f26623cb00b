// Package measure is the table of all measures that results speak of: one name, one meaning, one unit, wherever a
// number comes from. JSON, CSV, tables, charts, comparisons and docs/measures.md are views of it; what computes a
// measure, a chain, a simulation or the replay of a log, says so by its name.
//
// # Numbers, times and ranges
//
// The package also reads numbers, times and ranges as people write them, in files and on the command line alike.
//
// A number is decimal or a percentage: 0.7 or 70%. A time is a number of a unit that is known otherwise, or carries its own:
// 60s, 1m, 1h30m. A range A:B or A:B:STEP includes its end, and lists of both are separated by commas, such as
// 0.1:0.5:0.1,0.7.
//
// Errors carry no package name: callers put the place of the text, a flag or a field of a file, in front of them.
package measure

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

// Unit is the dimension of a measure.
type Unit string

// The dimensions of measures; others are what is counted, such as jobs.
const (
	pure  Unit = "number"
	Share Unit = "share" // a number between 0 and 1, for people per cent
	Time  Unit = "time"
	Rate  Unit = "rate" // per time

	squaredTime Unit = "squared time"
)

// In returns the name of the unit where times have the given one; empty for numbers and shares.
func (u Unit) In(timeUnit string) string {
	switch u {
	case Time:
		return timeUnit
	case squaredTime:
		return timeUnit + "²"
	case Rate:
		return "1/" + timeUnit
	case pure, Share:
		return ""
	}
	return string(u)
}

// Measure is a line of the table.
type Measure struct {
	Name       string // in JSON, CSV and Go
	Title      string // for people, as in the head of a column
	Unit       Unit
	ComputedBy string // chain (exact), simulation (of a model), replay (of a log), days (from empty to empty), cluster (shared in time)
	Definition string // one sentence
	Formula    string // in the symbols of docs/notation.md; empty where the definition says all
}

// The names of the measures that code speaks of.
const (
	MeanResponseTime       = "mean_response_time"
	MeanWaitingTime        = "mean_waiting_time"
	MeanRunTime            = "mean_run_time"
	VarianceResponseTime   = "variance_response_time"
	VarianceWaitingTime    = "variance_waiting_time"
	MeanSlowdown           = "mean_slowdown"
	MedianSlowdown         = "p50_slowdown"
	P90Slowdown            = "p90_slowdown"
	P95Slowdown            = "p95_slowdown"
	P99Slowdown            = "p99_slowdown"
	MeanBoundedSlowdown    = "mean_bounded_slowdown"
	MeanJobs               = "mean_jobs"
	VarianceJobs           = "variance_jobs"
	MeanWaitingJobs        = "mean_waiting_jobs"
	ProbabilityWait        = "probability_wait"
	MeanExecutingJobs      = "mean_executing_jobs"
	Utilization            = "utilization"
	Efficiency             = "efficiency"
	UsefulUtilization      = "useful_utilization"
	LoadAverage            = "load_average"
	Throughput             = "throughput"
	OfferedLoad            = "offered_load"
	TrafficIntensity       = "traffic_intensity"
	MaxArrivalRate         = "max_arrival_rate"
	IdleBlocked            = "idle_blocked"
	SaturatedUtilization   = "saturated_utilization"
	ProbabilityEmpty       = "probability_empty"
	ProbabilityRepartition = "probability_repartition"
	RepartitionRate        = "repartition_rate"
	ShrinkRate             = "shrink_rate"
	ExpandRate             = "expand_rate"
	AbandonedRate          = "abandoned_rate"
	BackfilledShare        = "backfilled_share"
	KilledShare            = "killed_share"
	MeanClusterSize        = "mean_cluster_size"
	CVClusterSize          = "cv_cluster_size"
	CVSlowdownBySize       = "cv_slowdown_by_size"
	ProbabilityLate        = "probability_late"

	NodeHoursHeld             = "node_hours_held"
	NodeHoursUseful           = "node_hours_useful"
	NodeHoursReconfiguration  = "node_hours_reconfiguration"
	NodeHoursImperfectSpeedup = "node_hours_imperfect_speedup"
	NodeHoursIdle             = "node_hours_idle"
	NodeHoursCapacity         = "node_hours_capacity"
)

//go:embed measures.csv
var tableText string

// table holds the rows of measures.csv.
var table = readTable()

func readTable() (all []Measure) {
	rows, err := csv.NewReader(strings.NewReader(tableText)).ReadAll()
	if err != nil {
		panic("measure: measures.csv: " + err.Error()) // it is part of the program
	}
	for _, row := range rows[1:] {
		all = append(all, Measure{row[0], row[1], Unit(row[2]), row[3], row[4], row[5]})
	}
	return all
}

// ResponseTimePercentiles are the percentiles of response and waiting times that simulations tell.
func ResponseTimePercentiles() []float64 { return []float64{0.50, 0.90, 0.95, 0.99} }

// ResponseTimePercentile returns the name of a percentile of the response time.
func ResponseTimePercentile(p float64) string { return fmt.Sprintf("response_time_p%.0f", 100*p) }

// WaitingTimePercentile returns the name of a percentile of the waiting time.
func WaitingTimePercentile(p float64) string { return fmt.Sprintf("waiting_time_p%.0f", 100*p) }

// Table returns all measures, in the order in which results show them. A program cannot add a measure of its own.
func Table() []Measure { return slices.Clone(table) }

// OfJobs returns the names of the measures of the jobs that a machine has run, in the order in which results show
// them.
func OfJobs() []string {
	return []string{Utilization, Efficiency, UsefulUtilization, LoadAverage, MeanResponseTime, MeanWaitingTime,
		MeanRunTime,
		MeanClusterSize, CVClusterSize, MeanSlowdown, MedianSlowdown, P90Slowdown, P99Slowdown, MeanBoundedSlowdown}
}

// Named returns the measure with the given name; ok is false if no measure has the name.
func Named(name string) (m Measure, ok bool) {
	for _, m := range table {
		if m.Name == name {
			return m, true
		}
	}
	return Measure{}, false
}

// Must returns the measure with a name that code knows; it panics if there is none.
func Must(name string) Measure {
	m, ok := Named(name)
	if !ok {
		panic("measure: no measure " + name)
	}
	return m
}
