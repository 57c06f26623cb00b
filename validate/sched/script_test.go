package sched_test

import (
	"context"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// fataler is a test, a benchmark or a check of a property.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// parsed returns the policy that text names.
func parsed(t fataler, text string) policy.Policy {
	t.Helper()
	p, err := policy.Standard().Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lived runs jobs to their end and returns the record of each, in the order of their numbers.
func lived(t fataler, c machine.Config) []machine.Record {
	t.Helper()
	var records []machine.Record
	c.Done = func(r *machine.Record) {
		for r.Number >= len(records) {
			records = append(records, machine.Record{})
		}
		records[r.Number] = *r
	}
	if _, err := machine.Run(context.Background(), c, des.Seed(1)); err != nil {
		t.Fatal(err)
	}
	return records
}

// starts and sizes are columns of records.
func starts(records []machine.Record) []float64 {
	x := make([]float64, len(records))
	for i := range records {
		x[i] = records[i].Start
	}
	return x
}

func sizes(records []machine.Record) []int {
	x := make([]int, len(records))
	for i := range records {
		x[i] = records[i].Held
	}
	return x
}

// started runs jobs on a machine of ten nodes and returns when each started, in the order of their numbers.
func started(t *testing.T, policy string, jobs []workload.Job) []float64 {
	t.Helper()
	return starts(lived(t, machine.Config{Nodes: 10, Policy: parsed(t, policy), Jobs: machine.List(jobs)}))
}

// rigid returns a job that runs for the given time on the nodes that it asks for.
func rigid(id int, submit float64, nodes int, run float64) workload.Job {
	return workload.Job{ID: id, User: -1, Application: -1, Submit: submit, Nodes: nodes, Run: run,
		Work: run * float64(nodes)}
}

// script runs a policy on jobs that come at 1, 2, 3, … and are as fast on any number of nodes, so that they leave at
// arrival + demand unless they wait. It returns the nodes of the running jobs, in the order of their starts, after each
// arrival and departure.
func script(t *testing.T, nodes int, policy string, demands ...float64) (states [][]int) {
	t.Helper()
	return scriptOf(t, nodes, parsed(t, policy), demands...)
}

func scriptOf(t *testing.T, nodes int, p policy.Policy, demands ...float64) (states [][]int) {
	t.Helper()
	var jobs machine.List
	for i, d := range demands {
		jobs = append(jobs, workload.Job{Submit: float64(i + 1), Kind: workload.Malleable, Work: d,
			Speedup: workload.Amdahl{Serial: 1}})
	}
	lived(t, machine.Config{Nodes: nodes, Policy: p, Jobs: jobs,
		Observe: func(v sched.View, _ []sched.Event) {
			sizes := []int{}
			for k := range v.Running() {
				sizes = append(sizes, v.Held(v.Started(k)))
			}
			states = append(states, sizes)
		}})
	return states
}

// run returns the sums of n jobs.
func run(t testing.TB, c machine.Config, seed uint64, n int) simulation.Tally {
	t.Helper()
	m, err := machine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var x simulation.Tally
	if err := m.Start(des.Seed(seed)).Advance(n, &x); err != nil {
		t.Fatal(err)
	}
	return x
}
