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
// which returns this rate.
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
		return nil, errors.New("models: no policy")
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := p.Check(s.Machine()); err != nil {
		return nil, err
	}
	for _, family := range families() {
		m, is, err := family(s, p)
		switch {
		case is && m == nil && err == nil:
			return nil, noChain(p)
		case is:
			return m, err
		}
	}
	return nil, noChain(p)
}

// noChain returns the error of a policy that has no chain.
func noChain(p policy.Policy) error { return fmt.Errorf("models: policy %s: %w", p, ErrNoChain) }

// family makes the chains of the policies that have an interface. is is false for a policy that does not have it.
type family func(s *System, p policy.Policy) (m Model, is bool, err error)

// families returns the families of chains. A policy has the chain of the first family whose interface it has.
func families() []family {
	return []family{
		familyOf(func(s *System, p Chainer) (Model, error) { return p.Chain(s) }),
		familyOf(func(s *System, p policy.Splitting) (Model, error) { return newSP(s, p.Split()) }),
		familyOf(func(s *System, p policy.Dividing) (Model, error) { return newDEP(s, p.MostJobs(s.Partitions())) }),
		familyOf(func(s *System, p policy.Spacing) (Model, error) { return spacedChain(s, p) }),
		familyOf(func(s *System, p policy.Ruled) (Model, error) { return ruledChain(s, p) }),
		familyOf(func(s *System, p policy.Queued) (Model, error) { return newRigid(s, p) }),
	}
}

// familyOf returns the family of an interface, whose chains are made by a function.
func familyOf[P policy.Policy](chain func(*System, P) (Model, error)) family {
	return func(s *System, p policy.Policy) (Model, bool, error) {
		own, is := p.(P)
		if !is {
			return nil, false, nil
		}
		m, err := chain(s, own)
		return m, true, err
	}
}
