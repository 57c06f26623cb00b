package decisionprocess

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
)

// Best changes pol into the best policy, and returns its mean response time; of a process with one rule, the one of this rule. In
// a lossy process arrivals that find L jobs are lost. The error comes from ctx, or wraps [markov.ErrTooLarge] if there is not
// enough memory, or [markov.ErrNoConvergence].
func (p *Process) Best(ctx context.Context, pol Policy, lossy bool, st markov.Settings) (float64, error) {
	release, err := st.Memory.Reserve(ctx, p.bytes())
	if err != nil {
		return 0, fmt.Errorf("decide: %d states: %w", p.States, err)
	}
	defer release()
	var above *passage
	if !lossy {
		if above, err = p.solveAbove(ctx, st); err != nil {
			return 0, err
		}
	}
	v, err := p.iterate(ctx, pol, above)
	if err != nil {
		return 0, err
	}
	return v.jobs / p.rate, nil
}

// First returns the policy from which the iteration starts: it keeps the present division wherever it can.
func (p *Process) First() Policy {
	var pol Policy
	for _, lev := range p.levels[:p.Most+1] {
		pol = append(pol, make([]int, len(lev.arrived)))
	}
	return pol
}

// Shares returns the number of shares that a policy chooses in each situation. Of several decisions in one situation the last counts.
func (p *Process) Shares(pol Policy) map[Situation]int {
	chosen := map[Situation]int{}
	for l, choices := range pol {
		for d, k := range choices {
			arrived := p.levels[l].arrived[d]
			chosen[situationOf(l, arrived.state)] = arrived.options[k].shares
		}
	}
	return chosen
}

// clone returns a copy that shares no memory with the policy.
func (pol Policy) clone() (other Policy) {
	for _, row := range pol {
		other = append(other, slices.Clone(row))
	}
	return other
}

// iterate improves pol until no decision changes, and returns its evaluation. A policy that never lets the machine become empty
// cannot be evaluated. The changes that cause this are taken back; the others are an improvement, too.
func (p *Process) iterate(ctx context.Context, pol Policy, above *passage) (*evaluation, error) {
	before := p.First() // serves jobs in every state
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
func (p *Process) improve(pol Policy, v *evaluation) (changed bool) {
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
