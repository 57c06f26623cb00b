package validate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/machine"
)

// Simulation is what came out of simulating one policy.
type Simulation struct {
	Policy       models.Policy
	Fidelity     Fidelity
	Confidence   float64
	Measures     []Estimate // in the order of models.Table
	Precision    float64    // relative half width of the mean response time that was reached
	Reached      bool       // Precision is what was asked for
	Partial      bool       // the simulation was interrupted
	Replications int
	Jobs         int64 // departures, warm-up included
	Events       int64 // arrivals, departures, ends of repartitions and of set-ups
	Warmup       int64 // of Jobs, those left out at the beginning of the replications

	Seconds         float64
	EventsPerSecond float64

	sums [][]float64 // of each replication, warm-up left out
}

// Measure returns the estimate of the named measure; ok is false if there is none.
func (s Simulation) Measure(name string) (e Estimate, ok bool) {
	for _, e := range s.Measures {
		if e.Name == name {
			return e, true
		}
	}
	return Estimate{}, false
}

const (
	// pilot is the number of jobs of the first stage of a replication: enough for MSER to see a warm-up, and for what it
	// leaves of the start to be small beside the standard error.
	pilot = 10_000
	// chunk is the number of jobs between looks at the context.
	chunk = 20_000
)

// Simulate runs policy p on the system until the mean response time is known to the precision of o, or o.MaxJobs jobs
// have departed. Every replication is lengthened in the same steps, and the decision to go on rests on all of them in
// their order, so that the result is the same for any number of workers. The warm-up is left out as MSER says of the
// replications' average.
//
// A system that cannot keep up is refused with an *[UnstableError]. When ctx is done Simulate returns what it has, with
// Partial set, or the error of the context if that is nothing.
func Simulate(ctx context.Context, sys *models.System, p models.Policy, o Options) (Simulation, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Simulation{}, err
	}
	if err := check(sys, p); err != nil {
		return Simulation{}, err
	}
	m, err := simulator(sys, p, o.Fidelity)
	if err != nil {
		return Simulation{}, err
	}
	x := newExperiment(m, p, o)
	return x.run(ctx)
}

// experiment is a set of replications that are lengthened together.
type experiment struct {
	policy       models.Policy
	o            Options
	replications []*replication
	warmup       int // jobs left out at the beginning of each, as of the last complete stage

	progress sync.Mutex
	state    Progress
}

// replication is one independent run with its output so far.
type replication struct {
	run    machine.Run
	series *estimate.Series
	tally  machine.Tally
	events float64
	err    error // of the machine; the run is over
}

func newExperiment(m machine.Simulator, p models.Policy, o Options) *experiment {
	x := &experiment{policy: p, o: o, state: Progress{Policy: p, Target: o.Precision}}
	key := des.Seed(o.Seed).At(o.Point)
	for r := range o.Replications {
		run := m.Start(key.At(uint64(r)))
		x.replications = append(x.replications, &replication{run: run, series: estimate.NewSeries(machine.Sums)})
	}
	return x
}

func (x *experiment) run(ctx context.Context) (Simulation, error) {
	begin := time.Now()
	bound := max(1, int(x.o.MaxJobs)/x.o.Replications)
	length := min(pilot, bound)
	s := Simulation{Policy: x.policy, Fidelity: x.o.Fidelity, Confidence: x.o.Confidence}
	for {
		x.state.Planned = int64(length) * int64(x.o.Replications)
		err := estimate.Each(ctx, x.o.Replications, x.o.Workers, func(r int) { x.lengthen(ctx, r, length) })
		if failed := x.failure(); failed != nil {
			return Simulation{}, fmt.Errorf("validate: %w", failed)
		}
		if err == nil {
			x.settle()
		}
		x.summarize(&s)
		if err != nil {
			s.Partial = true
			if s.Jobs == 0 {
				return Simulation{}, err
			}
		}
		half := response.estimate(s.sums, x.o.Confidence)
		s.Precision = half.HalfWidth / half.Mean
		s.Reached = s.Precision <= x.o.Precision
		if s.Reached || s.Partial || length == bound {
			break
		}
		x.state.Precision = s.Precision
		length = min(estimate.Lengthen(length, s.Precision, x.o.Precision), bound)
	}
	s.Measures = estimates(x.policy, s.sums, x.o.Confidence)
	s.Seconds = time.Since(begin).Seconds()
	s.EventsPerSecond = float64(s.Events) / s.Seconds
	return s, nil
}

// lengthen runs replication r until it has the given number of jobs.
func (x *experiment) lengthen(ctx context.Context, r, jobs int) {
	rep := x.replications[r]
	for rep.series.Observations() < jobs && ctx.Err() == nil && rep.err == nil {
		before := rep.series.Observations()
		rep.err = rep.lengthen(min(jobs, before+chunk))
		x.report(rep.series.Observations() - before)
	}
}

// failure returns the error of the first replication that has one.
func (x *experiment) failure() error {
	for _, rep := range x.replications {
		if rep.err != nil {
			return rep.err
		}
	}
	return nil
}

func (x *experiment) report(jobs int) {
	if x.o.Progress == nil {
		return
	}
	x.progress.Lock()
	defer x.progress.Unlock()
	x.state.Jobs += int64(jobs)
	x.o.Progress(x.state)
}

func (rep *replication) lengthen(jobs int) error {
	for rep.series.Observations() < jobs {
		rep.tally = machine.Tally{}
		if err := rep.run.Advance(rep.series.Size(), &rep.tally); err != nil {
			return err
		}
		rep.series.Append(rep.tally[:])
		rep.events += rep.tally[machine.Events]
	}
	return nil
}

// settle finds the warm-up once all replications have been lengthened to the same length: MSER of the batch means of
// the response time, averaged over the replications. One run's own MSER mistakes a long busy period for a warm-up and so
// leaves out high values more often than low ones; averaging leaves what all runs share, their start.
func (x *experiment) settle() {
	var mean []float64
	for _, rep := range x.replications {
		means := rep.series.Ratio(machine.ResponseSum, machine.Departed)
		if mean == nil {
			mean = make([]float64, len(means))
		}
		for b, v := range means {
			mean[b] += v
		}
	}
	x.warmup = estimate.MSER(mean) * x.replications[0].series.Size()
}

// summarize puts what the replications have so far into s, in their order. One that was interrupted before it had two
// batches past the warm-up is left out.
func (x *experiment) summarize(s *Simulation) {
	s.sums, s.Jobs, s.Events, s.Warmup, s.Replications = nil, 0, 0, 0, 0
	for _, rep := range x.replications {
		n := rep.series.Batches()
		from := (x.warmup + rep.series.Size() - 1) / rep.series.Size()
		if n < from+2 {
			continue
		}
		if x.o.Replications == 1 {
			s.sums = estimate.Groups(rep.series, from, machine.ResponseSum, machine.Departed)
		} else {
			s.sums = append(s.sums, rep.series.Sum(from, n))
		}
		s.Replications++
		s.Jobs += int64(rep.series.Observations())
		s.Events += int64(rep.events)
		s.Warmup += int64(from * rep.series.Size())
	}
}
