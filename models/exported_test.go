package models

import (
	"context"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/policy"
)

// What the tests of the package use beside its exports.
type (
	DEP      = dep
	SP       = sp
	Smoothed = smoothed
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
