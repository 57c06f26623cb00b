package batchtest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/batch/batchtest"
)

// faulty starts the last of the queue that fits, under the name of another policy, and breaks promises.
type faulty struct{ name string }

func (f faulty) Name() string { return f.name }

func (f faulty) Decide(v batch.View, _ batch.Event, do []batch.Action) []batch.Action {
	for i := v.Waiting() - 1; i >= 0; i-- {
		if j := v.Queued(i); v.Request(j).Nodes <= v.Free() {
			return append(do, batch.Start(j, v.Request(j).Nodes))
		}
	}
	return do
}

// promising promises every job to start at once.
type promising struct{ faulty }

func (promising) Promised(batch.Job) float64 { return 0 }

// The checker finds what is wrong with policies that are.
func TestFaultsAreFound(t *testing.T) {
	jobs := []batch.Request{
		{ID: 1, Submit: 0, Nodes: 6, Run: 10},
		{ID: 2, Submit: 1, Nodes: 8, Run: 10},
		{ID: 3, Submit: 2, Nodes: 4, Run: 90},
		{ID: 4, Submit: 3, Nodes: 4, Run: 90},
	}
	for want, p := range map[string]batch.Policy{
		"overtakes":   faulty{"fcfs"},
		"shadow time": faulty{"easy"},
		"promised":    promising{faulty{"other"}},
	} {
		c, k := batchtest.Watch(batch.Config{Nodes: 10, Policy: p})
		if _, err := batch.Run(context.Background(), c, batch.Jobs(jobs)); err != nil {
			t.Fatal(err)
		}
		if k.Err() == nil || !strings.Contains(k.Err().Error(), want) {
			t.Errorf("%s: %v", want, k.Err())
		}
	}
}
