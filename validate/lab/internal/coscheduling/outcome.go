package coscheduling

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
	"github.com/partwise/partwise/validate/metric"
)

// The names of the measures that only this machine has.
const (
	MeanRunSlowdown   = "mean_run_slowdown"
	UtilizationDemand = "utilization_demand"
	UtilizationUseful = "utilization_useful"
	FairnessCV        = "fairness_cv"
	fairnessCVSample  = "fairness_cv_sample"
)

// Sums are the sums of a replication, in the order of the constants below: of the run, of the jobs that count, and of the
// processors. Behind them stand the slowdown and the number of the jobs of each type of the mix. The last sums are boosts by
// the state of processes, and boosts by their position.
type Sums []float64

// The sums.
const (
	unfinished = iota // jobs that had not ended when the run was given up
	events
	seconds // that the replication took
	jobs
	responses
	waits
	runTimes
	slowdowns
	runSlowdowns // of the run time alone
	span         // of the profile
	workDone
	useful
	profile // shares × span, of six activities
	width   = iota + 5
	states  = 3 // of processes that are boosted
)

// boosts returns the index of the first sum of boosts, behind the sums of the types of jobs.
func (run *Run) boosts() int { return width + 2*len(run.Case.Mix.Types) }

// Width returns the number of all sums.
func (run *Run) Width() int { return run.boosts() + states + run.Case.Cluster.MPL }

// addJob adds a job that counts: its times in seconds, and its slowdown to the slowdowns of its type.
func (s Sums) addJob(r *cluster.Record, run *Run) {
	for k, v := range []float64{jobs: 1, responses: r.Response(), waits: r.Wait(), runTimes: r.Execution(),
		slowdowns: max(1, r.Response()/r.Nominal), runSlowdowns: r.Slowdown()} {
		s[k] += v
	}
	k := width + 2*slices.Index(run.Case.Mix.Types, r.Type)
	s[k] += r.Slowdown()
	s[k+1]++
}

// addCluster adds what the processors of a cluster did, weighted by the seconds in which they were watched, and its events.
func (s Sums) addCluster(r *cluster.Result, run *Run) {
	for k, share := range append([]float64{1, r.Work, r.Useful}, r.Profile[:]...) {
		s[span+k] += share * r.Span
	}
	for k, n := range append(r.Boosts.ByState[:], r.Boosts.ByPosition...) {
		s[run.boosts()+k] += float64(n)
	}
	s[events] += float64(r.Events)
	s[unfinished] += float64(r.Unfinished)
}

// Outcome is what a policy makes of the jobs of a case.
type Outcome struct {
	Run
	Replications [][]float64 // [Sums] of each
}

// complete returns o.Replications if each replication has all sums, as simulations make them. Otherwise it returns nil:
// measures are then unknown.
func (o *Outcome) complete() [][]float64 {
	if slices.ContainsFunc(o.Replications, func(s []float64) bool { return len(s) != o.Width() }) {
		return nil
	}
	return o.Replications
}

// formula makes a measure of sums.
type formula func(s []float64) float64

// Measures returns the names of the measures, in the order in which they are shown.
func Measures() []string {
	return []string{measure.MeanResponseTime, measure.MeanWaitingTime, measure.MeanRunTime, measure.MeanSlowdown,
		MeanRunSlowdown, UtilizationDemand, UtilizationUseful, FairnessCV, fairnessCVSample}
}

// formula returns the formula that makes a measure, given by its name, of the sums of replications; nil for an unknown name.
func (run *Run) formula(name string) formula {
	variation := func(lost int) formula {
		return func(s []float64) float64 { return variation(s[width:run.boosts()], lost) }
	}
	return map[string]formula{
		measure.MeanResponseTime: over(responses, jobs),
		measure.MeanWaitingTime:  over(waits, jobs),
		measure.MeanRunTime:      over(runTimes, jobs),
		measure.MeanSlowdown:     over(slowdowns, jobs),
		MeanRunSlowdown:          over(runSlowdowns, jobs),
		UtilizationDemand:        over(workDone, span),
		UtilizationUseful:        over(useful, span),
		FairnessCV:               variation(0),
		fairnessCVSample:         variation(1),
	}[name]
}

// over returns the formula of a measure that is the quotient of two sums, such as a mean over jobs.
func over(a, b int) formula { return func(s []float64) float64 { return s[a] / s[b] } }

// variation returns the coefficient of variation of the mean slowdowns of types of jobs, from the sum and the number of each. The
// denominator of the variance is the number of types less lost.
func variation(s []float64, lost int) float64 {
	n := float64(len(s) / 2)
	if n < 2 {
		return math.NaN()
	}
	var mean, squares float64
	for k := 0; k < len(s); k += 2 {
		mean += s[k] / s[k+1] / n
	}
	for k := 0; k < len(s); k += 2 {
		squares += (s[k]/s[k+1] - mean) * (s[k]/s[k+1] - mean)
	}
	return math.Sqrt(squares/(n-float64(lost))) / mean
}

// Of returns a measure with its interval; its mean is NaN if it does not exist, as response times of a backlog do not.
func (o *Outcome) Of(name string) metric.Interval { return o.jackknife(o.formula(name)) }

// Profile returns the shares of what processors do, in the order of [cluster.Activities].
func (o *Outcome) Profile() (all []metric.Interval) {
	for k := range cluster.Activities() {
		all = append(all, o.jackknife(over(profile+k, span)))
	}
	return all
}

// jackknife returns a measure of all replications together, with the interval of the jackknife over replications.
func (o *Outcome) jackknife(f formula) metric.Interval {
	return metric.Jackknife(o.complete(), f, measure.Confidence)
}

// total returns the sums over all replications.
func (o *Outcome) total() Sums {
	all := make(Sums, o.Width())
	for _, s := range o.complete() {
		floats.Add(all, s)
	}
	return all
}

// Effort returns the number of jobs that count, the number of events, and the seconds of computing, of all replications together.
func (o *Outcome) Effort() (counted int, simulated int64, computing float64) {
	s := o.total()
	return int(s[jobs]), int64(s[events]), s[seconds]
}

// Saturated reports whether the policy could not keep up: jobs were left when a replication was given up. Response times
// are then lower bounds.
func (o *Outcome) Saturated() bool { return o.Case.Load > 0 && o.total()[unfinished] > 0 }

// Boosts returns the numbers of the boosts by the states of processes or, for the view Positions, by their positions.
func (o *Outcome) Boosts(v View) []float64 {
	all := o.total()[o.boosts():]
	if v == Positions {
		return all[states:]
	}
	return all[:states]
}

// outlier times the median of the mean response times is the limit above which a mean is an outlier.
const outlier = 3

// ResponseLimit returns three times the median of the mean response times of outcomes, in seconds, if some mean exceeds it.
// Pictures end there, so that one saturated policy does not hide the others. Outcomes without a mean are left out. It returns 0
// if no mean exceeds this limit, or without outcomes.
func ResponseLimit(outcomes []Outcome) float64 {
	var means []float64
	for i := range outcomes {
		if mean := outcomes[i].Of(measure.MeanResponseTime).Mean; !math.IsNaN(mean) {
			means = append(means, mean)
		}
	}
	slices.Sort(means)
	if len(means) == 0 {
		return 0
	}
	limit := outlier * means[len(means)/2]
	if means[len(means)-1] > limit {
		return limit
	}
	return 0
}

// BoostShares returns [Outcome.Boosts] divided by their sum: the fraction of the boosts in each state of a process or, for the view
// Positions, at each position. All fractions are NaN if there were no boosts.
func (o *Outcome) BoostShares(v View) []float64 {
	shares := o.Boosts(v)
	floats.Scale(1/floats.Sum(shares), shares)
	return shares
}
