package models

import (
	"context"
	"fmt"
	"strings"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
)

// StateChain is the chain of a policy written out, for whoever wants to see it or to solve it in another way. The measures
// of static partitioning, and of dynamic partitioning where all jobs stop, do not come from here.
type StateChain struct {
	QBD *markov.QBD
	// States are the states of the boundary levels; those of the last stand for all levels above it, too.
	States [][]State
}

// State is a state of a level.
type State struct {
	Arrival int    // phase of the arrival process, from 0
	Stage   string // what the machine does: running, shrinking (after an arrival) or expanding (after a departure)
	Phase   int    // of the repartition, from 0
	Full    bool   // of the repartition, where only resized jobs stop: all stand still
	Jobs    []int  // in each phase of their run time, those that hold partitions
}

// String writes a state in one word, such as 0/running/2+1.
func (s State) String() string {
	var jobs []string
	for _, n := range s.Jobs {
		jobs = append(jobs, fmt.Sprint(n))
	}
	stage := s.Stage
	if s.Stage != stageNames[executing] {
		stage = fmt.Sprintf("%s%d", s.Stage, s.Phase)
	}
	if s.Full {
		stage += "full"
	}
	return fmt.Sprintf("%d/%s/%s", s.Arrival, stage, strings.Join(jobs, "+"))
}

var stageNames = map[byte]string{executing: "running", shrinking: "shrinking", expanding: "expanding"}

func (p depPhase) state() State {
	s := State{Arrival: p.arrival, Stage: stageNames[p.kind], Phase: p.c}
	for j := range countPhases(p.jobs) {
		s.Jobs = append(s.Jobs, countAt(p.jobs, j))
	}
	return s
}

func (p resizedPhase) state() State {
	s := p.depPhase.state()
	s.Full = p.full
	return s
}

// StateChain writes out the chain of dynamic, capped or static partitioning. The error wraps [ErrNoChain] for other
// policies, and [ErrTooLarge] if a level has too many states.
func (s *System) StateChain(ctx context.Context, p policy.Policy, memory *markov.Memory) (*StateChain, error) {
	model, err := s.Chain(p)
	if err != nil {
		return nil, err
	}
	switch m := model.(type) {
	case *sp:
		service, err := m.Service()
		if err != nil {
			return nil, err
		}
		queue := &System{Nodes: m.Partitions, MinNodes: 1, Arrivals: s.Arrivals}
		for range m.Partitions {
			queue.Service = append(queue.Service, service)
		}
		return written(ctx, new(newDepStates(queue, m.Partitions)).chain(), memory)
	case *DEP:
		if s.Stops != ResizedStop {
			return written(ctx, new(newDepStates(s, m.jobs())).chain(), memory)
		}
		c, err := newResizedChain(s, m.jobs())
		if err != nil {
			return nil, err
		}
		return written(ctx, c.chainOfLevels(), memory)
	}
	return nil, fmt.Errorf("models: policy %s: written out: %w", p, ErrNoChain)
}

// written returns a chain of levels with its states.
func written[S interface {
	comparable
	state() State
}](ctx context.Context, c *levelChain[S], memory *markov.Memory) (*StateChain, error) {
	q, err := c.QBD(ctx, memory)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	out := &StateChain{QBD: q}
	for l := range c.Repeats + 1 {
		phases := c.States(l)
		states := make([]State, len(phases))
		for i, s := range phases {
			states[i] = s.state()
		}
		out.States = append(out.States, states)
	}
	return out, nil
}
