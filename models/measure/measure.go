// Package measure is the table of all measures that results speak of: one name, one meaning, one unit, wherever a
// number comes from. JSON, CSV, tables, charts, comparisons and docs/measures.md are views of it; what computes a
// measure, a chain, a simulation or the replay of a log, says so by its name.
package measure

import "fmt"

// Unit is the dimension of a measure.
type Unit int

// The dimensions of measures.
const (
	Pure  Unit = iota // a number
	Share             // a number between 0 and 1, for people per cent
	Time
	Rate // per time
	Jobs
	Nodes
)

// In returns the name of the unit where times have the given one; empty for numbers and shares.
func (u Unit) In(timeUnit string) string {
	switch u {
	case Time:
		return timeUnit
	case Rate:
		return "1/" + timeUnit
	case Jobs:
		return "jobs"
	case Nodes:
		return "nodes"
	}
	return ""
}

// Measure is a line of the table.
type Measure struct {
	Name       string // in JSON, CSV and Go
	Title      string // for people, as in the head of a column
	Unit       Unit
	Digits     int    // significant digits in tables
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
)

// SlowdownBound is the run time, in seconds, that shorter ones count as in a bounded slowdown.
//
// Reference: D. G. Feitelson, L. Rudolph, Metrics and benchmarking for parallel job scheduling, Job Scheduling
// Strategies for Parallel Processing, LNCS 1459 (1998) 1–24.
const SlowdownBound = 10

var table = []Measure{
	{MeanResponseTime, "response", Time, 5, "Time from the submission of a job to its end.", "T = E[N]/λ"},
	{MeanWaitingTime, "waiting", Time, 5, "Time from the submission of a job to its first start.", "E[(N − K)⁺]/λ"},
	{MeanRunTime, "run time", Time, 4, "Time from the first start of a job to its end.", "T − mean_waiting_time"},
	{MeanSlowdown, "slowdown", Pure, 3, "Response time over the run time on the nodes that the job asked for, or on the whole " +
		"machine if it asked for no number; at least 1. Jobs that ran for no time are left out.", ""},
	{MedianSlowdown, "median slowdown", Pure, 3, "Median of the slowdown.", ""},
	{P90Slowdown, "p90 slowdown", Pure, 3, "Slowdown that nine jobs in ten do not exceed.", ""},
	{P99Slowdown, "p99 slowdown", Pure, 3, "Slowdown that 99 jobs in a hundred do not exceed.", ""},
	{MeanBoundedSlowdown, "bounded slowdown", Pure, 4, "Slowdown where run times below 10 s count as 10 s.",
		"max(1, response / max(run time, 10 s))"},
	{MeanJobs, "jobs", Jobs, 4, "Jobs in the system, over time.", "E[N]"},
	{VarianceJobs, "variance of jobs", Pure, 4, "Variance of the number of jobs in the system, over time.", "Var[N]"},
	{MeanWaitingJobs, "waiting jobs", Jobs, 4, "Jobs that have not been started, over time.", "E[(N − K)⁺]"},
	{ProbabilityWait, "P(wait)", Share, 4, "Probability that an arriving job, not a random instant, finds all partitions taken.",
		""},
	{MeanExecutingJobs, "executing jobs", Jobs, 4, "Jobs that make progress, over time: none during a repartition of the chain; " +
		"under static partitioning jobs that have a partition.", ""},
	{Utilization, "utilization", Share, 3, "Node-time held by jobs, what stands still for a repartition not counted, over the " +
		"node-time that there is: of a chain over all time, of a log from the first submission to the last end, of days while " +
		"jobs come.", "P(executing) · share of nodes held"},
	{Efficiency, "efficiency", Share, 3, "Node-time of useful work over node-time held: what one node would need for the work " +
		"that was done.", "useful_utilization / utilization"},
	{UsefulUtilization, "useful utilization", Share, 3, "Node-time of useful work over the node-time that there is (Downey's " +
		"utilization).", "utilization · efficiency"},
	{LoadAverage, "load average", Nodes, 4, "Nodes held by jobs, over time.", "utilization · P"},
	{Throughput, "throughput", Rate, 5, "Jobs that end per time.", "λ in the long run"},
	{OfferedLoad, "load", Pure, 4, "Work offered over what the whole machine can do: of a model arrival rate over capacity, of a " +
		"log run time × nodes between the first submission and the last.", "λ/(N·μ_N)"},
	{TrafficIntensity, "traffic", Pure, 4, "Arrival rate over the largest stable arrival rate of the policy.",
		"dynamic λ·E[B_N]/N, static λ·(E[set-up] + E[B_K])/K"},
	{MaxArrivalRate, "largest stable rate", Rate, 4, "Arrival rate at which the traffic intensity is 1.", ""},
	{DecayRate, "decay rate", Pure, 4, "Factor by which the probability of one more job falls when there are many (caudal " +
		"characteristic).", "sp(R)"},
	{ProbabilityEmpty, "P(empty)", Share, 4, "Share of time without any job.", "P(N = 0)"},
	{ProbabilityRepartition, "repartitioning", Share, 3, "Share of time that goes into repartitions.", "p_r"},
	{RepartitionRate, "repartition rate", Rate, 4, "Repartitions started per time, of those that cost something.",
		"shrink_rate + expand_rate"},
	{ShrinkRate, "shrink rate", Rate, 4, "Repartitions started by arrivals per time, of those that cost something.", ""},
	{ExpandRate, "expand rate", Rate, 4, "Repartitions started by departures per time, of those that cost something.", ""},
	{AbandonedRate, "abandoned rate", Rate, 4, "Repartitions per time that another one interrupts.", ""},
	{BackfilledShare, "backfilled", Share, 3, "Share of the jobs that were started before one that had come earlier.", ""},
	{KilledShare, "killed", Share, 3, "Share of the jobs that were ended at their limit.", ""},
	{MeanClusterSize, "cluster size", Nodes, 3, "Nodes of a job while it runs.", ""},
	{CVClusterSize, "CV of cluster size", Pure, 3, "Coefficient of variation of the nodes of jobs.", ""},
}

// ResponseTimePercentiles are the percentiles of the response time that simulations tell.
var ResponseTimePercentiles = []float64{0.50, 0.90, 0.95, 0.99}

// ResponseTimePercentile returns the name of a percentile of the response time.
func ResponseTimePercentile(p float64) string { return fmt.Sprintf("response_time_p%.0f", 100*p) }

func init() {
	for _, p := range ResponseTimePercentiles {
		table = append(table, Measure{ResponseTimePercentile(p), fmt.Sprintf("p%.0f response", 100*p), Time, 5,
			fmt.Sprintf("Response time that %.0f jobs in a hundred do not exceed.", 100*p), ""})
	}
}

// Table returns all measures, in the order in which results show them.
func Table() []Measure { return append([]Measure(nil), table...) }

// OfJobs returns the names of the measures that are told of the jobs that a machine has run, in the order in which results
// show them.
func OfJobs() []string {
	return []string{Utilization, Efficiency, UsefulUtilization, LoadAverage, MeanResponseTime, MeanWaitingTime, MeanRunTime,
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
