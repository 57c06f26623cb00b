package models

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/internal/jobtimes"
	"github.com/partwise/partwise/phasetype"
)

// dep is dynamic equi-partitioning. The nodes are divided evenly among the jobs, up to N of them. They are divided again
// whenever that number changes. During a repartition no job makes progress or, with [ResizedStop], no resized job does.
// An arrival below N jobs cuts a repartition short and begins the next.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, JSSPP 1996, LNCS 1162, 244–270, section 2.1.
type dep struct {
	*System
	n int // largest number of jobs among which the nodes are divided, at most N; further jobs wait
}

// newDEP returns the chain of dynamic equi-partitioning among at most n jobs. The chain depends on which jobs stop during
// a repartition.
func newDEP(s *System, n int) (Model, error) {
	if err := s.checkSharing(n); err != nil {
		return nil, err
	}
	if s.Stops == ResizedStop {
		return newResizedChain(s, n)
	}
	return &dep{s, n}, nil
}

// checkSharing returns an error that wraps [ErrNoChain] if no chain describes how jobs of several classes, at most n at a time, share
// the nodes.
func (s *System) checkSharing(n int) error {
	f := s.waterFilling()
	switch share := float64(s.Nodes) / float64(n); {
	case f == nil:
		return nil
	case s.Stops == ResizedStop:
		return fmt.Errorf("models: jobs of several classes where only resized jobs stop: %w", ErrNoChain)
	case f.LeastMost() < share:
		return fmt.Errorf("models: at most %d jobs of %.6g nodes each, where some jobs use fewer: %w", n, share, ErrNoChain)
	}
	return nil
}

// stopsAll returns an error that wraps [ErrNoChain] if only resized jobs stop on the system.
func (s *System) stopsAll(what string) error {
	if s.Stops == ResizedStop {
		return fmt.Errorf("models: %s where only resized jobs stop: %w", what, ErrNoChain)
	}
	return nil
}

// queue returns the chain. The level is the number of jobs, and there are N servers. Level i has the service time B_i and
// the switch-overs C_i.
func (s *dep) queue() *multiserver.Queue {
	q := &multiserver.Queue{
		D0:          s.Arrivals.D0(),
		D1:          s.Arrivals.D1(),
		Servers:     s.n,
		Service:     phasesOf(s.Service[:s.n]),
		OnArrival:   phasesOf(s.Shrink),
		OnDeparture: phasesOf(s.Expand),
	}
	if len(s.PhaseMap) > 0 {
		q.PhaseMap = func(i, j int) mat.Matrix {
			if phi, ok := s.PhaseMap[Change{i, j}]; ok {
				return phi
			}
			return nil
		}
	}
	if f := s.waterFilling(); f != nil {
		q.Speed = func(occupancy []int32, speed []float64) {
			jobs := 0
			for _, k := range occupancy {
				jobs += int(k)
			}
			f.Speed(occupancy, jobs, speed)
		}
	}
	return q
}

// CheckSize returns an error if the chain needs more memory than st.Memory. Otherwise it returns about how many seconds
// Solve takes on one core. It solves nothing.
func (s *dep) CheckSize(ctx context.Context, st markov.Settings) (seconds float64, err error) {
	return s.queue().CheckSize(ctx, st)
}

// Solve returns the measures of the system under dynamic equi-partitioning. An unstable system is not an error.
func (s *dep) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	m, sol, err := solveQueue(ctx, s.System, float64(s.n)/s.Service[s.n-1].Mean(), s.queue(), st)
	if err != nil {
		return m, fmt.Errorf("models: dynamic partitioning: %w", err)
	}
	if sol == nil {
		return m, nil
	}
	if s.n == s.Partitions() {
		all := &responseTimes{dep: s, memory: st.Memory}
		m.times = func(ctx context.Context, class string) (jobtimes.Distributions, error) {
			r, err := all.of(ctx, class)
			if err != nil {
				return jobtimes.Distributions{}, err
			}
			return jobtimes.Distributions{Response: r.quantile, ProbabilityError: r.Off, RelativeError: r.relativeError}, nil
		}
	}
	m.Utilization = sol.Serving()
	m.readClasses(s.System, inPhases(sol.MeanInPhases()))
	up, down, cut := sol.SwitchRates()
	m.Repartitions = &Repartitions{
		Probability: sol.Switching(), Rate: up + down, ShrinkRate: up, ExpandRate: down, AbandonedRate: cut,
		MeanOverhead: s.meanOverhead(sol),
	}
	return m, checkConservation(&m, s.System)
}

// meanOverhead returns the mean time of the repartitions that cost time, weighted by the rates at which they start.
func (s *System) meanOverhead(sol *multiserver.Solution) float64 {
	time, rate := 0.0, 0.0
	for i := 1; i <= s.Partitions(); i++ {
		shrinks, expands := sol.SwitchStarts(i)
		for _, c := range []struct {
			phasetype.Dist
			starts float64
		}{{s.ShrinkTo(i), shrinks}, {s.ExpandTo(i), expands}} {
			time += c.starts * c.Mean()
			rate += c.starts * (1 - c.Atom())
		}
	}
	if rate == 0 {
		return 0
	}
	return time / rate
}
