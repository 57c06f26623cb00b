package validate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/sched"
)

// Replay runs jobs, such as the jobs of a log, through the machine of a system under policy p. The run goes once from the empty
// machine to the empty machine. The jobs are in the order of their submission, with times in the unit of the system, and replace
// its arrivals and demands. The machine has whole nodes, as at [MachineFidelity]. The measures are exact for these jobs. Their
// intervals say how far they may be from the measures of a longer log of the same kind.
//
// When ctx is done, Replay returns the measures so far with Partial set; without measures, it returns the error of ctx.
func Replay(ctx context.Context, sys *models.System, p policy.Policy, jobs []workload.Job, o Options) (Simulation, error) {
	begin := time.Now()
	replayed, err := replacementOf(machine.List(jobs))
	if err != nil {
		return Simulation{}, err
	}
	s, o, rho, err := prepareReplay(ctx, sys, p, replayed, o)
	if err != nil {
		return Simulation{}, err
	}
	c, err := s.wholeNodes(sys, o)
	if err != nil {
		return Simulation{}, err
	}
	const perHour = 3600 / measure.SlowdownBound
	log := metric.NewLog(metric.Machine{Nodes: sys.Nodes, Bound: o.SlowdownBound, Hour: perHour * o.SlowdownBound}, nil)
	c.Done, c.Most = log.Add, o.mostJobs()
	progress := func(ended int64) {
		if n := int64(len(jobs)); o.Progress != nil {
			o.Progress(Progress{Policy: p, Replications: 1, Jobs: ended, Planned: n, Expected: n})
		}
	}
	course, err := RunJobs(ctx, c, len(jobs), Distributions{Responses: true, Waits: o.Percentiles}, o.key().At(0), progress)
	partial := err != nil && errors.Is(err, ctx.Err())
	switch {
	case partial && course.Jobs == 0:
		return Simulation{}, err
	case err != nil && !partial:
		return Simulation{}, fmt.Errorf("validate: policy %s: %w", p, err)
	}
	out := Simulation{Policy: p, Fidelity: o.Fidelity, Confidence: o.Confidence, Replications: 1, Intensity: rho, Partial: partial,
		Reached: !partial, Jobs: course.Jobs, Events: course.Events, sums: course.parts,
		Measures: course.Estimates(log, s.useful, s.resizes, o.Confidence)}
	if e, ok := out.Measure(response.name); ok {
		out.Precision = e.Relative()
	}
	out.Seconds = time.Since(begin).Seconds()
	out.EventsPerSecond = float64(out.Events) / out.Seconds
	return out, nil
}

// replayMachine returns the configuration of the machine on which [Replay] runs the jobs: nodes, jobs and costs of resizing. The
// error says why the options, the jobs or the policy do not fit the system.
func replayMachine(sys *models.System, p policy.Policy, jobs []workload.Job, o Options) (machine.Config, error) {
	replayed, err := replacementOf(machine.List(jobs))
	if err != nil {
		return machine.Config{}, err
	}
	s, o, _, err := prepareReplay(context.Background(), sys, p, replayed, o)
	if err != nil {
		return machine.Config{}, err
	}
	return s.wholeNodes(sys, o)
}

// replacement holds the jobs that replace the jobs of a system, and sums over all these jobs.
type replacement struct {
	machine.Workload
	offer    workload.Offer
	meanWork float64 // demand of a job
}

// replacementOf returns the jobs of a workload as a replacement. It reads the workload once. The error comes from reading,
// or says that there are no jobs.
func replacementOf(jobs machine.Workload) (*replacement, error) {
	r, work := &replacement{Workload: jobs}, 0.0
	source, j := jobs.Jobs(des.Key{}), workload.Job{}
	for {
		switch err := source.Next(&j); {
		case err == io.EOF && r.offer.Jobs == 0:
			return nil, errors.New("validate: no jobs to replay")
		case err == io.EOF:
			r.meanWork = work / float64(r.offer.Jobs)
			return r, nil
		case err != nil:
			return nil, err
		}
		r.offer.Add(&j)
		work += j.Work
	}
}

// prepareReplay is [prepare] for jobs that replace the jobs of the system: at machine fidelity, in one replication. The
// error is that o has a sample, or comes from prepare.
func prepareReplay(ctx context.Context, sys *models.System, p policy.Policy, replayed *replacement,
	o Options) (subject, Options, float64, error) {
	if o.Sample != nil {
		return subject{}, o, 0, errors.New("validate: demands come from a sample or from a replay, not from both")
	}
	o.Fidelity, o.Replications = MachineFidelity, 1
	return prepare(ctx, sys, p, replayed, o)
}

// A picture of a simulation shows arrivalsShown arrivals. It leaves out the first arrivalsBefore arrivals, because they
// find the machine emptier than later ones do.
const arrivalsShown, arrivalsBefore = 24, 100

// Stretch returns the period of time that a picture of a simulation shows. It contains some arrivals, or all arrivals
// if they are few; 0 and 0 without jobs. [WholeNodes] or [Simulator.WholeNodes] made the machine c with the options o.
func Stretch(c machine.Config, o Options) (from, to float64) {
	if c.Jobs == nil {
		return 0, 0
	}
	source, job := c.Jobs.Jobs(o.key().At(0)), workload.Job{}
	var submits []float64
	for len(submits) <= arrivalsBefore+arrivalsShown && source.Next(&job) == nil {
		submits = append(submits, job.Submit)
	}
	if len(submits) == 0 {
		return 0, 0
	}
	last := len(submits) - 1
	return submits[max(0, min(arrivalsBefore, last-arrivalsShown))], submits[last]
}

// Record simulates the first replication of [Simulate] at machine fidelity, or of [Replay], once more, and lets r observe
// it. [WholeNodes] or [Simulator.WholeNodes] made the machine c with the options o. The run ends when the time
// r.To is reached and n jobs have departed, or when all jobs have departed. If done is not nil, Record calls it for each
// job that has departed. The error comes from the options, the machine or the run; it wraps the error of ctx if ctx ends.
func Record(ctx context.Context, c machine.Config, o Options, n int, r *machine.Recorder, done func(*machine.Record)) error {
	if r == nil {
		return errors.New("validate: no recorder is given")
	}
	o.Fidelity = MachineFidelity
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
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
