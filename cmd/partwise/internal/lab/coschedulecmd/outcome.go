package coschedulecmd

import (
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/cluster"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"
)

// Sums are what is summed up in a replication: of the jobs that count, and of the processors.
type Sums struct {
	Values []float64 // in the order of the constants below, then the slowdowns and numbers of the types of the mix
	cluster.Boosts
	Unfinished int // jobs that had not ended when the run was given up
	Events     int64
	Seconds    float64 // that the replication took
	types      []cluster.Type
}

// The sums.
const (
	jobs = iota
	responses
	waits
	runTimes
	slowdowns
	runSlowdowns // of the run time alone
	span         // of the profile
	work
	useful
	profile // shares × span
	width   = profile + 6
)

func newSums(m cluster.Mix) *Sums {
	return &Sums{Values: make([]float64, width+2*len(m.Types)), types: m.Types}
}

func (s *Sums) addJob(r *cluster.Record) {
	v := s.Values
	v[jobs]++
	v[responses] += r.Response()
	v[waits] += r.Wait()
	v[runTimes] += r.Execution()
	v[slowdowns] += max(1, r.Response()/r.Nominal)
	v[runSlowdowns] += r.Slowdown()
	k := slices.Index(s.types, r.Type)
	v[width+2*k] += r.Slowdown()
	v[width+2*k+1]++
}

func (s *Sums) addCluster(r *cluster.Result) {
	v := s.Values
	v[span] += r.Span
	v[work] += r.Work * r.Span
	v[useful] += r.Useful * r.Span
	for k, share := range r.Profile.Values() {
		v[profile+k] += share * r.Span
	}
	for k, n := range r.Boosts.ByState {
		s.ByState[k] += n
	}
	if s.ByPosition == nil {
		s.ByPosition = make([]int64, len(r.Boosts.ByPosition))
	}
	for k, n := range r.Boosts.ByPosition {
		s.ByPosition[k] += n
	}
	s.Events += r.Events
	s.Unfinished += r.Unfinished
}

// Outcome is what a policy makes of the jobs of a case.
type Outcome struct {
	Run
	Confidence   float64
	Replications []Sums
}

// measures are the measures in the order in which they are shown, as functions of sums.
var measures = []struct {
	name string
	of   func(s []float64) float64
}{
	{measure.MeanResponseTime, over(responses, jobs)},
	{measure.MeanWaitingTime, over(waits, jobs)},
	{measure.MeanRunTime, over(runTimes, jobs)},
	{measure.MeanSlowdown, over(slowdowns, jobs)},
	{measure.MeanRunSlowdown, over(runSlowdowns, jobs)},
	{measure.UtilizationDemand, over(work, span)},
	{measure.UtilizationUseful, over(useful, span)},
	{measure.FairnessCV, func(s []float64) float64 { return variation(slowdownsByType(s), 0) }},
	{measure.FairnessCVSample, func(s []float64) float64 { return variation(slowdownsByType(s), 1) }},
}

func over(a, b int) func([]float64) float64 {
	return func(s []float64) float64 { return s[a] / s[b] }
}

// slowdownsByType returns the mean slowdown of each type; NaN where there are no jobs.
func slowdownsByType(s []float64) []float64 {
	var all []float64
	for k := width; k < len(s); k += 2 {
		all = append(all, s[k]/s[k+1])
	}
	return all
}

// variation returns the coefficient of variation of numbers, with n − lost in the denominator of the variance.
func variation(x []float64, lost int) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	var mean, squares float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares/float64(len(x)-lost)) / mean
}

// Measures returns the names of the measures of outcomes, of the table of measures.
func Measures() []string {
	var names []string
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// Of returns a measure with its interval; NaN if it does not exist, as response times of a backlog do not.
func (o *Outcome) Of(name string) metric.Interval {
	i := slices.Index(Measures(), name)
	if i < 0 {
		return metric.Interval{Mean: math.NaN()}
	}
	return o.jackknife(measures[i].of)
}

// Profile returns the shares of what processors do, in the order of [cluster.Activities].
func (o *Outcome) Profile() []metric.Interval {
	var all []metric.Interval
	for k := range cluster.Activities() {
		all = append(all, o.jackknife(over(profile+k, span)))
	}
	return all
}

// Slowdowns returns the mean slowdowns, of run times, of the types of the mix.
func (o *Outcome) Slowdowns() []metric.Interval {
	var all []metric.Interval
	for k := range o.Case.Mix.Types {
		all = append(all, o.jackknife(over(width+2*k, width+2*k+1)))
	}
	return all
}

func (o *Outcome) jackknife(f func([]float64) float64) metric.Interval {
	sums := make([][]float64, len(o.Replications))
	for r := range sums {
		sums[r] = o.Replications[r].Values
	}
	v := metric.Jackknife(sums, f, o.Confidence)
	if math.IsNaN(v.Mean) {
		return metric.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN(), HalfWidth: math.NaN()}
	}
	return v
}

// Ratio returns a measure of a over that of b, replication beside replication: what both were given was the same. Its
// interval is that of the logarithm, which is less skew than the ratio itself.
func Ratio(a, b *Outcome, name string) metric.Interval {
	i := slices.Index(Measures(), name)
	if i < 0 || len(a.Replications) != len(b.Replications) {
		return metric.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN(), HalfWidth: math.NaN()}
	}
	f := measures[i].of
	both := make([][]float64, len(a.Replications))
	n := len(a.Replications[0].Values)
	for r := range both {
		both[r] = slices.Concat(a.Replications[r].Values, b.Replications[r].Values)
	}
	v := metric.Jackknife(both, func(s []float64) float64 { return math.Log(f(s[:n]) / f(s[n:])) }, a.Confidence)
	v.Mean, v.Low, v.High = math.Exp(v.Mean), math.Exp(v.Low), math.Exp(v.High)
	v.HalfWidth = (v.High - v.Low) / 2
	return v
}

// Jobs returns the number of jobs that were counted.
func (o *Outcome) Jobs() int {
	n := 0.
	for r := range o.Replications {
		n += o.Replications[r].Values[jobs]
	}
	return int(n)
}

// Saturated reports whether the policy could not keep up: jobs were left when a replication was given up. Response times
// are then lower bounds.
func (o *Outcome) Saturated() bool {
	return o.Case.Load > 0 && slices.ContainsFunc(o.Replications, func(s Sums) bool { return s.Unfinished > 0 })
}

// Totals returns the events of all replications, the seconds that they took and the boosts.
func (o *Outcome) Totals() (events int64, seconds float64, boosts cluster.Boosts) {
	for r := range o.Replications {
		s := &o.Replications[r]
		events += s.Events
		seconds += s.Seconds
		for k, n := range s.ByState {
			boosts.ByState[k] += n
		}
		if boosts.ByPosition == nil {
			boosts.ByPosition = make([]int64, len(s.ByPosition))
		}
		for k, n := range s.ByPosition {
			boosts.ByPosition[k] += n
		}
	}
	return events, seconds, boosts
}

// BoostShares returns the shares of the boosts by the states of processes or, for the view Positions, by their positions.
func (o *Outcome) BoostShares(v View) []float64 {
	_, _, counts := o.Totals()
	all := counts.ByPosition
	if v == States {
		all = counts.ByState[:]
	}
	total := 0.
	for _, n := range all {
		total += float64(n)
	}
	shares := make([]float64, len(all))
	for k, n := range all {
		shares[k] = float64(n) / total
	}
	return shares
}

// Saturated returns the policies of the outcomes in which not all jobs ended.
func Saturated(outcomes []Outcome) (policies []string) {
	for i := range outcomes {
		if outcomes[i].Saturated() {
			policies = append(policies, fmt.Sprint(outcomes[i].Policy))
		}
	}
	return policies
}
