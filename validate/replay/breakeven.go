package replay

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
)

// Breakeven is the largest time of a resize at which a policy that resizes jobs still has a smaller mean response time
// than EASY. Both run the same jobs.
type Breakeven struct {
	Policy policy.Policy
	Share  float64 // share of malleable jobs
	Load   float64 // requested load; 0: as logged
	// ResizeCost is in seconds. Mean is the cost at which [Run.Ratio] falls to 1. Low and High are the costs at which
	// the lower and the upper end of the interval of the ratio fall to 1. That interval is by the jackknife, from parts
	// of the log; see [metric.Log.RatioOf]. A cost is 0 if the ratio is at most 1 even where resizing is free. A cost is
	// +Inf if the ratio exceeds 1 even at eleven days. If the ratio has no interval, HalfWidth is infinite, and Low and
	// High are NaN.
	ResizeCost metric.Interval
	Replays    []*Run // of the whole log, at the costs that were tried, ascending; see [Study.Known]
}

// mostResizeCost is the largest time of a resize at which a break-even is searched, in seconds: eleven days.
const mostResizeCost = 960 * 1024

// A break-even is read from the ratios at costs of a scale: from 0 to 15 s in equal steps, and then with stepsByOctave
// costs between each cost and twice that cost.
const (
	stepsByOctave   = 6
	firstResizeCost = 15
)

// costOfStep returns the cost of a resize, in seconds, at a step of the scale on which break-evens are searched. Step 0
// is 0 s. The next steps are 2.5 s apart up to 15 s at step 6. From there on, six steps double the cost.
func costOfStep(step int) float64 {
	if step <= stepsByOctave {
		return firstResizeCost * float64(step) / stepsByOctave
	}
	octaves, steps := (step-stepsByOctave)/stepsByOctave, (step-stepsByOctave)%stepsByOctave
	return math.Ldexp(firstResizeCost, octaves) * math.Exp2(float64(steps)/stepsByOctave)
}

// Breakevens returns the costs of a resize, in seconds, up to which resizing pays against EASY. There is one for each
// policy that resizes jobs, each load, number of nodes and share of malleable jobs. The log is replayed at several
// costs. At each cost the ratio is the mean response time of EASY divided by the policy's: above 1 resizing pays. The
// costs of the study itself are ignored.
//
// A log is one sample. Therefore the ratio goes up and down by about a per cent from one cost to the next. It may cross
// 1 several times. The break-even is the cost at which the isotonic regression of the ratios crosses 1: the sequence
// that never rises and has the least sum of squared distances to the ratios. The ratios are known at 0, 2.5, ..., 15 s,
// and at six costs in each range from 15, 30, 60, ... s to twice as much. The mean of the ratio and both ends of its
// interval come from the same replays.
//
// A search begins near s.Cost, the cost of the study's assumptions, whose ratio the other parts of a study know. It
// doubles or halves the cost until the crossings of the three values are passed. Then it bisects the doubling of each
// crossing, and replays the costs around it. With a sample, these replays are of the weeks of the sample. The whole log is
// replayed at costs near the crossings, and corrects the ratios of the weeks; see [anchors].
//
// All searches go on at the same time, and up to workers replays, one for each processor if it is 0. s.Foreseen gets the
// progress. s.Done and s.Ended are called for the jobs of every replay.
//
// The error comes from [Study.Check] or from a replay, see [Study.Run], or is a *[SettingError] if no policy resizes
// jobs. The result is nil beside an error.
//
// Reference: R. E. Barlow, H. D. Brunk, The isotonic regression problem and its dual, JASA 67 (1972) 140–147.
func (s *Study) Breakevens(ctx context.Context, workers int) ([]Breakeven, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	all := &searches{tell: s.Foreseen, slots: newSlots(workers)}
	if err := s.beginSearches(ctx, workers, all); err != nil {
		return nil, err
	}
	found := make([]Breakeven, len(all.list))
	err := parallel.Each(ctx, len(found), len(found), func(i int) (err error) {
		c := all.list[i]
		found[i] = Breakeven{Policy: c.first.Policy, Share: c.first.Share, Load: c.first.Load}
		found[i].ResizeCost, err = c.interval(ctx)
		for _, step := range slices.Sorted(maps.Keys(c.onWhole)) {
			found[i].Replays = append(found[i].Replays, c.onWhole[step])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// beginSearches adds a search to all.list for each run that resizes jobs, and replays these runs, and EASY, at the cost of
// the first step. With a sample, it replays them both in the weeks and in the whole log. The error is a *[SettingError]
// if no policy resizes jobs, or comes from [Study.replay].
func (s *Study) beginSearches(ctx context.Context, workers int, all *searches) error {
	start := s.firstStep()
	whole := *s
	whole.Costs, whole.Groupings, whole.Sample = []Cost{costAt(start)}, nil, nil
	of := whole
	of.Log = s.searchedLog()
	runs := of.Runs()
	if !slices.ContainsFunc(runs, (*Run).Resizes) {
		return &SettingError{"policies", "none of them resizes jobs"}
	}
	if err := of.replayFirst(ctx, runs, workers); err != nil {
		return err
	}
	onWhole := runs
	if s.Sample != nil {
		onWhole = whole.Runs()
		if err := whole.replayFirst(ctx, onWhole, workers); err != nil {
			return err
		}
	}
	for i, run := range runs {
		if !run.Resizes() {
			continue
		}
		c := &costSearch{of: &of, whole: &whole, begin: run, first: onWhole[i], from: start, to: start, known: map[int]*Run{start: run},
			left: usualOctaves + usualSteps, pace: run.Seconds, all: all}
		c.onWhole = c.known
		if s.Sample != nil {
			c.onWhole = map[int]*Run{start: c.first}
			c.anchors, c.wholeLeft = &anchors{farthest: 3, farthestOfEnds: 4}, usualAnchors*c.first.Seconds
			c.addAnchor(start)
		}
		all.list, all.done = append(all.list, c), all.done+run.Seconds
	}
	return nil
}

// replayFirst replays the first runs of searches, which record response times alone. The error comes from
// [Study.replayAll].
func (s *Study) replayFirst(ctx context.Context, runs []*Run, workers int) error {
	for _, run := range runs {
		run.searched = true
	}
	return s.replayAll(ctx, runs, workers)
}

// firstStep returns the step of the scale of costs at which searches begin. It is the step of the first of 0, 15, 30,
// 60, ... s that is not below s.Cost, the cost of the study's assumptions, and at most the last step. If this cost
// depends on the sizes of jobs, it is usualFirst, the step of a minute.
func (s *Study) firstStep() int {
	if !s.Cost.Flat() {
		return usualFirst
	}
	step := 0
	for step < lastStep && costOfStep(step) < s.Cost.Seconds {
		step += stepsByOctave
	}
	return step
}

// usualFirst is the step of a minute.
const usualFirst = 3 * stepsByOctave

// costAt returns the cost of a step of the scale as a setting of a run: [costOfStep] seconds for every resize, with its
// name in results.
func costAt(step int) Cost {
	seconds := costOfStep(step)
	return Cost{Name: fmt.Sprintf("%gs", seconds), Seconds: seconds}
}

// costSearch searches the break-even of one run. It replays the run at several costs and keeps every replay, because
// the three ends of an interval need the same costs.
type costSearch struct {
	of        *Study       // of the jobs in which the run is searched: the weeks of a sample, or the whole log
	whole     *Study       // of the whole log
	begin     *Run         // the run with which the search begins
	first     *Run         // the same run on the whole log
	from, to  int          // steps between which all costs at the ends of doublings were replayed
	known     map[int]*Run // replays by the step of their cost
	onWhole   map[int]*Run // replays of the whole log by the step of their cost; known without a sample
	anchors   *anchors     // at the steps of onWhole; nil without a sample
	left      int          // about how many replays are left; guarded by all.mu once the search runs
	pace      float64      // about how many seconds each takes; guarded likewise
	wholeLeft float64      // about how many seconds are left for anchors; guarded likewise
	all       *searches
}

// searches are concurrent searches for break-evens. They share slots, and their progress is added up and reported.
type searches struct {
	list  []*costSearch
	slots slots                    // for their replays
	tell  func(done, left float64) // reports the progress; nil: progress is not reported
	mu    sync.Mutex
	done  float64 // seconds of the replays so far
}

// A search takes about usualOctaves replays to bracket the crossings and usualSteps more near the crossings. Progress
// is foreseen with these numbers until the search knows its own.
const usualOctaves, usualSteps = 4, 12

// usualAnchors is about how many times a search with a sample replays the whole log.
const usualAnchors = 4

// expect records that search c has about left replays to make, which take about pace seconds each. It then reports the
// progress of all searches. Several searches may call it at a time.
func (a *searches) expect(c *costSearch, left int, pace float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.left, c.pace = left, pace
	a.reportProgress()
}

// replayed counts a replay of search c: it adds its seconds to a.done, and lowers the replays left by one. It then
// reports the progress of all searches. Several searches may call it at a time.
func (a *searches) replayed(c *costSearch, seconds float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done += seconds
	c.left = max(c.left-1, 0)
	a.reportProgress()
}

// expectAnchors records that search c is about to replay the whole log for about so many seconds. Several searches may
// call it at a time.
func (a *searches) expectAnchors(c *costSearch, seconds float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.wholeLeft = max(c.wholeLeft, seconds)
	a.reportProgress()
}

// replayedAnchor counts a replay of the whole log, which took so many seconds. Several searches may call it at a time.
func (a *searches) replayedAnchor(c *costSearch, seconds float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done += seconds
	c.wholeLeft = max(c.wholeLeft-seconds, 0)
	a.reportProgress()
}

// end records that search c has ended. Several searches may call it at a time.
func (a *searches) end(c *costSearch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.left, c.wholeLeft = 0, 0
	a.reportProgress()
}

// reportProgress calls a.tell with two numbers of seconds, over all searches: how long the replays took, and about how
// long the remaining replays will take. It does nothing if a.tell is nil. The caller holds the lock.
func (a *searches) reportProgress() {
	if a.tell == nil {
		return
	}
	left := 0.0
	for _, c := range a.list {
		left += float64(c.left)*c.pace + c.wholeLeft
	}
	a.tell(a.done, left)
}

// ratioAndEnds returns three values at a step that was replayed: [Run.Ratio], and the lower and the upper end of its
// interval. They are numbered 0, 1 and 2. The ratio is the mean response time of EASY over the run's. With a sample, the
// values are those of the whole log as far as they are known; see [anchors]. It returns the ratio alone if c.first, the
// run at the first cost, has no interval. The cost at which a value falls to 1 is the break-even, or an end of its
// interval.
func (c *costSearch) ratioAndEnds(step int) []float64 {
	ratio := c.known[step].Ratio()
	if c.anchors != nil {
		return c.anchors.values(step, ratio.Mean)
	}
	return c.knownEnds(ratio)
}

// knownEnds returns a ratio and both ends of its interval, or the ratio alone if c.first has no interval.
func (c *costSearch) knownEnds(ratio metric.Interval) []float64 {
	if !c.first.Ratio().IsKnown() {
		return []float64{ratio.Mean}
	}
	return meanAndEnds(ratio)
}

// addAnchor makes an anchor of a step that was replayed both in the weeks of the sample and in the whole log.
func (c *costSearch) addAnchor(step int) {
	c.anchors.add(step, c.knownEnds(c.onWhole[step].Ratio()), c.known[step].Ratio().Mean)
}

// bracket finds two costs between which the ratio to EASY and each end of its interval ([costSearch.ratioAndEnds]) fall
// to 1. It doubles the cost of c.first until all values are at most 1, or the scale ends. It halves this cost until all
// values exceed 1, or the cost is 0. On entry, c.from and c.to are the step of c.first, and c.known holds it. They
// become the first and the last step, and c.known gets the replays.
//
// bracket then reports how many replays the crossings need. The error comes from [Study.replay].
func (c *costSearch) bracket(ctx context.Context) error {
	var took []float64
	try := func(step int) error {
		if err := c.replaySteps(ctx, step, step); err != nil {
			return err
		}
		took = append(took, c.known[step].Seconds)
		c.all.expect(c, max(usualOctaves-len(took), 0)+usualSteps, stat.Mean(took, nil))
		return nil
	}
	for c.to < lastStep && slices.Max(c.ratioAndEnds(c.to)) > 1 {
		c.to += stepsByOctave
		if err := try(c.to); err != nil {
			return err
		}
	}
	for c.from > 0 && slices.Min(c.ratioAndEnds(c.from)) <= 1 {
		c.from -= stepsByOctave
		if err := try(c.from); err != nil {
			return err
		}
	}
	if len(took) > 0 {
		c.all.expect(c, usualSteps, stat.Mean(took[max(len(took)-3, 0):], nil)) // those near the crossings
	}
	return nil
}

// interval returns the break-even of the run, a cost in seconds, with its interval. It replays the run at the costs near
// the crossings, and keeps these replays in c.known. With a sample it replays the whole log at some of these costs, and
// keeps these replays in c.onWhole. A cost is 0 or +Inf if there is no crossing; see [Breakeven]. If the ratio of c.first
// has no interval, Low and High are NaN and HalfWidth is infinite. The error comes from [Study.replay].
func (c *costSearch) interval(ctx context.Context) (metric.Interval, error) {
	place := func(k int) (float64, error) {
		if err := c.bracket(ctx); err != nil {
			return 0, err
		}
		return c.crossing(ctx, k)
	}
	n := len(c.ratioAndEnds(c.from))
	if c.anchors != nil {
		add := func(step int) error { return c.replayAnchor(ctx, step) }
		if err := c.anchors.settle(ctx, n, lastStep, place, add); err != nil {
			return metric.Interval{}, err
		}
	}
	e, err := intervalOfCrossings(n, func(k int) (float64, error) {
		at, err := place(k)
		return interpolate(at, costOfStep), err
	})
	if err == nil {
		c.all.end(c)
	}
	return e, err
}

// replayAnchor replays the run on the whole log at the cost of a step, and makes an anchor of it. The step must not be an
// anchor yet. The error comes from [Study.replay].
func (c *costSearch) replayAnchor(ctx context.Context, step int) error {
	if err := c.replaySteps(ctx, step, step); err != nil { // in the weeks
		return err
	}
	c.all.expectAnchors(c, c.first.Seconds)
	run := c.at(step, c.first)
	err := c.all.slots.do(ctx, func() error {
		defer func() { c.all.replayedAnchor(c, run.Seconds) }()
		return c.whole.obtain(ctx, run, c.whole.loggedWaits)
	})
	if err != nil {
		return err
	}
	c.onWhole[step] = run
	c.addAnchor(step)
	return nil
}

// at returns the run like at the cost of a step, without results.
func (c *costSearch) at(step int, like *Run) *Run {
	run := &Run{Setting: like.Setting, Load: like.Load, Baseline: like.Baseline, replications: like.replications, searched: true}
	run.Cost = costAt(step)
	return run
}

// lastStep is the step of mostResizeCost.
const lastStep = 17 * stepsByOctave

// bracketEnd returns the first step, among the doublings of the cost from c.from to c.to, at which value k of
// [costSearch.ratioAndEnds] is at most 1. Above 1 resizing still pays. All doublings must be in c.known. The crossing
// lies between this step and the doubling before it, if there is a doubling before it. The result is beyond c.to if the
// value exceeds 1 at all doublings.
func (c *costSearch) bracketEnd(k int) int {
	step := c.from
	for step <= c.to && c.ratioAndEnds(step)[k] > 1 {
		step += stepsByOctave
	}
	return step
}

// windowOfCosts is the number of steps that are replayed on either side of a crossing at first: half a doubling.
const windowOfCosts = stepsByOctave / 2

// crossing returns the place at which value k of [costSearch.ratioAndEnds] falls to 1: a step plus the part of the way to
// the next step. Value 0 is the ratio, the others are the ends of its interval. The place is 0 if the value is at most 1
// where resizing is free, and +Inf if it exceeds 1 at the largest cost. [costSearch.bracket] must have been called since
// the values have changed last.
//
// It bisects the doubling in which the value falls to 1, down to two neighbouring steps. Then it replays windowOfCosts
// more steps on either side. It replays further steps while the crossing of the isotonic regression lies at an end of
// the range. The error comes from [Study.replay].
func (c *costSearch) crossing(ctx context.Context, k int) (float64, error) {
	step := c.bracketEnd(k)
	switch {
	case step == 0:
		return 0, nil // there is no advantage where resizing is free
	case step > lastStep:
		return math.Inf(1), nil
	}
	values := func(from, to int) ([]float64, error) {
		if err := c.replaySteps(ctx, from, to); err != nil {
			return nil, err
		}
		var values []float64
		for step := from; step <= to; step++ {
			values = append(values, c.ratioAndEnds(step)[k])
		}
		return values, nil
	}
	at, err := bisect(span{step - stepsByOctave, step}, values)
	if err != nil {
		return 0, err
	}
	return crossingOf(at.wider(windowOfCosts, lastStep), lastStep, windowOfCosts, values)
}

// replaySteps stores in c.known the replays of the run at the costs of all steps from first to last, both included.
// Steps that are not there yet are replayed concurrently, as slots are free, and reported as progress. The error comes
// from [Study.replay]; nothing is stored then.
func (c *costSearch) replaySteps(ctx context.Context, first, last int) error {
	var steps []int
	var runs []*Run
	for step := first; step <= last; step++ {
		if c.known[step] == nil {
			steps, runs = append(steps, step), append(runs, c.at(step, c.begin))
		}
	}
	err := parallel.Each(ctx, len(runs), len(runs), func(i int) error {
		return c.all.slots.do(ctx, func() error {
			defer func() { c.all.replayed(c, runs[i].Seconds) }()
			return c.of.obtain(ctx, runs[i], c.of.loggedWaits)
		})
	})
	if err != nil {
		return err
	}
	for i, step := range steps {
		c.known[step] = runs[i]
	}
	return nil
}

// BreakevenOf returns the first break-even in all with the policy, the load and the share of malleable jobs of the run.
// It is nil if no break-even agrees in all three. It is also nil if the break-even has no interval and resizing does
// not pay at the cost of the run: then chance alone decides.
func (r *Run) BreakevenOf(all []Breakeven) *Breakeven {
	for i := range all {
		if b := &all[i]; b.Policy == r.Policy && b.Load == r.Load && b.Share == r.Share && (r.Verdict() == Pays || b.ResizeCost.IsKnown()) {
			return b
		}
	}
	return nil
}
