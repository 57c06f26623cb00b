package days

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/sched"
)

// Study says which policies are compared on the days of a workload or, with Speedup or Sizes, which curves are drawn
// without a simulation.
type Study struct {
	Name       string // of the figure: "13"
	Title      string
	Nodes      int
	Days       int
	Loads      numbers    `yaml:"load"`
	Strategies []Strategy `yaml:"policies"`
	Parameter  *Parameter
	Measures   []string           `yaml:"draw"` // to be drawn; nil for the usual ones
	Optimum    string             // the measure that is maximised over the values of the parameter; "" for none
	Speedup    *ParallelismCurves // speedups against the number of nodes
	Sizes      *ParallelismCurves // sizes that the policies mean a job to have, against sigma

	Table policy.Table `yaml:"-"` // the policies that the texts of strategies may name
	Rows  []Outcome    `yaml:"-"` // its results: load by load, policy by policy, value by value of the parameter
}

// NewStudy returns a study of Downey's experiment without policies: 120 days on 64 nodes at the load 0.75.
func NewStudy(table policy.Table) *Study {
	return &Study{Table: table, Nodes: 64, Days: 120, Loads: numbers{0.75}}
}

// UnmarshalYAML reads a study of the file of figures: the file says what differs from Downey's experiment.
func (s *Study) UnmarshalYAML(node *yaml.Node) error {
	if s == nil || node == nil {
		return errors.New("days: there is no study to read")
	}
	type fields Study
	*s = *NewStudy(policy.Standard())
	return node.Decode((*fields)(s))
}

//go:embed figures.yaml
var figuresFile []byte

// Figures returns table 1 and the figures of Downey's report, as figures.yaml has them. They are new at each call, so that a
// caller may change them.
func Figures() (all []*Study) {
	if err := yaml.Unmarshal(figuresFile, &all); err != nil {
		panic(err)
	}
	return all
}

// MostDays is the largest number of days of a study.
const MostDays = 100_000_000

// numbers are values, written as on the command line.
type numbers []float64

// UnmarshalText reads numbers and ranges A:B:STEP.
func (n *numbers) UnmarshalText(text []byte) (err error) {
	*n, err = measure.ParseNumbers(string(text), measure.Limits{Most: 1000})
	return err
}

// Strategy is a policy under the name that the study gives it. A * in its text stands for the values of the
// parameter.
type Strategy struct{ Name, Text string }

// With returns the text of the policy with a value in place of the *.
func (s Strategy) With(value float64) string {
	return strings.ReplaceAll(s.Text, "*", fmt.Sprint(value))
}

// Parameter is what the * in policies stands for.
type Parameter struct {
	Name   string
	Values numbers
}

// ParallelismCurves are curves of jobs with one average parallelism and several sigmas.
type ParallelismCurves struct {
	A     float64 `yaml:"A"`
	Sigma numbers
}

// Simulated reports whether the study simulates days; other studies only draw curves.
func (s *Study) Simulated() bool { return s.Speedup == nil && s.Sizes == nil }

// ComparesPolicies reports whether the study has outcomes of several policies under the same conditions: at one load, and without a
// parameter that is varied.
func (s *Study) ComparesPolicies() bool {
	return s.Simulated() && s.Optimum == "" && s.Parameter == nil && len(s.Loads) == 1 && len(s.Rows) > 1
}

// Policies returns the policies of the study, one for each value of the parameter, and for each policy a row without an
// outcome.
func (s *Study) Policies() (rows []Outcome, policies []policy.Policy) {
	for _, one := range s.Strategies {
		values := numbers{math.NaN()}
		if strings.Contains(one.Text, "*") {
			values = s.Parameter.Values
		}
		for _, v := range values {
			if p, err := s.Table.Parse(one.With(v)); err == nil { // as checked before, or by a test
				rows, policies = append(rows, Outcome{Strategy: one, Parameter: v}), append(policies, p)
			}
		}
	}
	return rows, policies
}

// BestRow is the row with the best value of the parameter of a policy at a load. Low and High bound the values that do
// not differ significantly from the best value.
type BestRow struct {
	Text      string
	Name      string
	Load      float64
	Parameter float64
	Low       float64
	High      float64
	Value     float64 // of the measure
}

// Optima returns the rows with the best values of the parameter, policy by policy and load by load.
func (s *Study) Optima() (all []BestRow) {
	for _, one := range s.Strategies {
		for _, load := range s.Loads {
			group := slices.DeleteFunc(slices.Clone(s.Rows), func(o Outcome) bool { return o.Strategy != one || o.Load != load })
			best, tied := Best(group, s.Optimum, true)
			row := BestRow{one.Text, one.Name, load, group[best].Parameter, math.Inf(1), math.Inf(-1), group[best].Of(s.Optimum).Mean}
			for _, i := range tied {
				row.Low, row.High = min(row.Low, group[i].Parameter), max(row.High, group[i].Parameter)
			}
			all = append(all, row)
		}
	}
	return all
}

// Point is a point of a curve of a study that simulates nothing.
type Point struct {
	Series string
	X      float64
	Y      float64
}

// curve returns the points of a function at ascending x, as a series with a name.
func curve(series string, x []float64, of func(x float64) float64) (all []Point) {
	for _, at := range x {
		all = append(all, Point{series, at, of(at)})
	}
	return all
}

// Curves returns the points of all curves of a study that draws speedups or sizes, and the names of their axes.
func (s *Study) Curves() (x, y string, all []Point) {
	if s.Speedup != nil {
		return "nodes", "speedup", s.speedups()
	}
	rows, policies := s.Policies()
	for i, p := range policies {
		size, _ := sched.SizingOf(p) // policies of figures choose sizes
		at := sched.Situation{Nodes: s.Nodes, Free: s.Nodes, Waiting: 1, Load: s.Loads[0]}
		all = append(all, curve(rows[i].Name, s.Sizes.Sigma, func(sigma float64) float64 {
			return min(size(workload.Downey{A: s.Sizes.A, Sigma: sigma}, at), float64(s.Nodes))
		})...)
	}
	return "sigma", "size", all
}

// speedups returns the speedup for each sigma, and the lower bound of all of them.
func (s *Study) speedups() (all []Point) {
	nodes := make([]float64, s.Nodes)
	for i := range nodes {
		nodes[i] = float64(i + 1)
	}
	for _, sigma := range s.Speedup.Sigma {
		all = append(all, curve("sigma "+fmt.Sprint(sigma), nodes, workload.Downey{A: s.Speedup.A, Sigma: sigma}.At)...)
	}
	return append(all, curve("lower bound", nodes, workload.Downey{A: s.Speedup.A}.LowerBound)...)
}
