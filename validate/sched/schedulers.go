package sched

import (
	"fmt"

	"github.com/partwise/partwise/models/policy"
)

// Maker is a policy.Policy that makes its own scheduler.
type Maker interface {
	policy.Policy
	// Scheduler returns the scheduler of one run. Runs may be concurrent, so schedulers must not share state.
	Scheduler() (Policy, error)
}

// scheduler makes the scheduler of a policy for one run. serves is false if the function serves policies of another type;
// s and err are nil then.
type scheduler func(p policy.Policy) (s Policy, serves bool, err error)

// schedulers returns the table of schedulers: an entry for each type of policies of package policy that runs on whole
// nodes. [New] tries the entries in order.
func schedulers() []scheduler {
	return []scheduler{
		schedulerOf(func(policy.Dynamic) (Policy, error) { return &dynamic{}, nil }),
		schedulerOf(func(p policy.Capped) (Policy, error) { return &dynamic{Cap: p.Jobs}, nil }),
		schedulerOf(func(p policy.Static) (Policy, error) { return &static{p.Partitions}, nil }),
		schedulerOf(func(p policy.Smoothing) (Policy, error) {
			return newResize(p.Name(), policy.Resize{Cooldown: p.Mean, SCV: p.SCV})
		}),
		schedulerOf(func(p policy.Resize) (Policy, error) { return newResize(p.Name(), p) }),
		schedulerOf(func(policy.Folding) (Policy, error) { return &folding{}, nil }),
		schedulerOf(func(p policy.Limited) (Policy, error) { return &limited{Small: p.Demand}, nil }),
		schedulerOf(func(policy.FCFS) (Policy, error) { return fcfs{}, nil }),
		schedulerOf(func(p policy.FirstFit) (Policy, error) { return &firstFit{Window: p.Window}, nil }),
		schedulerOf(func(policy.EASY) (Policy, error) { return &easy{}, nil }),
		schedulerOf(func(policy.EASYMalleable) (Policy, error) { return &easyMalleable{}, nil }),
		schedulerOf(func(p policy.Conservative) (Policy, error) { return &conservative{Compress: p.Compress}, nil }),
		schedulerOf(func(p policy.Molding) (Policy, error) { return newMolding(p, p.Share) }),
		schedulerOf(func(p policy.Fraction) (Policy, error) { return newMolding(p, 1) }),
		schedulerOf(func(p policy.Epochs) (Policy, error) { return newEpochs(p) }),
		schedulerOf(Maker.Scheduler),
	}
}

// schedulerOf returns the entry of the table of schedulers for policies of type P. The function build makes the
// scheduler of one policy of this type, for one run. For a policy of another type the entry returns nil, false and nil.
// Otherwise it returns the results of build, and true.
func schedulerOf[P policy.Policy](build func(P) (Policy, error)) scheduler {
	return func(p policy.Policy) (Policy, bool, error) {
		own, is := p.(P)
		if !is {
			return nil, false, nil
		}
		s, err := build(own)
		return s, true, err
	}
}

// New returns the scheduler of a policy for one run. The error says that p is nil, that the policy has no scheduler, or
// which of its parameters is wrong.
func New(p policy.Policy) (Policy, error) {
	if p == nil {
		return nil, fmt.Errorf("sched: no policy")
	}
	for _, entry := range schedulers() {
		if s, serves, err := entry(p); serves && (s != nil || err != nil) {
			return s, err
		}
	}
	return nil, fmt.Errorf("sched: policy %s has no scheduler", p)
}
