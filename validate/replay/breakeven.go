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
	Replays    []*Run // at the costs that were tried, ascending; see [Study.Known]
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

// placeOfCost is the inverse of [costOfStep], and returns a place on the scale for costs between two steps, at which
// [interpolate] has this cost.
func placeOfCost(seconds float64) float64 {
	step := 0
	for step < lastStep && costOfStep(step+1) <= seconds {
		step++
	}
	return float64(step) + (seconds-costOfStep(step))/(costOfStep(step+1)-costOfStep(step))
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
// crossing, and replays the costs around it. With a sample the log is long, and is replayed at 6 to 15 costs instead; see
// [fewSteps]. Such a search begins with all costs at which s.Known has the run, and replays fewer.
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
		for _, step := range slices.Sorted(maps.Keys(c.known)) {
			found[i].Replays = append(found[i].Replays, c.known[step])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// beginSearches adds a search to all.list for each run that resizes jobs, and replays these runs, and EASY, at the cost of
// the first step. The error is a *[SettingError] if no policy resizes jobs, or comes from [Study.replayAll].
func (s *Study) beginSearches(ctx context.Context, workers int, all *searches) error {
	start := s.firstStep()
	of := *s
	of.Costs, of.Groupings, of.Sample = []Cost{costAt(start)}, nil, nil
	runs := of.Runs()
	if !slices.ContainsFunc(runs, (*Run).Resizes) {
		return &SettingError{"policies", "none of them resizes jobs"}
	}
	for _, run := range runs {
		run.searched = true
	}
	if err := of.replayAll(ctx, runs, workers); err != nil {
		return err
	}
	for _, run := range runs {
		if !run.Resizes() {
			continue
		}
		c := &costSearch{of: &of, first: run, from: start, to: start, known: map[int]*Run{start: run}, left: usualOctaves + usualSteps,
			pace: run.Seconds, all: all}
		if s.Sample != nil {
			c.few, c.left = &fewSteps{last: lastStep, near: nearCosts, at: costOfStep}, usualFew
			c.few.add(float64(start), c.ratioAndEnds(start))
			c.addKnown(s.Known)
		}
		all.list, all.done = append(all.list, c), all.done+run.Seconds
	}
	all.guessFew()
	return nil
}

// addKnown adds the ratios of known runs to c.few, if they differ from the first run in a flat cost alone. So a search uses
// the costs that another part of the study has replayed. c.few must have the values of the first run.
func (c *costSearch) addKnown(known []*Run) {
	for _, run := range known {
		if run == nil || run.Baseline == nil || !run.Cost.Flat() || run.Cost.Seconds > mostResizeCost {
			continue
		}
		same := c.at(0)
		same.Cost = run.Cost
		if c.of.serves(run, same) && run.Ratio().IsKnown() == c.first.Ratio().IsKnown() {
			c.few.add(placeOfCost(run.Cost.Seconds), c.values(run))
		}
	}
}

// guessFew sets few.guess of all searches from the search with the most known costs: the place of the upper end of its
// interval, or the place to which [fewSteps.beyond] extrapolates it. The other searches have other shares of malleable
// jobs, at whose crossings the costs are alike.
func (a *searches) guessFew() {
	var most *fewSteps
	for _, c := range a.list {
		if c.few != nil && (most == nil || len(c.few.places) > len(most.places)) {
			most = c.few
		}
	}
	if most == nil {
		return
	}
	last := len(most.values[0]) - 1
	guess := most.place(last)
	if math.IsInf(guess, 1) {
		guess = float64(most.beyond(last))
	}
	for _, c := range a.list {
		if c.few != nil {
			c.few.guess = guess
		}
	}
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
	of       *Study
	first    *Run         // the run with which the search begins
	from, to int          // steps between which all costs at the ends of doublings were replayed
	known    map[int]*Run // replays by the step of their cost
	few      *fewSteps    // of a long log, with the values of known; nil: the log is not long
	left     int          // about how many replays are left; guarded by all.mu once the search runs
	pace     float64      // about how many seconds each takes; guarded likewise
	all      *searches
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

// usualFew is about how many times a search replays a long log beside its first cost. nearCosts is the number of steps on
// either side of a crossing that can move it.
const usualFew, nearCosts = 10, 4

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

// reportProgress calls a.tell with two numbers of seconds, over all searches: how long the replays took, and about how
// long the remaining replays will take. It does nothing if a.tell is nil. The caller holds the lock.
func (a *searches) reportProgress() {
	if a.tell == nil {
		return
	}
	left := 0.0
	for _, c := range a.list {
		left += float64(c.left) * c.pace
	}
	a.tell(a.done, left)
}

// ratioAndEnds returns three values at a step that was replayed: [Run.Ratio], and the lower and the upper end of its
// interval. They are numbered 0, 1 and 2. The ratio is the mean response time of EASY over the run's. It returns the ratio
// alone if c.first, the run at the first cost, has no interval. The cost at which a value falls to 1 is the break-even, or
// an end of its interval.
func (c *costSearch) ratioAndEnds(step int) []float64 { return c.values(c.known[step]) }

// values returns the values of [costSearch.ratioAndEnds] for a run.
func (c *costSearch) values(run *Run) []float64 {
	values := meanAndEnds(run.Ratio())
	if !c.first.Ratio().IsKnown() {
		return values[:1]
	}
	return values
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
// the crossings, and keeps these replays in c.known. A cost is 0 or +Inf if there is no crossing; see [Breakeven]. If the
// ratio of c.first has no interval, Low and High are NaN and HalfWidth is infinite. The error comes from [Study.replay].
func (c *costSearch) interval(ctx context.Context) (metric.Interval, error) {
	n := len(c.ratioAndEnds(c.from))
	find, crossing := c.bracket, func(k int) (float64, error) {
		at, err := c.crossing(ctx, k)
		return interpolate(at, costOfStep), err
	}
	if c.few != nil {
		find, crossing = c.replayFew, func(k int) (float64, error) { return c.few.crossing(k), nil }
	}
	if err := find(ctx); err != nil {
		return metric.Interval{}, err
	}
	e, err := intervalOfCrossings(n, crossing)
	if err == nil {
		c.all.expect(c, 0, 0)
	}
	return e, err
}

// replayFew replays the run at the costs that c.few asks for, until all crossings are near such costs. The error comes
// from [Study.replay].
func (c *costSearch) replayFew(ctx context.Context) error {
	return c.few.settle(ctx, func(step int) ([]float64, error) {
		if err := c.replaySteps(ctx, step, step); err != nil {
			return nil, err
		}
		return c.ratioAndEnds(step), nil
	})
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
// where resizing is free, and +Inf if it exceeds 1 at the largest cost. [costSearch.bracket] must have been called.
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
	values := c.replayedValues(ctx, k)
	at, err := bisect(span{step - stepsByOctave, step}, values)
	if err != nil {
		return 0, err
	}
	return crossingOf(at.wider(windowOfCosts, lastStep), lastStep, windowOfCosts, values)
}

// replayedValues returns a function that replays the run at the costs of all steps in a range, both ends included, and
// returns value k of these steps; see [costSearch.ratioAndEnds].
func (c *costSearch) replayedValues(ctx context.Context, k int) func(from, to int) ([]float64, error) {
	return func(from, to int) ([]float64, error) {
		if err := c.replaySteps(ctx, from, to); err != nil {
			return nil, err
		}
		var values []float64
		for step := from; step <= to; step++ {
			values = append(values, c.ratioAndEnds(step)[k])
		}
		return values, nil
	}
}

// at returns the run at the cost of a step, without results.
func (c *costSearch) at(step int) *Run {
	run := &Run{Setting: c.first.Setting, Load: c.first.Load, Baseline: c.first.Baseline, replications: c.first.replications,
		searched: true}
	run.Cost = costAt(step)
	return run
}

// replaySteps stores in c.known the replays of the run at the costs of all steps from first to last, both included.
// Steps that are not there yet are replayed concurrently, as slots are free, and reported as progress. The error comes
// from [Study.replay]; nothing is stored then.
func (c *costSearch) replaySteps(ctx context.Context, first, last int) error {
	var steps []int
	var runs []*Run
	for step := first; step <= last; step++ {
		if c.known[step] == nil {
			steps, runs = append(steps, step), append(runs, c.at(step))
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
