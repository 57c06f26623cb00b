package epochscmd

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/sched"
)

// Experiment is one of the experiments by its name.
type Experiment string

// The experiments.
const (
	OverheadExperiment Experiment = "overhead" // see Overheads
	ResponseExperiment Experiment = "response" // see Responses
	OpenExperiment     Experiment = "open"     // see Opens
)

// Point is a case with what else an experiment varies besides the policies.
type Point struct {
	Case
	Application Application // "" where it makes no difference
	Load        float64     // of an open system
}

// Grid combines values of what an experiment varies on one machine.
type Grid struct {
	Applications []Application // static and dynamic, unless there are others
	LoadFactors  []float64
	Jobs         []int
	Loads        []float64
}

// Points returns the points of an experiment on so many nodes. The error is that of a case.
func (g *Grid) Points(e Experiment, nodes int) ([]Point, error) {
	if g == nil {
		return nil, errors.New("epochscmd: there is no grid")
	}
	applications, loads := g.Applications, g.Loads
	if applications == nil {
		applications = []Application{Static, Dynamic}
	}
	if e == OverheadExperiment {
		applications = []Application{""}
	}
	if e != OpenExperiment {
		loads = []float64{0}
	}
	var all []Point
	for _, a := range applications {
		for _, l := range g.LoadFactors {
			for _, j := range g.Jobs {
				c := Case{Nodes: nodes, Jobs: j, LoadFactor: l}
				if err := c.Check(); err != nil {
					return nil, err
				}
				for _, load := range loads {
					all = append(all, Point{c, a, load})
				}
			}
		}
	}
	return all, nil
}

// Result is what a policy makes of the jobs at a point. What an experiment does not measure is zero.
type Result struct {
	Point
	Policy     policy.Policy
	Normalized metric.Interval // overhead: how many reallocations a node experiences in a quantum, averaged over time
	Relative   metric.Interval // mean response time over that under [Basis] or, in open systems, under the first policy
	Mean       metric.Interval // response time, in the unit of the demands
	Waiting    metric.Interval // mean waiting time in an open system
	Slowdown   metric.Interval // mean in an open system, relative to the run time on the least number of nodes
	Completed  float64         // mean response time of the jobs that ended in a closed system, a cruder estimate of Mean
	// Growth is the mean number of jobs in the later half of the time in which they come to an open system over that in the
	// earlier half. It is near 1 in the long run. It is 3 under a policy that cannot keep up: its jobs become more and more.
	Growth float64
}

// Of returns a measure by its name, NaN if there is none of that name.
func (r *Result) Of(name string) metric.Interval {
	switch name {
	case "overhead":
		return r.Normalized
	case RelativeResponse:
		return r.Relative
	case measure.MeanResponseTime:
		return r.Mean
	case measure.MeanWaitingTime:
		return r.Waiting
	case measure.MeanSlowdown:
		return r.Slowdown
	}
	return metric.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
}

// RelativeResponse names [Result.Relative].
const RelativeResponse = "relative_response"

// Measures returns the names of what an experiment measures.
func (e Experiment) Measures() []string {
	switch e {
	case OverheadExperiment:
		return []string{"overhead"}
	case ResponseExperiment:
		return []string{"overhead", RelativeResponse, measure.MeanResponseTime}
	}
	return []string{RelativeResponse, measure.MeanResponseTime, measure.MeanWaitingTime, measure.MeanSlowdown}
}

// Principal returns the name of the measure that the paper shows.
func (e Experiment) Principal() string {
	if e == OverheadExperiment {
		return "overhead"
	}
	return RelativeResponse
}

// Parts returns the number of parts that Options.Progress is told of for each point.
func (e Experiment) Parts(policies []policy.Policy, o Options) int {
	o = o.withDefaults()
	runs := len(policies)
	switch {
	case e == OverheadExperiment:
		return (o.Draws + draws - 1) / draws
	case e == ResponseExperiment && !slices.Contains(scheduling(policies), basisPolicy):
		runs++
	}
	return runs * o.Replications
}

// Do does the experiment at a point under all policies. In a closed system all of them must make schedules of a quantum.
// The load of the arrivals is that of the point.
func (e Experiment) Do(ctx context.Context, p Point, arrivals Arrivals, policies []policy.Policy, o Options) ([]Result, error) {
	switch e {
	case OverheadExperiment:
		return Overheads(ctx, p.Case, scheduling(policies), o)
	case ResponseExperiment:
		return Responses(ctx, p.Case, p.Application, scheduling(policies), o)
	}
	arrivals.Load = p.Load
	return Opens(ctx, p.Case, p.Application, arrivals, policies, o)
}

// scheduling returns those of the policies that make schedules of a quantum.
func scheduling(policies []policy.Policy) []policy.Epochs {
	var all []policy.Epochs
	for _, p := range policies {
		if e, ok := p.(policy.Epochs); ok {
			all = append(all, e)
		}
	}
	return all
}

// Schedules returns the checked schedule of a problem under each policy. The error names the policy.
func Schedules(p sched.EpochProblem, policies []policy.Policy) ([]sched.EpochSchedule, error) {
	makers, err := planners(scheduling(policies))
	all := make([]sched.EpochSchedule, len(makers))
	for i, m := range makers {
		if err := m.plan(p); err != nil {
			return nil, err
		}
		all[i] = m.schedule
	}
	return all, err
}
