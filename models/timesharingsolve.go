package models

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/counts"
)

// TimeSharedSolution holds the long-run measures of a machine that is shared in time.
type TimeSharedSolution struct {
	Classes    []TimeSharedMeasures
	Iterations int // of the fixed point; 0 with one class
	Warnings   []error
}

// TimeSharedMeasures are the measures of a class. Of Measures, the fields of numbers of jobs and of response times, the
// throughput and the decay rate are set. MeanExecuting is the mean number of jobs that make progress.
type TimeSharedMeasures struct {
	// If Stable, the class is served as fast as its jobs arrive. Otherwise all other fields are zero, and the other classes see
	// a class that always has jobs.
	Measures
	SliceShare      float64 // share of time in slices of the class
	SwitchOverShare float64 // share of time in switch-overs before them
	// Mean and squared coefficient of variation of visits of the machine, each a switch-over and a slice.
	MeanVisit, SCVVisit float64
}

// errApproximate is the warning that the solution of several classes is an approximation.
var errApproximate = errors.New("an approximation: each class knows of the others whether they have jobs, not how many")

// Solve returns the measures of all classes. An unstable class is not an error. The error names a class that is not valid,
// wraps [markov.ErrNoConvergence] if the fixed point is not reached, or comes from the chain of a class or from ctx.
func (m *TimeSharedMachine) Solve(ctx context.Context, st markov.Settings) (*TimeSharedSolution, error) {
	return m.solve(ctx, st, mostVisitIterations)
}

// The fixed point is reached when the moments of visits change by at most visitChange, relative to their size. The
// iteration fails after mostVisitIterations.
const (
	visitChange         = 1e-9
	mostVisitIterations = 1000
)

// solve iterates over the classes. Each class is solved with the latest visits of the machine to the other classes. The
// iteration ends when no moment of a visit changes by more than visitChange. With one class there is nothing to iterate.
func (m *TimeSharedMachine) solve(ctx context.Context, st markov.Settings, most int) (*TimeSharedSolution, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	n := len(m.Classes)
	s := &TimeSharedSolution{Classes: make([]TimeSharedMeasures, n)}
	seen := make([]visits, n)
	for i, c := range m.Classes {
		mean := c.SwitchOver.Mean() + min(c.Service.Mean(), c.Quantum.Mean())
		seen[i] = visits{mean, 2 * mean * mean, 1, c.Arrivals.Rate()}
	}
	if n == 1 {
		_, err := m.class(ctx, 0, seen, &s.Classes[0], st)
		return s, err
	}
	s.Warnings = []error{errApproximate}
	change := 0.0
	for s.Iterations < most {
		s.Iterations++
		change = 0
		for i := range m.Classes {
			v, err := m.class(ctx, i, seen, &s.Classes[i], st)
			if err != nil {
				return nil, fmt.Errorf("models: class %d: %w", i, err)
			}
			change = max(change, v.differ(seen[i]))
			seen[i] = v
		}
		if change <= visitChange {
			return s, nil
		}
	}
	return nil, fmt.Errorf("models: the visits of classes still change by %.2g after %d iterations: %w", change,
		s.Iterations, markov.ErrNoConvergence)
}

// differ returns the largest difference of two visits; differences of probabilities are absolute, all others relative.
func (v visits) differ(w visits) float64 {
	d := func(a, b float64) float64 { return math.Abs(a-b) / max(math.Abs(a), math.Abs(b)) }
	return max(d(v.mean, w.mean), d(v.square, w.square), math.Abs(v.empty-w.empty), d(v.fill, w.fill))
}

// class solves the chain of a class, given what it knows of the others, and returns what the others know of it.
func (m *TimeSharedMachine) class(ctx context.Context, i int, seen []visits, to *TimeSharedMeasures,
	st markov.Settings) (visits, error) {
	var others []other
	for k := 1; k < len(seen); k++ {
		o, err := seen[(i+k)%len(seen)].other()
		if err != nil {
			return visits{}, err
		}
		others = append(others, o)
	}
	c := newClassChain(m.Classes[i], m.HoldSlices, others)
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
	return c.measure(ctx, to, sol, st.Memory)
}

// measure computes the measures from a solution.
func (c *classChain) measure(ctx context.Context, m *TimeSharedMeasures, sol *markov.QBDSolution,
	memory *markov.Memory) (visits, error) {
	m.readLevels(sol, c.Arrivals.Rate(), sol.MeanAbove(c.Partitions))
	exit := c.Service.Exit()
	c.levels.Each(sol, func(level int, s phase, p float64) {
		switch s.Kind {
		case switching:
			m.SwitchOverShare += p
		case serving:
			m.SliceShare += p
			m.MeanExecuting += p * float64(min(level, c.Partitions))
			for i := range counts.Phases(s.Jobs) {
				m.Throughput += p * float64(counts.At(s.Jobs, i)) * exit[i]
			}
		}
	})
	var err error
	if m.DecayRate, err = sol.DecayRate(ctx); err != nil {
		return visits{}, err
	}
	v, err := c.visits(ctx, sol, memory)
	m.MeanVisit, m.SCVVisit = v.mean, v.square/(v.mean*v.mean)-1
	return v, err
}
