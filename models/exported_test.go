package models

import (
	"context"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// What the tests of the package use beside its exports.
type (
	DEP            = dep
	SP             = sp
	Response       = followed
	TaggedSettings = taggedSettings
)

// ErrApproximate is the warning of a machine that several classes share in time.
var ErrApproximate = errApproximate

// Queue returns the queue that the chain is.
func (d *DEP) Queue() (*multiserver.Queue, error) { return d.queue() }

// StateChain writes out the chain of a policy.
func (s *System) StateChain(ctx context.Context, p policy.Policy, memory *markov.Memory) (*stateChain, error) {
	return s.stateChain(ctx, p, memory)
}

// SolveWithin is Solve with another limit of iterations.
func (m *TimeSharedMachine) SolveWithin(ctx context.Context, iterations int) (*TimeSharedSolution, error) {
	return m.solve(ctx, markov.Settings{}, iterations)
}

// Delays returns the distributions of the waiting and the response time under static partitioning.
func (m *Measures) Delays(ctx context.Context, class string) (waiting, response *multiserver.Delay, err error) {
	return m.delays(ctx, class)
}

// NewSystemOfClasses is [NewSystem] for jobs of several classes.
func NewSystemOfClasses(nodes, minNodes int, arrivals phasetype.MAP, classes []Class) (*System, error) {
	s := &System{Nodes: nodes, MinNodes: minNodes, Arrivals: arrivals, Classes: classes}
	var err error
	if s.Service, err = s.ServiceTimes(); err == nil {
		err = s.Check()
	}
	return s, err
}

// Smoothed and Resizing are the chains of smoothed partitioning and of a rule.
type (
	Smoothed struct {
		System  *System
		Minimum phasetype.Dist
	}
	Resizing struct {
		System *System
		Rule   policy.Resize
	}
)

func (d *Smoothed) chain() (*ruleChain, error) { return newSmoothed(d.System, d.Minimum) }
func (d *Resizing) chain() (*ruleChain, error) { return newRuled(d.System, d.Rule) }

func (d *Smoothed) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	return solveRule(ctx, d, st)
}
func (d *Resizing) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	return solveRule(ctx, d, st)
}

func solveRule(ctx context.Context, d interface{ chain() (*ruleChain, error) }, st markov.Settings) (Measures, error) {
	c, err := d.chain()
	if err != nil {
		return Measures{}, err
	}
	return c.Solve(ctx, st)
}
