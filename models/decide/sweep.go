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

// Series is one line of a chart: a system, solved at each load of a list. The arrivals are rescaled in time to reach a
// load.
type Series struct {
	Name   string
	System *models.System
	// StopsAssumed says that the user did not state which jobs stop during a repartition. [Sweep.Readings] then also
	// solves the series with only the resized jobs stopping.
	StopsAssumed bool
	// Capacity is the arrival rate of load 1; 0 for the capacity of the system itself. Series with a common Capacity
	// have the same arrival rate at the same load.
	Capacity float64
	// Policies are the policies to solve; nil for the policies of [policy.Candidates] that have an exact chain.
	Policies []policy.Policy
}

// Point is a series at one load. The measures of a point are scalars only: the probabilities of levels and of delays
// would keep the solutions of all points in memory.
type Point struct {
	Series      string
	Load        float64 // relative to the capacity of the series
	ArrivalRate float64
	Decision    Decision
	Err         error // the first failure; the Decision holds the policies that were solved
	Done        bool  // false if the sweep ended before this point, or the point is not in Sweep.Todo
	// Resized is the decision with only the resized jobs stopping; nil unless both Sweep.Both and Series.StopsAssumed are set.
	Resized *Resized
}

// Resized is a decision with only the resized jobs stopping, or the error that prevented it.
type Resized struct {
	Decision Decision
	Err      error // wraps [markov.ErrTooLarge] where it would take too long
}

// Sweep is a set of points to solve: every series at every load.
type Sweep struct {
	Series   []Series
	Loads    []float64 // none: every series at the arrival rate of its system
	Settings markov.Settings
	Workers  int   // 0: one for each processor
	Todo     []int // indices of the points to solve, in the order of [Sweep.Points]; nil for all
	Both     bool  // also solve points with only the resized jobs stopping, in the series with StopsAssumed
	// Each, if not nil, is called after each point, in the order in which the points are finished. Calls do not overlap.
	// An error of Each ends the sweep.
	Each func(i int, p *Point) error
}

// ThinLoads returns every load, or every second, fifth, tenth or sixteenth load, in their order. Solving a point takes
// the given seconds. The function takes the first of these choices with which the loads and one more point are solved
// within most seconds. Every sixteenth load may take longer. The result is nil if no load is left.
func ThinLoads(loads []float64, seconds, most float64) (few []float64) {
	every := 1
	for _, next := range []int{2, 5, 10, 16} {
		if seconds*float64(1+len(loads)/every) > most {
			every = next
		}
	}
	for i := every - 1; i < len(loads); i += every {
		few = append(few, loads[i])
	}
	return few
}

// Points returns all points unsolved, series by series and within a series load by load. The points of a series with a
// wrong system carry the error of the system; their arrival rates rest on Series.Capacity alone.
func (w *Sweep) Points() []Point {
	var points []Point
	for i := range w.Series {
		points = append(points, w.Series[i].points(w.Loads)...)
	}
	return points
}

// points returns the unsolved points of the series: one for each load, or the system as it is if there are no loads. If
// the system is wrong, each point carries the error, with the name of the series, in Err.
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

// Solve returns the points in the order of [Sweep.Points]; the result does not depend on the number of workers. A point
// that fails carries its error and does not stop the others.
//
// If ctx is done before the last point, Solve returns all points with the error of ctx. The points that were finished are
// marked as Done. An error of Each has the same effect.
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
	resized := make([]func() *resizedSeries, len(w.Series))
	for i := range w.Series {
		resized[i] = sync.OnceValue(func() *resizedSeries { return newResizedSeries(ctx, &w.Series[i], set) })
	}
	var mu sync.Mutex
	_ = parallel.Each(ctx, len(todo), w.Workers, func(k int) error { // the errors are in the points
		i := todo[k]
		series := i / max(1, len(w.Loads))
		points[i].solve(ctx, &w.Series[series], w, set, resized[series])
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

// solve solves a point with one worker, because the points of a sweep are already solved in parallel. resized returns the
// series with only the resized jobs stopping.
func (p *Point) solve(ctx context.Context, s *Series, w *Sweep, set markov.Settings, resized func() *resizedSeries) {
	if p.Err != nil {
		p.Done = true
		return
	}
	system, policies := s.System, s.Policies
	if policies == nil {
		policies, _ = haveChain(system)
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
		p.Resized = resized().at(ctx, p)
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
