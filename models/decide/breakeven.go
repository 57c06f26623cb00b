package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// Breakeven asks for which values of an axis dynamic partitioning pays: its mean response time is then less than the
// mean response time of its rival, the best static partitioning or another policy. All response times are exact
// solutions. Only the crossings of the two curves are searched for.
//
// The least response time of the static policies has kinks where another number of partitions becomes best. The two
// curves may therefore cross several times. The range is walked in equal steps, or in steps of equal ratio:
//
//   - If different policies win at two adjacent points, the crossing between them is found by [findRoot].
//   - If the curves come close between points with the same winner, the steps beside the closest approach are halved, see
//     [walk.approaches].
//
// Two crossings within one step are missed if the adjacent points do not show that the curves come close.
type Breakeven struct {
	System *models.System
	Axis   Axis
	// Against is the rival of dynamic partitioning; nil for the best static policy at each point.
	Against policy.Policy
	// If To is 0, the range ends where the range of the axis does, see also [Axis.Grows]. If both are 0, it also begins there.
	From, To float64
	Steps    int // number of steps of the walk; 0 is 48
	Settings markov.Settings
	Workers  int // 0: one for each processor
	// Progress, if not nil, is called after each point of the walk with the number of points solved so far. Several
	// goroutines may call Progress at once.
	Progress func(n int)
}

// Probe is a decision at a point of an axis.
type Probe struct {
	X        float64
	Value    float64 // the number to show for X, see [Axis]
	Decision Decision
	// Comparison compares dynamic partitioning with its rival, see [Breakeven.Against].
	Comparison Comparison
}

// Bound is an end of an interval: a crossing, or an end of the range that was examined.
type Bound struct {
	Probe
	Crossing bool
	// Accuracy is a bound on the distance between X and the true crossing: half the width of the last bracket, plus the error
	// of the advantage over its slope. The error is the sum of the solver's bounds of both response times, at least 1e-9.
	Accuracy float64
}

// ValueAccuracy returns a bound on the distance between Value and the value at the true crossing. The function assumes
// that Value is X or proportional to X.
func (b *Bound) ValueAccuracy() float64 {
	if b.X == 0 {
		return b.Accuracy
	}
	return b.Accuracy * b.Value / b.X
}

// Interval is a part of the range on which one of two answers holds.
type Interval struct {
	From, To Bound
	Pays     bool // dynamic partitioning is faster than its rival
	// Best is the solved point in the interval with the largest |advantage|, see [Comparison.advantage]. If Pays is set,
	// dynamic partitioning is furthest ahead at Best, otherwise furthest behind.
	Best Probe
}

// Answer says on which intervals dynamic partitioning pays, and on which intervals each number of static partitions is
// best.
type Answer struct {
	From, To float64 // the range that was examined
	// Limit is the smallest value of the axis at which no policy is stable, if To had to be reduced because of it.
	// Otherwise Limit is 0.
	Limit     float64
	Probes    []Probe // the points of the walk and the crossings, ascending
	Intervals []Interval
	Splits    []Split // empty if static partitioning does not depend on the axis, or is not the rival
}

// Stable reports whether any policy is stable at any point that was examined.
func (a *Answer) Stable() bool { return len(a.Intervals) > 0 }

// Most returns the point with the largest ratio T_rival/T_DP among the points Best of the intervals on which dynamic
// partitioning pays. Points at which only one policy is stable do not count. Nil if no point is left.
func (a *Answer) Most() *Probe {
	var most *Probe
	for i := range a.Intervals {
		one := &a.Intervals[i]
		if r := one.Best.Comparison.Ratio; one.Pays && r > 0 && (most == nil || r > most.Comparison.Ratio) {
			most = &one.Best
		}
	}
	return most
}

const (
	breakevenSteps = 48
	// tied is the least advantage that decides between two policies. On some systems both policies are the same queue, and
	// rounding must not decide.
	tied = 1e-9
	// bracket is the width of the last bracket of a crossing, relative to the step of the walk that holds the crossing.
	bracket = 1e-10
	// coarseBracket replaces bracket in an answer that is only compared with another answer, see [Breakeven.Resized].
	coarseBracket = 1e-3
	// farthest bounds the end of the range of an axis with Axis.Grows.
	farthest = 1 << 20
	// stableShare times Axis.Limit is the largest end of a range. Closer to the limit, the moments lose digits.
	stableShare = 0.999
)

var errNoQuestion = errors.New("decide: there is no question")

// Solve walks the range and finds the crossings. The answer is the same for any number of workers. The error is a
// *[models.SystemError] if the system is wrong. It is [ErrNoOverhead], [ErrPhaseMap] or [ErrNoSerialShare] if the axis varies what
// the system does not have. It is a *[SolveError] with the policy if a point cannot be solved, or the error of ctx.
func (b *Breakeven) Solve(ctx context.Context) (*Answer, error) {
	if b == nil {
		return nil, errNoQuestion
	}
	question := *b
	question.Settings = limited(b.Settings)
	w := &walk{Breakeven: &question}
	a, err := w.solve(ctx)
	if err != nil || b.Axis.OnlyDynamic || b.Against != nil || !a.Stable() {
		return a, err
	}
	a.Splits, err = w.splits(ctx, a.Probes)
	return a, err
}

// LeastSCV returns the least scv of service times at which a question over the scv can begin. It tries 1, 1/2, 1/3, …, the scvs of
// Erlang service with 1, 2, 3, … phases, until the chains are too large. The result is 0 if they are too large already at 1. If
// ctx ends, the result is the least scv found so far. No chain is solved.
func (b *Breakeven) LeastSCV(ctx context.Context) (least float64) {
	if b == nil || b.System.Check() != nil {
		return 0
	}
	policies := append((&walk{Breakeven: b}).rivals(), policy.Dynamic{})
	for phases := 1.; phases <= phasetype.MaxPhases; phases++ {
		s, err := withServiceSCV(b.System, 1/phases)
		for i := 0; err == nil && i < len(policies); i++ {
			err = CheckSize(ctx, s, policies[i], limited(b.Settings))
		}
		if err != nil {
			break
		}
		least = 1 / phases
	}
	return least
}

// solve finds the intervals of the answer, but not the splits.
func (w *walk) solve(ctx context.Context) (*Answer, error) {
	if err := w.System.Check(); err != nil {
		return nil, err
	}
	if err := w.Axis.check(); err != nil {
		return nil, err
	}
	a := &Answer{From: w.From, To: w.To}
	if w.From == 0 && w.To == 0 {
		a.From = w.Axis.Range[0]
	}
	if w.To == 0 {
		a.To = w.Axis.end(a.From)
	}
	if !(a.From >= 0) || !(a.To > a.From) || math.IsInf(a.To, 1) || w.Axis.Geometric && a.From == 0 {
		return nil, fmt.Errorf("decide: no range of %s from %g to %g", w.Axis.Name, a.From, a.To)
	}
	if err := w.refuse(ctx); err != nil {
		return nil, err
	}
	if w.Axis.Limit != nil {
		rate, err := w.maxStableRate(ctx)
		if err != nil {
			return nil, err
		}
		if limit := w.Axis.Limit(w.System, rate); a.To > stableShare*limit {
			a.Limit, a.To = limit, stableShare*limit
			if a.From >= a.To {
				return a, nil
			}
		}
	}
	if err := w.solveFixed(ctx); err != nil {
		return nil, err
	}
	if w.Axis.Grows && w.To == 0 {
		if err := w.grow(ctx, a); err != nil {
			return nil, err
		}
	}
	if err := w.scan(ctx, a); err != nil {
		return nil, err
	}
	return a, w.intervals(ctx, a)
}

// walk is a Breakeven that is being solved.
type walk struct {
	*Breakeven
	fixed []Solved // results of the rivals, if they do not depend on the axis
	// coarse asks for crossings to about four digits, and for no search where the curves only come close.
	coarse bool
}

// rivals returns the policies of which dynamic partitioning is compared with the best.
func (w *walk) rivals() []policy.Policy {
	if w.Against == nil {
		return policy.Statics(w.System.Machine())
	}
	return []policy.Policy{w.Against}
}

// refuse returns an error if dynamic partitioning cannot be compared with Against.
func (w *walk) refuse(ctx context.Context) error {
	switch w.Against {
	case nil:
		return nil
	case policy.Dynamic{}:
		return errors.New("decide: dynamic partitioning cannot be compared with itself")
	}
	if _, err := checkSize(ctx, w.System, w.Against, w.Settings); err != nil {
		return &SolveError{w.Against, err}
	}
	return nil
}

// maxStableRate returns the supremum of the arrival rates at which dynamic partitioning or a rival is stable.
func (w *walk) maxStableRate(ctx context.Context) (float64, error) {
	if w.Against == nil {
		return maxStableRate(w.System), nil
	}
	rival, err := solve(ctx, w.System, w.Against, w.Settings)
	return max(w.System.Capacity(), rival.Measures.MaxArrivalRate), err
}

// solveFixed solves the rivals once if they do not depend on the axis.
func (w *walk) solveFixed(ctx context.Context) error {
	rivals := w.rivals()
	if !w.Axis.OnlyDynamic || !keepsNodes(rivals[0]) {
		return nil
	}
	d, err := Solve(ctx, w.System, rivals, w.Settings, w.Workers)
	d.forget()
	w.fixed = d.Results
	return err
}

// keepsNodes reports whether jobs keep their nodes under the policy, so that resizing them does not matter.
func keepsNodes(p policy.Policy) bool {
	_, splits := p.(policy.Splitting)
	_, queues := p.(policy.Queued)
	return splits || queues
}

// at solves dynamic partitioning and its rivals at x. Rivals that do not depend on x are taken from w.fixed.
func (w *walk) at(ctx context.Context, x float64) (Probe, error) {
	policies := []policy.Policy{policy.Dynamic{}}
	if w.fixed == nil {
		policies = append(policies, w.rivals()...)
	}
	d, err := w.solveAt(ctx, x, policies)
	if err == nil && w.fixed != nil {
		d = NewDecision(append(d.Results, w.fixed...))
	}
	p := Probe{X: x, Value: x, Decision: d, Comparison: d.CompareWith(w.Against)}
	if dynamic := p.Comparison.Dynamic; w.Axis.Value != nil && dynamic != nil {
		p.Value = w.Axis.Value(x, &dynamic.Measures)
	}
	return p, err
}

// solveAt solves some policies at x with one worker, because the points of a walk are already solved in parallel.
func (w *walk) solveAt(ctx context.Context, x float64, policies []policy.Policy) (Decision, error) {
	s, err := w.Axis.At(w.System, x)
	if err != nil {
		return Decision{}, err
	}
	d, err := Solve(ctx, s, policies, w.Settings, 1)
	if err != nil {
		return d, fmt.Errorf("%s %.6g: %w", w.Axis.Name, x, err)
	}
	d.forget() // a walk has dozens of points, and keeps them all
	return d, nil
}

// ahead returns the advantage minus its margin. The result is positive where dynamic partitioning pays. ok is false if no
// policy is stable.
func (p *Probe) ahead() (f float64, ok bool) {
	f, ok = p.Comparison.advantage()
	return f - p.Comparison.margin(), ok
}

// grow doubles a.To until dynamic partitioning does not pay there, or a.To reaches farthest.
func (w *walk) grow(ctx context.Context, a *Answer) error {
	for ; a.To < farthest; a.To *= 2 {
		p, err := w.at(ctx, a.To)
		if err != nil {
			return err
		}
		if f, ok := p.ahead(); !ok || f <= 0 {
			return nil
		}
	}
	return nil
}

// steps returns the number of steps into which the walk divides the range: b.Steps, or breakevenSteps unless it is
// positive.
func (b *Breakeven) steps() int {
	if b.Steps <= 0 {
		return breakevenSteps
	}
	return b.Steps
}

// scan solves the points of the walk, equally spaced on the axis from a.From to a.To, and sets a.Probes to them in
// ascending order. The error comes from the function At of the axis, before any point is solved, from [walk.at], or
// from ctx.
func (w *walk) scan(ctx context.Context, a *Answer) error {
	xs := w.Axis.grid(a.From, a.To, w.steps()+1)
	for _, x := range xs { // an axis that cannot vary the system fails here, before the first point is solved
		if _, err := w.Axis.At(w.System, x); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	probes, err := parallel.Grid(ctx, 1, len(xs), w.Workers, w.Progress, func(_, i int) (Probe, error) { return w.at(ctx, xs[i]) })
	a.Probes = probes[0]
	return err
}

// intervals finds the crossings between adjacent points of a.Probes at which different policies win, and sets
// a.Intervals, the intervals between them. The crossings are added to a.Probes in ascending order. Unless w.coarse,
// [walk.approaches] looks for pairs of crossings first. The error comes from [walk.at].
func (w *walk) intervals(ctx context.Context, a *Answer) error {
	if !w.coarse {
		if err := w.approaches(ctx, a); err != nil {
			return err
		}
	}
	var pairs []int // indices i with a crossing between the probes i and i+1
	for i := range a.Probes[1:] {
		here, okHere := a.pays(i, w.Axis)
		next, okNext := a.pays(i+1, w.Axis)
		if okHere && okNext && here != next {
			pairs = append(pairs, i)
		}
	}
	found := make([]Bound, len(pairs))
	err := parallel.Each(ctx, len(pairs), w.Workers, func(i int) (err error) {
		found[i], err = w.crossing(ctx, a.Probes[pairs[i]], a.Probes[pairs[i]+1])
		return err
	})
	if err != nil {
		return err
	}
	a.Intervals = a.between(found, w.Axis)
	for _, c := range found {
		a.Probes = append(a.Probes, c.Probe)
	}
	sortProbes(a.Probes)
	return nil
}

// pays reports whether dynamic partitioning pays at probe i. Curves that meet where the axis ends do not cross there: that end
// belongs to the interval beside it. An axis ends at 0, and where Axis.Ends says so. ok is false if no policy is stable.
func (a *Answer) pays(i int, axis Axis) (pays, ok bool) {
	p := &a.Probes[i]
	f, ok := p.ahead()
	advantage, _ := p.Comparison.advantage()
	if !ok || f > 0 || math.Abs(advantage) > p.Comparison.margin() {
		return f > 0, ok
	}
	beside := i
	switch {
	case i == 0 && p.X == 0:
		beside++
	case i == len(a.Probes)-1 && axis.Ends && p.X == axis.Range[1]:
		beside--
	}
	g, stable := a.Probes[beside].ahead()
	return stable && g > 0, true
}

// sortProbes sorts list, in place, by the points X on the axis, in ascending order. Equal points keep their order.
func sortProbes(list []Probe) {
	slices.SortStableFunc(list, func(p, q Probe) int { return cmp.Compare(p.X, q.X) })
}

// crossing finds the zero of the advantage between two points at which different policies win, and returns it as a
// bound with its accuracy. If the advantage has one sign at both points, it lies within its margin at one of them. Then
// crossing finds where the advantage reaches the margin. The error comes from [walk.at].
func (w *walk) crossing(ctx context.Context, lo, hi Probe) (Bound, error) {
	flo, _ := lo.Comparison.advantage()
	fhi, _ := hi.Comparison.advantage()
	within := flo*fhi > 0 // the advantage is between 0 and its margin at one point: find where it reaches the margin
	var p Probe
	f := func(x float64) (v uncertain, err error) {
		p, err = w.at(ctx, x)
		v.value, _ = p.Comparison.advantage()
		v.off = p.Comparison.margin()
		if within {
			v.value -= v.off
			v.off *= 2 // the margin itself, and the error of the advantage
		}
		return v, err
	}
	width := bracket
	if w.coarse {
		width = coarseBracket
	}
	r, err := findRoot(f, lo.X, hi.X, width*(hi.X-lo.X))
	if err == nil {
		_, err = f(r.x)
	}
	return Bound{Probe: p, Crossing: true, Accuracy: r.accuracy()}, err
}

// between returns the intervals into which the crossings divide the probes. The crossings are in ascending order. There
// is one between every two adjacent stable probes at which different policies win.
func (a *Answer) between(crossings []Bound, axis Axis) []Interval {
	var all []Interval
	next := 0
	for i := range a.Probes {
		p := a.Probes[i]
		pays, ok := a.pays(i, axis)
		if !ok {
			continue
		}
		if last := len(all) - 1; last < 0 || all[last].Pays != pays {
			from := Bound{Probe: p}
			if last >= 0 {
				from = crossings[next]
				next++
				all[last].To = from
			}
			all = append(all, Interval{From: from, Pays: pays, Best: p})
		}
		current := &all[len(all)-1]
		current.To = Bound{Probe: p}
		f, _ := p.ahead()
		if best, _ := current.Best.ahead(); math.Abs(f) > math.Abs(best) {
			current.Best = p
		}
	}
	return all
}
