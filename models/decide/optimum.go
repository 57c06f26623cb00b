package decide

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide/internal/decisionprocess"
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
	if _, rate := decisionprocess.FastestShares(s); !markov.Stable(lambda / rate) {
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
		if err != nil || st.Most > 0 || most > mostOptimumJobs || o.Aggregated ||
			o.MeanResponseTime-o.Lower <= optimumPrecision*o.MeanResponseTime {
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
	p, err := decisionprocess.New(ctx, s, most, st.States, nil)
	if errors.Is(err, markov.ErrTooLarge) {
		return aggregate(ctx, s, most, st)
	}
	if err != nil {
		return nil, err
	}
	pol := p.First()
	mean, err := p.Best(ctx, pol, false, st.Settings)
	if err != nil {
		return nil, err
	}
	lower, err := p.Best(ctx, pol, true, st.Settings)
	return &Optimum{MeanResponseTime: mean, Lower: min(lower, mean), Most: p.Most, States: p.States}, err
}
