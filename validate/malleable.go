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
	recorder := machine.Recorder{From: math.Inf(1), To: math.Inf(1), Departed: func(v machine.Visit) {
		q := &jobs[v.Number]
		// A response is end − submission, and both are rounded: it must not be less than nothing.
		start := max(origin+v.Started, q.Submit)
		done(&batch.Record{Request: *q, Number: int(v.Number), Start: start, End: max(origin+v.Departed, start),
			Held: v.Most, NodeTime: v.NodeTime, Promised: math.NaN()})
	}}
	c.Observe = recorder.Observe
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
