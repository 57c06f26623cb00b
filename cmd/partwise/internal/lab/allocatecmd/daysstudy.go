package allocatecmd

import (
	"cmp"
	"errors"
	"math"
	"strings"

	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/sched"
)

// Study says which policies are compared on the days of a workload or, with Speedup or Sizes, which curves are drawn
// without a simulation.
type Study struct {
	Table      policy.Table // the policies that the texts of strategies may name
	File       string       // the name of its file; "" without a file
	Title      string
	Nodes      int
	Days       int
	Loads      []float64
	Strategies []Strategy // the policies, under the key that files have for them
	Parameter  *Parameter
	Measures   []string // to be drawn; nil if the file does not say
	Optimum    string   // the measure that is maximised over the values of the parameter; "" for none
	Jobs       Jobs
	Speedup    *ParallelismCurves // speedups against the number of nodes
	Sizes      *ParallelismCurves // sizes that the policies mean a job to have, against sigma
}

// NewStudy returns a study of Downey's experiment without policies: 120 days on 64 nodes at the load 0.75.
func NewStudy(table policy.Table) *Study {
	return &Study{Table: table, Nodes: 64, Days: 120, Loads: []float64{0.75}}
}

// MostDays is the largest number of days of a study.
const MostDays = 100_000_000

// Strategy is a policy under the name that the study gives it. A * in its text stands for the values of the
// parameter.
type Strategy struct{ Name, Text string }

// With returns the text of the policy with a value in place of the *.
func (s Strategy) With(value float64) string {
	return strings.ReplaceAll(s.Text, "*", modelfile.Short(value))
}

// Parameter is what the * in policies stands for.
type Parameter struct {
	Name   string
	Values []float64
}

// Jobs describes the jobs of a day. A field that is nil or 0 has the value of Downey's experiments.
type Jobs struct {
	Lifetimes, Parallelism *UniformLog
	Sigma                  *[2]float64
	Length                 float64 // seconds
}

// ParallelismCurves are curves of jobs with one average parallelism and several sigmas.
type ParallelismCurves struct {
	A     float64
	Sigma []float64
}

// Row is the outcome of a policy of a study at a load.
type Row struct {
	Strategy          // the policy as the study names it
	Parameter float64 // NaN if the text of the policy has no *
	Outcome
}

// Simulated reports whether the study simulates days; other studies only draw curves.
func (s *Study) Simulated() bool { return s.Speedup == nil && s.Sizes == nil }

// Policies returns the policies of the study, one for each value of the parameter, and a row for each of them that has
// no outcome yet.
func (s *Study) Policies() (rows []Row, policies []policy.Policy) {
	for _, one := range s.Strategies {
		values := []float64{math.NaN()}
		if s.Parameter != nil && strings.Contains(one.Text, "*") {
			values = s.Parameter.Values
		}
		for _, v := range values {
			if p, err := s.Table.Parse(one.With(v)); err == nil { // every text was checked when it was read
				rows, policies = append(rows, Row{Strategy: one, Parameter: v}), append(policies, p)
			}
		}
	}
	return rows, policies
}

// Run returns the rows of the study, load by load. The function returns the outcomes of policies at a load.
func (s *Study) Run(outcomes func(load float64, policies []policy.Policy) ([]Outcome, error)) ([]Row, error) {
	if s == nil || outcomes == nil {
		return nil, errors.New("allocatecmd: there is no study to run")
	}
	var rows []Row
	for _, load := range s.Loads {
		some, policies := s.Policies()
		all, err := outcomes(load, policies)
		if err != nil {
			return nil, err
		}
		for i := range some {
			some[i].Outcome = all[i]
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// Workload returns the workload of the study at a load: that of Downey, except where the study says otherwise.
func (s *Study) Workload(load float64) (Workload, error) {
	if s == nil {
		return Workload{}, errors.New("allocatecmd: there is no study")
	}
	w, err := Downey(s.Nodes, load)
	if err != nil {
		return w, err
	}
	if s.Jobs.Lifetimes != nil {
		w.Lifetimes = *s.Jobs.Lifetimes
	}
	if s.Jobs.Parallelism != nil {
		w.Parallelism = *s.Jobs.Parallelism
	}
	if s.Jobs.Sigma != nil {
		w.SigmaMin, w.SigmaMax = s.Jobs.Sigma[0], s.Jobs.Sigma[1]
	}
	w.Length = cmp.Or(s.Jobs.Length, w.Length)
	return w, w.Check()
}

// Least returns the index of the row with the least value of a measure, and the indices of the rows that do not differ
// significantly from it, as [Best] does.
func Least(rows []Row, name string, confidence float64) (best int, tied []int) {
	outcomes := make([]Outcome, len(rows))
	for i := range rows {
		outcomes[i] = rows[i].Outcome
	}
	return Best(outcomes, name, false, confidence)
}

// BestRow is the row with the best value of the parameter of a policy at a load. Low and High bound the values that do
// not differ significantly from the best value.
type BestRow struct {
	Row
	Low, High float64
}

// Optima returns the rows with the best values of the parameter, policy by policy and load by load.
func (s *Study) Optima(rows []Row, confidence float64) (best []BestRow) {
	for _, one := range s.Strategies {
		for _, load := range s.Loads {
			var group []Row
			var outcomes []Outcome
			var values []float64
			for _, r := range rows {
				if r.Strategy == one && r.Load == load && !math.IsNaN(r.Parameter) {
					group, outcomes, values = append(group, r), append(outcomes, r.Outcome), append(values, r.Parameter)
				}
			}
			if group != nil {
				o := OptimumOf(outcomes, values, s.Optimum, confidence)
				best = append(best, BestRow{group[o.Best], o.Low, o.High})
			}
		}
	}
	return best
}

// Curve is a curve of a study that simulates nothing.
type Curve struct {
	Name, XName, YName string
	X, Y               []float64
}

// newCurve returns the curve of a function.
func newCurve(name, xName, yName string, x []float64, of func(x float64) float64) Curve {
	c := Curve{name, xName, yName, x, make([]float64, len(x))}
	for i := range x {
		c.Y[i] = of(x[i])
	}
	return c
}

// Curves returns the curves of a study that draws speedups or sizes.
func (s *Study) Curves() []Curve {
	if s.Speedup != nil {
		return s.speedups()
	}
	var all []Curve
	for _, load := range s.Loads {
		rows, policies := s.Policies()
		for i, p := range policies {
			name := rows[i].Name
			if !math.IsNaN(rows[i].Parameter) {
				name += ", " + s.Parameter.Name + " " + modelfile.Short(rows[i].Parameter)
			}
			if len(s.Loads) > 1 {
				name += ", load " + modelfile.Short(load)
			}
			if size, ok := sched.SizingOf(p); ok { // as checked when the study was read
				at := sched.Situation{Nodes: s.Nodes, Free: s.Nodes, Waiting: 1, Load: load}
				all = append(all, newCurve(name, "sigma", "size", s.Sizes.Sigma, func(sigma float64) float64 {
					return math.Min(size(workload.Downey{A: s.Sizes.A, Sigma: sigma}, at), float64(s.Nodes))
				}))
			}
		}
	}
	return all
}

// speedups returns the speedup for each sigma, and the lower bound of all of them.
func (s *Study) speedups() (all []Curve) {
	nodes := make([]float64, s.Nodes)
	for i := range nodes {
		nodes[i] = float64(i + 1)
	}
	for _, sigma := range s.Speedup.Sigma {
		all = append(all, newCurve("sigma "+modelfile.Short(sigma), "nodes", "speedup", nodes, workload.Downey{A: s.Speedup.A, Sigma: sigma}.At))
	}
	return append(all, newCurve("lower bound", "nodes", "speedup", nodes, workload.Downey{A: s.Speedup.A}.LowerBound))
}
