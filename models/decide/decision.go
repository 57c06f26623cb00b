package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// Solved is a policy with what it does to a system.
type Solved struct {
	Policy   policy.Policy
	Measures models.Measures
}

// Partitions returns the number of partitions of a static policy, 0 of any other.
func (r *Solved) Partitions() int {
	if p, ok := r.Policy.(policy.Static); ok {
		return p.Partitions
	}
	return 0
}

// Decision compares the policies on one system.
type Decision struct {
	Results []Solved // in the order in which the policies were asked for
	// Best is the static policy with the least mean response time T_SP*, of equals the one with fewer partitions; nil if
	// none of those in Results is stable.
	Best *Solved
	// Ratio is T_SP*/T_DP, above 1 where dynamic partitioning pays; 0 unless both exist.
	Ratio float64
	// Failed are the policies that could not be solved, of [SolvePartly] alone.
	Failed []*SolveError
}

// SolveError says which policy could not be solved.
type SolveError struct {
	Policy policy.Policy
	Err    error
}

func (e *SolveError) Error() string { return fmt.Sprintf("%v: %v", e.Policy, e.Err) }

// Unwrap returns the cause.
func (e *SolveError) Unwrap() error { return e.Err }

// Solve solves the policies on the system, as many at a time as there are workers (0: one a processor), and compares
// them. The result does not depend on the number of workers. A policy that fails gives a *[SolveError], which is a
// *[models.SystemError] by errors.As if the system is wrong.
func Solve(ctx context.Context, s *models.System, policies []policy.Policy, set markov.Settings, workers int) (
	Decision, error) {
	set = limited(set)
	for _, p := range policies { // before the first is solved in vain
		if _, err := checkSize(ctx, s, p, set); err != nil {
			return Decision{}, &SolveError{p, err}
		}
	}
	return solveEach(ctx, s, policies, set, workers, false)
}

// checkSize refuses a chain that is too large, and otherwise tells about how many seconds it takes.
func checkSize(ctx context.Context, s *models.System, p policy.Policy, set markov.Settings) (seconds float64, err error) {
	model, err := s.Chain(p)
	sized, ok := model.(interface {
		CheckSize(context.Context, markov.Settings) (float64, error)
	})
	if err != nil || !ok {
		return 0, err
	}
	return sized.CheckSize(ctx, set)
}

// Seconds returns about how many seconds [SolvePartly] takes on one core, as far as that is known beforehand. Policies whose chains
// are too large take none.
func Seconds(ctx context.Context, s *models.System, policies []policy.Policy, set markov.Settings) (total float64, err error) {
	set = limited(set)
	for _, p := range policies {
		seconds, err := checkSize(ctx, s, p, set)
		if err != nil && !errors.Is(err, markov.ErrTooLarge) {
			return 0, &SolveError{p, err}
		}
		total += seconds
	}
	return total, nil
}

// SolvePartly is Solve, but that policies whose chains are too large, do not converge or are not accurate enough are listed
// in Failed and do not hide the others. Best and Ratio, which such a policy might change, are then missing. If all fail, it
// returns the error of the first.
func SolvePartly(ctx context.Context, s *models.System, policies []policy.Policy, set markov.Settings, workers int) (
	Decision, error) {
	return solveEach(ctx, s, policies, limited(set), workers, true)
}

func solveEach(ctx context.Context, s *models.System, policies []policy.Policy, set markov.Settings, workers int, partly bool) (
	d Decision, err error) {
	results, failures := make([]Solved, len(policies)), make([]*SolveError, len(policies))
	// dynamic partitioning and N static partitions are one queue once N jobs run
	set.Shared = cmp.Or(set.Shared, &markov.Shared{})
	err = parallel.Each(ctx, len(policies), workers, func(i int) (err error) {
		results[i], err = solve(ctx, s, policies[i], set)
		if failed := (*SolveError)(nil); partly && errors.As(err, &failed) && failed.alone() {
			failures[i], err = failed, nil
		}
		return err
	})
	if err != nil {
		return d, err
	}
	for i, f := range failures {
		if f != nil {
			d.Failed = append(d.Failed, f)
		} else {
			d.Results = append(d.Results, results[i])
		}
	}
	switch {
	case d.Failed == nil:
		return NewDecision(results), nil
	case d.Results == nil:
		return Decision{}, d.Failed[0]
	}
	return d, nil
}

// alone reports whether the failure says nothing of other policies.
func (e *SolveError) alone() bool {
	return errors.Is(e, markov.ErrTooLarge) || errors.Is(e, markov.ErrNoConvergence) || errors.Is(e, markov.ErrInaccurate)
}

// limited gives all solves of a question one limit of memory, if the caller has not.
func limited(set markov.Settings) markov.Settings {
	if set.Memory == nil {
		set.Memory = markov.NewMemory(markov.DefaultMemory)
	}
	return set
}

// NewDecision compares results, each of another policy, of one system.
func NewDecision(results []Solved) Decision {
	d := Decision{Results: results}
	for i := range d.Results {
		r := &d.Results[i]
		if _, static := r.Policy.(policy.Static); static && r.Measures.Stable && (d.Best == nil || better(r, d.Best)) {
			d.Best = r
		}
	}
	dynamic := d.Of(policy.Dynamic{})
	if dynamic != nil && dynamic.Measures.Stable && d.Best != nil {
		d.Ratio = d.Best.Measures.MeanResponseTime / dynamic.Measures.MeanResponseTime
	}
	return d
}

func solve(ctx context.Context, s *models.System, p policy.Policy, set markov.Settings) (Solved, error) {
	model, err := s.Chain(p)
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
func (d *Decision) Of(p policy.Policy) *Solved {
	for i := range d.Results {
		if d.Results[i].Policy == p {
			return &d.Results[i]
		}
	}
	return nil
}

// Shown returns the results of the policies that a selection names, and of the best static policy if the selection asks for
// it. If no static policy is stable, the results of all of them stand for the best one: they say why there is none.
func (d *Decision) Shown(asked *policy.Selection) []Solved {
	return slices.DeleteFunc(slices.Clone(d.Results), func(one Solved) bool {
		best := asked.Best && one.Partitions() > 0 && (d.Best == nil || one.Policy == d.Best.Policy)
		return !best && !slices.Contains(asked.Named, one.Policy)
	})
}

// Stable reports whether any policy is stable.
func (d *Decision) Stable() bool {
	return slices.ContainsFunc(d.Results, func(one Solved) bool { return one.Measures.Stable })
}

// forget drops what is computed on request from the solutions of a decision, which would stay in memory.
func (d *Decision) forget() {
	for i := range d.Results {
		d.Results[i].Measures.Forget()
	}
}

func better(a, b *Solved) bool {
	ta, tb := a.Measures.MeanResponseTime, b.Measures.MeanResponseTime
	return ta < tb || ta == tb && a.Partitions() < b.Partitions()
}
