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

// A model file that does not say which jobs stop during a repartition can mean two machines. The model is solved with the
// assumption of IPS96 that all jobs stop. On most real machines only the resized jobs stop. This file asks whether the
// decision is the same if only the resized jobs stop.

// The limits bound the seconds that one solution with only the resized jobs stopping may take: mostOnce for a question
// with one such solution, mostOften for questions with many points.
const (
	mostOnce  = 1
	mostOften = 0.3
)

// resizedOnly returns the system with only the resized jobs stopping. The error wraps [markov.ErrTooLarge] if the system
// has no chain, or if the solution of the chain would take more than most seconds.
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
		return nil, fmt.Errorf("decide: %w", &parallel.LimitError{What: "the chain where only resized jobs stop", Resource: parallel.Time,
			Takes: seconds, Limit: most, Kind: markov.ErrTooLarge})
	}
	return &other, nil
}

// Resized returns the decision on the system s if only the resized jobs stop during a repartition. Only dynamic
// partitioning is solved again; the results of the other policies are kept. The error wraps [markov.ErrTooLarge] if the
// solution would take more than mostOnce seconds, or comes from ctx.
func (d *Decision) Resized(ctx context.Context, s *models.System, set markov.Settings) (Decision, error) {
	if d == nil {
		return Decision{}, errors.New("decide: there is no decision")
	}
	other, err := resizedOnly(ctx, s, mostOnce)
	if err != nil {
		return Decision{}, err
	}
	set = limited(set)
	set.Method = "" // the method was chosen for another chain
	one, err := solve(ctx, other, policy.Dynamic{}, set)
	if err != nil {
		return Decision{}, err
	}
	return d.With(one), nil
}

// With returns the decision in which the result one replaces the result of the same policy.
func (d *Decision) With(one Solved) Decision {
	results := slices.DeleteFunc(slices.Clone(d.Results), func(r Solved) bool { return r.Policy == one.Policy })
	return NewDecision(append(results, one))
}

// resizedSeries solves points of a series again, with only the resized jobs stopping. The chain has the same states at all
// loads, and finds them once. Several goroutines may solve points.
type resizedSeries struct {
	chain rescalable
	set   markov.Settings
	err   error // why no point can be solved
}

// rescalable is a chain that has the same states at all arrival rates, see [models.Model].
type rescalable interface {
	WithArrivalRate(lambda float64) (models.Model, error)
}

// newResizedSeries returns the series with only the resized jobs stopping. Its points take at most mostOften seconds each.
func newResizedSeries(ctx context.Context, s *Series, set markov.Settings) *resizedSeries {
	r := &resizedSeries{set: limited(set)}
	r.set.Method = ""               // the method was chosen for another chain
	r.set.Shared = &markov.Shared{} // holds the states of the chain
	var system *models.System
	if system, r.err = resizedOnly(ctx, s.System, mostOften); r.err != nil {
		return r
	}
	var chain models.Model
	if chain, r.err = system.Chain(policy.Dynamic{}); r.err == nil {
		r.chain = chain.(rescalable)
	}
	return r
}

// at solves a solved point of the series again.
func (r *resizedSeries) at(ctx context.Context, p *Point) *Resized {
	if r.err != nil {
		return &Resized{Err: r.err}
	}
	chain, err := r.chain.WithArrivalRate(p.ArrivalRate)
	if err != nil {
		return &Resized{Err: err}
	}
	one, err := solveChain(ctx, chain, policy.Dynamic{}, r.set)
	if err != nil {
		return &Resized{Err: err}
	}
	d := p.Decision.With(one)
	d.forget()
	return &Resized{Decision: d}
}

// Differs reports whether two decisions differ in practice: their winners differ, and their advantages, see
// [Comparison.advantage], differ by more than [PracticalDifference]. Differs is false if either decision has no stable
// policy.
func (d *Decision) Differs(other *Decision) bool {
	mine, others := d.Compare(), other.Compare()
	a, okA := mine.advantage()
	b, okB := others.advantage()
	return okA && okB && mine.Winner != others.Winner && math.Abs(a-b) > PracticalDifference
}

// Reading is the series of a sweep with only the resized jobs stopping.
type Reading struct {
	Series  string
	Points  []Point // the points that were solved again, in ascending order of load
	Differs bool    // at one of the points, another policy wins than if all jobs stop, see [Decision.Differs]
	Err     error   // why Points is empty
}

// Readings solves the series with StopsAssumed again, with only the resized jobs stopping. points are the solved points
// of the sweep. To save time, not all loads of a series are solved:
//
//   - the first and the last load, and the loads with the largest and the smallest ratio T_SP*/T_DP;
//   - loads between two adjacent ones of these with different winners, by bisection, until they are neighbours in the
//     sweep.
//
// Loads at which not both policies are stable are left out. So are series for which the model does not depend on which
// jobs stop. The error comes from ctx; some readings are then empty.
func (w *Sweep) Readings(ctx context.Context, points []Point) ([]Reading, error) {
	if w == nil {
		return nil, nil
	}
	each, set := max(1, len(w.Loads)), limited(w.Settings)
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
		resized := newResizedSeries(ctx, s, set)
		all[k] = newReading(s.Name, points[read[k]*each:][:each], func(p *Point) *Resized { return resized.at(ctx, p) })
		return ctx.Err()
	})
	return all, err
}

// NewReading makes the reading of a series from points that were solved with [Sweep.Both]. The second result is false if
// no point has a Resized decision.
func NewReading(points []Point) (Reading, bool) {
	known := slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return p.Resized == nil })
	if len(known) == 0 {
		return Reading{}, false
	}
	return newReading(known[0].Series, known, func(p *Point) *Resized { return p.Resized }), true
}

// newReading selects the points of [Sweep.Readings] among the solved points of a series, calls solve for each, and
// compares the decisions. It stops at the first error.
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
	var between func(lo, hi int) // bisects between two points with different winners
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

// extremes returns the indices of the first and the last point, and of the points with the largest and the smallest
// ratio, in ascending order.
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

// movedCrossing is the relative distance above which two crossings count as different in [Answer.Differs].
const movedCrossing = 0.05

// breakevenReadingSteps bounds the number of steps of the walk in [Breakeven.Resized].
const breakevenReadingSteps = 6

// Resized answers the question with only the resized jobs stopping. Crossings are found to about four digits. Splits is
// not set, because static partitioning does not depend on which jobs stop. The error wraps [markov.ErrTooLarge] if a
// point would take more than mostOften seconds, or comes from ctx.
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

// Differs reports whether two answers differ on where dynamic partitioning pays: the intervals are others, or a crossing
// lies elsewhere by more than the share movedCrossing.
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
