package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// A model file that does not say who stops during a repartition can mean two machines. It is solved as IPS96 does: all
// jobs stop. On most real machines only the resized jobs stop. This file asks whether the decision is the same there.

// The seconds that the solution of a chain may take which is solved only to see whether the decision is the same: once, or at many
// points.
const (
	mostOnce  = 1
	mostOften = 0.3
)

// resizedOnly returns the system with only resized jobs stopping. The error wraps [markov.ErrTooLarge] where the solution of
// its chain takes more than so many seconds, or there is no chain.
func resizedOnly(ctx context.Context, s *models.System, most float64) (*models.System, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	other := *s
	other.Stops = models.ResizedStop
	switch seconds, err := checkSize(ctx, &other, policy.Dynamic{}, markov.Settings{}); {
	case errors.Is(err, models.ErrNoChain):
		return nil, fmt.Errorf("%w: %w", markov.ErrTooLarge, err)
	case err != nil:
		return nil, err
	case seconds > most:
		return nil, fmt.Errorf("decide: about %.1g s, where only resized jobs stop: %w", seconds, markov.ErrTooLarge)
	}
	return &other, nil
}

// Resized returns the decision on a system as it is where only the resized jobs stop: dynamic partitioning is solved
// anew, and the rest stays. The error wraps [markov.ErrTooLarge] where that takes too long to be done beside.
func (d *Decision) Resized(ctx context.Context, s *models.System, set markov.Settings) (Decision, error) {
	if d == nil {
		return Decision{}, errors.New("decide: there is no decision")
	}
	return d.resized(ctx, s, set, mostOnce)
}

func (d *Decision) resized(ctx context.Context, s *models.System, set markov.Settings, most float64) (Decision, error) {
	other, err := resizedOnly(ctx, s, most)
	if err != nil {
		return Decision{}, err
	}
	set = limited(set)
	set.Method = "" // it is for another chain
	one, err := solve(ctx, other, policy.Dynamic{}, set)
	if err != nil {
		return Decision{}, err
	}
	return d.With(one), nil
}

// With returns the decision with another result of a policy.
func (d *Decision) With(one Solved) Decision {
	results := slices.DeleteFunc(slices.Clone(d.Results), func(r Solved) bool { return r.Policy == one.Policy })
	return NewDecision(append(results, one))
}

// resized solves a point of a series, which is solved, with only the resized jobs stopping.
func (p *Point) resized(ctx context.Context, s *Series, set markov.Settings) *Resized {
	system, err := s.System.WithArrivalRate(p.ArrivalRate)
	if err != nil {
		return &Resized{Err: err}
	}
	d, err := p.Decision.resized(ctx, system, set, mostOften)
	d.forget()
	return &Resized{d, err}
}

// Differs reports whether two decisions have different winners, or one of them has none, and not by a hair: the
// advantages differ by more than [PracticalDifference].
func (d *Decision) Differs(other *Decision) bool {
	a, okA := d.advantage()
	b, okB := other.advantage()
	return okA && okB && d.Compare().Winner != other.Compare().Winner && math.Abs(a-b) > PracticalDifference
}

// Reading is a series of a sweep with only the resized jobs stopping.
type Reading struct {
	Series  string
	Points  []Point // those that were solved, ascending
	Differs bool    // at one of them dynamic partitioning pays, and in the series as it is does not, or the reverse
	Err     error   // why there are none
}

// Readings solves every series whose stops are assumed, and matter, again with only the resized jobs stopping: at the first load
// and the last, at those with the largest and the smallest ratio, where the winner changes first, and where two of these have
// different winners, at loads between them until they are neighbours. The points are those of the sweep, solved.
func (w *Sweep) Readings(ctx context.Context, points []Point) ([]Reading, error) {
	if w == nil {
		return nil, nil
	}
	each, set := max(1, len(w.Loads)), limited(w.Settings)
	set.Shared = cmp.Or(set.Shared, &markov.Shared{}) // a series has the same states at all loads
	if len(points) < each*len(w.Series) {
		return nil, fmt.Errorf("decide: %d points are not those of a sweep of %d", len(points), each*len(w.Series))
	}
	var read []int // the series
	for i, s := range w.Series {
		if s.StopsAssumed && s.System.Check() == nil && s.System.StopsMatter() {
			read = append(read, i)
		}
	}
	all := make([]Reading, len(read))
	err := parallel.Each(ctx, len(read), w.Workers, func(k int) error {
		s := &w.Series[read[k]]
		all[k] = newReading(s.Name, points[read[k]*each:][:each], func(p *Point) *Resized { return p.resized(ctx, s, set) })
		return ctx.Err()
	})
	return all, err
}

// NewReading returns the reading of a series that [Sweep.Readings] returns, from points that were solved with
// [Sweep.Both]; false if they were not, or the series says who stops.
func NewReading(points []Point) (Reading, bool) {
	known := slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return p.Resized == nil })
	if len(known) == 0 {
		return Reading{}, false
	}
	return newReading(known[0].Series, known, func(p *Point) *Resized { return p.Resized }), true
}

// newReading looks at points of a series, which are solved, with only the resized jobs stopping, as solve finds them.
func newReading(series string, points []Point, solve func(p *Point) *Resized) Reading {
	r := Reading{Series: series}
	points = slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return p.Decision.Ratio == 0 })
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.Load, b.Load) })
	found := make([]*Resized, len(points))
	pays := func(i int) bool {
		if found[i] == nil && r.Err == nil {
			found[i] = solve(&points[i])
			r.Err = found[i].Err
		}
		return found[i] != nil && found[i].Decision.Ratio > 1
	}
	var between func(lo, hi int) // looks for changes between two points
	between = func(lo, hi int) {
		if mid := (lo + hi) / 2; pays(lo) != pays(hi) && mid > lo {
			between(lo, mid)
			between(mid, hi)
		}
	}
	before := 0
	for _, i := range extremes(points) {
		if r.Err == nil && pays(i) != pays(before) {
			between(before, i)
		}
		before = i
	}
	if r.Err != nil {
		return r
	}
	for i, other := range found {
		if other == nil {
			continue
		}
		p, was := points[i], &points[i].Decision
		p.Decision = other.Decision
		moved := (p.Decision.Ratio > 1) != (was.Ratio > 1)
		r.Differs = r.Differs || moved && was.Differs(&p.Decision)
		r.Points = append(r.Points, p)
	}
	return r
}

// extremes returns the indices of the first and the last point, and of those with the largest and the smallest ratio, ascending.
func extremes(points []Point) []int {
	if len(points) == 0 {
		return nil
	}
	ratios := make([]float64, len(points))
	for i := range points {
		ratios[i] = points[i].Decision.Ratio
	}
	all := []int{0, floats.MaxIdx(ratios), floats.MinIdx(ratios), len(points) - 1}
	slices.Sort(all)
	return slices.Compact(all)
}

// movedCrossing is the share by which a crossing must lie elsewhere for two answers to differ.
const movedCrossing = 0.05

// breakevenReadingSteps is the number of steps of the walk with only the resized jobs stopping.
const breakevenReadingSteps = 6

// Resized answers the question with only the resized jobs stopping, to
// some four digits, and without the best static partitionings, which are the same. The error wraps
// [markov.ErrTooLarge] where that takes too long to be done beside.
func (b *Breakeven) Resized(ctx context.Context) (*Answer, error) {
	if b == nil {
		return nil, errNoQuestion
	}
	other, err := resizedOnly(ctx, b.System, mostOften)
	if err != nil {
		return nil, err
	}
	question := *b
	question.System, question.Steps, question.Progress = other, min(b.steps(), breakevenReadingSteps), nil
	question.Settings = limited(b.Settings)
	question.Settings.Method = ""
	question.Axis.At = func(_ *models.System, x float64) (*models.System, error) {
		s, err := b.Axis.At(b.System, x)
		if err != nil {
			return nil, err
		}
		return resizedOnly(ctx, s, mostOften) // service times that are refitted may have more phases
	}
	return (&walk{Breakeven: &question, coarse: true}).solve(ctx)
}

// Differs reports whether two answers disagree on where dynamic partitioning pays: there are other intervals, or their
// ends lie apart by more than a twentieth.
func (a *Answer) Differs(other *Answer) bool {
	if len(a.Intervals) != len(other.Intervals) {
		return true
	}
	for i := range a.Intervals {
		x, y := &a.Intervals[i], &other.Intervals[i]
		far := x.To.Crossing && math.Abs(x.To.X-y.To.X) > movedCrossing*max(x.To.X, y.To.X)
		if x.Pays != y.Pays || far {
			return true
		}
	}
	return false
}
