package models

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/partwise/partwise/markov"
)

// Solved is a policy with what it does to a system.
type Solved struct {
	Policy   Policy
	Measures Measures
}

// Decision compares the policies on one system.
type Decision struct {
	Results []Solved // in the order in which the policies were asked for
	// Best is the static policy with the least mean response time T_SP*, of equals the one with fewer partitions; nil if
	// none of those in Results is stable.
	Best *Solved
	// Ratio is T_SP*/T_DP, above 1 where dynamic partitioning pays; 0 unless both exist.
	Ratio float64
}

// SolveError says which policy could not be solved.
type SolveError struct {
	Policy Policy
	Err    error
}

func (e *SolveError) Error() string { return fmt.Sprintf("%v: %v", e.Policy, e.Err) }

// Unwrap returns the cause.
func (e *SolveError) Unwrap() error { return e.Err }

// Candidates returns every policy that has a chain: dynamic, then static for every number of partitions.
func (s *System) Candidates() []Policy {
	all := []Policy{{Kind: Dynamic}}
	for _, k := range s.Divisors() {
		all = append(all, Policy{Kind: Static, Partitions: k})
	}
	return all
}

// Decide solves the policies on the system, as many at a time as there are workers (0: one a processor), and compares
// them. The result does not depend on the number of workers. A policy that fails gives a *[SolveError].
func (s *System) Decide(ctx context.Context, policies []Policy, set markov.Settings, workers int) (Decision, error) {
	results := make([]Solved, len(policies))
	errs := make([]error, len(policies))
	if set.Shared == nil { // dynamic partitioning and N static partitions are one queue once N jobs run
		set.Shared = &markov.Shared{}
	}
	parallel(ctx, len(policies), workers, func(i int) {
		results[i], errs[i] = s.solve(ctx, policies[i], set)
	})
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	for _, err := range errs {
		if err != nil {
			return Decision{}, err
		}
	}
	return NewDecision(results), nil
}

// NewDecision compares results, each of another policy, of one system.
func NewDecision(results []Solved) Decision {
	d := Decision{Results: results}
	for i := range d.Results {
		r := &d.Results[i]
		if r.Policy.Kind == Static && r.Measures.Stable && (d.Best == nil || better(r, d.Best)) {
			d.Best = r
		}
	}
	dynamic := d.Of(Policy{Kind: Dynamic})
	if dynamic != nil && dynamic.Measures.Stable && d.Best != nil {
		d.Ratio = d.Best.Measures.MeanResponseTime / dynamic.Measures.MeanResponseTime
	}
	return d
}

func (s *System) solve(ctx context.Context, p Policy, set markov.Settings) (Solved, error) {
	model, err := s.Model(p)
	if err != nil {
		return Solved{}, &SolveError{p, err}
	}
	m, err := model.Solve(ctx, set)
	if err != nil {
		return Solved{}, &SolveError{p, err}
	}
	return Solved{p, m}, nil
}

// Of returns the result of a policy, nil if it was not asked for.
func (d *Decision) Of(p Policy) *Solved {
	for i := range d.Results {
		if d.Results[i].Policy == p {
			return &d.Results[i]
		}
	}
	return nil
}

// Stable reports whether any policy is stable.
func (d *Decision) Stable() bool {
	for _, r := range d.Results {
		if r.Measures.Stable {
			return true
		}
	}
	return false
}

func better(a, b *Solved) bool {
	ta, tb := a.Measures.MeanResponseTime, b.Measures.MeanResponseTime
	return ta < tb || ta == tb && a.Policy.Partitions < b.Policy.Partitions
}

// parallel calls do(0), …, do(n−1) from a number of workers, 0 for one a processor, in ascending order of start; it
// stops handing out work when ctx is done.
func parallel(ctx context.Context, n, workers int, do func(i int)) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	next := make(chan int)
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	all.Wait()
}
