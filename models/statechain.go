package models

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
)

// stateChain is the chain of a policy written out, for whoever wants to see it or to solve it in another way. The measures
// of static partitioning, and of dynamic partitioning where all jobs stop, do not come from here.
type stateChain struct {
	QBD *markov.QBD
	// States are the states of the boundary levels; those of the last stand for all levels above it, too.
	States [][]machineState
}

// machineState is a state of a level.
type machineState struct {
	Arrival int    // phase of the arrival process, from 0
	Stage   string // what the machine does: running, shrinking (after an arrival) or expanding (after a departure)
	Phase   int    // of the repartition, from 0
	Full    bool   // of the repartition, where only resized jobs stop: all stand still
	Jobs    []int  // in each phase of their run time, those that hold partitions
}

// jobs returns the jobs in each phase, as in 2+1.
func (s machineState) jobs() string {
	jobs := make([]string, len(s.Jobs))
	for i, n := range s.Jobs {
		jobs[i] = strconv.Itoa(n)
	}
	return strings.Join(jobs, "+")
}

var stageNames = map[byte]string{executing: "running", launching: "shrinking", shrinking: "shrinking", expanding: "expanding"}

// stateOf returns a state of a machine whose run times have so many phases.
func stateOf(s Shared, phases int) machineState {
	out := machineState{Arrival: s.Arrival, Stage: stageNames[s.Kind], Phase: s.Phase, Jobs: make([]int, phases)}
	for j := range countPhases(s.Jobs) {
		out.Jobs[j] = countAt(s.Jobs, j)
	}
	return out
}

// stateChain writes out the chain of dynamic, capped or static partitioning. The error wraps [ErrNoChain] for other
// policies, and [markov.ErrTooLarge] if a level has too many states.
func (s *System) stateChain(ctx context.Context, p policy.Policy, memory *markov.Memory) (*stateChain, error) {
	model, err := s.Chain(p)
	if err != nil {
		return nil, err
	}
	phases := s.Service[0].Phases()
	switch m := model.(type) {
	case *sp:
		return written(ctx, newQueue(s.Arrivals, m.service, m.partitions).even(), memory, func(s Shared) machineState { return stateOf(s, m.service.Phases()) })
	case *dep:
		return written(ctx, newSharing(s, m.n).even(), memory, func(s Shared) machineState { return stateOf(s, phases) })
	case *resizedChain:
		return written(ctx, m.chainOfLevels(), memory, func(s resizedPhase) machineState {
			state := stateOf(s.Shared, phases)
			state.Full = s.full
			return state
		})
	}
	return nil, fmt.Errorf("models: policy %s: written out: %w", p, ErrNoChain)
}

// written returns a chain of levels with its states.
func written[S comparable](ctx context.Context, c *levelChain[S], memory *markov.Memory, state func(S) machineState) (*stateChain, error) {
	q, err := c.QBD(ctx, memory)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	out := &stateChain{QBD: q}
	for l := range c.Repeats + 1 {
		var states []machineState
		for _, s := range c.States(l) {
			states = append(states, state(s))
		}
		out.States = append(out.States, states)
	}
	return out, nil
}
