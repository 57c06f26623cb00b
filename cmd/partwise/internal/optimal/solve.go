package optimal

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

// Settings steer [Solve]; the zero value works.
type Settings struct {
	markov.Settings
	// Most is L, the number of jobs up to which every policy is allowed, at least N; 0 for one from which on the
	// bounds differ by less than one in a million, or that is above 500.
	Most int
	// States is the largest number of states with one number of jobs for which the process is solved as it is, 0 for
	// 400: an evaluation takes the third power of it for each of L levels. Larger ones are aggregated.
	States int
}

// defaultStates is the default of Settings.States.
const defaultStates = 400

// Optimum is the best policy, or one that is not far from it.
type Optimum struct {
	// MeanResponseTime is that of the policy, exactly: nothing is cut off.
	MeanResponseTime float64
	// Lower is less than or equal to that of any policy: with lost arrivals beyond Most jobs, if Aggregated with free resizes
	// besides, or that of a job alone on the machine.
	Lower  float64
	Most   int // L
	States int
	// Aggregated says that the policy is the best one for exponential times and Poisson arrivals of the same means, for
	// the process has too many states; what it comes to with the times as they are is exact.
	Aggregated bool
}

// Gap returns by how much a mean response time exceeds that of the optimum, in proportion to that.
func (o *Optimum) Gap(meanResponseTime float64) float64 {
	return meanResponseTime/o.MeanResponseTime - 1
}

// Solve returns the best policy of a system by policy iteration: a policy is evaluated exactly, and then in every state
// that option taken which leads to the least value; when none is better than what the policy does, no stationary policy
// is. The cost of an evaluation is Σ n³ for the n states of each number of jobs; where these are too many, the policy is
// that of an aggregated process.
//
// The error is a *[models.SystemError], wraps [models.ErrNoChain] where only resized jobs stop, [markov.ErrUnstable],
// [markov.ErrTooLarge] if there are too many states all the same or they take more than st.Memory,
// [markov.ErrNoConvergence], or is that of ctx.
func Solve(ctx context.Context, s *models.System, st Settings) (*Optimum, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	lambda := s.Arrivals.Rate()
	if _, rate := fastest(s); !markov.Stable(lambda / rate) {
		return nil, fmt.Errorf("optimal: %w", markov.ErrUnstable)
	}
	most := st.Most
	if most <= 0 {
		free, err := free(s)
		if err != nil {
			return nil, err
		}
		m, err := measures(ctx, free, policy.Dynamic{}, st.Settings)
		if err != nil {
			return nil, err
		}
		most = s.Partitions() + 1 // and as many more as a queue has with that probability
		if m.Stable && m.DecayRate > 0 {
			most += int(min(enough, math.Log(precision/10)/math.Log(m.DecayRate)))
		}
	}
	for {
		o, err := solveUpTo(ctx, s, most, st)
		if err != nil || st.Most > 0 || most > enough || o.Aggregated || o.MeanResponseTime-o.Lower <= precision*o.MeanResponseTime {
			return o, err
		}
		most += most/2 + 1
	}
}

// precision is the relative difference of the bounds at which L is large enough.
const precision = 1e-6

// enough is the L beyond which none is tried: that far bounds differ close to saturation alone.
const enough = 500

// solveUpTo solves the process for one L.
func solveUpTo(ctx context.Context, s *models.System, most int, st Settings) (*Optimum, error) {
	if st.States <= 0 {
		st.States = defaultStates
	}
	p, err := newProcess(ctx, s, most, st.States, nil)
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

// optimum returns the best policy; of a process with one rule, that.
func (p *process) optimum(ctx context.Context, s *models.System, st Settings) (*Optimum, rule, error) {
	pol := p.first()
	time, err := p.best(ctx, s, pol, false, st)
	return &Optimum{MeanResponseTime: time, Most: p.most, States: p.states}, pol, err
}

// best turns a policy into the best one, and returns its mean response time. In a lossy process arrivals that find L jobs are lost.
func (p *process) best(ctx context.Context, s *models.System, pol rule, lossy bool, st Settings) (float64, error) {
	release, err := st.Memory.Reserve(ctx, p.bytes())
	if err != nil {
		return 0, fmt.Errorf("optimal: %d states: %w", p.states, err)
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

// first is a policy to begin with: the option that is listed first everywhere, to keep what there is.
func (p *process) first() rule {
	var pol rule
	for _, lev := range p.levels[:p.most+1] {
		pol = append(pol, make([]int, len(lev.arrived)))
	}
	return pol
}

func (pol rule) clone() (other rule) {
	for _, row := range pol {
		other = append(other, slices.Clone(row))
	}
	return other
}

// iterate improves a policy until no option is better, and evaluates it. Where an improved policy never lets the machine
// become empty, which cannot be evaluated, the changes that keep it from that are taken back: what is left of them is an
// improvement, too.
func (p *process) iterate(ctx context.Context, pol rule, above *passage) (*evaluation, error) {
	before := p.first() // serves jobs in every state
	for range mostIterations {
		v, err := p.evaluate(ctx, pol, above)
		if errors.Is(err, markov.ErrReducible) && p.restoreEmptying(before, pol, above == nil) {
			v, err = p.evaluate(ctx, pol, above)
		}
		if errors.Is(err, markov.ErrReducible) {
			err = fmt.Errorf("optimal: policy iteration came to a policy that never lets the machine become empty: %w", err)
		}
		if err != nil {
			return nil, err
		}
		before = pol.clone()
		if !p.improve(pol, v) {
			return v, nil
		}
	}
	return nil, fmt.Errorf("optimal: policy iteration: %w after %d steps", markov.ErrNoConvergence, mostIterations)
}

// mostIterations is far more than policy iteration takes, which is a dozen.
const mostIterations = 500

// better is by how much, in proportion, an option must be better to be taken: values carry roundings.
const better = 1e-11

// improve takes the best option of every decision, and reports whether it is another one anywhere.
func (p *process) improve(pol rule, v *evaluation) (changed bool) {
	for l, row := range pol {
		for d, now := range row {
			options := p.levels[l].arrived[d].options
			best, least := now, worth(options[now], v.values[l])
			least -= better * (math.Abs(least) + v.jobs)
			for k, o := range options {
				if w := worth(o, v.values[l]); w < least {
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

func worth(o option, values []float64) float64 {
	w := 0.0
	for _, t := range o.to {
		w += t.p * values[t.state]
	}
	return w
}
