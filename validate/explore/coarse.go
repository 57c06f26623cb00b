package explore

import (
	"context"
	"errors"
	"time"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/phasetype"
)

// grade says how much detail of a model its chain has.
type grade struct {
	phases int // the most phases of a run time, and, if two or more, of a time between arrivals; 0: all
	text   string
}

// grades go from the model itself to a model that is solved while a slider makes a step: with 64 partitions in 3 ms.
var grades = []grade{
	{},
	{4, "run times have at most four phases, which keep their mean and variability, and repartitions are exponential"},
	{1, "run times and repartitions are exponential"},
}

// errSlow says that a solution takes longer than it may.
var errSlow = errors.New("the solution takes too long")

// deadline is a context that ends when a time has passed, which Err checks. A page has one thread, in which the timer of another
// context would never run during a solution.
type deadline struct {
	context.Context
	at time.Time
}

// Err returns errSlow after the deadline, and otherwise the error of the underlying context.
func (d deadline) Err() error {
	if time.Now().After(d.at) {
		return errSlow
	}
	return d.Context.Err()
}

// within returns a context that ends after so many milliseconds; 0: never.
func within(ctx context.Context, limit float64) context.Context {
	if limit == 0 {
		return ctx
	}
	return deadline{ctx, time.Now().Add(time.Duration(limit * float64(time.Millisecond)))}
}

// solveSoon solves the model in the finest grade whose solution takes no longer than the limit of the question. It
// begins with the grade of the question. The last grade has no limit. Beside the decision it returns the model that was
// solved, and its grade. A chain that does not fit into memory leads to the next grade, too. Any other error is
// returned.
func (q *Question) solveSoon(ctx context.Context, file *modelfile.Model) (d decide.Decision, of *modelfile.Model, at int, err error) {
	for at = min(max(0, q.Grade), len(grades)-1); ; at++ {
		last := at == len(grades)-1
		if of, err = coarser(file, at); err == nil {
			limit := q.Limit
			if last {
				limit = 0
			}
			d, err = solve(within(ctx, limit), of)
		}
		if err == nil || last || q.Limit == 0 && at == q.Grade || !errors.Is(err, errSlow) && !errors.Is(err, markov.ErrTooLarge) {
			return d, of, at, err
		}
	}
}

// coarser returns the model in a grade. Arrivals keep their mean and their variability as far as the phases allow. Overheads keep
// their means.
func coarser(file *modelfile.Model, at int) (*modelfile.Model, error) {
	if at == 0 {
		return file, nil
	}
	s, phases := *file.System, grades[at].phases
	s.PhaseMap = nil
	if most := max(2, phases); s.Arrivals.Phases() > most {
		between, err := phasetype.TwoMoments(1/s.Arrivals.Rate(), max(1/float64(most), s.Arrivals.SCV()))
		if err != nil {
			return nil, err
		}
		if s.Arrivals, err = phasetype.Renewal(between); err != nil {
			return nil, err
		}
	}
	exponential := func(d phasetype.Dist) (phasetype.Dist, error) { return phasetype.TwoMoments(d.Mean(), 1) }
	made, measured := len(s.Classes) > 0 || s.Speedup != nil, s.Service[len(s.Service)-1].SCV()
	run := func(d phasetype.Dist) (phasetype.Dist, error) {
		scv := measured // so that all run times have the same number of phases
		if made {
			scv = d.SCV()
		}
		return phasetype.TwoMoments(d.Mean(), max(1/float64(phases), scv))
	}
	if phases == 1 {
		run = exponential
	}
	out := *file
	var err error
	out.System, err = s.With(models.Changes{Run: run, Shrink: exponential, Expand: exponential, Setup: exponential})
	if err == nil && made {
		out.System.Service, err = out.System.ServiceTimes()
	}
	return &out, err
}
