package machine_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/batch/batchtest"
	_ "github.com/partwise/partwise/validate/draws"
)

var rigid = []string{"fcfs", "easy", "conservative:early", "conservative:always", "conservative:never"}

// Every policy does what it says it does, on any workload, with and without killing.
func TestPoliciesKeepTheirPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 12).Draw(t, "nodes of the machine")
		jobs := batchtest.Jobs(nodes).Draw(t, "jobs")
		kill := rapid.Bool().Draw(t, "kill")
		for _, name := range rigid {
			ended := 0
			c := batch.Config{Nodes: nodes, Policy: policy(t, name), KillAtEstimate: kill,
				Done: func(*batch.Record) { ended++ }}
			c, check := batchtest.Watch(c)
			tally, err := batch.Run(context.Background(), c, batch.Jobs(jobs))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if check.Err() != nil {
				t.Fatalf("%s: %v", name, check.Err())
			}
			if ended != len(jobs) || tally.Jobs != len(jobs) {
				t.Fatalf("%s: %d of %d jobs ended", name, ended, len(jobs))
			}
		}
	})
}

func policy(t interface{ Fatal(...any) }, name string) batch.Policy {
	p, err := batch.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return p()
}
