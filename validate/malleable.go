package validate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/batch"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
)

// Malleable is a machine whose jobs may be resized, for the same jobs that package batch runs on one where they keep
// their nodes. Resizing costs nothing: it is what resizing could bring at best.
type Malleable struct {
	Nodes, Unit int // partitions are multiples of Unit nodes
	Policy      func() machine.Policy
	Speedup     workload.Speedup // of all jobs; one that ran for a time r on n nodes has the demand r·S(n)
}

// instant is the run time, in seconds, that stands for none: the machine needs a little work to hand out nodes for.
const instant = 1e-6

// Run runs the jobs, in the order of their submission, and tells done of each that has ended, as [batch.Run] does.
func (m Malleable) Run(ctx context.Context, jobs []batch.Request, done func(*batch.Record)) error {
	c := machine.Config{Nodes: m.Nodes, Unit: m.Unit, Policy: m.Policy, Speed: make([]float64, m.Nodes+1)}
	for n := 1; n <= m.Nodes; n++ {
		if c.Speed[n] = m.Speedup.At(float64(n)); !(c.Speed[n] > 0) {
			return fmt.Errorf("validate: the speedup says nothing of %d nodes", n)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	origin := jobs[0].Submit
	for i := range jobs {
		q := &jobs[i]
		demand := max(q.Run, instant) * c.Speed[q.Nodes]
		c.Replay = append(c.Replay, machine.Request{Arrival: q.Submit - origin, Demand: demand})
	}
	f := follower{jobs: jobs, origin: origin, done: done}
	c.Observe = f.observe
	simulator, err := machine.New(c)
	if err != nil {
		return err
	}
	run := simulator.Start(des.Seed(0))
	var t machine.Tally
	for {
		switch err := run.Advance(advance, &t); {
		case errors.Is(err, machine.ErrEnded):
			return nil
		case err != nil:
			return fmt.Errorf("validate: %w", err)
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

// advance is the number of departures after which a run looks whether it should stop.
const advance = 1000

// follower makes records of what it sees of the jobs of a machine.
type follower struct {
	jobs   []batch.Request
	origin float64
	done   func(*batch.Record)
	there  []stay // by the machine's names of jobs
}

// stay is a job that has been started.
type stay struct {
	number      int
	start, seen float64 // nodeTime is up to seen
	held, most  int
	nodeTime    float64
}

// observe takes in what an event has changed.
func (f *follower) observe(v machine.View, why machine.Event) {
	now := v.Now()
	if why.Kind == machine.Departure {
		f.depart(int(why.Job), now)
	}
	for i := range v.Running() {
		j := v.Started(i)
		for int(j) >= len(f.there) {
			f.there = append(f.there, stay{})
		}
		s := &f.there[j]
		held := v.Held(j)
		switch {
		case s.most == 0:
			*s = stay{number: int(v.Number(j)), start: now, seen: now, held: held, most: held}
		case held != s.held:
			s.nodeTime += float64(s.held) * (now - s.seen)
			s.held, s.seen, s.most = held, now, max(s.most, held)
		}
	}
}

// depart tells of a job that has ended.
func (f *follower) depart(j int, now float64) {
	s := &f.there[j]
	q := &f.jobs[s.number]
	s.nodeTime += float64(s.held) * (now - s.seen)
	// A wait is start − submission, and both are rounded: it must not be less than nothing.
	start := max(f.origin+s.start, q.Submit)
	f.done(&batch.Record{Request: *q, Number: s.number, Start: start, End: max(f.origin+now, start), Held: s.most,
		NodeTime: s.nodeTime, Promised: math.NaN()})
	*s = stay{}
}
