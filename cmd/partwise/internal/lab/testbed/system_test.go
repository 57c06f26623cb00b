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
	jobs  int
	lies  bool // about the nodes of jobs
}

const shelfStep = 2 * time.Millisecond

// shelved is a job of a shelf.
type shelved struct {
	*shelf
	nodes int
}

func (s *shelf) Start(_ context.Context, nodes int) (testbed.SystemJob, error) {
	job := &shelved{s, 0}
	s.jobs++
	return job, job.give(nodes)
}

func (j *shelved) give(nodes int) error {
	time.Sleep(shelfStep)
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.free -= nodes - j.nodes
	j.nodes = nodes
	if j.free < 0 {
		return errors.New("nodes are given that are not free")
	}
	return nil
}

func (j *shelved) End(context.Context) error {
	j.jobs--
	return j.give(0)
}

func (j *shelved) Resize(_ context.Context, nodes int) (testbed.Reconfiguration, error) {
	return testbed.Reconfiguration{Data: shelfStep.Seconds() / 4, Bytes: 8}, j.give(nodes)
}

func (j *shelved) Nodes(context.Context) (int, error) {
	if j.lies {
		return 99, nil
	}
	return j.nodes, nil
}

// TestTransitionsOfASystem: jobs get what equi-partitioning gives them, never more than is free, and steps are divided as
// the system says.
func TestTransitionsOfASystem(t *testing.T) {
	const nodes, times = 5, 3
	s := &shelf{free: nodes}
	all, err := testbed.Transitions(t.Context(), s, nodes, times, 0, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	if s.free != nodes || s.jobs > 0 {
		t.Errorf("%d nodes are free in the end, %d jobs run", s.free, s.jobs)
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
		"too few":   {t.Context(), 4, 3, false, "not free"},
		"lies":      {t.Context(), 4, 4, true, "has 99 nodes"},
		"cancelled": {gone, 4, 4, false, "given up"},
	} {
		s := &shelf{free: c.free, lies: c.lies}
		_, err := testbed.Transitions(c.ctx, s, c.nodes, 1, math.MaxInt64, des.Seed(1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
