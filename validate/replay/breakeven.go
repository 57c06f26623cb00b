package replay

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

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
	search := &costSearch{study: *s, workers: workers, known: map[*Run]map[float64]*Run{}, left: map[*Run]float64{}}
	search.study.Costs = []Cost{Free()}
	free, err := search.study.Run(ctx, workers)
	if err != nil {
		return nil, err
	}
	free = slices.DeleteFunc(free, func(run *Run) bool { return !run.Resizes() })
	for _, run := range free {
		search.known[run] = map[float64]*Run{0: run}
		search.left[run] = (usualOctaves + usualSteps) * search.usual(run)
		search.done += run.Seconds
	}
	if err := parallel.Each(ctx, len(free), workers, func(i int) error { return search.bracket(ctx, free[i]) }); err != nil {
		return nil, err
	}
	all := make([]Breakeven, len(free))
	err = parallel.Each(ctx, len(free), workers, func(i int) (err error) {
		if err := search.around(ctx, free[i]); err != nil {
			return err
		}
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

	mu      sync.Mutex
	done    float64          // seconds of the replays so far
	left    map[*Run]float64 // about how many are left, by run without cost
	octaves int              // the most that a bracket took
}

// Until a search knows better, a bracket takes so many replays, and the steps about the crossings so many more.
const usualOctaves, usualSteps = 8, 15

// bracket replays the run with costs that double, until the ratio and its whole interval are at most 1.
func (c *costSearch) bracket(ctx context.Context, run *Run) error {
	for step, octaves := 0, 1; step <= lastStep; step, octaves = step+stepsByOctave, octaves+1 {
		runs, err := c.replays(ctx, run, []int{step})
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.octaves = max(c.octaves, octaves)
		c.left[run] = (float64(max(c.octaves-octaves, usualOctaves-octaves, 0)) + usualSteps) * c.usual(run)
		c.mu.Unlock()
		if e := runs[0].Ratio(); !slices.ContainsFunc(run.crossings(), func(of func(metric.Interval) float64) bool { return of(e) > 1 }) {
			break
		}
	}
	steps, each := c.steps(run)
	c.mu.Lock()
	c.left[run] = float64(len(steps)) * each
	c.mu.Unlock()
	return nil
}

// usual returns about how many seconds a replay of the run takes until its bracket is known: the mean of those so far, but at least
// what is usual. On five logs the replays of a search took 1.2 to 1.4 times the replay without cost with 20 % malleable jobs, and 1.6 to
// 2.4 times with all: the more a resize costs, the more jobs wait.
func (c *costSearch) usual(run *Run) (seconds float64) {
	known := c.known[run]
	for _, r := range known {
		seconds += r.Seconds / float64(len(known))
	}
	return max(seconds, (1.15+0.75*run.Share)*run.Seconds)
}

// steps returns the steps about the crossings that are not known yet, and about how many seconds a replay there takes: the mean of
// the bracket from the first crossing on, and of the two costs before it.
func (c *costSearch) steps(run *Run) (steps []int, each float64) {
	known, least := c.known[run], lastStep
	for _, of := range run.crossings() {
		step := c.octave(run, of)
		if step == 0 || step > lastStep {
			continue
		}
		least = min(least, step)
		from, to := window(step)
		for s := max(from, 0); s <= min(to, lastStep); s++ {
			if known[costOfStep(s)] == nil && !slices.Contains(steps, s) {
				steps = append(steps, s)
			}
		}
	}
	n := 0.0
	for step := max(least-2*stepsByOctave, 0); known[costOfStep(step)] != nil; step += stepsByOctave {
		each, n = each+known[costOfStep(step)].Seconds, n+1
	}
	return steps, each / max(n, 1)
}

// around replays the steps about the crossings.
func (c *costSearch) around(ctx context.Context, run *Run) error {
	steps, _ := c.steps(run)
	_, err := c.replays(ctx, run, steps)
	c.count(run, math.Inf(1), 0)
	return err
}

// count tells of a replay that took some seconds, of those that the run has left.
func (c *costSearch) count(run *Run, ofLeft, seconds float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += seconds
	c.left[run] = max(0, c.left[run]-ofLeft)
	if c.study.Foreseen == nil {
		return
	}
	left := 0.0
	for _, seconds := range c.left {
		left += seconds
	}
	c.study.Foreseen(c.done, left)
}

// crossings are the values of the ratio whose crossings of 1 are looked for: the mean, and both ends of its interval if it has one.
func (r *Run) crossings() []func(metric.Interval) float64 {
	all := []func(metric.Interval) float64{func(e metric.Interval) float64 { return e.Mean },
		func(e metric.Interval) float64 { return e.Low }, func(e metric.Interval) float64 { return e.High }}
	if half := r.Ratio().HalfWidth; math.IsInf(half, 0) || math.IsNaN(half) {
		return all[:1]
	}
	return all
}

// interval returns the break-even of a run.
func (c *costSearch) interval(ctx context.Context, run *Run) (metric.Interval, error) {
	var found []float64
	for _, of := range run.crossings() {
		cost, err := c.crossing(ctx, run, of)
		if err != nil {
			return metric.Interval{}, err
		}
		found = append(found, cost)
	}
	if len(found) == 1 {
		return metric.Interval{Mean: found[0], Low: math.NaN(), High: math.NaN(), HalfWidth: math.Inf(1)}, nil
	}
	e := metric.Interval{Mean: found[0], Low: found[1], High: found[2]}
	e.HalfWidth = max(e.High-e.Mean, e.Mean-e.Low)
	return e, nil
}

// lastStep is that of [MostResizeCost].
const lastStep = 17 * stepsByOctave

// octave returns the first step of the bracket at which the value is at most 1; beyond lastStep if there is none.
func (c *costSearch) octave(run *Run, of func(metric.Interval) float64) (step int) {
	for step <= lastStep && of(c.known[run][costOfStep(step)].Ratio()) > 1 {
		step += stepsByOctave
	}
	return step
}

// window returns the first and the last step about a crossing, by its octave.
func window(step int) (from, to int) { return step - 3*stepsByOctave/2, step + stepsByOctave/2 }

// crossing returns the cost at which what is read from the ratio of the run falls to 1, from the replays at the steps of the scale
// about there: half a range on either side, and more while the crossing is that near an end.
func (c *costSearch) crossing(ctx context.Context, run *Run, of func(metric.Interval) float64) (float64, error) {
	step := c.octave(run, of)
	switch {
	case step == 0:
		return 0, nil // there is no advantage where resizing is free
	case step > lastStep:
		return math.Inf(1), nil
	}
	for from, to := window(step); ; {
		from, to = max(from, 0), min(to, lastStep)
		var steps []int
		for s := from; s <= to; s++ {
			steps = append(steps, s)
		}
		runs, err := c.replays(ctx, run, steps)
		if err != nil {
			return 0, err
		}
		var values []float64
		for _, r := range runs {
			values = append(values, of(r.Ratio()))
		}
		place, below, above := fallsToOne(values)
		switch {
		case !below && from > 0:
			from -= stepsByOctave / 2
		case !above && to < lastStep:
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
		runs := slices.DeleteFunc(study.Runs(), func(r *Run) bool { return r.Baseline == nil })
		err := parallel.Each(ctx, len(runs), c.workers, func(i int) error {
			runs[i].Baseline = run.Baseline
			defer func() { c.count(run, runs[i].Seconds, runs[i].Seconds) }()
			return study.replay(ctx, runs[i])
		})
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
