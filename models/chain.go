package models

import (
	"context"
	"errors"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/policy"
)

// Model is a policy on a system, as a chain that can be solved.
type Model interface {
	// Solve returns the measures; an unstable system has Stable = false and no error. It returns the
	// error of the context soon after that ends.
	Solve(context.Context, markov.Settings) (Measures, error)
}

// CheckSize returns the error by which a chain is refused that needs more memory than st.Memory, without solving it, and
// otherwise about how many seconds Solve takes on one core: both as far as that is known beforehand.
func CheckSize(ctx context.Context, m Model, st markov.Settings) (seconds float64, err error) {
	var q *multiserver.Queue
	switch m := m.(type) {
	case *DEP:
		if q, err = m.queue(); errors.Is(err, ErrNoChain) {
			return m.resizedSeconds(), nil
		}
	case *sp:
		q, err = m.Queue()
	default:
		return 0, nil
	}
	if err == nil {
		seconds, err = q.CheckSize(ctx, st)
	}
	if err != nil {
		return 0, fmt.Errorf("models: %w", err)
	}
	return seconds, nil
}

// Chainer is a policy that brings its own chain.
type Chainer interface {
	policy.Policy
	Chain(s *System) (Model, error)
}

// checkFor checks what the chain of a policy needs of the system.
func (s *System) checkFor(p policy.Policy) error {
	if _, static := p.(policy.Static); static {
		return s.checkStatic()
	}
	return s.Check()
}

// ErrNoChain: the policy has no exact chain; it can be simulated.
var ErrNoChain = errors.New("there is no exact chain")

// Chain returns the chain of a policy on the system. The error is a *[SystemError] if the system is wrong, what the
// policy says of the machine if it does not fit, and wraps [ErrNoChain] if it has no chain.
func (s *System) Chain(p policy.Policy) (Model, error) {
	if p == nil {
		return nil, errors.New("models: no policy")
	}
	if err := s.checkFor(p); err != nil {
		return nil, err
	}
	if err := p.Check(s.Machine()); err != nil {
		return nil, err
	}
	switch p := p.(type) {
	case Chainer:
		return p.Chain(s)
	case policy.Dynamic:
		d := &DEP{System: s}
		return d, d.checkClasses()
	case policy.Capped:
		d := &DEP{System: s, Cap: p.Jobs}
		return d, d.checkClasses()
	case policy.Static:
		return &sp{System: s, Partitions: p.Partitions}, nil
	case policy.Smoothing:
		if err := s.stopsAll("smoothed partitioning"); err != nil {
			return nil, err
		}
		minimum, err := p.MinimumTime()
		return &smoothed{System: s, Minimum: minimum}, err
	case policy.Resize:
		if err := s.stopsAll(p.String()); err != nil {
			return nil, err
		}
		if p.Cooldown > 0 && p.SCV == 0 {
			return nil, fmt.Errorf("models: %s: a cooldown of a fixed length: %w; give its scv, 1 if it is exponential", p,
				ErrNoChain)
		}
		return &Resizing{System: s, Rule: p}, nil
	}
	return nil, fmt.Errorf("models: policy %s: %w", p, ErrNoChain)
}
