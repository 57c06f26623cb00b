package replay

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

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
	// where the upper end does: 0 if it is at most 1 where resizing is free, +Inf if it is not at eleven days. HalfWidth is
	// infinite, and Low and High are NaN, where the ratio has no interval.
	ResizeCost metric.Interval
}

// mostResizeCost is the largest time of a resize that a break-even is looked for at, in seconds: eleven days.
const mostResizeCost = 960 * 1024

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
	of := *s
	of.Costs = []Cost{free()}
	runs, err := of.Run(ctx, workers)
	if err != nil {
		return nil, err
	}
	all := &searches{tell: s.Foreseen}
	for _, run := range runs {
		if run.Resizes() {
			all.list = append(all.list, &costSearch{of: &of, workers: workers, free: run, known: map[int]*Run{0: run}, left: usualOctaves + usualSteps,
				pace: usual(run), all: all})
			all.done += run.Seconds
		}
	}
	if len(all.list) == 0 {
		return nil, &SettingError{"policies", "none of them resizes jobs"}
	}
	if err := parallel.Each(ctx, len(all.list), workers, func(i int) error { return all.list[i].bracket(ctx) }); err != nil {
		return nil, err
	}
	found := make([]Breakeven, len(all.list))
	return found, parallel.Each(ctx, len(found), workers, func(i int) (err error) {
		run := all.list[i].free
		found[i] = Breakeven{Policy: run.Policy, Share: run.Share, Load: run.Load}
		found[i].ResizeCost, err = all.list[i].interval(ctx)
		return err
	})
}

// costSearch replays a run with other costs, and remembers what it found.
type costSearch struct {
	of      *Study
	workers int
	free    *Run         // the run without cost
	known   map[int]*Run // replays by the step of their cost
	left    int          // about how many replays are left
	pace    float64      // about how many seconds each takes
	all     *searches
}

// searches tells how far some searches have come.
type searches struct {
	list []*costSearch
	tell func(done, left float64) // nil: nobody wants to know
	mu   sync.Mutex
	done float64 // seconds of the replays so far
}

// Until a search knows better, a bracket takes so many replays, and the steps about the crossings so many more.
const usualOctaves, usualSteps = 8, 15

// expect sets how many replays a search has left, and about how many seconds each takes.
func (a *searches) expect(c *costSearch, left int, pace float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.left, c.pace = left, pace
	a.show()
}

// replayed counts a replay of a search.
func (a *searches) replayed(c *costSearch, seconds float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done += seconds
	c.left = max(c.left-1, 0)
	a.show()
}

func (a *searches) show() {
	if a.tell == nil {
		return
	}
	left := 0.0
	for _, c := range a.list {
		left += float64(c.left) * c.pace
	}
	a.tell(a.done, left)
}

// usual returns about how many seconds a replay of a run takes. On five logs the replays of a search took 1.2 to 1.4 times the replay
// without cost with 20 % malleable jobs, and 1.6 to 2.4 times with all: the more a resize costs, the more jobs wait.
func usual(free *Run) (seconds float64) { return (1.15 + 0.75*free.Share) * free.Seconds }

// values returns what is known of the ratio of a replay: the mean and, if it has an interval, both ends.
func (c *costSearch) values(r *Run) []float64 {
	e := r.Ratio()
	if half := c.free.Ratio().HalfWidth; math.IsInf(half, 0) || math.IsNaN(half) {
		return []float64{e.Mean}
	}
	return []float64{e.Mean, e.Low, e.High}
}

// bracket replays the run with costs that double, until the ratio and its whole interval are at most 1.
func (c *costSearch) bracket(ctx context.Context) error {
	var took []float64
	for step := 0; step <= lastStep; step += stepsByOctave {
		runs, err := c.replays(ctx, step, step)
		if err != nil {
			return err
		}
		took = append(took, runs[0].Seconds)
		if slices.Max(c.values(runs[0])) <= 1 {
			break
		}
		c.all.expect(c, max(usualOctaves-len(took), 0)+usualSteps, max(stat.Mean(took, nil), usual(c.free)))
	}
	about := map[int]bool{} // the steps about the crossings that are not known
	for k := range c.values(c.free) {
		if step := c.octave(k); 0 < step && step <= lastStep {
			from, to := window(step)
			for s := from; s <= to; s++ {
				if c.known[s] == nil {
					about[s] = true
				}
			}
		}
	}
	c.all.expect(c, len(about), stat.Mean(took[max(len(took)-3, 0):], nil)) // those near the crossings
	return nil
}

// interval returns the break-even of the run.
func (c *costSearch) interval(ctx context.Context) (metric.Interval, error) {
	var found []float64
	for k := range c.values(c.free) {
		cost, err := c.crossing(ctx, k)
		if err != nil {
			return metric.Interval{}, err
		}
		found = append(found, cost)
	}
	c.all.expect(c, 0, 0)
	if len(found) == 1 {
		return metric.Interval{Mean: found[0], Low: math.NaN(), High: math.NaN(), HalfWidth: math.Inf(1)}, nil
	}
	e := metric.Interval{Mean: found[0], Low: found[1], High: found[2]}
	e.HalfWidth = max(e.High-e.Mean, e.Mean-e.Low)
	return e, nil
}

// lastStep is that of mostResizeCost.
const lastStep = 17 * stepsByOctave

// octave returns the first step of the bracket at which the k-th value is at most 1; beyond lastStep if there is none.
func (c *costSearch) octave(k int) (step int) {
	for step <= lastStep && c.values(c.known[step])[k] > 1 {
		step += stepsByOctave
	}
	return step
}

// window returns the first and the last step about a crossing, by its octave.
func window(step int) (from, to int) {
	return max(step-3*stepsByOctave/2, 0), min(step+stepsByOctave/2, lastStep)
}

// crossing returns the cost at which the k-th value of the ratio falls to 1, from the replays at the steps of the scale about there:
// half a range on either side, and more while the crossing is that near an end.
func (c *costSearch) crossing(ctx context.Context, k int) (float64, error) {
	step := c.octave(k)
	switch {
	case step == 0:
		return 0, nil // there is no advantage where resizing is free
	case step > lastStep:
		return math.Inf(1), nil
	}
	for from, to := window(step); ; {
		runs, err := c.replays(ctx, from, to)
		if err != nil {
			return 0, err
		}
		var values []float64
		for _, r := range runs {
			values = append(values, c.values(r)[k])
		}
		place, below, above := fallsToOne(values)
		switch {
		case !below && from > 0:
			from = max(from-stepsByOctave/2, 0)
		case !above && to < lastStep:
			to = min(to+stepsByOctave/2, lastStep)
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

// replays returns the replays of the run at the costs of the steps. Costs that were not asked for before are replayed together.
func (c *costSearch) replays(ctx context.Context, from, to int) ([]*Run, error) {
	var steps []int
	var runs []*Run
	for step := from; step <= to; step++ {
		if c.known[step] == nil {
			cost := costOfStep(step)
			steps, runs = append(steps, step), append(runs, &Run{Setting: c.free.Setting, Load: c.free.Load, Baseline: c.free.Baseline,
				replications: c.free.replications})
			runs[len(runs)-1].Cost = Cost{Name: fmt.Sprintf("%gs", cost), Seconds: cost}
		}
	}
	err := parallel.Each(ctx, len(runs), c.workers, func(i int) error {
		defer func() { c.all.replayed(c, runs[i].Seconds) }()
		return c.of.replay(ctx, runs[i])
	})
	if err != nil {
		return nil, err
	}
	for i, step := range steps {
		c.known[step] = runs[i]
	}
	var all []*Run
	for step := from; step <= to; step++ {
		all = append(all, c.known[step])
	}
	return all, nil
}
