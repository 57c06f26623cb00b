package decide

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// Series is one line of a chart: a system whose arrivals are rescaled to each load in turn.
type Series struct {
	Name   string
	System *models.System
	// StopsAssumed says that nobody told who stops during a repartition: [Sweep.Readings] also solves the series with only
	// the resized jobs stopping.
	StopsAssumed bool
	// Capacity is the arrival rate that is load 1, that of the system a series is measured by; 0 for the system's own.
	Capacity float64
	// Policies are what is solved; nil for all of [policy.Candidates].
	Policies []policy.Policy
}

// Point is a series at one load. Its measures are scalars only: levels and delays would keep the solutions of all
// points in memory.
type Point struct {
	Series      string
	Load        float64 // relative to the capacity of the series
	ArrivalRate float64
	Decision    Decision
	Err         error // what could not be solved first; the Decision has what could
	Done        bool  // false if the run ended before this point, or it was not to be solved
	// Resized is what holds if only the resized jobs stop; nil where the system says who stops, or nobody asked.
	Resized *Resized
}

// Resized is a decision with only the resized jobs stopping, or why there is none.
type Resized struct {
	Decision Decision
	Err      error // wraps [markov.ErrTooLarge] where it would take too long
}

// Sweep is a set of points to solve: every series at every load.
type Sweep struct {
	Series   []Series
	Loads    []float64 // none: every series at the arrival rate of its system
	Settings markov.Settings
	Workers  int   // 0 for one a processor
	Todo     []int // the points to solve, counted series by series and load by load; nil for all
	Both     bool  // solve points with only the resized jobs stopping, too, where the system does not say who stops
	// Each, if not nil, is called after each point, one at a time, in the order in which they are done. An error ends the
	// sweep.
	Each func(i int, p *Point) error
}

// Points returns all points, none of them solved: series by series and load by load. Those of a series whose system is
// wrong carry the error, and neither capacity nor arrival rate.
func (w *Sweep) Points() []Point {
	points := make([]Point, 0, len(w.Series)*max(1, len(w.Loads)))
	for i := range w.Series {
		points = append(points, w.Series[i].points(w.Loads)...)
	}
	return points
}

func (s *Series) points(loads []float64) []Point {
	capacity, rate := s.Capacity, 0.0
	err := s.System.Check()
	if err != nil {
		err = fmt.Errorf("%s: %w", s.Name, err)
	} else {
		rate, capacity = s.System.Arrivals.Rate(), cmp.Or(capacity, s.System.Capacity())
	}
	if len(loads) == 0 {
		p := Point{Series: s.Name, ArrivalRate: rate, Err: err}
		if err == nil {
			p.Load = rate / capacity
		}
		return []Point{p}
	}
	points := make([]Point, len(loads))
	for i, load := range loads {
		points[i] = Point{Series: s.Name, Load: load, ArrivalRate: load * capacity, Err: err}
	}
	return points
}

// Solve returns the points in order, series by series and load by load, the same for any number of workers. A point
// that fails carries its error and does not stop the others. When ctx is done before the last point, Solve returns its
// error with all points, those that were finished marked as done; so it does with an error of Each.
func (w *Sweep) Solve(ctx context.Context) ([]Point, error) {
	if w == nil {
		return nil, nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	points := w.Points()
	todo := w.Todo
	if todo == nil {
		for i := range points {
			todo = append(todo, i)
		}
	}
	if i := slices.IndexFunc(todo, func(i int) bool { return i < 0 || i >= len(points) }); i >= 0 {
		return points, fmt.Errorf("decide: there is no point %d to solve; there are %d", todo[i], len(points))
	}
	set := limited(w.Settings)
	var mu sync.Mutex
	_ = parallel.Each(ctx, len(todo), w.Workers, func(k int) error { // what failed is in the points
		i := todo[k]
		points[i].solve(ctx, &w.Series[i/max(1, len(w.Loads))], w, set)
		mu.Lock()
		defer mu.Unlock()
		if points[i].Done && w.Each != nil {
			if err := w.Each(i, &points[i]); err != nil {
				stop(err)
			}
		}
		return nil
	})
	return points, context.Cause(ctx)
}

// solve takes one worker: the points of a sweep are what is solved in parallel.
func (p *Point) solve(ctx context.Context, s *Series, w *Sweep, set markov.Settings) {
	if p.Err != nil {
		p.Done = true
		return
	}
	system, policies := s.System, s.Policies
	if policies == nil {
		policies = policy.Candidates(system.Machine())
	}
	var err error
	if len(w.Loads) > 0 {
		system, err = system.WithArrivalRate(p.ArrivalRate)
	}
	if err == nil {
		if p.Decision, err = SolvePartly(ctx, system, policies, set, 1); len(p.Decision.Failed) > 0 {
			err = p.Decision.Failed[0]
		}
	}
	if err == nil && w.Both && p.Decision.Ratio != 0 && s.StopsAssumed && system.StopsMatter() {
		p.Resized = p.resized(ctx, s, set)
	}
	if ctx.Err() != nil {
		return
	}
	p.Decision.forget()
	if err != nil {
		p.Err = fmt.Errorf("%s at load %g: %w", p.Series, p.Load, err)
	}
	p.Done = true
}
