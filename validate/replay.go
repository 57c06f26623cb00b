package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/machine"
)

// partsOfAReplay is the number of parts that a replay is cut into for its intervals; it is halved until neighbouring
// parts pass for independent.
const partsOfAReplay = 32

// replay runs a list of jobs through the machine, once, from the empty machine to the empty machine. The measures are
// exactly those of the run; their intervals say how far they would be from those of a log that goes on like that.
func replay(ctx context.Context, m machine.Simulator, p models.Policy, o Options) (Simulation, error) {
	begin := time.Now()
	s := Simulation{Policy: p, Fidelity: o.Fidelity, Confidence: o.Confidence, Replications: 1, Reached: true}
	run := m.Start(des.Seed(o.Seed).At(o.Point).At(0))
	var times estimate.Sections
	run.Watch(times.Add)
	n := len(o.Replay)
	size := max(1, (n+partsOfAReplay-1)/partsOfAReplay)
	progress := Progress{Policy: p, Planned: int64(n)}
	for done := 0; done < n; {
		if ctx.Err() != nil {
			s.Partial, s.Reached = true, false
			break
		}
		var t machine.Tally
		part := min(size, n-done)
		if err := run.Advance(part, &t); err != nil && !errors.Is(err, machine.ErrEnded) {
			return Simulation{}, fmt.Errorf("validate: %w", err)
		}
		done += part
		s.sums = append(s.sums, append([]float64(nil), t[:]...))
		s.Jobs += int64(part)
		s.Events += int64(t[machine.Events])
		progress.Jobs = s.Jobs
		if o.Progress != nil {
			o.Progress(progress)
		}
	}
	if s.Jobs == 0 {
		return Simulation{}, ctx.Err()
	}
	s.sums = estimate.Independent(s.sums, machine.ResponseSum, machine.Departed)
	for _, m := range measures {
		if m.dynamic && p.Kind == models.Static {
			continue
		}
		e := m.estimate(s.sums, o.Confidence)
		e.Mean = m.of(total(s.sums))
		if math.IsNaN(e.Mean) || math.IsInf(e.HalfWidth, 0) {
			continue
		}
		e.Low, e.High = e.Mean-e.HalfWidth, e.Mean+e.HalfWidth
		s.Measures = append(s.Measures, e)
	}
	s.Measures = append(s.Measures, percentiles(times.Split(len(s.sums)), o.Confidence)...)
	if e, ok := s.Measure(response.name); ok {
		s.Precision = e.HalfWidth / e.Mean
	}
	s.Seconds = time.Since(begin).Seconds()
	s.EventsPerSecond = float64(s.Events) / s.Seconds
	return s, nil
}

func total(sums [][]float64) []float64 {
	all := make([]float64, len(sums[0]))
	for _, x := range sums {
		for k, v := range x {
			all[k] += v
		}
	}
	return all
}

// Record runs the machine of Simulate's first replication once more, at machine fidelity, until the time to is reached
// and n jobs have departed, or a replay ends, and lets r observe it.
func Record(ctx context.Context, sys *models.System, p models.Policy, o Options, n int, r *machine.Recorder) error {
	o.Fidelity = MachineFidelity
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	sched, err := newScheduler(sys, p)
	if err != nil {
		return err
	}
	if _, err := sched.intensity(sys, o); err != nil {
		return err
	}
	var now float64
	m, err := sched.simulator(sys, o, func(v machine.View, why machine.Event) {
		now = v.Now()
		r.Observe(v, why)
	})
	if err != nil {
		return err
	}
	run := m.Start(des.Seed(o.Seed).At(o.Point).At(0))
	var t machine.Tally
	for int(t[machine.Departed]) < n || now < r.To {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := run.Advance(1, &t); errors.Is(err, machine.ErrEnded) {
			break
		} else if err != nil {
			return fmt.Errorf("validate: %w", err)
		}
	}
	r.Close()
	return nil
}
