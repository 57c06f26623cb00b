package simulatecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// Settings say how jobs are simulated: those of the model, or others in their place.
type Settings struct {
	validate.Options
	Replay []workload.Job // of a log, in the order of their submission; nil: those of the model, or of the sample
}

// simulate runs a policy on the jobs.
func (o *Settings) simulate(ctx context.Context, sys *models.System, p policy.Policy) (validate.Simulation, error) {
	if o.Replay != nil {
		return validate.Replay(ctx, sys, p, o.Replay, o.Options)
	}
	return validate.Simulate(ctx, sys, p, o.Options)
}

// machine returns the machine of whole nodes on which a policy runs the jobs.
func (o *Settings) machine(sys *models.System, p policy.Policy) (machine.Config, error) {
	if o.Replay != nil {
		return validate.ReplayMachine(sys, p, o.Replay, o.Options)
	}
	return validate.WholeNodes(sys, p, o.Options)
}

// offered returns the load that the jobs offer to a system. It is infinite if the jobs of a log are all submitted at once.
func (o *Settings) offered(sys *models.System) float64 {
	if o.Replay != nil {
		return workload.OfferOf(o.Replay).Load(sys.Nodes)
	}
	return validate.Offered(sys, o.Options)
}

// Simulations are the results of simulating one policy after the other.
type Simulations struct {
	Runs        []validate.Simulation
	Unstable    []validate.Simulation // of policies that cannot keep up: only how far they cannot
	Refused     []error               // why these were not simulated
	Interrupted bool
}

// Run simulates policies one after the other, each with all workers. If it is interrupted it returns the simulations so
// far, or the error of the context if there are none.
func Run(inv *cli.Invocation, file *modelfile.Model, policies []policy.Policy, o Settings) (sims Simulations, err error) {
	o.Memory = inv.Memory.Limit()
	for _, p := range policies {
		show, clear := inv.Display(p.String())
		begin := time.Now()
		o.Progress = func(s validate.Progress) { show(stateOf(s, time.Since(begin))) }
		s, err := o.simulate(inv.Context, file.System, p)
		clear()
		var unstable *models.UnstableError
		switch {
		case errors.As(err, &unstable):
			sims.Unstable = append(sims.Unstable, notSimulated(p, o.Fidelity, unstable))
			sims.Refused = append(sims.Refused, err)
			continue
		case errors.Is(err, context.Canceled) && len(sims.Runs) > 0:
			sims.Interrupted = true
			return sims, nil
		case err != nil:
			return Simulations{}, input.GivenUp(err)
		}
		sims.Runs = append(sims.Runs, s)
		if s.Partial {
			sims.Interrupted = true
			return sims, nil
		}
	}
	return sims, nil
}

// notSimulated returns what stands in place of the simulation of a policy that cannot keep up: its traffic intensity, and the largest
// stable arrival rate.
func notSimulated(p policy.Policy, fidelity validate.Fidelity, e *models.UnstableError) validate.Simulation {
	exactly := func(name string, v float64) validate.Estimate {
		return validate.Estimate{Name: name, Interval: metric.Interval{Mean: v, Low: v, High: v}}
	}
	return validate.Simulation{Policy: p, Fidelity: fidelity, Intensity: e.TrafficIntensity, Measures: []validate.Estimate{
		exactly(measure.TrafficIntensity, e.TrafficIntensity), exactly(measure.MaxArrivalRate, e.MaxArrivalRate)}}
}

// Shortfall returns an error if the simulations were interrupted, or one of them did not reach the precision.
func (s *Simulations) Shortfall(precision float64) error {
	for _, r := range s.Runs {
		known, wanted := output.Percent(r.Precision), output.Percent(precision)
		for digits := 3; known == wanted && r.Precision > precision; digits++ {
			known, wanted = output.Round(100*r.Precision, digits)+" %", output.Round(100*precision, digits)+" %"
		}
		switch {
		case r.Partial:
			return fault.Failf(fault.ExitInterrupted, "interrupted: %v is known to %s only", r.Policy, known)
		case r.Reached || s.Interrupted:
		case r.Precision <= precision:
			return fault.Hint(fault.ExitAccuracy, "raise --jobs, or trust the solver", fmt.Errorf("%v: replications of %s are too short "+
				"for intervals: response times depend on one another over more than 1/150 of them", r.Policy,
				words.Count(int(r.Jobs)/r.Replications, "job")))
		default:
			return fault.Hint(fault.ExitAccuracy, "near saturation a simulation needs more jobs than --jobs can be; trust the solver there",
				fmt.Errorf("%v: the mean response time is known to %s, not to %s", r.Policy, known, wanted))
		}
	}
	if s.Interrupted {
		return fault.Failf(fault.ExitInterrupted, "interrupted: %d of the policies are done", len(s.Runs))
	}
	return nil
}

// stateOf returns the progress of a simulation: its jobs over the jobs that the precision will take.
func stateOf(s validate.Progress, passed time.Duration) progress.State {
	var words []string
	if s.Precision > 0 && s.Target > 0 {
		words = append(words, fmt.Sprintf("±%s of %s", strings.TrimSuffix(output.Percent(s.Precision), " %"),
			output.Percent(s.Target)))
	}
	jobs := fmt.Sprintf("%s of %s jobs", millions(s.Jobs), millions(s.Expected))
	if s.Replications > 1 {
		jobs += fmt.Sprintf(" in %d runs", s.Replications)
	}
	rate := int64(float64(s.Jobs) / max(passed.Seconds(), 1e-3))
	words = append(words, jobs, millions(rate)+"/s")
	return progress.Of(float64(s.Jobs)/float64(max(s.Expected, s.Jobs, 1)), passed, strings.Join(words, ", "))
}

// millions writes a number of jobs with two digits. The line of progress then has room for the time left in a terminal of 80 columns.
func millions(n int64) string {
	switch {
	case n >= 1_000_000:
		return output.Round(float64(n)/1e6, 2) + "M"
	case n >= 10_000:
		return output.Round(float64(n)/1e3, 2) + "k"
	}
	return fmt.Sprint(n)
}
