package simulatecmd

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate"
)

// Run simulates policies one after the other, and shows the progress of each.
func Run(inv *cli.Invocation, policies []policy.Policy, s validate.Simulator) (validate.Simulations, error) {
	s.Memory = inv.Memory.Limit()
	sims, err := s.Simulate(inv.Context, policies, func(p policy.Policy) (func(validate.Progress), func()) {
		show, clear := inv.Display(p.String())
		begin, told := time.Now(), false
		return func(state validate.Progress) {
			passed := time.Since(begin)
			if !told && passed >= speedKnown {
				told = true
				if note := longRun(state, passed); note != "" {
					inv.Notef("%v: %s", p, note)
				}
			}
			show(stateOf(state, passed))
		}, clear
	})
	return sims, input.GivenUp(err)
}

// speedKnown is the time after which the speed of a simulation is known well enough to say how long it takes.
const speedKnown = 2 * time.Second

// longRun says how long a simulation takes and what takes less time, if it takes more than a minute; otherwise it is "".
// passed is the time since its beginning.
func longRun(s validate.Progress, passed time.Duration) string {
	expected := time.Duration(float64(passed) * float64(s.Expected) / float64(max(s.Jobs, 1)))
	if expected <= time.Minute {
		return ""
	}
	return fmt.Sprintf("%s jobs take about %s; fewer --jobs or a larger --precision take less", words.Millions(s.Expected),
		words.Count(int(math.Ceil(expected.Minutes())), "minute"))
}

// Shortfall returns an error if the simulations were interrupted, or one of them did not reach the precision.
func Shortfall(runs []validate.Simulation, interrupted bool, precision float64) error {
	for _, r := range runs {
		switch {
		case r.Partial && !words.Finite(r.Precision):
			return fault.Failf(fault.ExitInterrupted, "interrupted: %v has no result yet", r.Policy)
		case r.Partial:
			known, _ := words.PercentApart(r.Precision, precision)
			return fault.Failf(fault.ExitInterrupted, "interrupted: %v is known to %s only", r.Policy, known)
		case r.Reached || interrupted:
		case !words.Finite(r.Precision):
			return fault.Hint(fault.ExitAccuracy, "raise --jobs, or trust the solver",
				fmt.Errorf("%v: too few jobs for a mean response time with an interval", r.Policy))
		case r.Precision <= precision:
			return fault.Hint(fault.ExitAccuracy, "raise --jobs, or trust the solver", fmt.Errorf("%v: replications of %s are too short "+
				"for intervals: response times depend on one another over more than 1/150 of them", r.Policy,
				words.Count(int(r.Jobs)/r.Replications, "job")))
		default:
			known, wanted := words.PercentApart(r.Precision, precision)
			return fault.Hint(fault.ExitAccuracy, "near saturation a simulation needs more jobs than --jobs can be; trust the solver there",
				fmt.Errorf("%v: the mean response time is known to %s, not to %s", r.Policy, known, wanted))
		}
	}
	if interrupted {
		return fault.Failf(fault.ExitInterrupted, "interrupted: %d of the policies are done", len(runs))
	}
	return nil
}

// stateOf returns the progress of a simulation: its jobs over the jobs that the precision will take.
func stateOf(s validate.Progress, passed time.Duration) progress.State {
	var parts []string
	if s.Precision > 0 && s.Target > 0 {
		parts = append(parts, fmt.Sprintf("±%s of %s", strings.TrimSuffix(words.Percent(s.Precision), " %"),
			words.Percent(s.Target)))
	}
	jobs := fmt.Sprintf("%s of %s jobs", words.Millions(s.Jobs), words.Millions(s.Expected))
	if s.Replications > 1 {
		jobs += fmt.Sprintf(" in %d runs", s.Replications)
	}
	rate := int64(float64(s.Jobs) / max(passed.Seconds(), 1e-3))
	parts = append(parts, jobs, words.Millions(rate)+"/s")
	return progress.Of(float64(s.Jobs)/float64(max(s.Expected, s.Jobs, 1)), passed, strings.Join(parts, ", "))
}
