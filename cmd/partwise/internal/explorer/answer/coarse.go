package answer

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/phasetype"
)

// grade is how much detail of a model its chain keeps.
type grade struct {
	phases int  // of a run time, and of a time between arrivals if that is two or more; 0: all
	stops  bool // which jobs stand still in a repartition
	text   string
}

// grades go from the model itself to one that is solved within a slider's step.
var grades = []grade{
	{stops: true},
	{4, true, "run times have at most four phases, which keep their mean and variability, and repartitions are exponential"},
	{2, false, "run times have at most two phases, which keep their mean and variability of 0.5 or more, repartitions are " +
		"exponential, and all jobs stand still for a part of each"},
	{1, false, "run times and repartitions are exponential, and all jobs stand still for a part of each repartition"},
}

// errSlow says that a solution takes longer than it may.
var errSlow = errors.New("the solution takes too long")

// deadline is a context whose error is that of a time that has passed. Where there is one thread, as in a page, the timer of
// another context would never run during a solution.
type deadline struct {
	context.Context
	at time.Time
}

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

// solveSoon solves the model in the finest grade, from that of the question on, whose solution takes no longer than the limit of
// the question. The last grade has all the time.
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

// coarser returns the model in a grade. Arrivals keep a mean and variability with two phases, overheads their means.
func coarser(file *modelfile.Model, at int) (*modelfile.Model, error) {
	if at == 0 {
		return file, nil
	}
	out, s, g := *file, *file.System, grades[at]
	out.System = &s
	s.PhaseMap = nil
	var err error
	simple := func(d phasetype.Dist, scv float64) phasetype.Dist {
		if err != nil || d.IsZero() {
			return d
		}
		if scv = max(1/float64(g.phases), scv); g.phases == 1 {
			scv = 1
		}
		d, err = phasetype.TwoMoments(d.Mean(), scv)
		return d
	}
	if most := max(2, g.phases); s.Arrivals.Phases() > most {
		between, err := phasetype.TwoMoments(1/s.Arrivals.Rate(), max(1/float64(most), s.Arrivals.SCV()))
		if err != nil {
			return nil, err
		}
		if s.Arrivals, err = phasetype.Renewal(between); err != nil {
			return nil, err
		}
	}
	s.Shrink, s.Expand, s.Setup = slices.Clone(s.Shrink), slices.Clone(s.Expand), maps.Clone(s.Setup)
	for k, d := range s.Setup {
		s.Setup[k] = simple(d, 1)
	}
	for _, list := range [2][]phasetype.Dist{s.Shrink, s.Expand} {
		for i, d := range list {
			list[i] = simple(d, 1)
		}
	}
	switch {
	case len(s.Classes) > 0:
		s.Classes = slices.Clone(s.Classes)
		for k, class := range s.Classes {
			s.Classes[k].Demand = simple(class.Demand, class.Demand.SCV())
		}
		if err == nil {
			s.Service, err = s.ServiceTimes()
		}
	case s.Speedup != nil:
		s.Demand = simple(s.Demand, s.Demand.SCV())
		if err == nil {
			s.Service, err = s.ServiceTimes()
		}
	default: // measured; all have as many phases
		s.Service = slices.Clone(s.Service)
		scv := 0.0
		for _, b := range s.Service {
			scv += b.SCV() / float64(len(s.Service))
		}
		for i, b := range s.Service {
			s.Service[i] = simple(b, scv)
		}
	}
	if !g.stops && s.Stops == models.ResizedStop {
		s.Stops = models.AllStop
		for i := range s.Shrink {
			s.Shrink[i], err = shorter(s.Shrink[i], resized(s.Partitions(), i, i+1), err)
		}
		for i := range s.Expand {
			s.Expand[i], err = shorter(s.Expand[i], resized(s.Partitions(), i+2, i+1), err)
		}
	}
	return &out, err
}

func shorter(d phasetype.Dist, by float64, err error) (phasetype.Dist, error) {
	if err != nil || d.IsZero() {
		return d, err
	}
	if by == 0 {
		return phasetype.Dist{}, nil
	}
	return d.Scale(by)
}

// resized returns which share of the jobs stands still when their number on so many units changes from one to the other: those
// whose partitions change, and a newcomer.
func resized(units, from, to int) float64 {
	before := map[int]int{}
	if from > 0 {
		before[units/from], before[units/from+1] = from-units%from, units%from
	}
	small, large := units/to, units/to+1
	kept := min(before[small], to-units%to) + min(before[large], units%to)
	return float64(to-min(kept, from, to)) / math.Max(1, float64(to))
}
