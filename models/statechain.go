package models

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/levels"
	"github.com/partwise/partwise/models/policy"
)

// stateChain is the chain of a policy, written out for readers and for other solvers. The measures of static
// partitioning, and of dynamic partitioning where all jobs stop, do not come from it.
type stateChain struct {
	QBD *markov.QBD
	// States holds the states of the boundary levels as in states.csv. All levels above have the states of the last
	// level.
	States [][]string
}

var stageNames = map[byte]string{executing: "running", launching: "shrinking", shrinking: "shrinking", expanding: "expanding"}

// text returns a state as in states.csv: the phase of arrivals, the stage, the phase of the repartition, whether all jobs
// stand still where others could continue, and the jobs in each phase, as in 2+1.
func (s Shared) text(full bool, phases int) string {
	if s.Jobs == "" {
		s.Jobs = counts.None(phases)
	}
	jobs := make([]string, phases)
	for j := range jobs {
		jobs[j] = strconv.Itoa(counts.At(s.Jobs, j))
	}
	return fmt.Sprintf("%d,%s,%d,%t,%s", s.Arrival, stageNames[s.Kind], s.Phase, full, strings.Join(jobs, "+"))
}

// stateChain writes out the chain of dynamic, capped or static partitioning. The error wraps [ErrNoChain] for other
// policies, and [markov.ErrTooLarge] if a level has too many states.
func (s *System) stateChain(ctx context.Context, p policy.Policy, memory *markov.Memory) (*stateChain, error) {
	model, err := s.Chain(p)
	if err != nil {
		return nil, err
	}
	phases := s.Service[0].Phases()
	shared := func(s Shared) string { return s.text(false, phases) }
	switch m := model.(type) {
	case *sp:
		phases = m.service.Phases()
		return written(ctx, newQueue(s.Arrivals, m.service, m.partitions).even(), memory, shared)
	case *dep:
		return written(ctx, newSharing(s, m.n).even(), memory, shared)
	case *resizedChain:
		return written(ctx, m.chainOfLevels(), memory, func(s resizedPhase) string { return s.text(s.full, phases) })
	}
	return nil, fmt.Errorf("models: policy %s: written out: %w", p, ErrNoChain)
}

// written returns the QBD of a chain of levels with its states.
func written[S comparable](ctx context.Context, c *levels.Chain[S], memory *markov.Memory,
	state func(S) string) (*stateChain, error) {
	q, err := c.QBD(ctx, memory)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	out := &stateChain{QBD: q}
	for l := range c.Repeats + 1 {
		var states []string
		for _, s := range c.States(l) {
			states = append(states, state(s))
		}
		out.States = append(out.States, states)
	}
	return out, nil
}
