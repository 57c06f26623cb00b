package validate

import (
	"context"
	"errors"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Simulator simulates policies on the machine of a system. Its jobs are drawn, as [Simulate] draws them, or given, as [Replay] takes
// them.
type Simulator struct {
	System *models.System
	Options
	Replay []workload.Job // in the order of their submission, such as those of a log; nil: jobs are drawn
}

// Simulations are the results of simulating one policy after the other.
type Simulations struct {
	Runs        []Simulation
	Unstable    []Simulation // of policies that cannot keep up: only their traffic intensity and largest stable arrival rate
	Refused     []error      // why the policies in Unstable were not simulated, in their order
	Interrupted bool
}

// Simulate simulates policies one after the other, each with all workers. It calls begin, if begin is not nil, before each policy.
// The functions that begin returns hear of the progress and of the end of this policy.
//
// A policy that cannot keep up is no error: it is among the unstable ones of the result. When ctx is done, Simulate returns the
// simulations so far. If there are none, it returns the error of ctx.
func (s *Simulator) Simulate(ctx context.Context, policies []policy.Policy, begin func(policy.Policy) (progress func(Progress), end func())) (
	all Simulations, err error) {
	for _, p := range policies {
		one, err := s.one(ctx, p, begin)
		var unstable *models.UnstableError
		switch {
		case errors.As(err, &unstable):
			all.Unstable = append(all.Unstable, notSimulated(p, s.Fidelity, unstable))
			all.Refused = append(all.Refused, err)
			continue
		case errors.Is(err, context.Canceled) && len(all.Runs) > 0:
			all.Interrupted = true
			return all, nil
		case err != nil:
			return Simulations{}, err
		}
		all.Runs = append(all.Runs, one)
		if one.Partial {
			all.Interrupted = true
			return all, nil
		}
	}
	return all, nil
}

// one simulates a policy, see [Simulator.Simulate].
func (s *Simulator) one(ctx context.Context, p policy.Policy, begin func(policy.Policy) (func(Progress), func())) (Simulation, error) {
	o := s.Options
	if begin != nil {
		progress, end := begin(p)
		defer end()
		o.Progress = progress
	}
	if s.Replay != nil {
		return Replay(ctx, s.System, p, s.Replay, o)
	}
	return Simulate(ctx, s.System, p, o)
}

// notSimulated returns what stands in place of the simulation of a policy that cannot keep up: its traffic intensity, and its largest
// stable arrival rate.
func notSimulated(p policy.Policy, fidelity Fidelity, e *models.UnstableError) Simulation {
	exactly := func(name string, v float64) Estimate {
		return Estimate{Name: name, Interval: metric.Interval{Mean: v, Low: v, High: v}}
	}
	return Simulation{Policy: p, Fidelity: fidelity, Intensity: e.TrafficIntensity, Measures: []Estimate{
		exactly(measure.TrafficIntensity, e.TrafficIntensity), exactly(measure.MaxArrivalRate, e.MaxArrivalRate)}}
}

// WholeNodes returns the machine of whole nodes on which a policy runs the jobs, with the jobs and the costs of resizing. Without
// given jobs it is that of the function [WholeNodes].
func (s *Simulator) WholeNodes(p policy.Policy) (machine.Config, error) {
	if s.Replay != nil {
		return replayMachine(s.System, p, s.Replay, s.Options)
	}
	return WholeNodes(s.System, p, s.Options)
}

// Offered returns the load that the jobs offer to the system. Of drawn jobs it is the arrival rate over the capacity, as in the model.
// Of given jobs it is their work over what the machine can do from the first submission to the last, infinite if all jobs are
// submitted at once.
func (s *Simulator) Offered() float64 {
	if s.Replay != nil {
		return workload.OfferOf(s.Replay).Load(s.System.Nodes)
	}
	return offered(s.System, s.Options)
}
