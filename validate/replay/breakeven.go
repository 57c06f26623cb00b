package replay

import (
	"context"
	"fmt"
	"maps"
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
	// ResizeCost is in seconds. Mean is where [Run.Ratio] falls below 1, Low where the lower end of its interval does, and High
	// where the upper end does: 0 if it is below 1 where resizing is free, +Inf if it is not at [MostResizeCost]. HalfWidth is
	// infinite, and Low and High are NaN, where the ratio has no interval.
	ResizeCost metric.Interval
}

// MostResizeCost is the largest time of a resize that a break-even is looked for at, in seconds: eleven days.
const MostResizeCost = 960 * 1024

// firstResizeCost is the smallest of the costs, doubled from one to the next, between which a break-even is looked for.
const firstResizeCost = 15

// breakevenTol is the relative width of the range at which a search ends.
const breakevenTol = 0.01

// Breakevens returns the break-even of each policy with each share of malleable jobs. The mean of the ratio and both ends of
// its interval are searched alike: first for free resizes, then for costs from 15 s on, each twice the cost before, until the
// value is at most 1. The range between the last two costs is then cut, by lines through its ends, until its width is one in a
// hundred. A log is one sample, and a ratio may cross 1 more than once: the break-even is a crossing in the first range of the
// doubled costs that has one.
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
		all[i] = Breakeven{Policy: free[i].Policy, Share: free[i].Share}
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

// crossing returns a cost at which what is read from the ratio of the run falls below 1. The ratio changes by about a per cent from
// one cost to the next, and may cross 1 several times near the cost; other costs would then find another crossing.
func (c *costSearch) crossing(ctx context.Context, run *Run, of func(metric.Interval) float64) (float64, error) {
	at := func(costs ...float64) (values []float64, err error) {
		runs, err := c.replays(ctx, run, costs)
		for _, r := range runs {
			values = append(values, of(r.Ratio()))
		}
		return values, err
	}
	low, high := 0.0, 0.0
	for high == 0 {
		costs := []float64{low, max(firstResizeCost, 2*low)}
		values, err := at(costs...)
		switch {
		case err != nil:
			return 0, err
		case values[0] <= 1:
			return 0, nil // there is no advantage where resizing is free
		case values[1] <= 1:
			high = costs[1]
		case costs[1] >= MostResizeCost:
			return math.Inf(1), nil
		default:
			low = costs[1]
		}
	}
	// Costs that the search of another value of the ratio has replayed may lie in the range, too.
	for _, cost := range slices.Sorted(maps.Keys(c.known[run])) {
		if low < cost && cost < high {
			if of(c.known[run][cost].Ratio()) <= 1 {
				high = cost
				break
			}
			low = cost
		}
	}
	return c.narrow(low, high, at)
}

// narrow returns the middle of a range whose width is breakevenTol of its upper end. The value is above 1 at its lower end and
// not at its upper end; both may be infinite. The next cost lies where the line through both ends is 1, a little beyond: there the other end moves.
func (c *costSearch) narrow(low, high float64, at func(...float64) ([]float64, error)) (float64, error) {
	beyond, widths := 0.0, [2]float64{math.Inf(1), math.Inf(1)}
	for high-low > breakevenTol*high {
		ends, err := at(low, high)
		if err != nil {
			return 0, err
		}
		step := min(0.4*breakevenTol*high, (high-low)/4)
		cost := low + (high-low)*(ends[0]-1)/(ends[0]-ends[1]) + beyond*step
		// Two lines did not halve the range, or an end is infinite.
		if high-low > widths[0]/2 || math.IsNaN(cost) {
			cost = (low + high) / 2
		}
		cost = min(max(cost, low+step), high-step)
		widths = [2]float64{widths[1], high - low}
		values, err := at(cost)
		if err != nil {
			return 0, err
		}
		if values[0] <= 1 {
			high, beyond = cost, -1
		} else {
			low, beyond = cost, 1
		}
	}
	return (low + high) / 2, nil
}

// replays returns the run with each of the costs, those that are not known yet side by side.
func (c *costSearch) replays(ctx context.Context, run *Run, costs []float64) ([]*Run, error) {
	known := c.known[run]
	study := c.study
	study.Policies, study.Loads, study.Shares, study.Costs = []policy.Policy{run.Policy}, []float64{run.Load}, nil, nil
	if run.Mixed {
		study.Shares = []float64{run.Share}
	}
	for _, cost := range costs {
		if known[cost] == nil {
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
	all := make([]*Run, len(costs))
	for i, cost := range costs {
		all[i] = known[cost]
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
