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
// on one core. Both are returned as far as they are known beforehand. A chain whose largest stable arrival rate is worth knowing
// without a solution may have a method
//
//	MaxArrivalRate(context.Context) (float64, error)
//
// which returns this rate. A chain whose states are the same at all arrival rates may have a method
//
//	WithArrivalRate(lambda float64) (Model, error)
//
// which returns the chain at another arrival rate.
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

// Chain returns the chain of a policy on the system. It comes from the method Chain of the policy, or from the first of
// the interfaces Splitting, Dividing, Spacing, Ruled and Queued of package policy that the policy has. The error is a
// *[SystemError] if the system is not valid, or the error of the policy if the policy does not fit the machine. It
// wraps [ErrNoChain] if the policy has no chain.
func (s *System) Chain(p policy.Policy) (Model, error) {
	if p == nil {
		return nil, errors.New("models: the policy is nil")
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := p.Check(s.Machine()); err != nil {
		return nil, err
	}
	m, err := s.chain(p)
	if m == nil && err == nil {
		return nil, noChain(p)
	}
	return m, err
}

// noChain returns the error of a policy that has no chain.
func noChain(p policy.Policy) error { return fmt.Errorf("models: policy %s: %w", p, ErrNoChain) }

// chain returns the chain of a valid policy on a valid system, which belongs to the first interface that the policy has. It
// is nil without an error if the policy has none.
func (s *System) chain(p policy.Policy) (Model, error) {
	switch p := p.(type) {
	case Chainer:
		return p.Chain(s)
	case policy.Splitting:
		return newSP(s, p.Split())
	case policy.Dividing:
		return newDEP(s, p.MostJobs(s.Partitions()))
	case policy.Spacing:
		return spacedChain(s, p)
	case policy.Ruled:
		return ruledChain(s, p)
	case policy.Queued:
		return newRigid(s, p)
	}
	return nil, nil
}
