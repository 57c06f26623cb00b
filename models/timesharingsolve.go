package models

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
)

// TimeSharedSettings steer a solve; the zero value works.
type TimeSharedSettings struct {
	markov.Settings
	// Change is the largest relative change of the moments of visits from one iteration to the next at which the fixed
	// point counts as reached, 0 for 1e-9.
	Change float64
	// Iterations bounds the iterations of the fixed point, 0 for 1,000.
	Iterations int
}

// TimeSharedSolution is what a machine does in the long run.
type TimeSharedSolution struct {
	Classes    []TimeSharedMeasures
	Iterations int     // of the fixed point; 0 with one class
	Change     float64 // of the last of them
	Warnings   []error
}

// TimeSharedMeasures is what becomes of a class.
type TimeSharedMeasures struct {
	// Stable says that the class is served as fast as its jobs come. The others then see its chain, and otherwise a class
	// that always has jobs; what follows is zero unless Stable.
	Stable           bool
	MeanResponseTime float64
	MeanJobs         float64
	VarianceJobs     float64
	MeanRunningJobs  float64 // jobs that make progress
	Throughput       float64
	ProbabilityEmpty float64
	DecayRate        float64 // caudal characteristic
	SliceShare       float64 // share of time in slices of the class
	SwitchOverShare  float64 // share of time in switch-overs before them

	// Of the visits of the machine, that is of switch-overs and slices.
	MeanVisit, SCVVisit float64

	Diagnostics markov.Diagnostics
	solution    *markov.QBDSolution
}

// LevelProbabilities returns P(number of jobs = i) from 0 until the rest is below 1e-12, at most 10,000 values; nil if
// the class is unstable. The error is that of ctx if it ends.
func (m *TimeSharedMeasures) LevelProbabilities(ctx context.Context) ([]float64, error) {
	if m == nil || m.solution == nil {
		return nil, nil
	}
	return markov.LevelProbabilities(ctx, m.solution, 1e-12)
}

// ErrApproximate: with several classes the solution is an approximation.
var ErrApproximate = errors.New("an approximation: each class knows of the others whether they have jobs, not how many")

// Solve returns the measures of all classes. A class that is not stable is no error. The error is a *[TimeSharedClassError], wraps
// [markov.ErrNoConvergence] if the fixed point is not reached, or what package markov says of a chain, or that of ctx
// soon after that ends.
func (m *TimeSharedMachine) Solve(ctx context.Context, st TimeSharedSettings) (*TimeSharedSolution, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	n := len(m.Classes)
	s := &TimeSharedSolution{Classes: make([]TimeSharedMeasures, n)}
	seen := make([]visits, n)
	for i, c := range m.Classes {
		mean := c.SwitchOver.Mean() + math.Min(c.Service.Mean(), c.Quantum.Mean())
		seen[i] = visits{mean, 2 * mean * mean, 1, c.Arrivals.Rate()}
	}
	if n == 1 {
		_, err := m.class(ctx, 0, seen, &s.Classes[0], st.Settings)
		return s, err
	}
	s.Warnings = []error{ErrApproximate}
	change, most := st.Change, st.Iterations
	if change <= 0 {
		change = 1e-9
	}
	if most <= 0 {
		most = 1000
	}
	for s.Iterations < most {
		s.Iterations++
		s.Change = 0
		for i := range m.Classes {
			v, err := m.class(ctx, i, seen, &s.Classes[i], st.Settings)
			if err != nil {
				return nil, fmt.Errorf("models: class %d: %w", i, err)
			}
			s.Change = math.Max(s.Change, v.differ(seen[i]))
			seen[i] = v
		}
		if s.Change <= change {
			return s, nil
		}
	}
	return nil, fmt.Errorf("models: the visits of classes still change by %.2g after %d iterations: %w", s.Change,
		s.Iterations, markov.ErrNoConvergence)
}

// differ returns the largest relative difference of visits.
func (v visits) differ(w visits) float64 {
	d := func(a, b float64) float64 { return math.Abs(a-b) / math.Max(math.Abs(a), math.Abs(b)) }
	return max(d(v.mean, w.mean), d(v.square, w.square), math.Abs(v.empty-w.empty), d(v.fill, w.fill))
}

// class solves the chain of a class among the others, and returns what these see of it.
func (m *TimeSharedMachine) class(ctx context.Context, i int, seen []visits, to *TimeSharedMeasures, st markov.Settings) (visits, error) {
	var others []other
	for k := 1; k < len(seen); k++ {
		o, err := seen[(i+k)%len(seen)].other()
		if err != nil {
			return visits{}, err
		}
		others = append(others, o)
	}
	c := newChain(m.Classes[i], m.HoldSlices, others)
	q, err := c.levels.QBD(ctx, st.Memory)
	if err != nil {
		return visits{}, err
	}
	*to = TimeSharedMeasures{}
	sol, err := q.Solve(ctx, st)
	if errors.Is(err, markov.ErrUnstable) {
		return saturated(c.TimeSharedClass), nil
	}
	if err != nil {
		return visits{}, err
	}
	return c.measure(ctx, to, sol)
}

// measure reads the measures off a solution.
func (c *chain) measure(ctx context.Context, m *TimeSharedMeasures, sol *markov.QBDSolution) (visits, error) {
	m.Stable, m.solution, m.Diagnostics = true, sol, sol.Diagnostics()
	m.MeanJobs, m.VarianceJobs = sol.Mean(), sol.Variance()
	m.MeanResponseTime = m.MeanJobs / c.Arrivals.Rate()
	m.ProbabilityEmpty = sol.Probability(0)
	c.levels.Each(sol, func(level int, s phase, p float64) {
		switch s.doing {
		case switching:
			m.SwitchOverShare += p
		case serving:
			m.SliceShare += p
			m.MeanRunningJobs += p * float64(min(level, c.Partitions))
			for i := range s.jobs {
				m.Throughput += p * float64(s.jobs[i]) * exit(c.Service, i)
			}
		}
	})
	var err error
	if m.DecayRate, err = sol.DecayRate(ctx); err != nil {
		return visits{}, err
	}
	v, err := c.visits(ctx, sol)
	m.MeanVisit, m.SCVVisit = v.mean, v.square/(v.mean*v.mean)-1
	return v, err
}
