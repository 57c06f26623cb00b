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
	"fmt"
	"slices"
)

// Unit is the dimension of a measure.
type Unit int

// The dimensions of measures.
const (
	pure  Unit = iota // a number
	Share             // a number between 0 and 1, for people per cent
	Time
	Rate // per time
	jobs
	nodes
	nodeTime // hours of a node
)

// In returns the name of the unit where times have the given one; empty for numbers and shares.
func (u Unit) In(timeUnit string) string {
	switch u {
	case Time:
		return timeUnit
	case Rate:
		return "1/" + timeUnit
	case jobs:
		return "jobs"
	case nodes:
		return "nodes"
	case nodeTime:
		return "node-hours"
	}
	return ""
}

// String returns the dimension in a word.
func (u Unit) String() string {
	if u < 0 || int(u) >= len(units) {
		return fmt.Sprintf("unit %d", int(u))
	}
	return units[u]
}

var units = []string{pure: "number", Share: "share", Time: "time", Rate: "rate", jobs: "jobs", nodes: "nodes",
	nodeTime: "node-hours"}

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
	DecayRate              = "decay_rate"
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
	MeanRunSlowdown        = "mean_run_slowdown"
	UtilizationDemand      = "utilization_demand"
	UtilizationUseful      = "utilization_useful"
	FairnessCV             = "fairness_cv"
	FairnessCVSample       = "fairness_cv_sample"
	ProbabilityLate        = "probability_late"

	NodeHoursHeld             = "node_hours_held"
	NodeHoursUseful           = "node_hours_useful"
	NodeHoursReconfiguration  = "node_hours_reconfiguration"
	NodeHoursImperfectSpeedup = "node_hours_imperfect_speedup"
	NodeHoursIdle             = "node_hours_idle"
	NodeHoursCapacity         = "node_hours_capacity"
)

// SlowdownBound is the run time, in seconds, that shorter ones count as in a bounded slowdown.
//
// Reference: D. G. Feitelson, L. Rudolph, Metrics and benchmarking for parallel job scheduling, Job Scheduling
// Strategies for Parallel Processing, LNCS 1459 (1998) 1–24.
const SlowdownBound = 10

// What models and their simulations compute, what happened to single jobs, and what both know.
const (
	ofModels   = "chain, simulation"
	ofRecords  = "replay, days"
	everywhere = ofModels + ", " + ofRecords
)

var table = append([]Measure{
	{MeanResponseTime, "response", Time, everywhere + ", cluster",
		"Time from the submission of a job to its end.",
		"T = E[jobs]/λ (Little)"},
	{MeanWaitingTime, "waiting", Time, everywhere + ", cluster",
		"Time from the submission of a job to its first start.",
		"mean_waiting_jobs/λ"},
	{MeanRunTime, "run time", Time, ofRecords + ", cluster",
		"Time from the first start of a job to its end.",
		"mean_response_time − mean_waiting_time"},
	{MeanSlowdown, "slowdown", pure, ofRecords + ", cluster",
		"Response time over the run time on the nodes that the job asked for (on the whole machine if it asked for no " +
			"number). Jobs that ran for no time are left out.",
		"max(1, response time / run time)"},
	{MedianSlowdown, "median slowdown", pure, ofRecords, "Slowdown that 50 % of the jobs do not exceed.", ""},
	{P90Slowdown, "p90 slowdown", pure, ofRecords, "Slowdown that 90 % of the jobs do not exceed.", ""},
	{P95Slowdown, "p95 slowdown", pure, "replay", "Slowdown that 95 % of the jobs do not exceed.", ""},
	{P99Slowdown, "p99 slowdown", pure, ofRecords, "Slowdown that 99 % of the jobs do not exceed.", ""},
	{MeanBoundedSlowdown, "bounded slowdown", pure, ofRecords,
		"Slowdown where run times below 10 s count as 10 s.",
		"max(1, response time / max(run time, 10 s))"},
	{MeanJobs, "jobs", jobs, ofModels, "Jobs in the system, waiting or not, averaged over time.", "E[jobs]"},
	{VarianceJobs, "variance of jobs", pure, ofModels,
		"Variance of the number of jobs in the system, over time.",
		"Var[jobs]"},
	{MeanWaitingJobs, "waiting jobs", jobs, ofModels,
		"Jobs that have not been started, averaged over time.",
		"dynamic E[(jobs − N)⁺], static E[(jobs − K)⁺]"},
	{ProbabilityWait, "P(wait)", Share, ofModels,
		"Probability that an arriving job finds all partitions taken (not a share of time).", ""},
	{MeanExecutingJobs, "executing jobs", jobs, ofModels,
		"Jobs that make progress, averaged over time: none while a chain repartitions that stops all. Under static " +
			"partitioning, jobs that hold a partition.", ""},
	{Utilization, "utilization", Share, everywhere,
		"Node-time of jobs at work over the node-time that there is: of a log from the first submission to the last " +
			"end, of days while jobs come. Jobs that stand still for a repartition do not count, although they " +
			"hold nodes.",
		"dynamic P(executing), static E[executing]/K"},
	{Efficiency, "efficiency", Share, "simulation, " + ofRecords,
		"Node-time of useful work (what the work would take on one node) over the node-time of jobs at work.",
		"useful_utilization / utilization"},
	{UsefulUtilization, "useful utilization", Share, "simulation, " + ofRecords,
		"Node-time of useful work over the node-time that there is (Downey's utilization).",
		"utilization · efficiency"},
	{LoadAverage, "load average", nodes, ofRecords, "Nodes of jobs at work, averaged over time.", "utilization · P"},
	{Throughput, "throughput", Rate, ofModels,
		"Jobs that end per time; in the long run that is the arrival rate.", ""},
	{OfferedLoad, "load", pure, ofRecords,
		"Work offered over what the whole machine can do: of a log, run time × nodes of all jobs, from the first " +
			"submission to the last; of days, demand while jobs come.", ""},
	{TrafficIntensity, "traffic", pure, "chain",
		"Arrival rate over the largest stable arrival rate of the policy.",
		"dynamic λ·E[B_N]/N, static λ·(E[set-up] + E[B_K])/K"},
	{MaxArrivalRate, "largest stable rate", Rate, "chain",
		"Arrival rate at which the traffic intensity is 1.",
		"dynamic N/E[B_N], static K/(E[set-up] + E[B_K])"},
	{DecayRate, "decay rate", pure, "chain",
		"Factor by which the probability of one more job falls when there are many (caudal characteristic).",
		"sp(R)"},
	{ProbabilityEmpty, "P(empty)", Share, ofModels, "Share of time without any job.", "P(jobs = 0)"},
	{ProbabilityRepartition, "repartitioning", Share, ofModels,
		"Share of time in which a repartition is under way.", "p_r"},
	{RepartitionRate, "repartition rate", Rate, ofModels,
		"Repartitions started per time, of those that cost something.",
		"shrink_rate + expand_rate"},
	{ShrinkRate, "shrink rate", Rate, ofModels,
		"Repartitions that arrivals start per time, of those that cost something.", ""},
	{ExpandRate, "expand rate", Rate, ofModels,
		"Repartitions that departures start per time, of those that cost something.", ""},
	{AbandonedRate, "abandoned rate", Rate, ofModels, "Repartitions per time that the next one interrupts.", ""},
	{BackfilledShare, "backfilled", Share, "replay",
		"Share of the jobs that started before one that had come earlier.", ""},
	{KilledShare, "killed", Share, "replay", "Share of the jobs that were ended at their limit.", ""},
	{MeanClusterSize, "cluster size", nodes, ofRecords, "Nodes of a job while it runs, averaged over jobs.", ""},
	{CVClusterSize, "CV of cluster size", pure, ofRecords, "Coefficient of variation of the nodes of jobs.", ""},
	{CVSlowdownBySize, "CV of slowdown by size", pure, "replay",
		"Coefficient of variation of the mean slowdowns of jobs that ask for 1, 2, 3–4, 5–8, … nodes: 0 is fair to " +
			"all sizes.", ""},
	{MeanRunSlowdown, "slowdown of run times", pure, "cluster",
		"Time from the start of a job to its end over the time that it takes alone and without skew.", ""},
	{UtilizationDemand, "demand done", pure, "cluster",
		"Time that the completed iterations would take alone and without skew, over the node-time. It may exceed 1, " +
			"because I/O and computation of processes overlap.", ""},
	{UtilizationUseful, "useful work done", pure, "cluster",
		"Computation and I/O in these iterations over the node-time: demand done without communication.", ""},
	{FairnessCV, "unfairness", pure, "cluster",
		"Coefficient of variation of the mean slowdowns of run times of the types of jobs: 0 is fair to all types.", "√(Σ(s_k − s̄)²/n)/s̄"},
	{FairnessCVSample, "unfairness, of a sample", pure, "cluster",
		"The same with n − 1 for n types.", "√(Σ(s_k − s̄)²/(n − 1))/s̄"},
	{ProbabilityLate, "late", Share, "replay", "Share of the jobs whose response time exceeds the deadline.",
		"P(T > deadline)"},
	{NodeHoursHeld, "held", nodeTime, "replay",
		"Node-hours during which jobs occupy nodes, at work or standing still for a repartition.",
		"useful + reconfiguration + imperfect speedup"},
	{NodeHoursUseful, "useful", nodeTime, "replay",
		"Node-hours that the work that was done would take on one node.", ""},
	{NodeHoursReconfiguration, "reconfiguration", nodeTime, "replay",
		"Node-hours that jobs stand still on their nodes.", ""},
	{NodeHoursImperfectSpeedup, "imperfect speedup", nodeTime, "replay",
		"Node-hours lost because a job on n nodes is less than n times as fast as on one, or sets itself up.",
		"Σ (n − S(n)) · time at work"},
	{NodeHoursIdle, "idle", nodeTime, "replay",
		"Node-hours that no job is on a node, from the first submission to the last end.", "capacity − held"},
	{NodeHoursCapacity, "capacity", nodeTime, "replay",
		"Node-hours of the machine from the first submission to the last end.", ""},
}, percentiles()...)

// ResponseTimePercentiles are the percentiles of the response time that simulations tell.
func ResponseTimePercentiles() []float64 { return slices.Clone(responseTimePercentiles) }

var responseTimePercentiles = []float64{0.50, 0.90, 0.95, 0.99}

// ResponseTimePercentile returns the name of a percentile of the response time.
func ResponseTimePercentile(p float64) string { return fmt.Sprintf("response_time_p%.0f", 100*p) }

func percentiles() []Measure {
	var all []Measure
	for _, p := range responseTimePercentiles {
		all = append(all, Measure{ResponseTimePercentile(p), fmt.Sprintf("p%.0f response", 100*p), Time,
			"simulation, replay",
			fmt.Sprintf("Response time that %.0f %% of the jobs do not exceed.", 100*p), ""})
	}
	return all
}

// Table returns all measures, in the order in which results show them.
func Table() []Measure { return slices.Clone(table) }

// OfJobs returns the names of the measures of the jobs that a machine has run, in the order in which results show
// them.
func OfJobs() []string {
	return []string{Utilization, Efficiency, UsefulUtilization, LoadAverage, MeanResponseTime, MeanWaitingTime,
		MeanRunTime,
		MeanClusterSize, CVClusterSize, MeanSlowdown, MedianSlowdown, P90Slowdown, P99Slowdown, MeanBoundedSlowdown}
}

// Named returns the measure with the given name; ok is false if there is none.
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
