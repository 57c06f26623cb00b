package epochs

import (
	"context"
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
)

// Experiment is one of the experiments by its name.
type Experiment string

// The experiments.
const (
	OverheadExperiment Experiment = "overhead"
	ResponseExperiment Experiment = "response"
	OpenExperiment     Experiment = "open"
)

// RelativeResponse names the mean response time over that under opt:1 or, in open systems, under the first policy.
// NormalizedOverhead names how many reallocations a node experiences in a quantum, averaged over time.
const (
	RelativeResponse   = "relative_response"
	NormalizedOverhead = "overhead"
)

// measures are the names of what experiments measure.
var measures = map[Experiment][]string{
	OverheadExperiment: {NormalizedOverhead},
	ResponseExperiment: {NormalizedOverhead, RelativeResponse, measure.MeanResponseTime},
	OpenExperiment:     {RelativeResponse, measure.MeanResponseTime, measure.MeanWaitingTime, measure.MeanSlowdown},
}

// Measures returns the names of what the experiment measures.
func (e Experiment) Measures() []string { return slices.Clone(measures[e]) }

// Point is a case with what else an experiment varies besides the policies.
type Point struct {
	Case
	Application Application // "" where it makes no difference
	Load        float64     // of an open system
}

// Points returns a point on a machine of so many nodes for each combination of an application, a load factor, a number of jobs
// and a load. The loads vary fastest, and the applications slowest.
//
// [OverheadExperiment] ignores applications, which make no difference to overheads. All experiments but [OpenExperiment] ignore
// loads. The error comes from [Case.Check] of the first case that is wrong; the result is nil then.
func (e Experiment) Points(nodes int, applications []Application, loadFactors []float64, jobs []int,
	loads []float64) (all []Point, err error) {
	if e == OverheadExperiment {
		applications = []Application{""}
	}
	if e != OpenExperiment {
		loads = []float64{0}
	}
	for _, a := range applications {
		for _, l := range loadFactors {
			for _, j := range jobs {
				c := Case{Nodes: nodes, Jobs: j, LoadFactor: l}
				if err := c.Check(); err != nil {
					return nil, err
				}
				for _, load := range loads {
					all = append(all, Point{Case: c, Application: a, Load: load})
				}
			}
		}
	}
	return all, nil
}

// Result is what a policy makes of the jobs at a point.
type Result struct {
	Point
	Choice
	Values    map[string]metric.Interval // by the names of the measures of the experiment
	Completed float64                    // mean response time of the jobs that ended in a closed system, a cruder estimate of the mean
	// Growth is a quotient of mean numbers of jobs in an open system: in the later half of the time in which jobs arrive, over
	// the earlier half. It is near 1 in the long run. It is 3 under a policy that cannot keep up: its jobs become more and
	// more.
	Growth float64
}

// Of returns a measure of the experiment by its name.
func (r *Result) Of(name string) metric.Interval { return r.Values[name] }

// Principal returns the measure that the paper shows, for one series of policies among the results at a point. It is the normalized
// overhead in [OverheadExperiment], and the relative response time in the others. k chooses the policy of a series with several
// K. ok is false if results have no policy of the series with this k, such as a K that exceeds the machine.
func (e Experiment) Principal(results []Result, series string, k int) (v metric.Interval, ok bool) {
	i := slices.IndexFunc(results, func(x Result) bool { return x.Series == series && (x.K < 0 || x.K == k) })
	switch {
	case i < 0:
		return v, false
	case e == OverheadExperiment:
		return results[i].Of(NormalizedOverhead), true
	}
	return results[i].Of(RelativeResponse), true
}

// behind is the growth of the number of jobs above which a policy is called unstable.
const behind = 2

// FallsBehind reports whether the policy seems unstable: the number of jobs grew more than twofold, see Growth. Its response
// times then depend on the length of the simulation.
func (r *Result) FallsBehind() bool { return r.Growth > behind }

// Do does the experiment at a point under all policies: in parts, each of which is the same for all of them. In a closed system all
// policies must make schedules of a quantum. The error wraps a *[parallel.LimitError] and names the policy, if an optimal schedule
// is too hard to find.
func (e Experiment) Do(ctx context.Context, p Point, chosen []Choice, o Options) ([]Result, error) {
	run, basis := e.beside(chosen)
	do := map[Experiment]func(context.Context, Point, policy.Policy, *Options, int) ([]float64, error){
		OverheadExperiment: overheads, ResponseExperiment: response, OpenExperiment: open}[e]
	if do == nil {
		return nil, fmt.Errorf("epochs: there is no experiment %q", string(e))
	}
	sums, err := parallel.Grid(ctx, len(run), e.parts(&o), o.Workers, nil, func(i, part int) ([]float64, error) {
		return do(ctx, p, run[i].Policy, &o, part)
	})
	if err != nil {
		return nil, err
	}
	all := make([]Result, len(chosen))
	for i := range all {
		r := &all[i]
		r.Point, r.Choice = p, chosen[i]
		switch e {
		case OverheadExperiment:
			r.Values = map[string]metric.Interval{NormalizedOverhead: metric.Student(slices.Concat(sums[i]...), Confidence)}
		case ResponseExperiment:
			r.ofResponses(sums[i], sums[basis])
		case OpenExperiment:
			r.ofOpen(sums[i], sums[basis])
		}
	}
	return all, nil
}

// beside returns the policies that are run, and the index of the one that the others are compared with: in open systems the first,
// otherwise the basis, which is run, too, if it is not among them.
func (e Experiment) beside(chosen []Choice) (run []Choice, basis int) {
	if e != ResponseExperiment {
		return chosen, 0
	}
	if basis = slices.IndexFunc(chosen, func(c Choice) bool { return c.Policy == basisPolicy }); basis < 0 {
		return append(slices.Clone(chosen), Choice{Policy: basisPolicy}), len(chosen)
	}
	return chosen, basis
}

// parts returns into how many parts the work at a point is divided, which workers do in parallel: blocks of drawn problems
// for overheads, otherwise replications.
func (e Experiment) parts(o *Options) int {
	if e == OverheadExperiment {
		return (o.Draws + draws - 1) / draws
	}
	return o.Replications
}

// Confidence is the confidence of all intervals, as in the report.
const Confidence = 0.9

// estimate sets r.Values: each measure with its interval, by the jackknife over replications. A formula makes a measure of
// the sums under the policy and the sums under the policy that it is compared with.
func (r *Result) estimate(sums, basis [][]float64, formulas map[string]func(s, basis []float64) float64) {
	both := make([][]float64, len(sums))
	for k, s := range sums {
		both[k] = slices.Concat(s, basis[k])
	}
	n := len(sums[0])
	r.Values = map[string]metric.Interval{}
	for name, of := range formulas {
		r.Values[name] = metric.Jackknife(both, func(s []float64) float64 { return of(s[:n], s[n:]) }, Confidence)
	}
}
