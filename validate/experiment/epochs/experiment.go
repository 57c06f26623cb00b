package epochs

import (
	"context"
	"slices"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/sched/epoch"
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

// Row is what came of a policy at a point.
type Row struct {
	Point
	Policy policy.Policy
	Values []estimate.Interval // of the measures of the experiment
	Growth float64             // of an open system, see Open
}

// RelativeResponse names the mean response time relative to that under a policy: [Basis] in closed systems, the first
// policy in open ones.
const RelativeResponse = "relative_response"

// Measures returns the names of the values of a row.
func (e Experiment) Measures() []string {
	switch e {
	case OverheadExperiment:
		return []string{"overhead"}
	case ResponseExperiment:
		return []string{"overhead", RelativeResponse, measure.MeanResponseTime}
	}
	return append([]string{RelativeResponse}, OpenMeasures...)
}

// Principal returns the index of the measure that the paper shows.
func (e Experiment) Principal() int { return max(0, slices.Index(e.Measures(), RelativeResponse)) }

// Parts returns the number of parts that Options.Progress is told of for each point.
func (e Experiment) Parts(policies []policy.Policy, o Options) int {
	o = o.withDefaults()
	runs := len(policies)
	switch {
	case e == OverheadExperiment:
		return (o.Draws + draws - 1) / draws
	case e == ResponseExperiment && !slices.Contains(scheduling(policies), Basis):
		runs++
	}
	return runs * o.Replications
}

// Do does the experiment at a point under all policies. In a closed system all of them must make schedules of a quantum.
// The load of the arrivals is that of the point.
func (e Experiment) Do(ctx context.Context, p Point, arrivals Arrivals, policies []policy.Policy, o Options) ([]Row, error) {
	rows := make([]Row, len(policies))
	for i := range rows {
		rows[i] = Row{Point: p, Policy: policies[i]}
	}
	switch e {
	case OverheadExperiment:
		all, err := Overheads(ctx, p.Case, scheduling(policies), o)
		for i := range all {
			rows[i].Values = []estimate.Interval{all[i].Normalized}
		}
		return rows, err
	case ResponseExperiment:
		all, err := Responses(ctx, p.Case, p.Application, scheduling(policies), o)
		for i, r := range all {
			rows[i].Values = []estimate.Interval{r.Normalized, r.Relative, r.Mean}
		}
		return rows, err
	}
	arrivals.Load = p.Load
	all, err := Opens(ctx, p.Case, p.Application, arrivals, policies, o)
	for i, r := range all {
		rows[i].Values, rows[i].Growth = append([]estimate.Interval{r.Relative}, r.Values...), r.Growth
	}
	return rows, err
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
func Schedules(p epoch.Problem, policies []policy.Policy) ([]epoch.Schedule, error) {
	makers, err := planners(scheduling(policies))
	all := make([]epoch.Schedule, len(makers))
	for i, m := range makers {
		if err := m.plan(p); err != nil {
			return nil, err
		}
		all[i] = m.schedule
	}
	return all, err
}
