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

// Simulator simulates policies on the machine of a system. The jobs are drawn from the system, see the function [Simulate], or
// replayed, see the function [Replay].
type Simulator struct {
	System *models.System
	Options
	Replay []workload.Job // jobs to replay, such as the jobs of a log, in the order of their submission; nil: jobs are drawn
}

// errNoSimulator is the error of the methods of a nil [Simulator].
var errNoSimulator = errors.New("validate: no simulator is given")

// Simulations are the results of simulating several policies, in the order of the policies.
type Simulations struct {
	Runs []Simulation
	// Unstable are policies that were not simulated because they are unstable. They have two measures: the traffic intensity and the
	// largest stable arrival rate.
	Unstable    []Simulation
	Refused     []error // for each of Unstable, an error that wraps a [models.UnstableError]
	Interrupted bool    // ctx ended; the last of Runs may be partial, and policies after it are missing
}

// Simulate simulates policies one after the other, each with all workers. If begin is not nil, Simulate calls it before each
// policy. It then calls progress while the policy is simulated, and end afterwards. Either may be nil.
//
// An unstable policy is no error: the result has it in Unstable. When ctx is cancelled, Simulate returns the simulations so far,
// or the error of ctx if no policy has a result. Any other error of a policy ends Simulate, and the results are empty then.
func (s *Simulator) Simulate(ctx context.Context, policies []policy.Policy,
	begin func(policy.Policy) (progress func(Progress), end func())) (
	all Simulations, err error) {
	if s == nil {
		return Simulations{}, errNoSimulator
	}
	for _, p := range policies {
		one, err := s.simulateOne(ctx, p, begin)
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

// simulateOne simulates one policy, see [Simulator.Simulate].
func (s *Simulator) simulateOne(ctx context.Context, p policy.Policy,
	begin func(policy.Policy) (func(Progress), func())) (Simulation, error) {
	o := s.Options
	if begin != nil {
		progress, end := begin(p)
		if end != nil {
			defer end()
		}
		o.Progress = progress
	}
	if s.Replay != nil {
		return Replay(ctx, s.System, p, s.Replay, o)
	}
	return Simulate(ctx, s.System, p, o)
}

// notSimulated returns a simulation without jobs for an unstable policy. Its measures are the traffic intensity and the largest
// stable arrival rate of e, exactly.
func notSimulated(p policy.Policy, fidelity Fidelity, e *models.UnstableError) Simulation {
	exactly := func(name string, v float64) Estimate {
		return Estimate{Name: name, Interval: metric.Interval{Mean: v, Low: v, High: v}}
	}
	return Simulation{Policy: p, Fidelity: fidelity, Intensity: e.TrafficIntensity, Measures: []Estimate{
		exactly(measure.TrafficIntensity, e.TrafficIntensity), exactly(measure.MaxArrivalRate, e.MaxArrivalRate)}}
}

// WholeNodes returns the configuration of the machine of whole nodes on which policy p runs the jobs: nodes, jobs and costs of
// resizing. [Record] simulates it. The error says why the options, the jobs or the policy do not fit the system.
func (s *Simulator) WholeNodes(p policy.Policy) (machine.Config, error) {
	if s == nil {
		return machine.Config{}, errNoSimulator
	}
	if s.Replay != nil {
		return replayMachine(s.System, p, s.Replay, s.Options)
	}
	return WholeNodes(s.System, p, s.Options)
}

// Offered returns the offered load of the jobs, without unit. For drawn jobs it is the arrival rate divided by the capacity of
// the system. For replayed jobs it is their work divided by nodes × time from the first to the last submission; +Inf if all are
// submitted at once.
func (s *Simulator) Offered() float64 {
	if s.Replay != nil {
		return workload.OfferOf(s.Replay).Load(s.System.Nodes)
	}
	return offered(s.System, s.Options)
}
