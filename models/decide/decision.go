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

// Solved is a policy with the measures of a system under the policy.
type Solved struct {
	Policy   policy.Policy
	Measures models.Measures
}

// Partitions returns the number of partitions of a static policy, and 0 for any other policy.
func (r *Solved) Partitions() int {
	if p, ok := r.Policy.(policy.Static); ok {
		return p.Partitions
	}
	return 0
}

// Decision compares the policies on one system.
type Decision struct {
	Results []Solved // in the order in which the policies were asked for
	// Best is the stable static policy with the least mean response time T_SP*. Among policies with equal response times,
	// Best has the fewest partitions. Nil if no static policy in Results is stable.
	Best *Solved
	// Ratio is T_SP*/T_DP, above 1 where dynamic partitioning is faster. Ratio is 0 unless dynamic and some static
	// partitioning are stable.
	Ratio float64
	// Failed are the policies that [SolvePartly] could not solve, in their order. If the first needs too much memory, they are
	// in the order of the memory they need, largest first. Other functions leave Failed empty.
	Failed []*SolveError
}

// SolveError says which policy could not be solved.
type SolveError struct {
	Policy policy.Policy
	Err    error
}

// Error returns a message that names the policy and the cause.
func (e *SolveError) Error() string {
	if e.Policy == nil {
		return fmt.Sprint(e.Err)
	}
	return fmt.Sprintf("%v: %v", e.Policy, e.Err)
}

// Unwrap returns the cause.
func (e *SolveError) Unwrap() error { return e.Err }

// Solve solves the policies on the system and compares them. Up to workers policies are solved at a time (0: one for each
// processor); the result does not depend on workers.
//
// The error for a policy that fails is a *[SolveError]. If the system is wrong, errors.As also finds a
// *[models.SystemError]; if ctx ends, errors.Is finds its error.
func Solve(ctx context.Context, s *models.System, policies []policy.Policy, set markov.Settings, workers int) (
	Decision, error) {
	set = limited(set)
	var refused []*SolveError
	for _, p := range policies { // refuse before the first policy is solved in vain
		if _, err := checkSize(ctx, s, p, set); err != nil {
			refused = append(refused, &SolveError{p, err})
		}
	}
	if refused != nil {
		return Decision{}, largestFirst(refused)[0]
	}
	return solveEach(ctx, s, policies, set, workers, false)
}

// largestFirst puts the policy in front that needs most memory, if the first policy is refused for lack of memory: what
// is enough for this policy is enough for all. It changes the list in place, and returns it.
func largestFirst(failed []*SolveError) []*SolveError {
	needs := func(e *SolveError) float64 {
		if limit := (*parallel.LimitError)(nil); errors.Is(e, markov.ErrTooLarge) && errors.As(e, &limit) && limit.Resource == parallel.Memory {
			return max(limit.Takes, limit.All)
		}
		return 0
	}
	if needs(failed[0]) > 0 {
		slices.SortStableFunc(failed, func(a, b *SolveError) int { return cmp.Compare(needs(b), needs(a)) })
	}
	return failed
}

// checkSize returns an error if the chain of the policy is too large. Otherwise it estimates the time of the solution in
// seconds on one core; 0 if there is no estimate.
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

// CheckSize returns an error if the system has no chain of the policy, or if the chain is known to be too large. It
// returns the error of ctx if ctx ends meanwhile. CheckSize solves nothing.
func CheckSize(ctx context.Context, s *models.System, p policy.Policy, set markov.Settings) error {
	_, err := checkSize(ctx, s, p, set)
	return err
}

// Seconds estimates the time in seconds that [SolvePartly] takes on one core. Policies without an estimate count as 0, as
// do policies without a chain and policies with chains that are too large. Any other error of [CheckSize], such as the end of
// ctx, is returned.
func Seconds(ctx context.Context, s *models.System, policies []policy.Policy, set markov.Settings) (total float64, err error) {
	set = limited(set)
	for _, p := range policies {
		seconds, err := checkSize(ctx, s, p, set)
		if failed := (&SolveError{p, err}); err != nil && !failed.alone() {
			return 0, failed
		}
		total += seconds
	}
	return total, nil
}

// SolvePartly is like [Solve], but one policy that fails does not hide the others. Policies are listed in Failed if they
// have no chain, or their chains are too large, do not converge or are not accurate enough. Best and Ratio are then not set,
// because a policy that failed could change them. If all policies fail, the error of the first is returned. The end of ctx is an
// error as in [Solve], with no decision.
func SolvePartly(ctx context.Context, s *models.System, policies []policy.Policy, set markov.Settings, workers int) (
	Decision, error) {
	return solveEach(ctx, s, policies, limited(set), workers, true)
}

// solveEach solves the policies on system s, up to workers at a time, and compares them. If partly, failures that
// concern one policy alone do not end it: the decision lists them in Failed and is not compared. If all policies fail,
// the first failure is the error. Any other error is the first in the order of policies, a *[SolveError], or the error
// of ctx. set.Memory should be set, so that the policies share it.
func solveEach(ctx context.Context, s *models.System, policies []policy.Policy, set markov.Settings, workers int, partly bool) (
	d Decision, err error) {
	results, failures := make([]Solved, len(policies)), make([]*SolveError, len(policies))
	// Dynamic partitioning and N static partitions are the same queue while N or more jobs are in the system: both solutions
	// need the same matrices of the repeating levels, which Shared computes once.
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
	if d.Failed == nil {
		return NewDecision(results), nil
	}
	if largestFirst(d.Failed); d.Results == nil {
		return Decision{}, d.Failed[0]
	}
	return d, nil
}

// alone reports whether the failure concerns this policy alone, so that other policies of the system may still be
// solved. The policy has no chain, or the chain is too large, does not converge, or is not accurate enough.
func (e *SolveError) alone() bool {
	return errors.Is(e, models.ErrNoChain) || errors.Is(e, markov.ErrTooLarge) || errors.Is(e, markov.ErrNoConvergence) ||
		errors.Is(e, markov.ErrInaccurate)
}

// limited returns the settings with the default limit of memory, which all solutions of a question then share, unless
// the caller has set a limit.
func limited(set markov.Settings) markov.Settings {
	if set.Memory == nil {
		set.Memory = markov.NewMemory(parallel.DefaultMemory)
	}
	return set
}

// NewDecision compares results of one system. Each result belongs to another policy.
func NewDecision(results []Solved) Decision {
	d := Decision{Results: results, Best: bestStatic(results)}
	dynamic := d.Of(policy.Dynamic{})
	if dynamic != nil && dynamic.Measures.Stable && d.Best != nil {
		d.Ratio = d.Best.Measures.MeanResponseTime / dynamic.Measures.MeanResponseTime
	}
	return d
}

// solve returns the result of policy p on system s, by its chain. The error is a *[SolveError] that wraps the error of
// the chain or of its solution.
func solve(ctx context.Context, s *models.System, p policy.Policy, set markov.Settings) (Solved, error) {
	model, err := s.Chain(p)
	if err != nil {
		return Solved{}, &SolveError{p, err}
	}
	return solveChain(ctx, model, p, set)
}

// solveChain returns the result of a policy by its chain. The error is a *[SolveError].
func solveChain(ctx context.Context, model models.Model, p policy.Policy, set markov.Settings) (Solved, error) {
	m, err := model.Solve(ctx, set)
	if err != nil {
		return Solved{}, &SolveError{p, err}
	}
	return Solved{p, m}, nil
}

// Of returns the result of a policy, and nil if the policy is not in Results.
func (d *Decision) Of(p policy.Policy) *Solved {
	for i := range d.Results {
		if d.Results[i].Policy == p {
			return &d.Results[i]
		}
	}
	return nil
}

// Shown returns the results of the policies that a selection names. If the selection asks for the best static policy,
// Shown also returns Best. If no static policy is stable, Shown then returns all of them, because their warnings explain
// why.
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

// forget drops the functions that compute measures on request. These functions hold the solutions, which would stay in
// memory.
func (d *Decision) forget() {
	for i := range d.Results {
		d.Results[i].Measures.Forget()
	}
}
