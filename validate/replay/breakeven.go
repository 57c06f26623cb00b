package replay

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
)

// Breakeven is the time of a resize up to which a policy that resizes jobs has a smaller mean response time than EASY, on the
// same jobs.
type Breakeven struct {
	Policy policy.Policy
	Share  float64 // of malleable jobs
	Load   float64 // that was asked for; 0: as logged
	// ResizeCost is in seconds. Mean is where [Run.Ratio] falls to 1, Low where the lower end of its interval does, and High
	// where the upper end does: 0 if it is at most 1 where resizing is free, +Inf if it is not at [MostResizeCost]. HalfWidth is
	// infinite, and Low and High are NaN, where the ratio has no interval.
	ResizeCost metric.Interval
}

// MostResizeCost is the largest time of a resize that a break-even is looked for at, in seconds: eleven days.
const MostResizeCost = 960 * 1024

// A break-even is read from the ratios at costs of a scale: from 0 to 15 s in equal steps, and then with stepsByOctave costs
// between each cost and twice that cost.
const (
	stepsByOctave   = 6
	firstResizeCost = 15
)

// costOfStep returns a cost of the scale.
func costOfStep(step int) float64 {
	if step <= stepsByOctave {
		return firstResizeCost * float64(step) / stepsByOctave
	}
	octaves, steps := (step-stepsByOctave)/stepsByOctave, (step-stepsByOctave)%stepsByOctave
	return math.Ldexp(firstResizeCost, octaves) * math.Exp2(float64(steps)/stepsByOctave)
}

// Breakevens returns the break-even of each policy with each share of malleable jobs. A log is one sample: the ratio goes up and
// down by about a per cent from one cost to the next, and may cross 1 several times. The break-even is the cost at which the
// sequence that never rises and lies nearest to the ratios crosses 1 (isotonic regression; R. E. Barlow, H. D. Brunk, The
// isotonic regression problem and its dual, JASA 67 (1972)). The ratios are those at 0, 2.5, ..., 15 s, and at six costs in each
// range from 15, 30, 60, ... s to twice as much; the mean of the ratio and both ends of its interval are read from the same replays.
func (s *Study) Breakevens(ctx context.Context, workers int) ([]Breakeven, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	search := &costSearch{study: *s, workers: workers, known: map[*Run]map[float64]*Run{}}
	search.study.Costs = []Cost{Free()}
	free, err := search.study.Run(ctx, workers)
	if err != nil {
		return nil, err
	}
	free = slices.DeleteFunc(free, func(run *Run) bool { return !run.Resizes() })
	for _, run := range free {
		search.known[run] = map[float64]*Run{0: run}
	}
	all := make([]Breakeven, len(free))
	err = parallel.Each(ctx, len(free), workers, func(i int) (err error) {
		all[i] = Breakeven{Policy: free[i].Policy, Share: free[i].Share, Load: free[i].Load}
		all[i].ResizeCost, err = search.interval(ctx, free[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &SettingError{"policies", "none of them resizes jobs"}
	}
	return all, nil
}

// costSearch replays runs with other costs, and remembers what it found.
type costSearch struct {
	study   Study
	workers int
	known   map[*Run]map[float64]*Run // by run without cost and by cost
}

// interval returns the break-even of a run.
func (c *costSearch) interval(ctx context.Context, run *Run) (e metric.Interval, err error) {
	if e.Mean, err = c.crossing(ctx, run, func(r metric.Interval) float64 { return r.Mean }); err != nil {
		return e, err
	}
	if ratio := run.Ratio(); math.IsInf(ratio.HalfWidth, 0) || math.IsNaN(ratio.HalfWidth) {
		e.Low, e.High, e.HalfWidth = math.NaN(), math.NaN(), math.Inf(1)
		return e, nil
	}
	if e.Low, err = c.crossing(ctx, run, func(r metric.Interval) float64 { return r.Low }); err != nil {
		return e, err
	}
	e.High, err = c.crossing(ctx, run, func(r metric.Interval) float64 { return r.High })
	e.HalfWidth = max(e.High-e.Mean, e.Mean-e.Low)
	return e, err
}

// crossing returns the cost at which what is read from the ratio of the run falls to 1. It doubles the cost until the value is
// at most 1, and replays the steps of the scale about there: half a range on either side, and more while the crossing is that near an end.
func (c *costSearch) crossing(ctx context.Context, run *Run, of func(metric.Interval) float64) (float64, error) {
	at := func(steps ...int) (values []float64, err error) {
		runs, err := c.replays(ctx, run, steps)
		for _, r := range runs {
			values = append(values, of(r.Ratio()))
		}
		return values, err
	}
	const last = 17 * stepsByOctave // MostResizeCost
	step := 0
	for ; step <= last; step += stepsByOctave {
		value, err := at(step)
		if err != nil {
			return 0, err
		}
		if value[0] <= 1 {
			break
		}
	}
	switch {
	case step == 0:
		return 0, nil // there is no advantage where resizing is free
	case step > last:
		return math.Inf(1), nil
	}
	for from, to := step-3*stepsByOctave/2, step+stepsByOctave/2; ; {
		from, to = max(from, 0), min(to, last)
		var steps []int
		for s := from; s <= to; s++ {
			steps = append(steps, s)
		}
		values, err := at(steps...)
		if err != nil {
			return 0, err
		}
		place, below, above := fallsToOne(values)
		switch {
		case !below && from > 0:
			from -= stepsByOctave / 2
		case !above && to < last:
			to += stepsByOctave / 2
		default:
			s := int(place)
			return costOfStep(from+s) + (place-float64(s))*(costOfStep(from+s+1)-costOfStep(from+s)), nil
		}
	}
}

// fallsToOne returns the place, as an index and a part of the way to the next one, at which the sequence that never rises and is
// nearest to the values, by the sum of squares, falls to 1. It joins neighbours that rise into one level, and draws lines
// through the middles of the levels. Below and above say that there is a level before the two between which 1 lies, and one
// after them: values further out hardly move the place then. A value beyond 0 and 2, infinite ones included, counts as 0 or 2:
// that it is far from 1 is all it says here.
func fallsToOne(values []float64) (place float64, below, above bool) {
	type level struct{ sum, n, middle float64 }
	var levels []level
	for i, v := range values {
		levels = append(levels, level{min(max(v, 0), 2), 1, float64(i)})
		for k := len(levels) - 1; k > 0; k-- {
			a, b := levels[k-1], levels[k]
			if a.sum*b.n > b.sum*a.n {
				break
			}
			n := a.n + b.n
			levels = append(levels[:k-1], level{a.sum + b.sum, n, (a.n*a.middle + b.n*b.middle) / n})
		}
	}
	k := slices.IndexFunc(levels, func(l level) bool { return l.sum <= l.n })
	switch k {
	case 0:
		return 0, false, true
	case -1:
		return float64(len(values) - 1), true, false
	}
	a, b := levels[k-1], levels[k]
	high, low := a.sum/a.n-1, b.sum/b.n-1
	return a.middle + (b.middle-a.middle)*high/(high-low), k > 1, k < len(levels)-1
}

// replays returns the replays of the run at the costs of the steps. Costs that no search has asked for are replayed together.
func (c *costSearch) replays(ctx context.Context, run *Run, steps []int) ([]*Run, error) {
	known := c.known[run]
	study := c.study
	study.Policies, study.Loads, study.Shares, study.Costs = []policy.Policy{run.Policy}, []float64{run.Load}, nil, nil
	if run.Mixed {
		study.Shares = []float64{run.Share}
	}
	for _, step := range steps {
		if cost := costOfStep(step); known[cost] == nil {
			study.Costs = append(study.Costs, Cost{Name: fmt.Sprintf("%gs", cost), Seconds: cost})
		}
	}
	if len(study.Costs) > 0 {
		runs, err := study.runBeside(ctx, c.workers, run.Baseline)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			known[r.Cost.Seconds] = r
		}
	}
	all := make([]*Run, len(steps))
	for i, step := range steps {
		all[i] = known[costOfStep(step)]
	}
	return all, nil
}

// runBeside runs the policies of the study against a run of EASY that is known.
func (s *Study) runBeside(ctx context.Context, workers int, easy *Run) ([]*Run, error) {
	runs := slices.DeleteFunc(s.Runs(), func(r *Run) bool { return r.Baseline == nil })
	for _, r := range runs {
		r.Baseline = easy
	}
	return runs, s.each(ctx, runs, workers)
}
