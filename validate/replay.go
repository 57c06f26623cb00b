package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/sched"
)

// partsOfAReplay is the number of parts into which a replay is cut for its intervals. It is halved until neighbouring
// parts pass a test for independence.
const partsOfAReplay = 32

// replay runs a list of jobs through the machine once, from the empty machine to the empty machine. The measures are
// exactly those of the run. Their intervals say how far they may be from those of a longer log of the same kind.
func (s subject) replay(ctx context.Context, sys *models.System, o Options) (Simulation, error) {
	begin := time.Now()
	c, err := s.wholeNodes(sys, o)
	if err != nil {
		return Simulation{}, err
	}
	const perHour = 3600 / measure.SlowdownBound
	log := metric.NewLog(metric.Machine{Nodes: sys.Nodes, Bound: o.SlowdownBound, Hour: perHour * o.SlowdownBound}, nil)
	c.Done = log.Add
	m, err := machine.New(c)
	if err != nil {
		return Simulation{}, err
	}
	out := Simulation{Policy: s.policy, Fidelity: o.Fidelity, Confidence: o.Confidence, Replications: 1}
	run := m.Start(o.key().At(0))
	var times, waits metric.Sections
	observer := o.observer(ctx)
	observer.Response = func(_ int, response float64) { times.Add(response) }
	if o.Percentiles {
		observer.Wait = func(_ int, wait float64) { waits.Add(wait) }
	}
	run.Watch(observer)
	if err := out.follow(ctx, run, o); err != nil {
		return Simulation{}, err
	}
	out.sums = metric.Independent(out.sums, simulation.ResponseSum, simulation.Departed)
	sections := len(out.sums)
	s.measure(&out, log, append(percentiles(times.Split(sections), measure.ResponseTimePercentile, o.Confidence),
		percentiles(waits.Split(sections), measure.WaitingTimePercentile, o.Confidence)...))
	if e, ok := out.Measure(response.name); ok {
		out.Precision = e.Relative()
	}
	out.Seconds = time.Since(begin).Seconds()
	out.EventsPerSecond = float64(out.Events) / out.Seconds
	return out, nil
}

// follow advances a replay part by part until all jobs have departed or ctx is done. It appends the sums of each part
// to s.sums and sets Jobs, Events, Reached and Partial. It returns the error of the machine. It returns the error of
// ctx if no part was finished.
func (s *Simulation) follow(ctx context.Context, run simulation.Run, o Options) error {
	n := len(o.Replay)
	size := max(1, (n+partsOfAReplay-1)/partsOfAReplay)
	for s.Jobs < int64(n) && ctx.Err() == nil {
		var t simulation.Tally
		part := min(size, n-int(s.Jobs))
		err := run.Advance(part, &t)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			break
		}
		if err != nil && !errors.Is(err, machine.ErrEnded) {
			return fmt.Errorf("validate: policy %s: %w", s.Policy, err)
		}
		s.sums = append(s.sums, t[:])
		s.Jobs += int64(t[simulation.Departed])
		s.Events += int64(t[simulation.Events])
		if o.Progress != nil {
			o.Progress(Progress{Policy: s.Policy, Replications: 1, Jobs: s.Jobs, Planned: int64(n), Expected: int64(n)})
		}
	}
	s.Reached = s.Jobs == int64(n)
	s.Partial = !s.Reached
	if s.Jobs == 0 {
		return ctx.Err()
	}
	return nil
}

// measure sets the measures of a replay in out. Some come from the records of the jobs, as in every replay of a log.
// Others only the simulation of a system has, such as percentiles with intervals. Intervals are moved in proportion to the means
// of the run, so that their ends stay positive.
func (s subject) measure(out *Simulation, log *metric.Log, percentiles []Estimate) {
	values := log.Measures()
	for _, p := range percentiles {
		delete(values, p.Name)
	}
	for _, f := range formulas {
		v, logged := values[f.name]
		delete(values, f.name)
		if !s.has(f) {
			continue
		}
		e := f.estimate(out.sums, out.Confidence)
		mean := v
		if !logged {
			mean = f.of(total(out.sums))
		}
		if math.IsNaN(mean) || math.IsInf(e.HalfWidth, 0) {
			continue
		}
		e.Interval = f.within(e.Around(mean))
		out.Measures = append(out.Measures, e)
	}
	for _, q := range measure.Table() { // without an interval: it is not known how far they scatter
		if v, ok := values[q.Name]; ok && !math.IsNaN(v) && !math.IsInf(v, 0) {
			out.Measures = append(out.Measures, Estimate{Name: q.Name, Interval: metric.Interval{Mean: v, Low: v, High: v}})
		}
	}
	out.Measures = append(out.Measures, percentiles...)
}

// A picture of a simulation shows arrivalsShown arrivals. It leaves out the first arrivalsBefore arrivals, because they
// find the machine emptier than later ones do.
const arrivalsShown, arrivalsBefore = 24, 100

// Stretch returns the period of time that a picture of a simulation shows: that of some arrivals, or of all arrivals if
// they are few. It belongs to the first replication of [Simulate] at machine fidelity.
func Stretch(sys *models.System, p policy.Policy, o Options) (from, to float64, err error) {
	c, err := WholeNodes(sys, p, o)
	if err != nil {
		return 0, 0, err
	}
	source, job := c.Jobs.Jobs(o.key().At(0)), workload.Job{}
	var submits []float64
	for len(submits) <= arrivalsBefore+arrivalsShown && source.Next(&job) == nil {
		submits = append(submits, job.Submit)
	}
	last := len(submits) - 1
	return submits[max(0, min(arrivalsBefore, last-arrivalsShown))], submits[last], nil
}

// total returns the sum of vectors of the same length.
func total(sums [][]float64) []float64 {
	all := make([]float64, len(sums[0]))
	for _, x := range sums {
		floats.Add(all, x)
	}
	return all
}

// Record simulates the first replication of [Simulate] once more, at machine fidelity, and lets r observe it. It ends
// when the time r.To is reached and n jobs have departed, or when a replay ends. If done is not nil, Record calls it
// for each job that has departed.
func Record(ctx context.Context, sys *models.System, p policy.Policy, o Options, n int, r *machine.Recorder,
	done func(*machine.Record)) error {
	c, err := WholeNodes(sys, p, o)
	if err != nil {
		return err
	}
	o.Fidelity = MachineFidelity
	o, _ = o.withDefaults()
	var now float64
	c.Observe = func(v sched.View, events []sched.Event) {
		now = v.Now()
		r.Observe(v, events)
	}
	c.Done = done
	m, err := machine.New(c)
	if err != nil {
		return err
	}
	run := m.Start(o.key().At(0))
	run.Watch(o.observer(ctx))
	var t simulation.Tally
	for int(t[simulation.Departed]) < n || now < r.To {
		if err := run.Advance(1, &t); errors.Is(err, machine.ErrEnded) {
			break
		} else if err != nil {
			return fmt.Errorf("validate: %w", err)
		}
	}
	r.Close()
	return nil
}
