package models

import (
	"context"
	"fmt"
	"sync"

	"github.com/partwise/partwise/markov"
)

// Series is one line of a chart: a system whose arrivals are rescaled to each load in turn.
type Series struct {
	Name   string
	System *System
	// Capacity is the arrival rate that is load 1, that of the system a series is measured by; 0 for the system's own.
	Capacity float64
}

// Point is a series at one load. Its measures are scalars only: levels and delays would keep the solutions of all points in
// memory.
type Point struct {
	Series      string
	Load        float64 // relative to the capacity of the series
	ArrivalRate float64
	Decision    Decision
	Err         error // what could not be solved; the Decision is then empty
	Done        bool  // false if the run was interrupted before this point
}

// Sweep is a set of points to solve: every series at every load.
type Sweep struct {
	Series   []Series
	Loads    []float64
	Settings markov.Settings
	Workers  int         // 0 for one a processor
	Progress func(n int) // if not nil, called after each point with the number of points that are done; one at a time
}

// Solve returns the points in order, series by series and load by load, the same for any number of workers. A point
// that fails carries its error and does not stop the others. When ctx is done before the last point, Solve returns its
// error with all points, those that were finished marked as done.
func (w *Sweep) Solve(ctx context.Context) ([]Point, error) {
	points := make([]Point, 0, len(w.Series)*len(w.Loads))
	systems := make([]*System, 0, cap(points))
	for _, s := range w.Series {
		capacity := s.Capacity
		if capacity == 0 {
			capacity = s.System.Capacity()
		}
		for _, load := range w.Loads {
			points = append(points, Point{Series: s.Name, Load: load, ArrivalRate: load * capacity})
			systems = append(systems, s.System)
		}
	}
	var mu sync.Mutex
	done := 0
	parallel(ctx, len(points), w.Workers, func(i int) {
		points[i].solve(ctx, systems[i], w.Settings)
		mu.Lock()
		defer mu.Unlock()
		if done++; w.Progress != nil {
			w.Progress(done)
		}
	})
	for i := range points {
		if !points[i].Done {
			return points, ctx.Err()
		}
	}
	return points, nil
}

// solve takes one worker: the points of a sweep are what is solved in parallel.
func (p *Point) solve(ctx context.Context, s *System, set markov.Settings) {
	at, err := s.WithArrivalRate(p.ArrivalRate)
	if err == nil {
		p.Decision, err = at.Decide(ctx, s.Candidates(), set, 1)
	}
	if ctx.Err() != nil {
		return
	}
	for i := range p.Decision.Results {
		p.Decision.Results[i].Measures.forget()
	}
	if err != nil {
		p.Err = fmt.Errorf("%s at load %g: %w", p.Series, p.Load, err)
	}
	p.Done = true
}
