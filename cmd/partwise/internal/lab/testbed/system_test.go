package testbed_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
	"github.com/partwise/partwise/validate/des"
)

// shelf is a system that knows which nodes are taken, and takes known times.
type shelf struct {
	mutex sync.Mutex
	free  int
	held  map[int]int
	lies  bool // about the nodes of jobs
}

const shelfStep = 2 * time.Millisecond

func (s *shelf) give(job, nodes int) error {
	time.Sleep(shelfStep)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.free -= nodes - s.held[job]
	s.held[job] = nodes
	if nodes == 0 {
		delete(s.held, job)
	}
	if s.free < 0 {
		return errors.New("nodes are given that are not free")
	}
	return nil
}

func (s *shelf) Start(_ context.Context, job, nodes int) error { return s.give(job, nodes) }

func (s *shelf) End(_ context.Context, job int) error { return s.give(job, 0) }

func (s *shelf) Resize(_ context.Context, job, nodes int) (testbed.Reconfiguration, error) {
	return testbed.Reconfiguration{Data: shelfStep.Seconds() / 4, Bytes: 8}, s.give(job, nodes)
}

func (s *shelf) Nodes(_ context.Context, job int) (int, error) {
	if s.lies {
		return 99, nil
	}
	return s.held[job], nil
}

// TestTransitionsOfASystem: jobs get what equi-partitioning gives them, never more than is free, and steps are divided as
// the system says.
func TestTransitionsOfASystem(t *testing.T) {
	const nodes, times = 5, 3
	s := &shelf{free: nodes, held: map[int]int{}}
	all, err := testbed.Transitions(t.Context(), s, nodes, times, 0, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	if s.free != nodes || len(s.held) > 0 {
		t.Errorf("%d nodes are free in the end, %v are held", s.free, s.held)
	}
	testbed.CheckTransitions(t, all, nodes, times)
	for _, x := range all {
		for _, r := range x.Samples {
			least, data := 2*shelfStep.Seconds(), shelfStep.Seconds()/4 // one step after another, those of resizes at once
			if r.Resized == 0 {
				least, data = shelfStep.Seconds(), 0
			}
			if r.Total() < least || r.Data != data || r.Bytes != 8*r.Resized || x.Why == testbed.Arrival && r.Start < shelfStep.Seconds() {
				t.Errorf("%+v", r)
			}
		}
	}
	// From two jobs to three, on five nodes: 3 and 2 become 2, 2 and 1.
	if r := all[2].Samples[0]; r.Resized != 1 || r.Moved != 1 {
		t.Errorf("%+v", r)
	}
}

func TestTransitionsOfASystemFail(t *testing.T) {
	given := errors.New("given up")
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(given)
	for name, c := range map[string]struct {
		ctx         context.Context
		nodes, free int
		lies        bool
		want        string
	}{
		"no nodes":  {t.Context(), 0, 0, false, "0 nodes"},
		"too few":   {t.Context(), 4, 3, false, "not free"},
		"lies":      {t.Context(), 4, 4, true, "has 99 nodes"},
		"cancelled": {gone, 4, 4, false, "given up"},
	} {
		s := &shelf{free: c.free, held: map[int]int{}, lies: c.lies}
		_, err := testbed.Transitions(c.ctx, s, c.nodes, 1, math.MaxInt64, des.Seed(1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
