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
)

// Breakeven asks where, on an axis, dynamic partitioning pays: where its mean response time is less than that of the
// best static partitioning. Everything is solved exactly; what is searched are the crossings of two curves.
//
// The curve of the best static partitioning is scalloped, so there may be several crossings. The range is walked in
// steps; between two points on different sides the crossing is bracketed and found, and where the curves come close
// between points on one side, their closest approach is looked for. A pair of crossings closer than a step that does
// not show in the neighbouring points would be missed.
type Breakeven struct {
	System   *models.System
	Axis     Axis
	From, To float64 // 0 and 0: the range of the axis
	Steps    int     // 0: 48
	Settings markov.Settings
	Workers  int         // 0: one a processor
	Progress func(n int) // if not nil, called after each point of the walk with the number that are done, perhaps several at a time
}

// Probe is a decision at a point of an axis.
type Probe struct {
	X        float64
	Value    float64 // what X means to people, see [Axis]
	Decision Decision
}

// Bound is an end of an interval: a crossing, found to an accuracy, or the end of what was examined.
type Bound struct {
	Probe
	Crossing bool
	// Accuracy is how far the true crossing may be from X: half the last bracket, and what an error of the response times
	// at the last certain digit makes of it.
	Accuracy float64
}

// ValueAccuracy returns how far the value of the true crossing may be from Value, which is X or proportional to X.
func (b *Bound) ValueAccuracy() float64 {
	if b.X == 0 {
		return b.Accuracy
	}
	return b.Accuracy * b.Value / b.X
}

// Interval is a part of the range on which one of two answers holds.
type Interval struct {
	From, To Bound
	Pays     bool  // dynamic partitioning is faster than the best static one
	Best     Probe // where, of the points that were solved, it is ahead or, if it does not pay, behind the most
}

// Answer says where dynamic partitioning pays, and which number of static partitions is best where.
type Answer struct {
	From, To float64 // the range that was examined
	// Limit is the point from which on no policy is stable, if that cut the range short; otherwise 0.
	Limit     float64
	Probes    []Probe // ascending: the walk, and the crossings
	Intervals []Interval
	Splits    []Split // empty on an axis that does not concern static partitioning
}

// Stable reports whether any policy was stable anywhere.
func (a *Answer) Stable() bool { return len(a.Intervals) > 0 }

// Most returns the point at which dynamic partitioning pays most of those at which both policies are stable, nil if there is
// none.
func (a *Answer) Most() *Probe {
	var most *Probe
	for i := range a.Intervals {
		one := &a.Intervals[i]
		if r := one.Best.Decision.Ratio; one.Pays && r > 0 && (most == nil || r > most.Decision.Ratio) {
			most = &one.Best
		}
	}
	return most
}

// advantage returns how far dynamic partitioning is ahead, in (−1, 1): 1 − T_DP/T_SP* where it pays and T_SP*/T_DP − 1
// where it does not, an unstable policy taking forever. It is a continuous function of the system; ok is false if
// nothing is stable.
func (d *Decision) advantage() (f float64, ok bool) {
	speed, best := inverse(d.Of(policy.Dynamic{})), inverse(d.Best)
	if speed == 0 && best == 0 {
		return 0, false
	}
	return (speed - best) / max(speed, best), true
}

const (
	breakevenSteps = 48
	// tied is the relative difference of response times below which neither policy pays. Response times are certain to
	// ten digits or so, and there are systems on which both policies are the same queue.
	tied = 1e-9
	// bracket is the width of the last bracket of a crossing, relative to the step of the walk that holds it.
	bracket = 1e-10
	// coarseBracket is that where the answer is only held against another.
	coarseBracket = 1e-3
	// farthest is the end of an axis that grows.
	farthest = 1 << 20
	// stableShare is how close to the limit of stability a range goes: beyond, moments lose their digits.
	stableShare = 0.999
)

var errNoQuestion = errors.New("decide: there is no question")

// Solve walks the range and finds the crossings. The answer is the same for any number of workers. The error is a
// *[models.SystemError] if the system is wrong, [ErrNoOverhead] or [ErrPhaseMap] if the axis varies what
// the system does not have, and a *[SolveError] with the policy if a point cannot be solved.
func (b *Breakeven) Solve(ctx context.Context) (*Answer, error) {
	if b == nil {
		return nil, errNoQuestion
	}
	question := *b
	question.Settings = limited(b.Settings)
	w := &walk{Breakeven: &question}
	a, err := w.solve(ctx)
	if err != nil || b.Axis.OnlyDynamic || !a.Stable() {
		return a, err
	}
	a.Splits, err = w.splits(ctx, a.Probes)
	return a, err
}

// solve answers the question but for the best static partitionings.
func (w *walk) solve(ctx context.Context) (*Answer, error) {
	if err := w.System.Check(); err != nil {
		return nil, err
	}
	if err := w.Axis.check(); err != nil {
		return nil, err
	}
	a := &Answer{From: w.From, To: w.To}
	if a.From == 0 && a.To == 0 {
		a.From, a.To = w.Axis.Range[0], w.Axis.Range[1]
	}
	if !(a.From >= 0) || !(a.To > a.From) || math.IsInf(a.To, 1) || w.Axis.Geometric && a.From == 0 {
		return nil, fmt.Errorf("decide: no range of %s from %g to %g", w.Axis.Name, a.From, a.To)
	}
	if w.Axis.Limit != nil {
		if limit := w.Axis.Limit(w.System); a.To > stableShare*limit {
			a.Limit, a.To = limit, stableShare*limit
			if a.From >= a.To {
				return a, nil
			}
		}
	}
	if err := w.statics(ctx); err != nil {
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

// walk is a Breakeven at work.
type walk struct {
	*Breakeven
	fixed  []Solved // static policies, on an axis that does not concern them
	coarse bool     // crossings to four digits, and none looked for where curves only come close
}

// statics solves what does not depend on the axis, once.
func (w *walk) statics(ctx context.Context) error {
	if !w.Axis.OnlyDynamic {
		return nil
	}
	d, err := Solve(ctx, w.System, policy.Statics(w.System.Machine()), w.Settings, w.Workers)
	w.fixed = d.Results
	return err
}

// at decides at x.
func (w *walk) at(ctx context.Context, x float64) (Probe, error) {
	policies := policy.Candidates(w.System.Machine())
	if w.Axis.OnlyDynamic {
		policies = policies[:1]
	}
	d, err := w.solveAt(ctx, x, policies)
	if err == nil && w.Axis.OnlyDynamic {
		d = NewDecision(append(d.Results, w.fixed...))
	}
	p := Probe{X: x, Value: x, Decision: d}
	if dynamic := d.Of(policy.Dynamic{}); w.Axis.Value != nil && dynamic != nil {
		p.Value = w.Axis.Value(x, &dynamic.Measures)
	}
	return p, err
}

// solveAt solves policies at x, with one worker: points are what is solved in parallel.
func (w *walk) solveAt(ctx context.Context, x float64, policies []policy.Policy) (Decision, error) {
	s, err := w.Axis.At(w.System, x)
	if err != nil {
		return Decision{}, err
	}
	d, err := Solve(ctx, s, policies, w.Settings, 1)
	if err != nil {
		return d, fmt.Errorf("%s %.6g: %w", w.Axis.Name, x, err)
	}
	return d, nil
}

// ahead is the advantage less what makes no difference.
func (p *Probe) ahead() (f float64, ok bool) {
	f, ok = p.Decision.advantage()
	return f - tied, ok
}

// grow doubles the end of the range until dynamic partitioning does not pay there.
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

// steps returns the number of steps of the walk.
func (b *Breakeven) steps() int {
	if b.Steps <= 0 {
		return breakevenSteps
	}
	return b.Steps
}

// scan solves the points of the walk.
func (w *walk) scan(ctx context.Context, a *Answer) error {
	xs := w.Axis.grid(a.From, a.To, w.steps()+1)
	for _, x := range xs { // before anything is solved
		if _, err := w.Axis.At(w.System, x); err != nil {
			return err
		}
	}
	probes, err := parallel.Grid(ctx, 1, len(xs), w.Workers, w.Progress, func(_, i int) (Probe, error) { return w.at(ctx, xs[i]) })
	a.Probes = probes[0]
	return err
}

// intervals finds the crossings and what is between them.
func (w *walk) intervals(ctx context.Context, a *Answer) error {
	if !w.coarse {
		if err := w.approaches(ctx, a); err != nil {
			return err
		}
	}
	var pairs []int // between which probe and the next is a crossing
	for i := range a.Probes[1:] {
		f, okF := a.Probes[i].ahead()
		g, okG := a.Probes[i+1].ahead()
		if okF && okG && (f > 0) != (g > 0) {
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
	a.Intervals = a.between(found)
	for _, c := range found {
		a.Probes = append(a.Probes, c.Probe)
	}
	sortProbes(a.Probes)
	return nil
}

func sortProbes(list []Probe) {
	slices.SortStableFunc(list, func(p, q Probe) int { return cmp.Compare(p.X, q.X) })
}

// crossing finds where the advantage changes its sign between two points.
func (w *walk) crossing(ctx context.Context, lo, hi Probe) (Bound, error) {
	flo, _ := lo.Decision.advantage()
	fhi, _ := hi.Decision.advantage()
	shift := 0.0
	if flo*fhi > 0 { // the curves only come closer than what makes a difference
		shift = tied
	}
	var p Probe
	f := func(x float64) (v float64, err error) {
		p, err = w.at(ctx, x)
		v, _ = p.Decision.advantage()
		return v - shift, err
	}
	width := bracket
	if w.coarse {
		width = coarseBracket
	}
	r, err := findRoot(f, lo.X, hi.X, width*(hi.X-lo.X))
	if err == nil {
		_, err = f(r.x)
	}
	return Bound{Probe: p, Crossing: true, Accuracy: r.accuracy(tied)}, err
}

// between returns the intervals that the crossings make of the probes.
func (a *Answer) between(crossings []Bound) []Interval {
	var all []Interval
	next := 0
	for i := range a.Probes {
		p := a.Probes[i]
		f, ok := p.ahead()
		if !ok {
			continue
		}
		if last := len(all) - 1; last < 0 || all[last].Pays != (f > 0) {
			from := Bound{Probe: p}
			if last >= 0 {
				from = crossings[next]
				next++
				all[last].To = from
			}
			all = append(all, Interval{From: from, Pays: f > 0, Best: p})
		}
		current := &all[len(all)-1]
		current.To = Bound{Probe: p}
		if best, _ := current.Best.ahead(); math.Abs(f) > math.Abs(best) {
			current.Best = p
		}
	}
	return all
}
