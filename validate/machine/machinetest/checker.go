// Package batchtest checks runs of package batch against what every schedule, and every schedule of a given policy,
// must satisfy. The checks are written from the definitions of the policies and share nothing with them.
package batchtest

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/validate/batch"
)

// Checker observes a run. Of every run it holds that
//
//   - no job starts before its submission, none ends before its start, and each runs as long as it should;
//   - running jobs never hold more nodes than there are, and a job holds what it asked for if it is rigid;
//
// of a policy called "fcfs" that jobs start in the order in which they came; of "fcfs" and "easy" that the first of the
// queue waits only where there are too few nodes for it; of "easy" that it starts no later than the earliest shadow
// time it had; and of a [batch.Guarantor] that a job starts no later than promised, and no promise is taken back.
type Checker struct {
	policy   batch.Policy
	nodes    int
	promised map[int]float64 // by number
	head     int             // number of the head of the queue at the last event, −1 if there was none
	shadow   float64         // the earliest shadow time that it had
	err      error
}

// Watch returns the configuration with a checker that observes it, besides those who do already.
func Watch(c batch.Config) (batch.Config, *Checker) {
	k := &Checker{policy: c.Policy, nodes: c.Nodes, promised: map[int]float64{}, head: -1}
	observe, done := c.Observe, c.Done
	c.Observe = func(v batch.View, why batch.Event) {
		k.observe(v)
		if observe != nil {
			observe(v, why)
		}
	}
	c.Done = func(r *batch.Record) {
		k.record(r)
		if done != nil {
			done(r)
		}
	}
	return c, k
}

// Err returns the first violation.
func (k *Checker) Err() error { return k.err }

func (k *Checker) failf(format string, args ...any) {
	if k.err == nil {
		k.err = fmt.Errorf("batchtest: policy "+k.policy.Name()+": "+format, args...)
	}
}

// record checks the life of a job.
func (k *Checker) record(r *batch.Record) {
	switch {
	case r.Start < r.Submit:
		k.failf("job %d starts at %v, before its submission at %v", r.ID, r.Start, r.Submit)
	case r.End != r.Start+r.RunOn(r.Held):
		k.failf("job %d runs from %v to %v, it should take %v", r.ID, r.Start, r.End, r.RunOn(r.Held))
	case r.Held < 1 || !r.Moldable() && r.Held != r.Nodes:
		k.failf("job %d asks for %d nodes and holds %d", r.ID, r.Nodes, r.Held)
	case r.Start > r.Promised: // false where nothing was promised
		k.failf("job %d starts at %v, %v was promised", r.ID, r.Start, r.Promised)
	}
	delete(k.promised, r.Number)
}

func (k *Checker) observe(v batch.View) {
	held := 0
	for i := range v.Running() {
		j := v.Started(i)
		held += v.Held(j)
		if v.Begun(j) == v.Now() {
			k.started(v, j)
		}
	}
	if held > k.nodes || held+v.Free() != k.nodes {
		k.failf("at %v running jobs hold %d of %d nodes, %d are free", v.Now(), held, k.nodes, v.Free())
	}
	if g, ok := k.policy.(batch.Guarantor); ok {
		k.promises(v, g)
	}
	switch k.policy.Name() {
	case "fcfs", "easy":
		k.watchHead(v)
	}
}

// started checks a job that has just been started.
func (k *Checker) started(v batch.View, j batch.Job) {
	n := v.Number(j)
	if k.policy.Name() == "fcfs" && v.Waiting() > 0 && v.Number(v.Queued(0)) < n {
		k.failf("job %d overtakes job %d", v.Request(j).ID, v.Request(v.Queued(0)).ID)
	}
	if n == k.head && k.policy.Name() == "easy" && v.Now() > k.shadow {
		k.failf("job %d starts at %v, its shadow time was %v", v.Request(j).ID, v.Now(), k.shadow)
	}
}

// watchHead follows the first of the queue. Nodes of jobs that are expected to end right now may be on their way.
func (k *Checker) watchHead(v batch.View) {
	if v.Waiting() == 0 {
		k.head = -1
		return
	}
	j := v.Queued(0)
	if v.Request(j).Nodes <= v.Free() {
		k.failf("job %d waits at %v for %d nodes, %d are free", v.Request(j).ID, v.Now(), v.Request(j).Nodes, v.Free())
	}
	if n := v.Number(j); n != k.head {
		k.head, k.shadow = n, math.Inf(1)
	}
	k.shadow = min(k.shadow, shadow(v, v.Request(j).Nodes))
	if v.Now() > k.shadow {
		k.failf("job %d waits at %v, its shadow time was %v", v.Request(j).ID, v.Now(), k.shadow)
	}
}

// shadow returns the time at which, by the estimates, that many nodes will be free.
func shadow(v batch.View, nodes int) float64 {
	free := v.Free()
	for i := range v.Running() {
		j := v.Started(i)
		if free += v.Held(j); free >= nodes {
			return v.Expected(j)
		}
	}
	return math.Inf(1)
}

// promises checks that none is broken or taken back.
func (k *Checker) promises(v batch.View, g batch.Guarantor) {
	for i := range v.Waiting() {
		j := v.Queued(i)
		at, n := g.Promised(j), v.Number(j)
		if before, ok := k.promised[n]; ok && at > before {
			k.failf("job %d is promised %v, it was promised %v", v.Request(j).ID, at, before)
		}
		if at < v.Now() {
			k.failf("job %d was promised %v and still waits at %v", v.Request(j).ID, at, v.Now())
		}
		k.promised[n] = at
	}
}
