package models

import (
	"context"
	"errors"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
)

// Model is a policy on a system, as a chain that can be solved. It may have a method
//
//	CheckSize(context.Context, markov.Settings) (seconds float64, err error)
//
// which returns the error of Solve for a chain that is too large. Otherwise it returns about how many seconds Solve takes
// on one core. Both are returned as far as they are known beforehand.
type Model interface {
	// Solve returns the measures. An unstable system has Stable = false and no error. Solve returns the error of the context
	// soon after the context ends.
	Solve(context.Context, markov.Settings) (Measures, error)
}

// Chainer is a policy that has a chain of its own.
type Chainer interface {
	policy.Policy
	Chain(s *System) (Model, error)
}

// ErrNoChain tells that the policy has no exact chain. It can be simulated.
var ErrNoChain = errors.New("there is no exact chain")

// Chain returns the chain of a policy on the system. The error is a *[SystemError] if the system is not valid, or that of
// the policy if it does not fit the machine. It wraps [ErrNoChain] if the policy has no chain.
func (s *System) Chain(p policy.Policy) (Model, error) {
	if p == nil {
		return nil, errors.New("models: no policy")
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := p.Check(s.Machine()); err != nil {
		return nil, err
	}
	switch p := p.(type) {
	case Chainer:
		m, err := p.Chain(s)
		if m == nil && err == nil {
			err = fmt.Errorf("models: policy %s: %w", p, ErrNoChain)
		}
		return m, err
	case policy.Static:
		return newSP(s, p.Partitions)
	case policy.Dynamic:
		return newDEP(s, s.Partitions())
	case policy.Capped:
		return newDEP(s, p.Jobs)
	case policy.Smoothing:
		if err := s.stopsAll("smoothed partitioning"); err != nil {
			return nil, err
		}
		minimum, err := p.MinimumTime()
		if err != nil {
			return nil, err
		}
		return newSmoothed(s, minimum)
	case policy.Resize:
		if err := s.stopsAll(p.String()); err != nil {
			return nil, err
		}
		return newRuled(s, p)
	}
	return nil, fmt.Errorf("models: policy %s: %w", p, ErrNoChain)
}
