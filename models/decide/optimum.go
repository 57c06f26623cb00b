package decide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// OptimumSettings steer [Optimal]; the zero value works.
type OptimumSettings struct {
	markov.Settings
	// Most is L, the number of jobs up to which every policy is allowed, at least N. 0 chooses an L at which the bounds
	// differ by less than one in a million, or an L above 500.
	Most int
	// States is the largest number of states of a level for which the process is solved as it is; 0 is 400. An evaluation
	// takes the third power of this number for each of L levels. Larger processes are aggregated.
	States int
}

// defaultStates is the default of OptimumSettings.States.
const defaultStates = 400

// Optimum is the best policy, or one that is not far from it.
type Optimum struct {
	// MeanResponseTime of the policy is exact: no level is cut off.
	MeanResponseTime float64
	// Lower bounds the mean response time of every policy from below. It belongs to a machine that loses arrivals beyond
	// Most jobs. If Aggregated, resizes are free there, too, or the bound is the mean time of a job alone on the machine.
	Lower  float64
	Most   int // L
	States int
	// Aggregated says that the process has too many states. The policy is then the best one for exponential times and Poisson
	// arrivals of the same means; its mean response time with the true times is exact.
	Aggregated bool
}

// Gap returns the relative difference of a mean response time T and the mean response time T* of the optimum, T/T* − 1.
func (o *Optimum) Gap(meanResponseTime float64) float64 {
	return meanResponseTime/o.MeanResponseTime - 1
}

// Optimal returns the best stationary policy of a system for dividing the machine, by policy iteration. A policy is
// evaluated exactly; then every decision becomes the one that leads to the least value. When no decision changes, no
// stationary policy is better. The cost of an evaluation is Σ n³ for the n states of each number of jobs. Where these
// are too many, the policy comes from an aggregated process.
//
// The error is a *[models.SystemError], comes from ctx, or wraps one of these:
//   - [models.ErrNoChain] where only resized jobs stop,
//   - [markov.ErrUnstable],
//   - [markov.ErrTooLarge] if the aggregated process, too, has too many states or takes more than st.Memory,
//   - [markov.ErrNoConvergence].
func Optimal(ctx context.Context, s *models.System, st OptimumSettings) (*Optimum, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	lambda := s.Arrivals.Rate()
	if _, rate := fastestShares(s); !markov.Stable(lambda / rate) {
		return nil, fmt.Errorf("decide: %w", markov.ErrUnstable)
	}
	most := st.Most
	if most <= 0 {
		free, err := freeRepartitions(s)
		if err != nil {
			return nil, err
		}
		m, err := measuresOf(ctx, free, policy.Dynamic{}, st.Settings)
		if err != nil {
			return nil, err
		}
		most = s.Partitions() + 1 // and as many more as a queue has with that probability
		if m.Stable && m.DecayRate > 0 {
			most += int(min(mostOptimumJobs, math.Log(optimumPrecision/10)/math.Log(m.DecayRate)))
		}
	}
	for {
		o, err := solveUpTo(ctx, s, most, st)
		if err != nil || st.Most > 0 || most > mostOptimumJobs || o.Aggregated || o.MeanResponseTime-o.Lower <= optimumPrecision*o.MeanResponseTime {
			return o, err
		}
		most += most/2 + 1
	}
}

// optimumPrecision is the relative difference of the upper and the lower bound at which L is large enough.
const optimumPrecision = 1e-6

// mostOptimumJobs is the largest L that is chosen. Beyond it the bounds differ only close to saturation.
const mostOptimumJobs = 500

// solveUpTo returns the best policy for one L, with its lower bound.
func solveUpTo(ctx context.Context, s *models.System, most int, st OptimumSettings) (*Optimum, error) {
	if st.States <= 0 {
		st.States = defaultStates
	}
	p, err := newDecisionProcess(ctx, s, most, st.States, nil)
	if errors.Is(err, markov.ErrTooLarge) {
		return aggregate(ctx, s, most, st)
	}
	if err != nil {
		return nil, err
	}
	o, pol, err := p.optimum(ctx, s, st)
	if err != nil {
		return nil, err
	}
	lower, err := p.best(ctx, s, pol, true, st)
	o.Lower = min(lower, o.MeanResponseTime)
	return o, err
}

// optimum returns the best policy with its measures; of a process with one rule, this rule.
func (p *decisionProcess) optimum(ctx context.Context, s *models.System, st OptimumSettings) (*Optimum, stationaryPolicy, error) {
	pol := p.first()
	time, err := p.best(ctx, s, pol, false, st)
	return &Optimum{MeanResponseTime: time, Most: p.most, States: p.states}, pol, err
}

// best changes pol into the best policy, and returns its mean response time. In a lossy process arrivals that find L jobs are lost.
func (p *decisionProcess) best(ctx context.Context, s *models.System, pol stationaryPolicy, lossy bool, st OptimumSettings) (float64, error) {
	release, err := st.Memory.Reserve(ctx, p.bytes())
	if err != nil {
		return 0, fmt.Errorf("decide: %d states: %w", p.states, err)
	}
	defer release()
	var above *passage
	if !lossy {
		if above, err = p.solveAbove(ctx, st.Settings); err != nil {
			return 0, err
		}
	}
	v, err := p.iterate(ctx, pol, above)
	if err != nil {
		return 0, err
	}
	return v.jobs / s.Arrivals.Rate(), nil
}

// first returns the policy from which the iteration starts: it keeps the present division wherever it can.
func (p *decisionProcess) first() stationaryPolicy {
	var pol stationaryPolicy
	for _, lev := range p.levels[:p.most+1] {
		pol = append(pol, make([]int, len(lev.arrived)))
	}
	return pol
}

// clone returns a copy that shares no memory with the policy.
func (pol stationaryPolicy) clone() (other stationaryPolicy) {
	for _, row := range pol {
		other = append(other, slices.Clone(row))
	}
	return other
}

// iterate improves pol until no decision changes, and returns its evaluation. A policy that never lets the machine become empty cannot
// be evaluated. The changes that cause this are taken back; the others are an improvement, too.
func (p *decisionProcess) iterate(ctx context.Context, pol stationaryPolicy, above *passage) (*evaluation, error) {
	before := p.first() // serves jobs in every state
	for range mostIterations {
		v, err := p.evaluate(ctx, pol, above)
		if errors.Is(err, markov.ErrReducible) && p.restoreEmptying(before, pol, above == nil) {
			v, err = p.evaluate(ctx, pol, above)
		}
		if errors.Is(err, markov.ErrReducible) {
			err = fmt.Errorf("decide: policy iteration came to a policy that never lets the machine become empty: %w", err)
		}
		if err != nil {
			return nil, err
		}
		before = pol.clone()
		if !p.improve(pol, v) {
			return v, nil
		}
	}
	return nil, fmt.Errorf("decide: policy iteration: %w after %d steps", markov.ErrNoConvergence, mostIterations)
}

// mostIterations is far above the dozen of iterations that policy iteration takes.
const mostIterations = 500

// leastImprovement is the relative improvement from which on a decision changes. A smaller one may be a rounding error of the values.
const leastImprovement = 1e-11

// improve changes every decision of pol into the best one, and reports whether any decision changed.
func (p *decisionProcess) improve(pol stationaryPolicy, v *evaluation) (changed bool) {
	for l, row := range pol {
		for d, now := range row {
			options := p.levels[l].arrived[d].options
			best, least := now, valueOf(options[now], v.values[l])
			least -= leastImprovement * (math.Abs(least) + v.jobs)
			for k, o := range options {
				if w := valueOf(o, v.values[l]); w < least {
					best, least = k, w
				}
			}
			if best != now {
				row[d], changed = best, true
			}
		}
	}
	return changed
}

// valueOf returns the expected relative value of the states to which a division leads.
func valueOf(o division, values []float64) float64 {
	w := 0.0
	for _, t := range o.to {
		w += t.p * values[t.state]
	}
	return w
}
