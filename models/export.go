package models

import (
	"context"
	"errors"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/chainfiles"
	"github.com/partwise/partwise/models/policy"
)

// Chain is a chain that has been solved and can be written to files.
type Chain struct {
	files *chainfiles.Chain
}

// Limits of the stationary probabilities that are written.
const (
	mostLost   = 1e-12 // largest probability of the levels that are left out
	mostStates = 200_000
)

// NewChain writes out and solves the chain of a policy. The error is [markov.ErrUnstable] if the policy is unstable, or
// wraps [ErrNoChain], [markov.ErrTooLarge] or the error of ctx.
func NewChain(ctx context.Context, s *System, p policy.Policy, unit string, st markov.Settings) (*Chain, error) {
	states, err := s.stateChain(ctx, p, st.Memory)
	if err != nil {
		return nil, err
	}
	c := &chainfiles.Chain{Policy: p.String(), Unit: unit, QBD: states.QBD, States: states.States}
	if c.Solution, err = states.QBD.Solve(ctx, st); err == nil {
		c.R = c.Solution.R()
		c.G, err = c.Solution.G(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("models: %v: %w", p, err)
	}
	return &Chain{c}, c.Cut(ctx, mostLost, mostStates)
}

// WriteChains makes the folder dir with a folder for each chain, which has the name of the policy. If it fails, nothing
// is left, also if ctx ends. The error wraps [io/fs.ErrExist] if dir already exists.
func WriteChains(ctx context.Context, dir string, chains []*Chain) error {
	written := make([]*chainfiles.Chain, len(chains))
	for i, c := range chains {
		if c == nil || c.files == nil {
			return errors.New("models: a chain that was not made by NewChain")
		}
		written[i] = c.files
	}
	return chainfiles.Write(ctx, dir, written)
}
